// The changes that wait for a reader: in order, merged, bounded; and the record of the rest.
#include "actors/feed/live_queue.hpp"
#include "protocol/change_size.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::size_t all = std::size_t{1} << 40;

change_ptr numbered(change news, std::uint64_t sequence = 0) {
  news.sequence = sequence;
  return std::make_shared<const change>(std::move(news));
}

change_ptr progress(const std::string& task, double value, std::uint64_t sequence = 0) {
  auto report = std::make_shared<progress_report>();
  report->trackers.push_back({.id = "t",
                              .progress = value,
                              .total = {},
                              .message = {},
                              .status = {},
                              .started_at = {},
                              .updated_at = {}});
  return numbered(about_lone(task, "ctx", 1, task_progress{std::move(report)}), sequence);
}

change_ptr move(const std::string& task, std::uint64_t sequence = 0) {
  return numbered(about_lone(task, "ctx", 1, moved(task_state::working)), sequence);
}

change_ptr file(const std::string& task, std::size_t bytes, std::uint64_t sequence = 0) {
  return numbered(
      about_lone(task, "ctx", 1, task_artifact{output("f", std::string(bytes, 'x')), false, true}),
      sequence);
}

change_ptr chunk(const std::string& text, std::uint64_t sequence, bool last = false,
                 const std::string& id = "a") {
  return numbered(about_lone("a", "ctx", static_cast<std::int64_t>(sequence),
                             task_artifact{output(id, text), true, last}),
                  sequence);
}

const task_artifact& chunk_of(const change_ptr& news) {
  return std::get<task_artifact>(news->events.at(0));
}

struct bed {
  explicit bed(std::size_t changes_max = 100, std::size_t bytes_max = 1024 * 1024,
               std::size_t total_max = all, bool joins = true)
      : budget(std::make_shared<feed_budget>(total_max)),
        queue({changes_max, bytes_max, joins}, budget) {}

  feed_budget_ptr budget;
  live_queue queue;
};

} // namespace

TEST_CASE("changes come out in the order they went in, once", "[actors][feed]") {
  bed here;
  const std::vector<change_ptr> each{move("a"), file("a", 10), move("b")};
  for (const auto& one : each)
    here.queue.push(one);
  CHECK(here.queue.take(all) == each);
  CHECK(here.queue.take(all).empty());
}

TEST_CASE("no more is taken than the window holds, and never nothing", "[actors][feed]") {
  bed here;
  const std::vector<change_ptr> each{file("a", 1000), file("a", 1000), file("a", 1000)};
  for (const auto& one : each)
    here.queue.push(one);
  CHECK(here.queue.take(1) == std::vector<change_ptr>{each[0]});
  CHECK(here.queue.take(bytes_of(*each[1]) + 1) == std::vector<change_ptr>{each[1], each[2]});
}

TEST_CASE("the latest progress of a task replaces what waits, and nothing else", "[actors][feed]") {
  bed here;
  const auto start = move("a");
  const auto other = progress("b", 1);
  const auto made = file("a", 10);
  const auto last = progress("a", 3);
  for (const auto& one : {start, progress("a", 1), other, made, progress("a", 2), last})
    here.queue.push(one);
  CHECK(here.queue.take(all) == std::vector<change_ptr>{start, other, made, last});
  // What was taken is gone: later progress does not reach back.
  const auto next = progress("a", 4);
  here.queue.push(next);
  CHECK(here.queue.take(all) == std::vector<change_ptr>{next});
}

TEST_CASE("any amount of progress fits in bounded memory, with and without readers",
          "[actors][feed]") {
  bed here(4);
  here.queue.push(move("a"));
  const std::vector<change_ptr> reports{progress("a", 1), progress("b", 1), progress("c", 1)};
  for (int i = 0; i < 1'000'000; ++i) {
    here.queue.push(reports[static_cast<std::size_t>(i) % reports.size()]);
    if (here.queue.size() > 4)
      FAIL("it holds " << here.queue.size());
  }
  CHECK_FALSE(here.queue.missed());
  CHECK(here.queue.take(all).size() == 4);
  CHECK(here.queue.size() == 0);
  CHECK(here.budget->held() == 0);
}

TEST_CASE("at the limit of changes the queue keeps what it has and knows what is missing",
          "[actors][feed]") {
  bed here(3);
  for (std::uint64_t i = 1; i <= 3; ++i)
    here.queue.push(move("a", i));
  here.queue.push(move("a", 4));
  here.queue.push(progress("a", 1, 5));
  CHECK_FALSE(here.queue.missed()); // What is in front of it comes first.
  CHECK(here.queue.take(all).size() == 3);
  here.queue.push(move("a", 6));
  CHECK(here.queue.take(all).empty());
  const auto part = here.queue.missed();
  REQUIRE(part);
  CHECK(part->stream == "a");
  CHECK(part->lone);
  CHECK(part->after == 3);
  CHECK(part->through == 6);
}

TEST_CASE("once what is missing was read changes are queued again, and not before",
          "[actors][feed]") {
  bed here(1);
  for (std::uint64_t i = 1; i <= 3; ++i)
    here.queue.push(move("a", i));
  static_cast<void>(here.queue.take(all));
  here.queue.push(move("a", 4)); // While 2 and 3 are read.
  CHECK_FALSE(here.queue.resume("a", 3));
  CHECK(here.queue.missed()->after == 3);
  CHECK(here.queue.missed()->through == 4);
  CHECK(here.queue.empty());
  CHECK(here.queue.resume("a", 4));
  CHECK_FALSE(here.queue.missed());
  const auto next = move("a", 5);
  here.queue.push(next);
  CHECK(here.queue.take(all) == std::vector<change_ptr>{next});
}

TEST_CASE(
    "several streams in one queue have their own places; changes that one misses hold up no other",
    "[actors][feed]") {
  bed here(2);
  const auto first = move("a", 1);
  const auto other = move("b", 7);
  for (const auto& one : {first, other, move("a", 2), move("b", 8), move("b", 9)})
    here.queue.push(one);
  CHECK(here.queue.take(1) == std::vector<change_ptr>{first});
  REQUIRE(here.queue.missed());
  CHECK(here.queue.missed()->stream == "a");
  CHECK(here.queue.missed()->after == 1);
  CHECK(here.queue.resume("a", 2));
  CHECK_FALSE(here.queue.missed()); // b's first is still to be taken.
  const auto later = move("a", 3);
  here.queue.push(later);
  CHECK(here.queue.take(all) == std::vector<change_ptr>{other, later});
  REQUIRE(here.queue.missed());
  CHECK(here.queue.missed()->stream == "b");
  CHECK(here.queue.missed()->after == 7);
  CHECK(here.queue.missed()->through == 9);
}

TEST_CASE("at the limit of bytes the queue does the same", "[actors][feed]") {
  bed here(1000, 10'000);
  for (std::uint64_t i = 1; i <= 4; ++i)
    here.queue.push(file("a", 4000, i));
  CHECK(here.queue.take(all).size() == 3);
  CHECK(here.queue.missed()->after == 3);
}

TEST_CASE("a change that is larger than the bound is kept if it waits alone", "[actors][feed]") {
  bed here(1000, 10'000);
  here.queue.push(file("a", 50'000, 1));
  here.queue.push(move("a", 2));
  CHECK(here.queue.take(all).size() == 2);
  CHECK_FALSE(here.queue.missed());
  here.queue.push(move("a", 3));
  here.queue.push(file("a", 50'000, 4));
  CHECK(here.queue.take(all).size() == 1);
  CHECK(here.queue.missed()->after == 3);
}

TEST_CASE("all feeds together hold no more than their budget, and one change each",
          "[actors][feed]") {
  const auto budget = std::make_shared<feed_budget>(20'000); // Half of it for queues.
  live_queue first({1000, all}, budget);
  live_queue second({1000, all}, budget);
  for (std::uint64_t i = 1; i <= 10; ++i)
    first.push(file("a", 4000, i));
  CHECK(first.size() == 2);
  second.push(file("a", 4000, 1));
  second.push(move("a", 2));
  CHECK(second.size() == 1);
  CHECK(budget->held() == first.bytes() + second.bytes() + 2 * missed_part_bytes);
  CHECK(first.take(all).size() == 2);
  CHECK(first.missed()->after == 2);
  CHECK(first.missed()->through == 10);
  CHECK(second.take(all).size() == 1);
  CHECK(budget->held() == 2 * missed_part_bytes); // Both have something to read.
  second.push(move("b", 1));
  second.clear();
  CHECK(budget->held() == missed_part_bytes);
}

TEST_CASE("queues leave half of the limit to the texts that are made of changes",
          "[actors][feed]") {
  const auto budget = std::make_shared<feed_budget>(20'000);
  std::vector<std::unique_ptr<live_queue>> queues;
  for (int i = 0; i < 3; ++i)
    queues.push_back(std::make_unique<live_queue>(live_queue::bounds{1000, all}, budget));
  for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
    for (auto& each : queues)
      each->push(file("a", 1000, sequence));
  CHECK(budget->held() <= 10'000);
  CHECK(budget->held() > 8'000);
  CHECK(budget->take(9'000));
  budget->give_back(9'000);
}

TEST_CASE("chunks of one artifact are joined while they wait, and the text is complete",
          "[actors][feed]") {
  const bool each_says_last = GENERATE(false, true);
  bed here(chunks_apart_max + 2);
  std::string text;
  for (std::uint64_t i = 1; i <= 60'000; ++i) {
    text += std::to_string(i) + " ";
    here.queue.push(chunk(std::to_string(i) + " ", i, each_says_last || i == 60'000));
  }
  CHECK(here.queue.size() <= chunks_apart_max + 2);
  std::string got;
  std::uint64_t last = 0;
  bool is_last = false;
  auto taken = here.queue.take(all);
  for (auto left = here.queue.missed(); left; left = here.queue.missed())
    FAIL("missed after " << left->after);
  for (const auto& each : taken) {
    CHECK(each->sequence > last);
    CHECK((each_says_last || !is_last));
    last = each->sequence;
    REQUIRE(chunk_of(each).artifact->parts.size() == 1);
    CHECK(chunk_of(each).append);
    got += text_of(chunk_of(each).artifact->parts);
    is_last = chunk_of(each).last_chunk;
  }
  CHECK(last == 60'000);
  CHECK(is_last);
  CHECK(got == text);
  CHECK(here.budget->held() == 0);
}

TEST_CASE("only what continues a chunk is joined to it", "[actors][feed]") {
  const auto full = [](bed& here) {
    for (std::uint64_t i = 1; i <= chunks_apart_max; ++i)
      here.queue.push(move("a", i));
  };
  const std::uint64_t n = chunks_apart_max;
  struct row {
    change_ptr before;
    change_ptr after;
  };
  for (const auto& one : std::vector<row>{
           {chunk("1", n + 1), chunk("2", n + 2, false, "b")},   // another artifact
           {file("a", 1, n + 1), chunk("2", n + 2, false, "f")}, // begins it anew
           {chunk("1", n + 1), move("a", n + 2)},
           {chunk("1", n + 1),
            numbered(about_lone("b", "ctx", 1, task_artifact{output("a", "2"), true, false}),
                     n + 2)},
       }) {
    bed here;
    full(here);
    here.queue.push(one.before);
    here.queue.push(one.after);
    CHECK(here.queue.size() == n + 2);
  }
  bed apart(100, 1024 * 1024, all, false);
  full(apart);
  apart.queue.push(chunk("1", n + 1));
  apart.queue.push(chunk("2", n + 2));
  CHECK(apart.queue.size() == n + 2);
}

TEST_CASE("joining chunks does not change a chunk that others hold", "[actors][feed]") {
  bed here;
  for (std::uint64_t i = 1; i <= chunks_apart_max; ++i)
    here.queue.push(move("a", i));
  const auto first = chunk("1", 100);
  const auto second = chunk("2", 101);
  for (const auto& one : {first, second, chunk("3", 102)})
    here.queue.push(one);
  CHECK(text_of(chunk_of(first).artifact->parts) == "1");
  CHECK(text_of(chunk_of(second).artifact->parts) == "2");
  CHECK(text_of(chunk_of(here.queue.take(all).back()).artifact->parts) == "123");
}

TEST_CASE("what was missed of many streams counts, and is lost above a bound", "[actors][feed]") {
  bed here(1);
  here.queue.push(move("first", 1));
  const auto held = here.budget->held();
  for (std::size_t i = 0; i < missed_parts_max; ++i)
    here.queue.push(move("t" + std::to_string(i), 1));
  CHECK(here.budget->held() == held + missed_parts_max * missed_part_bytes);
  CHECK(here.queue.take(all).size() == 1);
  const auto part = here.queue.missed();
  REQUIRE(part);
  CHECK(here.queue.resume(part->stream, part->through));
  CHECK(here.budget->held() == (missed_parts_max - 1) * missed_part_bytes);
  here.queue.push(file("large", 2 * 1024 * 1024, 1));
  here.queue.push(move("one more", 1));
  CHECK_FALSE(here.queue.is_lost());
  here.queue.push(move("too many", 1));
  CHECK(here.queue.is_lost());
  CHECK(here.budget->held() == 0);
  here.queue.push(move("first", 2));
  CHECK(here.queue.empty());
  CHECK_FALSE(here.queue.missed());
  here.queue.clear();
  here.queue.push(move("first", 3));
  CHECK(here.queue.size() == 1);
}
