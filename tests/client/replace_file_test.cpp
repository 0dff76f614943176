#include "client/replace_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/stat.h>

using namespace troupe;
using troupe::testing::temporary_directory;
namespace fs = std::filesystem;

namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string watched;                 // the file that is replaced
std::vector<std::string> found_then; // its text whenever something is brought to the disk
std::vector<bool> is_directory;      // and whether that was a directory

int note_sync(int descriptor) {
  struct stat about {};
  ::fstat(descriptor, &about);
  is_directory.push_back(S_ISDIR(about.st_mode));
  found_then.push_back(text_of_file(watched));
  return 0;
}

int refuse_sync(int) {
  errno = EIO;
  return -1;
}

} // namespace

TEST_CASE("a file is replaced as a whole", "[client][file]") {
  const temporary_directory where;
  const auto path = where / "days.json";
  REQUIRE(replace_file(path, "one").has_value());
  REQUIRE(replace_file(path, std::string(1 << 20, 'x')).has_value());
  CHECK(text_of_file(path) == std::string(1 << 20, 'x'));
  CHECK_FALSE(fs::exists(path + ".new"));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("the new file is on the disk before it is seen, and its name afterwards",
          "[client][file]") {
  const temporary_directory where;
  watched = where.file("days.json", "old");
  found_then.clear();
  is_directory.clear();
  REQUIRE(replace_file(watched, "new", note_sync).has_value());
  CHECK(found_then == std::vector<std::string>{"old", "new"});
  CHECK(is_directory == std::vector<bool>{false, true});
}

TEST_CASE("a file that cannot be written is as it was, and the reason is told", "[client][file]") {
  const temporary_directory where;
  const auto path = where.file("days.json", "old");
  fs::create_symlink("/dev/full", path + ".new");
  const auto full = replace_file(path, "new");
  REQUIRE_FALSE(full.has_value());
  CHECK(full.error().code == errc::unavailable);
  CHECK(full.error().message == path + ": cannot be written: No space left on device");
  CHECK_FALSE(fs::exists(fs::symlink_status(path + ".new")));
  CHECK_FALSE(replace_file(path, "new", refuse_sync).has_value());
  CHECK(text_of_file(path) == "old");
  CHECK_FALSE(replace_file(where / "no/such/days.json", "new").has_value());
}
