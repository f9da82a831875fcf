#include <formwork/formwork.hpp>

int main() {}
