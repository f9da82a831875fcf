#include <formwork/formwork.hpp>

formwork::index_t version_of_the_other_unit() { return formwork::version_minor; }
