#include "../../examples/translate/messages.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../support/scratch_folder.hpp"

namespace {

template <class F>
std::string sentence_after(F f) {
  try {
    f();
  } catch (const std::exception& fault) {
    return examples::sentence_of(fault);
  }
  return "";
}

}  // namespace

TEST_CASE("messages: a want of memory is a sentence, however it shows") {
  const std::string expected =
      "there is not enough memory for this; a smaller model, vocabulary, batch or beam needs less";
  std::vector<int> numbers;
  CHECK(sentence_after([&] { numbers.resize(numbers.max_size() + 1); }) == expected);
  CHECK(sentence_after([&] { throw std::bad_alloc(); }) == expected);
  CHECK(sentence_after([&] { throw std::bad_array_new_length(); }) == expected);
}

TEST_CASE("messages: a fault of the file system names path and reason, one of the library is its sentence") {
  const formwork_test::scratch_folder folder;
  const std::string missing = folder / "none";
  CHECK(sentence_after([&] { std::filesystem::directory_iterator begin(missing); }) ==
        missing + ": No such file or directory");
  CHECK(sentence_after([] { formwork::fail("a sentence with ", 2, " numbers"); }) ==
        "a sentence with 2 numbers");
}
