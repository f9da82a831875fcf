#include <formwork/train/progress.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

namespace {

/// What a progress observer writes for one update, an evaluation, a note, and another update.
std::string written(bool in_place) {
  const formwork_test::scratch_folder folder;
  std::FILE* file = std::fopen((folder / "out").c_str(), "wb");
  {
    formwork::progress show(file, in_place);
    show(formwork::update_report{.step = 50, .loss = 3.5, .learning_rate = 1e-3, .seconds_left = 65});
    show(formwork::evaluation_report{.step = 50, .epoch = 1, .loss = 3.25, .is_best = true});
    show(formwork::run_note{"a note on x\ny"});
    show(formwork::update_report{.step = 100, .loss = 3.0, .seconds_left = -1});
  }
  std::fclose(file);
  std::ifstream in(folder / "out", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("progress: without a terminal every report is a line") {
  const std::string out = written(false);
  CHECK(std::count(out.begin(), out.end(), '\n') == 4);
  CHECK(out.find_first_of("\r\x1b") == out.npos);
  CHECK(out.find("update 50  loss 3.5000") == 0);
  CHECK(out.find("lr 0.001") != out.npos);
  CHECK(out.find("1 min 05 s left\n") != out.npos);
  CHECK(out.find("valid loss 3.2500") != out.npos);
  CHECK(out.find("\na note on x\\ny\n") != out.npos);           // one line, whatever path it names
  CHECK(out.find("left", out.find("update 100")) == out.npos);  // unknown: not shown
}

TEST_CASE("progress: on a terminal updates share a line, all else stands on its own") {
  const std::string out = written(true);
  CHECK(out.starts_with("\rupdate 50  "));
  CHECK(out.find("left\x1b[K\nupdate 50  epoch 1") != out.npos);
  CHECK(out.find("a note on x\\ny\n\rupdate 100") != out.npos);
  CHECK(out.ends_with("\x1b[K\n"));
}

TEST_CASE("progress: durations are in the units that people use") {
  CHECK(formwork::duration_text(0.4) == "0 s");
  CHECK(formwork::duration_text(59) == "59 s");
  CHECK(formwork::duration_text(185) == "3 min 05 s");
  CHECK(formwork::duration_text(7 * 3600 + 125) == "7 h 02 min");
  CHECK(formwork::duration_text(-1) == "0 s");
}
