#include "gate/file_io.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace selectors::gate {
namespace {

using testing::slurp;
using testing::spill;
using testing::temporary_folder;

std::string complaint(const std::filesystem::path& file, std::size_t limit = 100) {
  problems found;
  EXPECT_FALSE(read_file(file, limit, found));
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().code, "E_IO");
  return found.front().message;
}

TEST(ReadFile, SaysWhyItCannot) {
  const temporary_folder folder;
  EXPECT_EQ(complaint(folder / "absent"), "no such file");
  EXPECT_EQ(complaint(folder.path()), "expected a regular file");
  spill(folder / "large", std::string(101, 'x'));
  EXPECT_EQ(complaint(folder / "large"), "101 bytes, expected at most 100");
}

TEST(ReadFile, ReadsUpToTheLimit) {
  const temporary_folder folder;
  spill(folder / "full", std::string(100, 'x'));
  problems found;
  EXPECT_EQ(read_file(folder / "full", 100, found), std::string(100, 'x'));
}

TEST(WriteFile, ReplacesTheOldContentAndLeavesNothingElse) {
  const temporary_folder folder;
  const auto file = folder / "new/folder/f.txt";
  write_file_atomically(file, "old");
  write_file_atomically(file, "new");
  EXPECT_EQ(slurp(file), "new");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(file.parent_path())) ++files;
  EXPECT_EQ(files, 1U);
}

TEST(WriteFile, KeepsTheOldContentWhenItFails) {
  const temporary_folder folder;
  std::filesystem::create_directories(folder / "target/occupied");
  EXPECT_THROW(write_file_atomically(folder / "target", "x"), std::filesystem::filesystem_error);
  EXPECT_TRUE(std::filesystem::exists(folder / "target/occupied"));
  spill(folder / "file", "x");
  EXPECT_THROW(write_file_atomically(folder / "file/below", "x"), std::filesystem::filesystem_error);
  EXPECT_EQ(slurp(folder / "file"), "x");
  EXPECT_THROW(write_file_atomically("/dev/full/x", "x"), std::filesystem::filesystem_error);
  EXPECT_THROW(write_file_atomically("/proc/selectors", "x"), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace selectors::gate
