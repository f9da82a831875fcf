#include <formwork/core/folder.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "../../support/scratch_folder.hpp"

using formwork::is_folder;
using formwork::make_folders;
using formwork::path_exists;
using formwork::remove_empty_folders;

TEST_CASE("make_folders: makes what is missing and leaves what is there") {
  const formwork_test::scratch_folder folder;
  const std::string deep = folder / "a/b/c";
  make_folders(deep);
  CHECK(std::filesystem::is_directory(deep));
  std::ofstream(deep + "/file") << "x";
  make_folders(deep);
  make_folders(deep + "/");
  make_folders(folder / "a//d/");
  CHECK(path_exists(deep + "/file"));
  CHECK(std::filesystem::is_directory(folder / "a/d"));
}

TEST_CASE("make_folders: a fault names the folder and the reason") {
  const formwork_test::scratch_folder folder;
  std::ofstream(folder / "file") << "x";
  for (const std::string& path : {folder / "file", folder / "file/a", std::string()}) {
    const std::string fault = formwork_test::failure_of<formwork::error>([&] { make_folders(path); });
    CHECK(fault == path + ": the folder cannot be made: " +
                       (path.empty() ? "No such file or directory" : "Not a directory"));
  }
}

TEST_CASE("make_folders: says what it has made, and leaves nothing where it fails") {
  const formwork_test::scratch_folder folder;
  CHECK(make_folders(folder / "a/b/") == std::vector<std::string>{folder / "a", folder / "a/b"});
  CHECK(make_folders(folder / "a/b/c") == std::vector<std::string>{folder / "a/b/c"});
  CHECK(make_folders(folder / "a/b").empty());
  CHECK_THROWS_AS(make_folders(folder / "x/y/" + std::string(5000, 'z')), formwork::error);
  CHECK_FALSE(path_exists(folder / "x"));
}

TEST_CASE("remove_empty_folders: stops at a folder that has something in it") {
  const formwork_test::scratch_folder folder;
  remove_empty_folders(make_folders(folder / "a/b/c"));
  CHECK_FALSE(path_exists(folder / "a"));
  const std::vector<std::string> made = make_folders(folder / "a/b/c");
  std::ofstream(folder / "a/file") << "x";
  remove_empty_folders(made);
  CHECK(path_exists(folder / "a/file"));
  CHECK_FALSE(path_exists(folder / "a/b"));
}

TEST_CASE("is_folder: true for folders and links to them only") {
  const formwork_test::scratch_folder folder;
  std::ofstream(folder / "file") << "x";
  std::filesystem::create_symlink(folder.path(), folder / "link");
  CHECK(is_folder(folder.path()));
  CHECK(is_folder(folder / "link"));
  CHECK_FALSE(is_folder(folder / "file"));
  CHECK_FALSE(is_folder(folder / "none"));
}

TEST_CASE("path_exists: files and folders do, a dangling link and what lies below a file do not") {
  const formwork_test::scratch_folder folder;
  std::ofstream(folder / "file") << "x";
  std::filesystem::create_symlink("nothing", folder / "link");
  CHECK(path_exists(folder / "file"));
  CHECK(path_exists(folder / ""));
  CHECK_FALSE(path_exists(folder / "none"));
  CHECK_FALSE(path_exists(folder / "file/a"));
  CHECK_FALSE(path_exists(folder / "link"));
  const std::string fault =
      formwork_test::failure_of<formwork::error>([&] { path_exists(folder / std::string(5000, 'a')); });
  CHECK(fault.find(": cannot be examined: ") != fault.npos);
}
