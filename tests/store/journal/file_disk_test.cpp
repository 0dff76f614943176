// The journal on files of the operating system.
#include "store/journal/file_disk.hpp"
#include "store/journal/journal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::journal;

namespace {

constexpr std::uint64_t some_id = 0xfeed;

/// Turns until nothing is under way.
void settle(disk& files, journal::journal& it) {
  while (it.turn() || files.wait()) {
  }
}

} // namespace

TEST_CASE("Groups are there for the next process, with and without a thread for the disk",
          "[journal]") {
  const bool has_thread = GENERATE(false, true);
  const testing::temporary_directory directory;
  const testing::hand_time time;
  std::vector<std::string> groups;
  for (int i = 0; i < 300; ++i)
    groups.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i), 'x'));
  {
    const auto files = make_file_disk(directory.path().string());
    if (has_thread)
      files->start([] {});
    auto made = open_journal(*files, time, some_id);
    REQUIRE(made.has_value());
    std::size_t acknowledged = 0;
    for (const auto& each : groups) {
      made->opened->append(each, [&](auto) { ++acknowledged; });
      made->opened->turn();
    }
    settle(*files, *made->opened);
    CHECK(acknowledged == groups.size());
  }
  const auto files = make_file_disk(directory.path().string());
  auto made = open_journal(*files, time, some_id);
  REQUIRE(made.has_value());
  CHECK(made->repaired.empty());
  std::vector<std::string> found;
  made->opened->read({}, 10'000'000, [&](result<group_page> page) {
    REQUIRE(page.has_value());
    for (auto& each : page->groups)
      found.push_back(std::move(each.bytes));
  });
  settle(*files, *made->opened);
  CHECK(found == groups);
}

TEST_CASE("Calls are carried out here or on the disk's thread, in their order", "[journal]") {
  const testing::temporary_directory directory;
  const auto files = make_file_disk(directory.path().string());
  files->start([] {});
  std::optional<file_id> file;
  files->open("f", open_mode::emptied, [&](std::error_code failed, file_id id) {
    CHECK_FALSE(failed);
    file = id;
  });
  CHECK_FALSE(files->turn()); // No call is made before it is handed over.
  REQUIRE(files->carry_out());
  CHECK_FALSE(file.has_value()); // Completions run when the owner turns the disk.
  CHECK(files->turn());
  REQUIRE(file.has_value());
  CHECK_FALSE(files->carry_out());
  std::string expected;
  std::vector<std::string> pieces;
  for (int i = 0; i < 200; ++i)
    pieces.push_back(std::to_string(i) + ",");
  std::size_t ended = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    files->write(*file, expected.size(), pieces[i], [&ended, i](std::error_code failed) {
      CHECK_FALSE(failed);
      CHECK(ended++ == i);
    });
    expected += pieces[i];
    if (i % 3 == 0)
      files->hand_over();
    else if (i % 3 == 1)
      files->carry_out(); // Not while the thread has calls: it goes on with all of them.
    files->turn();
  }
  while (files->turn() || files->wait()) {
  }
  CHECK(ended == pieces.size());
  std::string content;
  files->read(*file, 0, expected.size() + 1,
              [&](std::error_code, std::string bytes) { content = std::move(bytes); });
  while (files->turn() || files->wait()) {
  }
  CHECK(content == expected);
}

TEST_CASE("Nothing is acknowledged in a directory that was removed", "[journal]") {
  const testing::temporary_directory directory;
  const testing::hand_time time;
  const auto files = make_file_disk(directory.path().string());
  auto made = open_journal(*files, time, some_id);
  REQUIRE(made.has_value());
  for (const auto& each : std::filesystem::directory_iterator{directory.path()})
    std::filesystem::remove(each.path());
  bool is_acknowledged = false;
  made->opened->append("a group", [&](auto) { is_acknowledged = true; });
  settle(*files, *made->opened);
  CHECK_FALSE(is_acknowledged);
  CHECK(made->opened->status().problem.find("No such file") != std::string::npos);
}

TEST_CASE("A directory that is not there is named as the reason", "[journal]") {
  const testing::temporary_directory directory;
  const testing::hand_time time;
  const auto files = make_file_disk((directory.path() / "none").string());
  const auto made = open_journal(*files, time, some_id);
  REQUIRE(made.has_error());
  CHECK(made.error().message.find("No such file or directory") != std::string::npos);
}
