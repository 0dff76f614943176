// The entries of groups, and long changes whose rows come in parts.
#include "protocol/record/record.hpp"
#include "store/long_changes.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace troupe;

namespace {

constexpr parts_id first_id{7, 0};
constexpr parts_id second_id{7, 1};

template<class... Entries>
std::string bytes_of_items(const Entries&... entries) {
  std::string out;
  (add_entry(out, entries), ...);
  return out;
}

/// As "STREAM SEQUENCE ROW".
std::vector<std::string> changes_in(const whole_group& group) {
  std::vector<std::string> out;
  for (const auto& each : group.entries)
    if (const auto* change = std::get_if<group_change>(&each))
      out.push_back(std::string{change->stream} + " " + std::to_string(change->sequence) + " "
                    + std::string{change->row});
  return out;
}

whole_group take_group(long_changes& by, std::uint64_t at, const std::string& group) {
  auto out = by.take(at, group);
  REQUIRE(out.has_value());
  return std::move(*out);
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("A group says what was added to it", "[store][group]") {
  const auto bytes = bytes_of_items(
      group_part{first_id, "ab"}, group_change{"s", 3, "row"}, group_once{"key", "came"},
      group_long_change{"t", 300, {1'000'000, 2}, 5'000, "head"}, group_push{"task", "c", "row"},
      group_push{"task", "d", std::nullopt}, group_parts_end{second_id});
  const auto items = read_group(bytes);
  REQUIRE(items.has_value());
  REQUIRE(items->size() == 7);
  const auto& part = std::get<group_part>((*items)[0]);
  CHECK(part.id == first_id);
  CHECK(part.bytes == "ab");
  CHECK(std::get<group_change>((*items)[1]).row == "row");
  CHECK(std::get<group_once>((*items)[2]).key == "key");
  const auto& change = std::get<group_long_change>((*items)[3]);
  CHECK(change.stream == "t");
  CHECK(change.sequence == 300);
  CHECK(change.id == parts_id{1'000'000, 2});
  CHECK(change.parts_bytes == 5'000);
  CHECK(change.head == "head");
  CHECK(std::get<group_push>((*items)[4]).row == "row");
  CHECK_FALSE(std::get<group_push>((*items)[5]).row.has_value());
  CHECK(std::get<group_parts_end>((*items)[6]).id == second_id);

  int readable = 0; // Those that are cut between two entries.
  for (std::size_t size = 1; size < bytes.size(); ++size)
    readable += read_group(std::string_view{bytes}.substr(0, size)).has_value() ? 1 : 0;
  CHECK(readable == 7);
  CHECK_FALSE(read_group("").has_value());
  CHECK_FALSE(read_group(bytes_of_items(group_part{first_id, "ab"}) + "?").has_value());
}

TEST_CASE("A long change is whole once its last group was read", "[store][group]") {
  long_changes parts;
  CHECK(
      take_group(parts, 7, bytes_of_items(group_part{first_id, "bc"}, group_part{second_id, "yz"}))
          .entries.empty());
  CHECK(parts.first_needed() == 7);
  CHECK(parts.bytes() == 4);
  CHECK(changes_in(take_group(
            parts, 8, bytes_of_items(group_change{"o", 1, "other"}, group_part{first_id, "d"})))
        == texts{"o 1 other"});
  const auto bytes =
      bytes_of_items(group_change{"o", 2, "x"}, group_long_change{"s", 5, first_id, 3, "a"},
                     group_change{"s", 6, "y"});
  const auto group = take_group(parts, 9, bytes);
  CHECK(changes_in(group) == texts{"o 2 x", "s 5 abcd", "s 6 y"});
  CHECK(group.lacking.empty());
  CHECK(parts.first_needed() == 7); // For the other one.
  CHECK(changes_in(
            take_group(parts, 10, bytes_of_items(group_long_change{"t", 1, second_id, 2, "x"})))
        == texts{"t 1 xyz"});
  CHECK_FALSE(parts.first_needed().has_value());
  CHECK(parts.bytes() == 0);
}

TEST_CASE("A change that lacks parts is not made up", "[store][group]") {
  const auto last = bytes_of_items(group_long_change{"s", 5, first_id, 3, "a"});
  const auto lacks = [&](const std::vector<std::pair<std::uint64_t, std::string>>& groups) {
    long_changes parts;
    for (const auto& [at, bytes] : groups)
      CHECK(take_group(parts, at, bytes).entries.empty());
    const auto group = take_group(parts, 9, last);
    CHECK(group.entries.empty());
    REQUIRE(group.lacking.size() == 1);
    CHECK(group.lacking[0].sequence == 5);
    CHECK(parts.bytes() == 0);
  };
  lacks({});
  lacks({{7, bytes_of_items(group_part{first_id, "bc"})}});
  lacks({{8, bytes_of_items(group_part{first_id, "bcd"})}}); // It did not begin there.
  lacks({{7, bytes_of_items(group_part{first_id, "bcde"})}});
  lacks({{7, bytes_of_items(group_part{second_id, "bcd"})},
         {8, bytes_of_items(group_parts_end{second_id})}});
  lacks({{7, bytes_of_items(group_part{first_id, "bcd"})},
         {8, bytes_of_items(group_parts_end{first_id})}});
}

TEST_CASE("Of what was read before only the change that is wanted is taken over",
          "[store][group]") {
  long_changes earlier;
  take_group(earlier, 7, bytes_of_items(group_part{first_id, "bc"}, group_part{second_id, "yz"}));
  long_changes parts;
  parts.put_before(first_id, earlier);
  CHECK(parts.has_begun(first_id));
  CHECK_FALSE(parts.has_begun(second_id)); // It may be whole long since.
  CHECK(parts.size() == 1);
}

TEST_CASE("A reader that begins in the middle takes the parts before it afterwards",
          "[store][group]") {
  long_changes earlier;
  CHECK(take_group(earlier, 6, bytes_of_items(group_part{{5, 0}, "?"})).entries.empty());
  CHECK(take_group(earlier, 7,
                   bytes_of_items(group_part{first_id, "bc"}, group_part{second_id, "yz"}))
            .entries.empty());
  long_changes parts;
  CHECK(take_group(parts, 8, bytes_of_items(group_part{first_id, "d"})).entries.empty());
  CHECK_FALSE(parts.has_begun(first_id));
  CHECK_FALSE(parts.first_needed().has_value());
  parts.put_before(first_id, earlier);
  CHECK(parts.has_begun(first_id));
  CHECK(
      changes_in(take_group(parts, 9, bytes_of_items(group_long_change{"s", 5, first_id, 3, "a"})))
      == texts{"s 5 abcd"});
  CHECK(parts.bytes() == 0);
}

TEST_CASE("The head of a row says whether it is of a lone task", "[store][group]") {
  const auto spec = testing::make_objective("o", {1});
  const auto is_lone = [](const change& news) {
    std::string row;
    record::write(row, news);
    CHECK(record::is_row_of_lone_task(row) == record::is_row_of_lone_task(row.substr(0, 40)));
    return record::is_row_of_lone_task(row);
  };
  const auto note = task_message{testing::say("note")};
  CHECK(is_lone(testing::about_lone("t", "c", 1'700'000'000'000, note)));
  CHECK(is_lone(testing::about_lone("t", "", 1, note)));
  CHECK_FALSE(is_lone(testing::about_task(*spec, 0, 0, 1'700'000'000'000, note)));
  CHECK_FALSE(is_lone(testing::about("o", 1, pause_changed{true})));
}
