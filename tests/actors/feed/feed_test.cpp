// A snapshot and everything after it: whatever happens, however fast its reader is, and wherever it
// goes on.
#include "actors/feed/feed.hpp"
#include "actors/feed/store_source.hpp"
#include "protocol/artifact_chunks.hpp"
#include "protocol/fold/apply.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <functional>
#include <map>
#include <random>
#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::size_t window = 64 * 1024;

feed_budget_ptr plenty() {
  return std::make_shared<feed_budget>(std::size_t{1} << 40);
}

std::unique_ptr<feed> make_feed(std::size_t changes_max = 100,
                                std::size_t bytes_max = std::size_t{1} << 30) {
  return std::make_unique<feed>(live_queue::bounds{changes_max, bytes_max}, plenty());
}

/// Everything there is, what is being read included, until the feed waits or is over.
std::vector<frame> take_all(store& records, feed& from, feed_state* state = nullptr,
                            std::size_t bytes = window) {
  std::vector<frame> out;
  for (;;) {
    auto batch = from.take(bytes);
    std::move(batch.frames.begin(), batch.frames.end(), std::back_inserter(out));
    if (batch.state == feed_state::waiting && from.is_reading()) {
      records.drain();
      continue;
    }
    if (batch.state == feed_state::more)
      continue;
    if (state != nullptr)
      *state = batch.state;
    return out;
  }
}

std::vector<std::uint64_t> sequences(const std::vector<frame>& frames) {
  std::vector<std::uint64_t> out;
  for (const auto& each : frames)
    out.push_back(each.news->sequence);
  return out;
}

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t to) {
  std::vector<std::uint64_t> out;
  for (; from <= to; ++from)
    out.push_back(from);
  return out;
}

void commit_task(store& records, const std::string& id = "t") {
  records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
  records.flush();
}

void put_files(store& records, std::size_t count, std::size_t bytes = 1) {
  for (std::size_t i = 0; i < count; ++i)
    records.commit(about_lone(
        "t", "c", 2,
        task_artifact{output("a" + std::to_string(i), std::string(bytes, 'x')), false, true}));
  records.flush();
}

/// A source whose answers come when the test says so.
class slow_source final : public feed_source {
public:
  void open(const watcher_ptr& live, feed_done<feed_snapshot> done) override {
    watching = live ? live : watching;
    asked_open = std::move(done);
  }
  void close(const watcher_ptr&) override { is_closed = true; }
  void read(const std::string&, bool, const history_range& range,
            feed_done<history_page> done) const override {
    asked = range;
    asked_page = std::move(done);
  }
  const task_id& task() const noexcept override { return id; }
  const principal& reader() const noexcept override { return program; }

  task_id id{"t"};
  principal program;
  watcher_ptr watching;
  feed_done<feed_snapshot> asked_open;
  mutable history_range asked;
  mutable feed_done<history_page> asked_page;
  bool is_closed = false;
};

change_ptr numbered(change news, std::uint64_t sequence) {
  news.sequence = sequence;
  return std::make_shared<const change>(std::move(news));
}

change_ptr move_at(std::uint64_t sequence) {
  return numbered(about_lone("t", "c", 1, moved(task_state::working)), sequence);
}

} // namespace

TEMPLATE_TEST_CASE("a feed is a snapshot, then every change after it", "[actors][feed]",
                   memory_kind, rocksdb_kind) {
  TestType kind;
  commit_task(*kind.records);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  REQUIRE(news->is_open());
  CHECK(news->snapshot().task->id == task_id{"t"});
  put_files(*kind.records, 3);
  const auto batch = news->take(window);
  CHECK(batch.snapshot);
  CHECK_FALSE(batch.gap);
  CHECK(sequences(batch.frames) == numbers(2, 4));
  CHECK(batch.state == feed_state::waiting);
  CHECK_FALSE(news->take(window).snapshot);
}

TEST_CASE("a snapshot is forgotten once its reader says so, but not while the past is read",
          "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  news->forget_snapshot();
  CHECK(news->snapshot().task); // It was not taken yet.
  CHECK(news->take(window).snapshot);
  news->forget_snapshot();
  CHECK_FALSE(news->snapshot().task);
  CHECK(news->snapshot().sequence == 1);
  put_files(*kind.records, 2);
  CHECK(sequences(news->take(window).frames) == numbers(2, 3));

  const auto later = make_feed();
  later->open(make_task_source(*kind.records, task_id{"t"}));
  later->go_on_after({1, stream_cursor::whole});
  CHECK(sequences(later->take(1).frames) == numbers(2, 2)); // A part of the past.
  later->forget_snapshot();
  CHECK(later->snapshot().task); // It may come in place of what is not kept.
}

TEST_CASE("a feed that pauses holds and gives nothing until it begins again", "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  news->pause();
  put_files(*kind.records, 2);
  CHECK_FALSE(news->snapshot().task);
  CHECK_FALSE(news->is_open());
  CHECK_FALSE(news->take(window).snapshot);
  news->restart();
  const auto batch = news->take(window);
  CHECK(batch.snapshot);
  CHECK(batch.frames.empty());
  CHECK(news->snapshot().sequence == 3);
  put_files(*kind.records, 1);
  CHECK(sequences(news->take(window).frames) == numbers(4, 4));
}

TEST_CASE("opening a feed of an unknown task gives an error", "[actors][feed]") {
  memory_kind kind;
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  REQUIRE(news->is_open());
  CHECK(news->refusal()->code == errc::task_not_found);
  CHECK(news->take(window).state == feed_state::failed);
}

TEST_CASE("a reader whose window is closed is given nothing, and loses nothing", "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  static_cast<void>(news->take(window));
  put_files(*kind.records, 3);
  CHECK(news->take(0).frames.empty());
  CHECK(sequences(news->take(1).frames) == numbers(2, 2));
  CHECK(sequences(take_all(*kind.records, *news)) == numbers(3, 4));
}

TEMPLATE_TEST_CASE(
    "changes that do not fit the queue are read back, all of them, once and in order",
    "[actors][feed]", memory_kind, rocksdb_kind) {
  TestType kind;
  commit_task(*kind.records);
  const auto news = make_feed(4);
  news->open(make_task_source(*kind.records, task_id{"t"}));
  static_cast<void>(news->take(window));
  put_files(*kind.records, 1000);
  CHECK(sequences(take_all(*kind.records, *news)) == numbers(2, 1001));
  put_files(*kind.records, 2); // Live again.
  CHECK(sequences(news->take(window).frames) == numbers(1002, 1003));
}

TEMPLATE_TEST_CASE("changes during a read of the history come after it", "[actors][feed]",
                   memory_kind, rocksdb_kind) {
  TestType kind;
  commit_task(*kind.records);
  const auto news = make_feed(2);
  news->open(make_task_source(*kind.records, task_id{"t"}));
  static_cast<void>(news->take(window));
  std::vector<std::uint64_t> got;
  put_files(*kind.records, 50);
  for (int i = 0; i < 40; ++i) {
    for (const auto each : sequences(news->take(2000).frames))
      got.push_back(each);
    put_files(*kind.records, 2);
  }
  for (const auto each : sequences(take_all(*kind.records, *news)))
    got.push_back(each);
  CHECK(got == numbers(2, 131));
}

TEST_CASE("a reader that needs changes that are no longer kept gets an error, and may begin again",
          "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  const auto news = make_feed(2);
  news->open(make_task_source(*kind.records, task_id{"t"}));
  static_cast<void>(news->take(window));
  put_files(*kind.records, 3 + 2 * tail_bytes_max / 100'000, 100'000);
  feed_state state{};
  CHECK(sequences(take_all(*kind.records, *news, &state)) == numbers(2, 3));
  CHECK(state == feed_state::lost);
  news->restart();
  const auto batch = news->take(window);
  CHECK(batch.snapshot);
  CHECK(batch.frames.empty());
  CHECK(news->snapshot().task->artifacts.size() == 3 + 2 * tail_bytes_max / 100'000);
  put_files(*kind.records, 1);
  CHECK(news->take(window).frames.size() == 1);
}

TEST_CASE("the tail of a task is kept for its readers, and no longer", "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  put_files(*kind.records, 2);
  const history_range since{.after = 3};
  {
    const auto news = make_feed();
    news->open(make_task_source(*kind.records, task_id{"t"}));
    put_files(*kind.records, 2);
    const auto page = read_changes(*kind.records, task_id{"t"}, since).value();
    CHECK_FALSE(page.gone);
    CHECK(page.changes.size() == 2);
    CHECK(read_changes(*kind.records, task_id{"t"}, {.after = 2}).value().gone);
    kind.records->commit(about_lone("t", "c", 3, moved(task_state::completed)));
    CHECK(read_changes(*kind.records, task_id{"t"}, since).value().changes.size()
          == 3); // Its reader may still be behind.
  }
  CHECK(read_changes(*kind.records, task_id{"t"}, since).value().gone);
}

TEMPLATE_TEST_CASE("a feed goes on behind any event, with everything after it", "[actors][feed]",
                   memory_kind, rocksdb_kind) {
  TestType kind;
  commit_task(*kind.records);
  const auto keeper = make_feed(); // So that a memory store has a tail.
  keeper->open(make_task_source(*kind.records, task_id{"t"}));
  kind.records->commit(about_lone("t", "c", 2, moved(task_state::working), task_message{say("hm")},
                                  task_message{say("so")}));
  put_files(*kind.records, 2);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  news->go_on_after({2, 1});
  const auto frames = take_all(*kind.records, *news);
  CHECK(sequences(frames) == numbers(2, 4));
  CHECK(frames.at(0).first_event == 2);
  CHECK(frames.at(1).first_event == 0);
  const auto later = make_feed();
  later->open(make_task_source(*kind.records, task_id{"t"}));
  later->go_on_after({3, stream_cursor::whole});
  CHECK(sequences(take_all(*kind.records, *later)) == numbers(4, 4));
}

TEST_CASE("if the history is not kept, the reader gets a snapshot with a gap mark",
          "[actors][feed]") {
  memory_kind kind;
  commit_task(*kind.records);
  put_files(*kind.records, 2);
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, task_id{"t"}));
  news->go_on_after({1, stream_cursor::whole});
  const auto batch = news->take(window);
  CHECK(batch.snapshot);
  CHECK(batch.gap);
  CHECK(batch.state == feed_state::more);
  put_files(*kind.records, 1);
  CHECK(sequences(news->take(window).frames) == numbers(4, 4));
}

TEST_CASE("a reader is notified when its source answers later", "[actors][feed]") {
  const auto source = std::make_shared<slow_source>();
  int told = 0;
  {
    const auto news = make_feed(1);
    news->connect([&] { ++told; });
    news->open(source);
    CHECK_FALSE(news->is_open());
    CHECK(news->is_reading());
    CHECK(news->take(window).state == feed_state::waiting);
    CHECK(told == 0);
    source->watching->on_change(move_at(2));
    CHECK(told == 1);
    CHECK(news->take(window).frames.empty());
    source->asked_open(feed_snapshot{std::make_shared<task>(), nullptr, 1});
    auto batch = news->take(window);
    CHECK(batch.snapshot);
    CHECK(sequences(batch.frames) == numbers(2, 2));
    CHECK_FALSE(news->is_reading());

    told = 0;
    for (std::uint64_t i = 3; i <= 5; ++i)
      source->watching->on_change(move_at(i));
    CHECK(told == 1);
    batch = news->take(window);
    CHECK(sequences(batch.frames) == numbers(3, 3));
    CHECK(batch.state == feed_state::more);
    CHECK(news->take(window).state == feed_state::waiting);
    CHECK(source->asked.after == 3);
    CHECK(source->asked.through == 5);
    CHECK(source->asked.bytes_max == window);
    CHECK(news->take(window).state == feed_state::waiting); // It is not asked twice.
    CHECK(news->is_reading());
    source->asked_page(make_error(errc::store_failed, "the disk is gone"));
    CHECK(told == 2);
    batch = news->take(window);
    CHECK(batch.state == feed_state::failed);
    CHECK(batch.failure->message == "the disk is gone");
    CHECK_FALSE(news->is_reading());
    CHECK(news->take(window).state == feed_state::waiting); // Asked again.
    source->asked_page(history_page{
        .changes = {move_at(4), move_at(5)}, .next_after = 5, .more = false, .gone = false});
    CHECK(sequences(take_all(*make_memory_store(), *news)) == numbers(4, 5));
    source->watching->on_change(move_at(6));
    CHECK(sequences(news->take(window).frames) == numbers(6, 6));
  }
  CHECK(source->is_closed);
}

TEST_CASE("a feed that begins again asks anew, and takes no answer to what it asked before",
          "[actors][feed]") {
  const auto source = std::make_shared<slow_source>();
  const feed_snapshot now{std::make_shared<task>(), nullptr, 3};
  const auto withdrawal =
      numbered(about("o", 1, tasks_withdrawn{0, {1}, task_state::canceled, ""}), 3);
  const auto news = make_feed();
  news->open(source);
  const auto late_snapshot = source->asked_open;
  news->restart();
  late_snapshot(now);
  CHECK_FALSE(news->is_open());
  source->asked_open(now);
  REQUIRE(news->is_open());
  news->go_on_after({1, stream_cursor::whole});
  static_cast<void>(news->take(window));
  source->asked_page(history_page{.changes = {move_at(2), withdrawal}, .next_after = 3});
  CHECK(sequences(news->take(window).frames) == numbers(2, 2));
  CHECK(news->is_reading()); // Of how the task ended.
  const auto late_record = source->asked_open;
  news->pause();
  news->restart();
  source->asked_open(now);
  REQUIRE(news->is_open());
  CHECK_FALSE(news->is_reading());
  news->go_on_after({1, stream_cursor::whole});
  source->asked_page = nullptr;
  static_cast<void>(news->take(window));
  REQUIRE(source->asked_page);
  late_record(now);
  source->asked_page(history_page{.changes = {move_at(2), withdrawal}, .next_after = 3});
  auto batch = news->take(window);
  CHECK(sequences(batch.frames) == numbers(2, 2));
  CHECK(batch.state == feed_state::waiting);
  source->asked_open(now);
  batch = news->take(window);
  CHECK(sequences(batch.frames) == numbers(3, 3));
  CHECK(batch.state == feed_state::ended);
}

TEST_CASE("a reader that connects late gets a notification of earlier changes", "[actors][feed]") {
  const auto source = std::make_shared<slow_source>();
  const auto news = make_feed();
  news->follow(source);
  news->live()->on_change(move_at(1));
  int told = 0;
  news->connect([&] { ++told; });
  CHECK(told == 1);
}

TEST_CASE("a reader that was refused hears of the answer when it asks again", "[actors][feed]") {
  const auto source = std::make_shared<slow_source>();
  const auto news = make_feed();
  int told = 0;
  news->connect([&] { ++told; });
  news->open(source);
  source->asked_open(make_error(errc::overloaded, "too many reads wait"));
  CHECK(told == 1);
  CHECK(news->take(window).state == feed_state::failed);
  news->restart();
  CHECK(news->take(window).state == feed_state::waiting);
  source->asked_open(feed_snapshot{nullptr, nullptr, 3});
  CHECK(told == 2);
  CHECK(news->take(window).state == feed_state::waiting);
  CHECK_FALSE(news->refusal().has_value());
}

TEST_CASE("a reader that looks before the snapshot is there hears of it, whatever came first",
          "[actors][feed]") {
  const auto source = std::make_shared<slow_source>();
  const auto news = make_feed();
  int told = 0;
  news->connect([&] { ++told; });
  news->open(source);
  source->watching->on_change(move_at(4));
  CHECK(told == 1);
  CHECK(news->take(window).state == feed_state::waiting);
  source->asked_open(feed_snapshot{nullptr, nullptr, 3});
  CHECK(told == 2);
  CHECK(sequences(news->take(window).frames) == numbers(4, 4));
}

TEMPLATE_TEST_CASE("a task that never begins ends with its plan's", "[actors][feed]", memory_kind,
                   rocksdb_kind) {
  TestType kind;
  const auto spec = make_objective("o", {2});
  kind.records->commit(about("o", 1, objective_created{spec, {}}));
  kind.records->flush();
  const auto id = spec->plans[0]->tasks[1].id;
  const auto news = make_feed();
  news->open(make_task_source(*kind.records, id));
  CHECK(news->snapshot().task->status.state == task_state::submitted);
  kind.records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2))); // Another's.
  kind.records->commit(about("o", 3, tasks_withdrawn{0, {1}, task_state::canceled, "why"}));
  kind.records->flush();
  feed_state state{};
  const auto frames = take_all(*kind.records, *news, &state);
  REQUIRE(frames.size() == 1);
  CHECK(state == feed_state::ended);
  REQUIRE(frames[0].withdrawn);
  CHECK(frames[0].withdrawn->status.state == task_state::canceled);
}

TEMPLATE_TEST_CASE("the feed of an objective has everything below it", "[actors][feed]",
                   memory_kind, rocksdb_kind) {
  TestType kind;
  const auto spec = make_objective("o", {103});
  kind.records->commit(about("o", 1, objective_created{spec, {}}));
  kind.records->flush();
  const auto news = make_feed(10);
  news->open(make_objective_source(*kind.records, objective_id{"o"}));
  CHECK(news->snapshot().objective->plans.size() == 1);
  for (std::uint32_t i = 0; i < 103; ++i) {
    kind.records->commit(
        about_task(*spec, 0, i, 2, born(*spec, 0, i, 2), moved(task_state::working)));
    kind.records->commit(about_task(*spec, 0, i, 3, moved(task_state::completed)));
  }
  kind.records->commit(about(
      "o", 4, plan_moved{0, plan_event::work, ""}, plan_moved{0, plan_event::complete, ""},
      objective_moved{objective_event::work, ""}, objective_moved{objective_event::complete, ""}));
  kind.records->flush();
  auto view = *news->snapshot().objective;
  std::set<std::string> ended;
  for (const auto& each : take_all(*kind.records, *news)) {
    apply(view, *each.news);
    if (!each.news->task.id.empty() && ends_task(*each.news))
      ended.insert(each.news->task.id.str());
  }
  CHECK(ended.size() == 103);
  CHECK(describe(std::make_shared<const objective_view>(view))
        == describe(find_objective(*kind.records, objective_id{"o"})));
}

TEMPLATE_TEST_CASE("the feed of a store has every change of every stream, each in its order",
                   "[actors][feed]", memory_kind, rocksdb_kind) {
  TestType kind;
  const auto news = std::make_unique<feed>(
      live_queue::bounds{std::is_same_v<TestType, memory_kind> ? 100'000U : 7U,
                         std::size_t{1} << 30},
      plenty());
  news->open(make_store_source(*kind.records));
  CHECK_FALSE(news->take(window).snapshot);
  random_changes life(7);
  std::map<std::string, std::uint64_t> written;
  std::map<std::string, std::uint64_t> seen;
  const auto note = [&](const std::vector<frame>& frames) {
    for (const auto& each : frames) {
      auto& last = seen[each.news->stream()];
      if (!std::holds_alternative<task_progress>(each.news->events.back())) // Progress merges.
        CHECK(each.news->sequence > last);
      last = each.news->sequence;
    }
  };
  for (int i = 0; i < 600; ++i) {
    auto next = life.next();
    ++written[next.stream()];
    kind.records->commit(std::move(next));
    if (i % 50 == 0)
      note(news->take(500).frames);
  }
  kind.records->flush();
  note(take_all(*kind.records, *news));
  CHECK(seen == written);
}

namespace {

/// Follows one task or objective the way a client does: shows the snapshot, folds what comes, and
/// goes on where it stopped.
class follower {
public:
  follower(store& records, std::string id, bool is_task, std::mt19937& random)
      : records_(records), id_(std::move(id)), is_task_(is_task), random_(random) {
    open();
  }

  void read(bool everything) {
    for (;;) {
      const auto batch = from_->take(everything           ? std::size_t{4096}
                                     : random_() % 3 == 0 ? 0
                                                          : 1 + random_() % 2000);
      if (batch.snapshot)
        begin();
      bool is_cut = false;
      for (const auto& each : batch.frames)
        if (is_cut = fold(each); is_cut)
          break;
      if (batch.state == feed_state::failed)
        FAIL(batch.failure->message);
      if (is_cut)
        reconnect();
      else if (batch.state == feed_state::lost)
        from_->restart();
      else if (everything && batch.state == feed_state::waiting && from_->is_reading())
        records_.drain(); // What is being read comes.
      else if (!everything || batch.state != feed_state::more)
        return;
    }
  }

  /// The connection breaks; a new one goes on behind what was seen.
  void reconnect() {
    const auto at = seen_;
    open();
    if (at.sequence > 0)
      from_->go_on_after(at);
  }

  void compare() const {
    CAPTURE(id_);
    const auto now = is_task_ ? find_task(records_, task_id{id_}) : nullptr;
    if (now && now->attempt == 0
        && is_terminal(now->status.state)) // Of one that never began the store has no record.
      CHECK(task_->status.state == now->status.state);
    else if (is_task_)
      CHECK(describe(task_ptr{task_}) == describe(now));
    else
      CHECK(describe(objective_ptr{objective_})
            == describe(find_objective(records_, objective_id{id_})));
  }

private:
  void open() {
    has_ended_ = false;
    from_ = make_feed(1 + random_() % 8, 500 + random_() % 4000);
    from_->open(is_task_ ? make_task_source(records_, task_id{id_})
                         : make_objective_source(records_, objective_id{id_}));
  }

  void begin() {
    const auto& now = from_->snapshot();
    if (now.task)
      task_ = std::make_shared<task>(*now.task);
    if (now.objective)
      objective_ = std::make_shared<objective_view>(*now.objective);
    seen_ = {now.sequence == sequence_end ? 0 : now.sequence, stream_cursor::whole};
    has_ended_ = now.sequence == sequence_end;
  }

  /// True if no more than a part of it was seen.
  [[nodiscard]] bool fold(const frame& next) {
    CHECK_FALSE(has_ended_);
    CHECK((next.news->sequence > seen_.sequence || next.first_event > 0));
    auto part = *next.news;
    part.events.erase(part.events.begin(), part.events.begin() + next.first_event);
    // Half of what is seen of a change is sometimes all that is seen of it.
    const bool is_cut = part.events.size() > 1 && random_() % 4 == 0;
    if (is_cut)
      part.events.erase(part.events.begin() + 1, part.events.end());
    seen_ = {part.sequence, is_cut ? next.first_event : stream_cursor::whole};
    if (next.withdrawn)
      task_ = std::make_shared<task>(*next.withdrawn);
    else if (const auto* made = is_task_ ? created_record(part) : nullptr)
      task_ = std::make_shared<task>(**made);
    if (is_task_ && !next.withdrawn)
      apply(*task_, part);
    if (!is_task_)
      apply(*objective_, part);
    return is_cut;
  }

  store& records_;
  std::string id_;
  bool is_task_;
  std::mt19937& random_;
  std::unique_ptr<feed> from_;
  std::shared_ptr<task> task_;
  std::shared_ptr<objective_view> objective_;
  stream_cursor seen_;
  bool has_ended_ = false;
};

} // namespace

TEMPLATE_TEST_CASE(
    "for any changes and any way to read them, snapshot and frames fold to the record in the store",
    "[actors][feed][random]", memory_kind, rocksdb_kind) {
  const auto seed = GENERATE(take(12, random(0U, 0xffffffffU)));
  CAPTURE(seed);
  TestType kind;
  std::mt19937 random(seed);
  random_changes life(seed);
  std::vector<std::unique_ptr<follower>> all;
  for (int i = 0; i < 400; ++i) {
    kind.records->commit(life.next());
    if (random() % 20 == 0) {
      kind.records->flush();
      const bool is_task = random() % 3 != 0;
      const auto& known = is_task || life.objectives.empty() ? life.tasks : life.objectives;
      const auto id =
          *std::next(known.begin(), static_cast<std::ptrdiff_t>(random() % known.size()));
      if (is_task ? find_task(*kind.records, task_id{id}) != nullptr : life.objectives.contains(id))
        all.push_back(std::make_unique<follower>(*kind.records, id, is_task, random));
    }
    if (!all.empty() && random() % 2 == 0)
      all[random() % all.size()]->read(false);
    if (!all.empty() && random() % 25 == 0)
      all[random() % all.size()]->reconnect();
  }
  kind.records->flush();
  for (const auto& each : all) {
    each->read(true);
    each->compare();
  }
}
