// What a store of session files has beside objectives: read as it was written, written anew without
// what was replaced.
#include "protocol/record/record.hpp"
#include "store/once_table.hpp"
#include "store/session/sidecar_log.hpp"
#include "tests/store/session/faulty_files.hpp"
#include "tests/store/session/session_bed.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

struct kept_entry {
  std::string first; ///< Stream, key or task.
  std::string second;
  std::string row;
  std::uint64_t sequence = 0;

  friend bool operator==(const kept_entry&, const kept_entry&) = default;
};

std::vector<kept_entry> entries_in(const std::string& directory,
                                   sessions::sidecar_reading* reading = nullptr) {
  std::vector<kept_entry> out;
  const auto read = taken(sessions::read_sidecar(
      directory + "/" + std::string{sessions::sidecar_name}, [&](const group_entry& entry) {
        if (const auto* news = std::get_if<group_change>(&entry))
          out.push_back({std::string{news->stream}, "", std::string{news->row}, news->sequence});
        else if (const auto* came = std::get_if<group_once>(&entry))
          out.push_back({std::string{came->key}, "", std::string{came->row}, 0});
        else if (const auto& push = std::get<group_push>(entry); push.row)
          out.push_back(
              {std::string{push.task}, std::string{push.config}, std::string{*push.row}, 0});
        else
          out.push_back({std::string{push.task}, std::string{push.config}, "gone", 0});
        return result<void>{};
      }));
  if (reading != nullptr)
    *reading = read;
  return out;
}

std::string row_of(const change& news) {
  std::string out;
  record::write(out, news);
  return out;
}

once came(const std::string& key, std::int64_t until) {
  return {.kind = once_kind::message,
          .owner = "\xc3\xa9 me",
          .key = key,
          .content = 0xffffffffffffffff,
          .until = at_ms(until),
          .answer = "said"};
}

void add_once(sessions::sidecar_log& to, const once& value) {
  const auto key = once_key(value);
  const auto row = write_once_row(value);
  taken(to.add(group_once{key, row}, at_ms(1)));
}

} // namespace

TEST_CASE("What is beside the sessions is read as it was written", "[store][session]") {
  const temporary_directory place;
  sessions::sidecar_log log{place / ".", {}, sessions::system_file_calls()};
  auto born = about_lone("t", "c", 1, born_lone("t", "c", 1));
  born.sequence = 1;
  const auto row = row_of(born);
  const auto value = came("k", 50);
  const auto key = once_key(value);
  const auto once_row = write_once_row(value);
  const std::string push_row = R"({"u":"https://a.example/\u00e9","s":3})";
  taken(log.add(group_change{"t", 1, row}, at_ms(1)));
  taken(log.add(group_once{key, once_row}, at_ms(1)));
  taken(log.add(group_push{"t", "my \"config\"", push_row}, at_ms(2)));
  taken(log.add(group_push{"t", "other", std::nullopt}, at_ms(2)));
  taken(log.write_out());
  const auto read = entries_in(place / ".");
  REQUIRE(read.size() == 4);
  CHECK(read[0] == kept_entry{"t", "", row, 1});
  CHECK(read[1] == kept_entry{key, "", once_row, 0});
  CHECK(read[2].second == "my \"config\"");
  CHECK(boost::json::parse(read[2].row) == boost::json::parse(push_row));
  CHECK(read[3].row == "gone");
}

TEST_CASE("What was replaced or is over goes when the file is written anew", "[store][session]") {
  const temporary_directory place;
  faulty_files files;
  sessions::sidecar_log log{place / ".", {}, files, 2000};
  auto born = about_lone("t", "c", 1, born_lone("t", "c", 1));
  born.sequence = 1;
  const auto row = row_of(born);
  taken(log.add(group_change{"t", 1, row}, at_ms(1)));
  for (int i = 0; i < 40; ++i) {
    add_once(log, came("again", 100 + i));
    add_once(log, came("over " + std::to_string(i), 5));
  }
  const std::string push_row = "{\"u\":1}";
  taken(log.add(group_push{"t", "stays", push_row}, at_ms(2)));
  taken(log.add(group_push{"t", "goes", push_row}, at_ms(2)));
  taken(log.add(group_push{"t", "goes", std::nullopt}, at_ms(2)));
  taken(log.sync());
  const auto before = entries_in(place / ".");
  // The first time it cannot be replaced: it stays as it is.
  files.refuse = [](file_call call) { return call == file_call::rename ? EIO : 0; };
  CHECK_FALSE(log.settle(at_ms(50)).has_value());
  log.roll_back();
  CHECK(entries_in(place / ".") == before);
  files.refuse = nullptr;
  taken(log.settle(at_ms(50)));
  sessions::sidecar_reading reading;
  const auto after = entries_in(place / ".", &reading);
  REQUIRE(after.size() == 3);
  CHECK(after[0] == kept_entry{"t", "", row, 1});
  CHECK(after[1].row == write_once_row(came("again", 139)));
  CHECK(after[2].second == "stays");
  // And it goes on.
  add_once(log, came("later", 500));
  taken(log.write_out());
  CHECK(entries_in(place / ".", &reading).size() == 4);
  CHECK(reading.bytes == std::filesystem::file_size(place / "troupe-rest.jsonl"));
  // So does the next process.
  sessions::sidecar_log next{place / ".", reading, sessions::system_file_calls()};
  add_once(next, came("last", 500));
  taken(next.write_out());
  CHECK(entries_in(place / ".").size() == 5);
}

TEST_CASE("What was added since the file was settled can be taken back", "[store][session]") {
  const temporary_directory place;
  sessions::sidecar_log log{place / ".", {}, sessions::system_file_calls()};
  add_once(log, came("a", 100));
  taken(log.write_out());
  log.roll_back();
  add_once(log, came("b", 100));
  taken(log.sync());
  taken(log.settle(at_ms(1)));
  const auto kept = entries_in(place / ".");
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].first == once_key(came("b", 100)));
  add_once(log, came("c", 100));
  taken(log.write_out());
  log.roll_back();
  CHECK(entries_in(place / ".") == kept);
}
