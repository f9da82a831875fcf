// Two units that include everything must make one program: a function that is not inline would be defined
// twice.
#include <formwork/formwork.hpp>

formwork::index_t version_of_the_other_unit();

int main() { return version_of_the_other_unit() == formwork::version_minor ? 0 : 1; }
