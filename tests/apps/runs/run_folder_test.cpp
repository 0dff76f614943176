#include "apps/runs/run_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>

#include <sys/stat.h>

using namespace troupe;
using troupe::testing::temporary_directory;

namespace {

run_entry entry_in(const std::string& directory, std::string id, int started) {
  run_entry out;
  out.id = std::move(id);
  out.started = timestamp{std::chrono::seconds{started}};
  out.directory = directory;
  return out;
}

} // namespace

TEST_CASE("runs are kept below the state directory", "[apps][runs]") {
  CHECK(runs_folder("/state", "/home/u").value() == "/state/troupe/runs");
  CHECK(runs_folder("relative", "/home/u").value() == "/home/u/.local/state/troupe/runs");
  CHECK(runs_folder(nullptr, "/home/u").value() == "/home/u/.local/state/troupe/runs");
  const auto nowhere = runs_folder(nullptr, "");
  REQUIRE_FALSE(nowhere.has_value());
  CHECK_THAT(nowhere.error().message, ContainsSubstring("--data DIR"));
}

TEST_CASE("an id is short, and another one each time", "[apps][runs]") {
  const auto one = new_run_id();
  CHECK(one.size() == 8);
  CHECK(one.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz") == std::string::npos);
  CHECK(new_run_id() != one);
}

TEST_CASE("runs are listed, the newest first, and what is none is left out", "[apps][runs]") {
  const temporary_directory place;
  const auto folder = place / "state/runs";
  CHECK(list_runs(folder).empty());
  for (const auto* id : {"a", "b"}) {
    const auto directory = make_run_directory(folder, id);
    REQUIRE(directory.has_value());
    REQUIRE(keep_entry(entry_in(*directory, id, id[0])).has_value());
    struct stat about {};
    REQUIRE(::stat(directory->c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0700);
  }
  CHECK(make_run_directory(folder, "b").has_error()); // there is one
  std::filesystem::create_directory(folder + "/other");
  const auto all = list_runs(folder);
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "b");
  CHECK(all[1].directory == folder + "/a");
  CHECK(named_run(folder, "a").value().id == "a");
  CHECK(named_run(folder, folder + "/a").value().id == "a");
  CHECK(named_run(folder, folder + "/other").has_error());
}

TEST_CASE("a run that is held is running, and cannot be removed", "[apps][runs]") {
  const temporary_directory place;
  const auto directory = make_run_directory(place.path(), "a").value();
  const auto entry = entry_in(directory, "a", 1);
  REQUIRE(keep_entry(entry).has_value());
  CHECK_FALSE(run_hold::is_taken(directory));
  {
    const auto hold = run_hold::take(directory);
    REQUIRE(hold.has_value());
    REQUIRE(*hold != nullptr);
    CHECK(run_hold::is_taken(directory));
    CHECK(run_in(directory)->is_running);
    const auto second = run_hold::take(directory);
    REQUIRE(second.has_value());
    CHECK(*second == nullptr);
    const auto removed = remove_run(entry);
    REQUIRE(removed.has_error());
    CHECK(removed.error().code == errc::store_locked);
  }
  CHECK_FALSE(run_in(directory)->is_running);
  CHECK(remove_run(entry).has_value());
  CHECK_FALSE(std::filesystem::exists(directory));
}
