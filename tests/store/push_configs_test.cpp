// Push configurations in the store: both kinds behave alike, what is acknowledged survives,
// progress never outlives its configuration.
#include "store/push_table.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/rocksdb/image.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include <troupe/store/limits.hpp>
#include <troupe/store/push_configs.hpp>

#include <future>

using namespace troupe;
using namespace troupe::testing;

namespace {

push_config config(const std::string& task, const std::string& id,
                   const std::string& url = "https://a.example/x") {
  push_config out;
  out.id = id;
  out.task = task_id{task};
  out.url = url;
  return out;
}

result<push_row> save(store& in, push_config config, push_progress from = {}) {
  std::promise<result<push_row>> done;
  in.pushes().save(std::move(config), std::move(from),
                   [&](result<push_row> row) { done.set_value(std::move(row)); });
  return answer_in_time(done.get_future());
}

void erase(store& in, const std::string& task, const std::string& id, std::uint64_t serial = 0) {
  std::promise<void> done;
  in.pushes().erase(task_id{task}, id, serial, [&](const result<void>&) { done.set_value(); });
  answer_in_time(done.get_future());
}

std::string ids_of(const std::vector<push_row>& rows) {
  std::string out;
  for (const auto& each : rows)
    out += (out.empty() ? "" : " ") + each.config.task.str() + ":" + each.config.id;
  return out;
}

std::string described(const push_row& row) {
  std::string out = row.config.task.str() + " " + row.config.id + " ";
  record::write(out, row);
  return out;
}

} // namespace

TEMPLATE_TEST_CASE("Push configurations are kept by task and id, replaced and forgotten",
                   "[store][push]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  auto& pushes = records.pushes();
  const auto first = save(records, config("t", "b"));
  REQUIRE(first.has_value());
  REQUIRE(save(records, config("t", "a")).has_value());
  REQUIRE(save(records, config("t2", "a")).has_value());
  CHECK(ids_of(pushes.list(task_id{"t"})) == "t:a t:b");
  CHECK(ids_of(pushes.all()) == "t:a t:b t2:a");
  CHECK(pushes.list(task_id{"other"}).empty());
  CHECK_FALSE(pushes.find(task_id{"t"}, "c"));

  const auto second = save(records, config("t", "b", "https://b.example/"), {.after = 7});
  REQUIRE(second.has_value());
  CHECK(second->serial > first->serial);
  CHECK(pushes.find(task_id{"t"}, "b")->config.url == "https://b.example/");
  CHECK(pushes.find(task_id{"t"}, "b")->progress.after == 7);
  CHECK(pushes.list(task_id{"t"}).size() == 2);

  // What is said of a configuration that was replaced does not touch its successor.
  pushes.note(task_id{"t"}, "b", first->serial, {.after = 100});
  erase(records, "t", "b", first->serial);
  records.flush();
  CHECK(pushes.find(task_id{"t"}, "b")->progress.after == 7);
  pushes.note(task_id{"t"}, "b", second->serial, {.after = 8, .events = 1, .failures = 2});
  pushes.note(task_id{"t"}, "unknown", 1, {.after = 8});
  records.flush();
  CHECK(pushes.find(task_id{"t"}, "b")->progress
        == push_progress{.after = 8, .events = 1, .failures = 2});
  CHECK(pushes.all().size() == 3);

  erase(records, "t", "b");
  erase(records, "t", "b");
  pushes.note(task_id{"t"}, "b", second->serial, {.after = 9});
  records.flush();
  CHECK(ids_of(pushes.all()) == "t:a t2:a");
}

TEMPLATE_TEST_CASE("A task has so many push configurations and not one more", "[store][push]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  std::vector<std::future<errc>>
      answers; // Submitted together, so that the durable store sees them in one batch.
  for (std::size_t i = 0; i < push_configs_per_task_max + 3; ++i) {
    const auto done = std::make_shared<std::promise<errc>>();
    answers.push_back(done->get_future());
    records.pushes().save(config("t", "c" + std::to_string(i)), {},
                          [done](const result<push_row>& row) {
                            done->set_value(row ? errc::none : row.error().code);
                          });
  }
  std::size_t kept = 0;
  for (auto& each : answers)
    kept += each.get() == errc::none ? 1 : 0;
  CHECK(kept == push_configs_per_task_max);
  CHECK(records.pushes().list(task_id{"t"}).size() == push_configs_per_task_max);
  CHECK(save(records, config("t", "more")).error().code == errc::limit_exceeded);
  CHECK(save(records, config("t", "c3", "https://b.example/"))
            .has_value()); // Replacing is no addition.
  CHECK(save(records, config("t2", "c")).has_value());
  // A question in advance gets the same answer.
  const auto& pushes = records.pushes();
  CHECK(pushes.has_room(task_id{"t"}, "more").error().code == errc::limit_exceeded);
  CHECK(pushes.has_room(task_id{"t"}, "").error().code == errc::limit_exceeded);
  CHECK(pushes.has_room(task_id{"t"}, "c3").has_value());
  CHECK(pushes.has_room(task_id{"t2"}, "").has_value());
  CHECK(pushes.has_room(task_id{}, "").has_value());
  erase(records, "t", "c0");
  CHECK(pushes.has_room(task_id{"t"}, "more").has_value());
  CHECK(save(records, config("t", "more")).has_value());
}

TEST_CASE("A table has so many push configurations in all and not one more", "[store][push]") {
  push_table table;
  for (std::size_t i = 0; i < push_configs_max; ++i)
    table.restore({config("t" + std::to_string(i), "c"), 0, {}});
  CHECK(table.has_room(task_id{}, "").error().code == errc::limit_exceeded);
  CHECK(table.has_room(task_id{"another"}, "c").error().code == errc::limit_exceeded);
  CHECK(table.has_room(task_id{"t7"}, "c").has_value());
  std::vector<push_write> writes(1);
  writes[0].row.config = config("another", "c");
  table.stage(writes);
  CHECK(writes[0].outcome.error().code == errc::limit_exceeded);
}

TEST_CASE("Push configurations are counted, and refused when the process is short of memory",
          "[store][push][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{100'000});
  const auto put = [](push_table& table, const push_config& wanted) {
    std::vector<push_write> writes(1);
    writes[0].row.config = wanted;
    table.stage(writes);
    table.publish();
    return writes[0].outcome;
  };
  {
    push_table table{memory};
    auto wanted = config("t", "c");
    REQUIRE(put(table, wanted).has_value());
    const auto one = memory->held(memory_account::push_configs);
    CHECK(one > 0);
    wanted.token = std::string(10'000, 'x');
    REQUIRE(put(table, wanted).has_value());
    CHECK(memory->held(memory_account::push_configs)
          == one + 10'000 - config("t", "c").token.size());

    memory->force(memory_account::live_work, 85'000);
    const auto refused = put(table, config("t", "another"));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::overloaded);
    CHECK_THAT(refused.error().message,
               ContainsSubstring("push-configs") && ContainsSubstring("limits.memory"));
    CHECK(table.has_room(task_id{"t"}, "another").error().code == errc::overloaded);
    wanted.token += "longer";
    CHECK_FALSE(put(table, wanted).has_value());
    wanted.token = "short";
    CHECK(put(table, wanted).has_value()); // It takes less than before.

    std::vector<push_write> gone(1);
    gone[0].operation = push_write::kind::erase;
    gone[0].row.config = wanted;
    table.stage(gone);
    table.publish();
    CHECK(memory->held(memory_account::push_configs) == 0);
    memory->give_back(memory_account::live_work, 85'000);
    CHECK(put(table, wanted).has_value());
  }
  CHECK(memory->held() == 0);
}

TEST_CASE("Push configurations survive, with everything that is known about them",
          "[store][push]") {
  const temporary_directory directory;
  auto records = open_or_fail(directory / "data");
  auto full = config("obj-1.p0.t3.r1", "my config", "https://a.example:8443/x?y=1");
  full.token = "to\"ken";
  full.authentication = push_authentication{"Bearer", "s3cret"};
  full.payload = push_payload::v0_3;
  full.progress = true;
  full.owner = {.id = "me", .tenant = "us"};
  const auto saved = save(*records, full, {.after = 3, .events = 2, .snapshot_first = true});
  REQUIRE(saved.has_value());
  REQUIRE(save(*records, config("t", "gone")).has_value());
  const auto plain = save(*records, config("t", "stopped"));
  records->pushes().note(
      task_id{"t"}, "stopped", plain->serial,
      {.after = 1, .failures = 10, .stopped = "says no", .stopped_at = at_ms(5)});
  erase(*records, "t", "gone");
  records->flush();
  std::vector<std::string> before;
  for (const auto& each : records->pushes().all())
    before.push_back(described(each));
  records.reset();
  records = open_or_fail(directory / "data");
  recover_or_fail(*records);
  std::vector<std::string> after;
  for (const auto& each : records->pushes().all())
    after.push_back(described(each));
  CHECK(after == before);
  CHECK(before.size() == 2);
  const auto found = records->pushes().find(full.task, full.id);
  REQUIRE(found);
  CHECK(found->config.token == full.token);
  CHECK(found->config.authentication == full.authentication);
  CHECK(found->config.owner.tenant == "us");
  CHECK(found->config.payload == push_payload::v0_3);
  CHECK(found->progress == saved->progress);
  const auto next = save(*records, full);
  REQUIRE(next.has_value());
  CHECK(next->serial > plain->serial); // Never given twice.
}

TEST_CASE("A damaged push row is refused for any fault", "[store][push]") {
  const auto row = GENERATE("", "{", "[]", "{}", R"({"u":1,"o":"x"})", R"({"u":"x","p":3})",
                            R"({"u":"x","p":"1"})", R"({"u":"x","h":[]})", R"({"u":"x","g":-1})");
  CAPTURE(row);
  const auto read = record::read_push_row(row, "t", "c");
  // A row without its address can be read, and leads nowhere.
  CHECK((!read.has_value() || read->config.url.empty()));
}

namespace {

push_write save_of(const std::string& client, const std::string& id, std::size_t bytes = 0) {
  push_write out;
  out.row.config = config("t", id, std::string(bytes, 'x'));
  out.client = client;
  out.saved = [](const result<push_row>&) {};
  return out;
}

push_write note_of(const std::string& id, std::uint64_t serial, std::uint64_t after) {
  push_write out;
  out.operation = push_write::kind::note;
  out.row.config = config("t", id);
  out.row.serial = serial;
  out.row.progress.after = after;
  return out;
}

std::string refusal(push_queue& by, push_write write) {
  const auto taken = by.push(write);
  if (taken)
    return "";
  CHECK(taken.error().code == errc::overloaded);
  CHECK(write.saved); // Left as it is, for the caller to be told.
  return taken.error().field;
}

} // namespace

TEST_CASE("Changes of push configurations that wait are bounded in number, by client and in bytes",
          "[store][push]") {
  push_queue queue{{.writes_max = 4, .writes_per_client_max = 2, .bytes_max = 100'000}};
  CHECK(refusal(queue, save_of("a", "1")) == "");
  CHECK(refusal(queue, save_of("a", "2")) == "");
  CHECK(refusal(queue, save_of("a", "3")) == "push_writes_per_client_max");
  CHECK(refusal(queue, save_of("b", "1", 200'000)) == "push_writes_bytes_max");
  CHECK(refusal(queue, save_of("b", "1", 50'000)) == "");
  CHECK(refusal(queue, save_of("c", "1", 50'000)) == "push_writes_bytes_max");
  CHECK(refusal(queue, save_of("c", "1")) == "");
  CHECK(refusal(queue, save_of("d", "1")) == "push_writes_max");
  CHECK(queue.take().size() == 4);
  CHECK(queue.empty());
  CHECK(refusal(queue, save_of("a", "3")) == "");
}

TEST_CASE("The deletes that wait count for their client, however many tasks they are about",
          "[store][push]") {
  const temporary_directory directory;
  auto made = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(made.has_value());
  auto& records = **made; // Its turns are not taken: nothing is written.
  std::size_t refused = 0;
  const auto erase_all = [&](const std::string& client, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      records.pushes().erase(
          task_id{"t" + std::to_string(i % 16)}, "c", 0,
          [&](const result<void>& erased) { refused += erased ? 0 : 1; }, client);
  };
  erase_all("a", push_writes_per_client_max + 16);
  CHECK(refused == 16);
  erase_all("b", push_writes_per_client_max);
  CHECK(refused == 16);
  records.flush();
}

TEST_CASE("Only the latest progress of one configuration waits", "[store][push]") {
  push_queue queue{{.writes_max = 1, .writes_per_client_max = 1, .bytes_max = 100'000}};
  CHECK(refusal(queue, save_of("a", "new")) == "");
  for (std::uint64_t after = 1; after <= 1000; ++after)
    for (const auto* id : {"x", "y"})
      CHECK(refusal(queue, note_of(id, 7, after)) == "");
  CHECK(refusal(queue, note_of("x", 8, 1)) == ""); // Its successor's.
  const auto waiting = queue.take();
  REQUIRE(waiting.size() == 4);
  CHECK(waiting[0].row.config.id == "new");
  CHECK(waiting[1].row.config.id == "x");
  CHECK(waiting[1].row.progress.after == 1000);
  CHECK(waiting[2].row.progress.after == 1000);
  CHECK(waiting[3].row.serial == 8);
}

TEST_CASE("One group takes so many changes of push configurations, and the others stay",
          "[store][push]") {
  push_queue queue{{.writes_max = 100, .writes_per_client_max = 2, .bytes_max = 100 << 20}};
  SECTION("in bytes") {
    const auto size = group_bytes_max / 2;
    for (const auto* id : {"1", "2"})
      CHECK(refusal(queue, save_of("a", id, size)) == "");
    CHECK(refusal(queue, save_of("b", "3", 3 * size)) == "");
    CHECK(refusal(queue, note_of("x", 7, 1)) == "");
    CHECK(queue.take().size() == 1);
    CHECK(refusal(queue, save_of("a", "4")) == ""); // Those that stay still count.
    CHECK(refusal(queue, save_of("a", "5")) == "push_writes_per_client_max");
    CHECK(refusal(queue, note_of("x", 7, 2)) == "");
    CHECK(queue.take().size() == 1);
    CHECK(queue.take().size() == 1); // One that is larger than a group goes alone.
    const auto rest = queue.take();
    REQUIRE(rest.size() == 2);
    CHECK(rest[0].row.progress.after == 2);
    CHECK(rest[1].row.config.id == "4");
    CHECK(queue.empty());
  }
  SECTION("in number") {
    for (std::size_t i = 0; i < group_changes_max + 10; ++i)
      CHECK(refusal(queue, note_of(std::to_string(i), 7, 1)) == "");
    CHECK(queue.take().size() == group_changes_max);
    CHECK(queue.take().size() == 10);
    CHECK(queue.empty());
  }
}

TEST_CASE("While the disk does not write, a client may not have any number of changes wait",
          "[store][push]") {
  const temporary_directory directory;
  auto made = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(made.has_value());
  auto& records = **made; // Its turns are not taken.
  std::vector<errc> refused;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < push_writes_per_client_max + 2; ++i)
    records.pushes().save(config("t" + std::to_string(i), "c"), {},
                          [&](const result<push_row>& row) {
                            kept += row ? 1 : 0;
                            if (!row)
                              refused.push_back(row.error().code);
                          });
  CHECK(refused == std::vector<errc>{errc::overloaded, errc::overloaded});
  std::vector<errc> erased;
  const auto note_erased = [&](const result<void>& done) {
    erased.push_back(done ? errc::none : done.error().code);
  };
  const auto mine = client_of(config("t0", "c").owner);
  records.pushes().erase(task_id{"t0"}, "c", 0, note_erased, mine);
  CHECK(erased == std::vector<errc>{errc::overloaded});
  records.pushes().erase(task_id{"t0"}, "c", 0, note_erased, "another client");
  records.flush();
  CHECK(kept == push_writes_per_client_max);
  CHECK(erased == std::vector<errc>{errc::overloaded, errc::none});
  CHECK(records.pushes().all().size() == push_writes_per_client_max - 1);
}

namespace {

/// A store of files in memory whose clock stands still, and a configuration in it.
struct noted_store {
  noted_store() {
    recover_or_fail(*records);
    records->pushes().save(config("t", "c"), {}, [this](const result<push_row>& saved) {
      serial = saved ? saved->serial : 0;
    });
    records->flush();
    REQUIRE(serial != 0);
  }

  void note(push_progress progress) const {
    records->pushes().note(task_id{"t"}, "c", serial, std::move(progress));
    take_turns();
  }
  void take_turns() const {
    while (records->turn()) {
    }
  }
  [[nodiscard]] push_progress noted() const {
    return records->pushes().find(task_id{"t"}, "c")->progress;
  }
  [[nodiscard]] std::uint64_t syncs() const { return records->status().writes.syncs; }

  image files;
  std::unique_ptr<turned_store> records = files.open();
  std::uint64_t serial = 0;
};

} // namespace

TEST_CASE("The progress of notifications has no sync of its own if a change comes soon",
          "[store][push]") {
  noted_store bed;
  const auto before = bed.syncs();
  bed.note({.after = 1});
  bed.note({.after = 2});
  bed.files.time.pass(push_progress_wait - std::chrono::milliseconds{1});
  bed.take_turns();
  CHECK(bed.syncs() == before);
  bed.records->commit(about_lone("t", "ctx", 1, born_lone("t", "ctx", 1)));
  bed.take_turns();
  CHECK(bed.syncs() == before + 1);
  CHECK(bed.noted().after == 2);
}

TEST_CASE("Without a change the progress of notifications is written after a while, or at once if "
          "that is asked for",
          "[store][push]") {
  noted_store bed;
  const auto before = bed.syncs();
  bed.note({.after = 1});
  bed.files.time.pass(push_progress_wait);
  bed.take_turns();
  CHECK(bed.noted().after == 1);
  CHECK(bed.syncs() == before + 1);
  bed.note({.after = 2});
  CHECK(bed.noted().after == 1);
  bed.records->flush();
  CHECK(bed.noted().after == 2);
  bed.note({.after = 3});
  bed.note({.after = 3, .stopped = "says no", .stopped_at = at_ms(5)});
  CHECK(bed.noted().stopped == "says no");
  bed.note({.after = 4});
  bed.records.reset(); // What waits is written before the end.
  bed.records = bed.files.open();
  recover_or_fail(*bed.records);
  CHECK(bed.noted().after == 4);
}

TEST_CASE("The writer's thread writes progress although nothing else comes", "[store][push]") {
  rocksdb_kind kind;
  const auto saved = save(*kind.records, config("t", "c"));
  REQUIRE(saved.has_value());
  kind.records->pushes().note(task_id{"t"}, "c", saved->serial, {.after = 7});
  CHECK(comes_true(
      [&] { return kind.records->pushes().find(task_id{"t"}, "c")->progress.after == 7; }));
}
