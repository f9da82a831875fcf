#include <formwork/formwork.hpp>

#include <cstdio>

int main() {
  formwork::thread_team team(2);
  formwork::index_t squares[10] = {}, sum = 0;
  team.run(10, [&](formwork::index_t i) { squares[i] = i * i; });
  for (const formwork::index_t square : squares) sum += square;
  std::printf("formwork %d.%d.%d: %ld\n", formwork::version_major, formwork::version_minor,
              formwork::version_patch, long(sum));
  return sum == 285 ? 0 : 1;
}
