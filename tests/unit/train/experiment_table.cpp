#include <formwork/train/experiment_table.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::scratch_folder;

namespace {

std::string content(const std::string& path) { return detail::whole_file(path); }

struct sample : scratch_folder {
  std::string path = *this / "table.csv";
  experiment_table open(const std::string& name = "two runs",
                        const std::vector<std::string>& figures = {"loss", "speed"}) const {
    return {path, name, {"placement", "lr"}, figures};
  }
};

}  // namespace

TEST_CASE("experiment_table: what was appended is there when the table is opened again") {
  const sample s;
  {
    experiment_table table = s.open();
    CHECK(table.rows().empty());
    table.append({{"post", "0.1"}, {1.0 / 3, std::numeric_limits<double>::infinity()}, ""});
    table.append({{"a \"b\", c", "2"}, {}, "update 3: the loss, alas, is nan"});
  }
  const experiment_table table = s.open();
  REQUIRE(table.rows().size() == 2);
  CHECK(table.rows()[0].figures == std::vector<double>{1.0 / 3, std::numeric_limits<double>::infinity()});
  CHECK(table.rows()[1].key == std::vector<std::string>{"a \"b\", c", "2"});
  CHECK(table.rows()[1].figures.empty());
  CHECK(table.rows()[1].note == "update 3: the loss, alas, is nan");
  CHECK(table.has({"post", "0.1"}));
  CHECK_FALSE(table.has({"post", "0.2"}));
  CHECK(content(s.path) ==
        "experiment,placement,lr,loss,speed,note\n"
        "two runs,post,0.1,0.3333333333333333,inf,\n"
        "two runs,\"a \"\"b\"\", c\",2,,,\"update 3: the loss, alas, is nan\"\n");
}

TEST_CASE("experiment_table: in markdown a failed run has a note and no figures") {
  const sample s;
  experiment_table table = s.open();
  table.append({{"post", "0.1"}, {1.0 / 3, 12345678}, ""});
  CHECK(table.markdown() ==
        "two runs\n\n| placement | lr | loss | speed |\n| --- | --- | ---: | ---: |\n"
        "| post | 0.1 | 0.3333 | 1.235e+07 |\n");
  table.append({{"pre", "1"}, {}, "too high"});
  CHECK(table.markdown() ==
        "two runs\n\n| placement | lr | loss | speed | note |\n| --- | --- | ---: | ---: | --- |\n"
        "| post | 0.1 | 0.3333 | 1.235e+07 |  |\n| pre | 1 | - | - | too high |\n");
}

TEST_CASE("experiment_table: the table of another experiment is refused and stays as it is") {
  const sample s;
  s.open().append({{"post", "0.1"}, {1, 2}, ""});
  const std::string before = content(s.path);
  CHECK_THROWS_WITH_AS(s.open("three runs"),
                       (s.path + ":2: a run of the experiment 'two runs', expected 'three runs'").c_str(),
                       error);
  CHECK_THROWS_WITH_AS(s.open("two runs", {"loss"}),
                       (s.path + ":1: the columns are those of another experiment, expected "
                                 "experiment,placement,lr,loss,note")
                           .c_str(),
                       error);
  CHECK(content(s.path) == before);
  CHECK(s.open().rows().size() == 1);  // no lock has stayed behind
}

TEST_CASE("experiment_table: a damaged line is named") {
  const sample s;
  const std::string header = "experiment,placement,lr,loss,speed,note\n";
  s.write("table.csv", header + "two runs,post,0.1,1,2,\ntwo runs,pre,0.1,1\n");
  CHECK_THROWS_WITH_AS(s.open(), (s.path + ":3: 4 fields, expected 6").c_str(), error);
  for (const char* number : {"", "1x", "x"}) {
    s.write("table.csv", text(header, "two runs,post,0.1,1,", number, ",\n"));
    CHECK_THROWS_WITH_AS(s.open(), text(s.path, ":2: speed is '", number, "', expected a number").c_str(),
                         error);
  }
}

TEST_CASE("experiment_table: rows of another shape and a second writer are refused") {
  const sample s;
  experiment_table table = s.open();
  CHECK_THROWS_WITH_AS(table.append({{"post"}, {1, 2}, ""}),
                       (s.path + ": a row of 1 keys, expected 2").c_str(), error);
  CHECK_THROWS_WITH_AS(table.append({{"post", "1"}, {1}, ""}),
                       (s.path + ": a run gave 1 figures, the table has columns for 2").c_str(), error);
  CHECK(table.rows().empty());
  CHECK_THROWS_WITH_AS(
      s.open(), (s.path + ": another program is adding to this table; wait for its end").c_str(), error);
}
