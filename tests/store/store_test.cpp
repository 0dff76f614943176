// What every store does, tried on each kind. `commit` is followed by `flush`, so that the durable
// one is as far as the other.
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// As `owner` sees them.
task_ptr find_task_of(store& in, const std::string& owner, const task_id& id) {
  auto found = find_task(in, id);
  return found && found->owner == owner ? found : nullptr;
}
template<class Id>
objective_ptr find_objective_of(store& in, const std::string& owner, const Id& id) {
  auto found = find_objective(in, id);
  return found && found->owner == owner ? found : nullptr;
}

void put(store& in, change change) {
  in.commit(std::move(change));
  in.flush();
}

void put(store& in, const std::shared_ptr<objective_spec>& spec, std::int64_t ms = 1) {
  put(in, about(spec->id.str(), ms, objective_created{spec, {}}));
}

std::string ids_of(const task_page& page) {
  std::string out;
  for (const auto& each : page.tasks)
    out += (out.empty() ? "" : " ") + each->id.str();
  return out;
}

/// The ids of all pages, two objectives on each.
std::string ids_listed(const store& records, list_objectives query, std::size_t expected_total) {
  query.page_size = 2;
  std::string out;
  do {
    const auto page = list(records, query);
    REQUIRE(page.has_value());
    CHECK(page->total_size == expected_total);
    for (const auto& each : page->objectives)
      out += each->id.str();
    query.page_token = page->next_page_token;
  } while (!query.page_token.empty());
  return out;
}

} // namespace

TEMPLATE_TEST_CASE("No change of a stream is dated before the one before it", "[store]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto all = std::make_shared<recorder>();
  records.watch_all(all);
  const auto spec = make_objective("o", {1});
  put(records, spec, 10);
  put(records, about_task(*spec, 0, 0, 7, born(*spec, 0, 0, 7), moved(task_state::working)));
  put(records, about("o", 12, objective_edited{"later", ""}));
  records.commit(about_task(*spec, 0, 0, 11, moved(task_state::completed)));
  records.commit(about("o", 9, objective_edited{"earlier", ""}));
  records.commit(about_lone("lone", "c", 5, born_lone("lone", "c", 5)));
  records.commit(about_lone("lone", "c", 3, moved(task_state::working)));
  records.flush();
  records.unwatch_all(all);
  std::map<std::string, std::string> times;
  for (const auto& each : all->seen())
    times[each->stream()] += std::to_string(each->at.time_since_epoch().count()) + " ";
  CHECK(times["o"] == "10 10 12 12 12 ");
  CHECK(times["lone"] == "5 5 ");
  CHECK(find_task(records, task_id{"o.p0.t0"})->status.at == at_ms(12));
  CHECK(find_objective(records, spec->id)->updated == at_ms(12));
  CHECK(find_task(records, task_id{"lone"})->status.at == at_ms(5));
}

TEMPLATE_TEST_CASE("A change is visible before its continuation runs", "[store]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  std::atomic<int> seen{0};
  const auto follow = std::make_shared<recorder>();
  records.commit(
      about_lone("task-1", "ctx", 1, born_lone("task-1", "ctx", 1), moved(task_state::working)),
      [&] {
        const auto found = find_task(records, task_id{"task-1"});
        seen = found && found->status.state == task_state::working && follow->seen().size() == 1
                   ? 1
                   : -1;
      },
      follow);
  records.flush();
  CHECK(seen == 1);
  CHECK(records.status().backlog_changes == 0);
  CHECK(records.status().writable);
}

TEMPLATE_TEST_CASE("A lone task is found while it lives and after it ended", "[store]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  CHECK(find_task(records, task_id{"task-1"}) == nullptr);
  CHECK_FALSE(is_known(records, task_id{"task-1"}));
  put(records, about_lone("task-1", "ctx", 1, born_lone("task-1", "ctx", 1)));
  CHECK(find_task(records, task_id{"task-1"})->status.state == task_state::submitted);
  CHECK(records.status().live_tasks == 1);
  put(records, about_lone("task-1", "ctx", 2, moved(task_state::working),
                          task_artifact{output("a", "x"), false, true}));
  const auto before = find_task(records, task_id{"task-1"});
  put(records, about_lone("task-1", "ctx", 3, moved(task_state::completed, 1, say("done"))));
  CHECK(before->status.state == task_state::working); // A record that was read does not change.
  const auto ended = find_task(records, task_id{"task-1"});
  REQUIRE(ended);
  CHECK(ended->status.state == task_state::completed);
  CHECK(ended->status.at == at_ms(3));
  CHECK(ended->artifacts.size() == 1);
  CHECK(ended->history.size() == 1);
  CHECK(ended->context == "ctx");
  CHECK(is_known(records, task_id{"task-1"}));
  CHECK(records.status().live_tasks == 0);
}

TEMPLATE_TEST_CASE("A change about what has ended or never was changes nothing and is answered",
                   "[store]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {1});
  put(records, spec);
  put(records, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::canceled)));
  put(records,
      about_lone("task-1", "c", 2, born_lone("task-1", "c", 2), moved(task_state::canceled)));
  const auto who = std::make_shared<recorder>();
  REQUIRE(watch_objective(records, spec->id, who));
  int answered = 0;
  const auto try_one = [&](change change) {
    records.commit(
        std::move(change), [&] { ++answered; }, who);
  };
  try_one(about_task(*spec, 0, 0, 3, moved(task_state::completed)));
  try_one(about_lone("task-1", "c", 3, moved(task_state::completed)));
  try_one(about_lone("unknown", "c", 3, moved(task_state::completed)));
  try_one(about("unknown", 3, objective_moved{objective_event::work, ""}));
  auto orphan = about_task(*spec, 0, 0, 3, born(*spec, 0, 0, 3));
  orphan.context = "unknown";
  orphan.task.id = task_id{"unknown.p0.t0"};
  try_one(std::move(orphan));
  try_one(about("o", 3, objective_created{make_objective("o", {7}), {}}));
  records.flush();
  CHECK(answered == 6);
  CHECK(who->seen().empty());
  CHECK(find_task(records, spec->plans[0]->tasks[0].id)->status.state == task_state::canceled);
  CHECK(find_task(records, task_id{"task-1"})->status.state == task_state::canceled);
  CHECK(find_objective(records, spec->id)->plans[0].tasks.size() == 1);
  CHECK_FALSE(is_known(records, objective_id{"unknown"}));
}

TEMPLATE_TEST_CASE("A plan's task that has not begun is shown as submitted", "[store]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {2, 3});
  put(records, spec, 7);
  const auto found = find_task(records, task_id{"o.p1.t2"});
  REQUIRE(found);
  CHECK(found->status.state == task_state::submitted);
  CHECK(found->status.at == at_ms(7));
  CHECK(found->context == "o");
  CHECK(found->agent == "echo");
  CHECK(found->origin.plan_index == 1);
  CHECK(found->origin.spec().name == "task 2");
  CHECK(is_known(records, task_id{"o.p1.t2"}));
  for (const auto* id :
       {"o.p1.t3", "o.p2.t0", "p.p0.t0", "o.p1.t2.r1", "o.p1", "o", "o.p1.t02", "o.p0.t1.t0"}) {
    CAPTURE(id);
    CHECK(find_task(records, task_id{id}) == nullptr);
    CHECK_FALSE(is_known(records, task_id{id}));
  }
  CHECK(objective_of(records, plan_id{"o.p1"}) == spec->id);
  CHECK_FALSE(objective_of(records, plan_id{"o.p2"}).has_value());
  CHECK_FALSE(objective_of(records, plan_id{"x.p0"}).has_value());
  CHECK(list(records, list_tasks{})->tasks.empty());
}

TEMPLATE_TEST_CASE("Ids that a client chose are found in every form", "[store]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("my objective.p0", {1});
  auto plan = std::make_shared<plan_spec>(*make_plan(spec->id, 1, 4));
  plan->id = plan_id{"blog.p7"};
  plan->tasks.edit(0).id = task_id{"research"};
  plan->tasks.edit(1).id = task_id{"o.p0.t0"};     // Looks generated, by another objective.
  plan->tasks.edit(2).id = task_id{"research.r1"}; // Looks renewed.
  plan->tasks.edit(3).id = make_task_id(plan->id, 3);
  spec->plans.push_back(plan);
  put(records, spec);
  put(records, make_objective("o", {0}));
  const auto index_of = [&](const char* id) {
    const auto found = find_task(records, task_id{id});
    return found ? static_cast<int>(found->origin.plan_index * 10 + found->origin.task_index) : -1;
  };
  CHECK(index_of("research") == 10);
  CHECK(index_of("o.p0.t0") == 11);
  CHECK(index_of("research.r1") == 12);
  CHECK(index_of("blog.p7.t3") == 13);
  CHECK(index_of("my objective.p0.p0.t0") == 0);
  CHECK(objective_of(records, plan_id{"blog.p7"}) == spec->id);
  CHECK(index_of("blog.p7.t0") == -1); // That task has another id.

  auto later = std::make_shared<plan_spec>(*make_plan(spec->id, 2, 1));
  later->tasks.edit(0).id = task_id{"added"};
  put(records, about(spec->id.str(), 2, plan_added{later}));
  CHECK(index_of("added") == 20);
  put(records, about(spec->id.str(), 3, tasks_renewed{1, {0}}));
  CHECK(index_of("research.r1") == 12);
  CHECK(find_objective(records, spec->id)->plans[1].task_at(0).str() == "research.r1");
}

TEMPLATE_TEST_CASE("Tasks withdrawn before they began are canceled with the reason", "[store]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {3});
  put(records, spec);
  put(records, about("o", 5, tasks_withdrawn{0, {1, 2}, task_state::canceled, "the plan failed"}));
  const auto found = find_task(records, task_id{"o.p0.t1"});
  REQUIRE(found);
  CHECK(found->status.state == task_state::canceled);
  CHECK(found->status.at == at_ms(5));
  REQUIRE(found->status.message);
  CHECK(text_of(found->status.message->parts) == "the plan failed");
  CHECK(find_task(records, task_id{"o.p0.t0"})->status.state == task_state::submitted);

  put(records, about("o", 6, tasks_renewed{0, {1}}));
  CHECK(find_task(records, task_id{"o.p0.t1"})->status.state == task_state::canceled);
  CHECK(find_task(records, task_id{"o.p0.t1.r1"})->status.state == task_state::submitted);
  CHECK(find_task(records, task_id{"o.p0.t1.r2"}) == nullptr);
  CHECK(text_of(find_task(records, task_id{"o.p0.t2"})->status.message->parts)
        == "the plan failed");
}

TEMPLATE_TEST_CASE("A retried task and the one it replaces are both found", "[store]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {1});
  put(records, spec);
  put(records, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::failed)));
  put(records, about("o", 3, tasks_renewed{0, {0}}));
  CHECK(find_task(records, task_id{"o.p0.t0"})->status.state == task_state::failed);
  CHECK(find_task(records, task_id{"o.p0.t0.r1"})->status.state == task_state::submitted);
  auto again = about_task(*spec, 0, 0, 4, born(*spec, 0, 0, 4), moved(task_state::completed));
  again.task.id = task_id{"o.p0.t0.r1"};
  std::get<task_created>(again.events[0]).record->id = again.task.id;
  put(records, std::move(again));
  CHECK(find_task(records, task_id{"o.p0.t0"})->status.state == task_state::failed);
  CHECK(find_task(records, task_id{"o.p0.t0.r1"})->status.state == task_state::completed);
  CHECK(list(records, list_tasks{})->total_size == 2);
}

TEMPLATE_TEST_CASE("A watcher sees every later change of its task and no other", "[store][watch]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto who = std::make_shared<recorder>();
  CHECK(watch_task(records, task_id{"task-1"}, who) == nullptr);
  put(records, about_lone("task-1", "c", 1, born_lone("task-1", "c", 1)));
  put(records, about_lone("task-2", "c", 1, born_lone("task-2", "c", 1)));
  const auto now = watch_task(records, task_id{"task-1"}, who);
  REQUIRE(now);
  CHECK(now->status.state == task_state::submitted);
  CHECK(watch_task(records, task_id{"task-1"}, who)); // Twice is once.
  put(records, about_lone("task-2", "c", 2, moved(task_state::working)));
  put(records, about_lone("task-1", "c", 2, moved(task_state::working)));
  put(records, about_lone("task-1", "c", 3, moved(task_state::completed)));
  CHECK(who->sequences() == std::vector<std::uint64_t>{2, 3});
  CHECK(watch_task(records, task_id{"task-1"}, who)->status.state == task_state::completed);
  CHECK(who.use_count() == 1); // The store keeps no watcher of an ended task.
}

TEMPLATE_TEST_CASE("A follower of a task sees its creation", "[store][watch]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto who = std::make_shared<recorder>();
  records.commit(about_lone("task-1", "c", 1, born_lone("task-1", "c", 1),
                            moved(task_state::working), moved(task_state::completed)),
                 nullptr, who);
  records.commit(about_lone("task-2", "c", 1, born_lone("task-2", "c", 1)), nullptr, who);
  records.commit(about_lone("task-2", "c", 2, moved(task_state::working)));
  records.flush();
  const auto seen = who->seen();
  REQUIRE(seen.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& made = *std::get<task_created>(seen[i]->events.front()).record;
    CHECK(made.status.state == task_state::submitted);
    CHECK(made.attempt == 0);
  }
  CHECK(seen[2]->sequence == 2);
}

TEMPLATE_TEST_CASE("A follower of an objective sees it and all its tasks", "[store][watch]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {2});
  const auto who = std::make_shared<recorder>();
  const auto late = std::make_shared<recorder>();
  records.commit(about("o", 1, objective_created{spec, {}}), nullptr, who);
  records.commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::completed)));
  records.flush();
  REQUIRE(watch_objective(records, spec->id, late));
  put(records, about("o", 3, objective_moved{objective_event::work, ""},
                     objective_moved{objective_event::complete, ""}));
  CHECK(who->sequences() == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(late->sequences() == std::vector<std::uint64_t>{3});
  CHECK(watch_objective(records, objective_id{"x"}, who) == nullptr);
  records.unwatch("o", who);
  put(records, about("o", 4, objective_moved{objective_event::work, ""},
                     objective_moved{objective_event::complete, "again"}));
  CHECK(who->seen().size() == 3);
  CHECK(late->seen().size() == 2);
}

TEMPLATE_TEST_CASE("A task can be watched before it begins", "[store][watch]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {3});
  put(records, spec);
  const auto begins = std::make_shared<recorder>();
  const auto never = std::make_shared<recorder>();
  const auto leaves = std::make_shared<recorder>();
  CHECK(watch_task(records, task_id{"o.p0.t0"}, begins)->status.state == task_state::submitted);
  CHECK(watch_task(records, task_id{"o.p0.t1"}, never));
  CHECK(watch_task(records, task_id{"o.p0.t2"}, leaves));
  records.unwatch("o.p0.t2", leaves);
  put(records, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::working)));
  put(records, about_task(*spec, 0, 2, 2, born(*spec, 0, 2, 2), moved(task_state::working)));
  put(records, about("o", 3, tasks_withdrawn{0, {1}, task_state::canceled, "why"}));
  put(records, about_task(*spec, 0, 0, 4, moved(task_state::completed)));
  CHECK(begins->sequences() == std::vector<std::uint64_t>{2, 5});
  CHECK(never->sequences() == std::vector<std::uint64_t>{4});
  CHECK(leaves->seen().empty());
  CHECK(begins.use_count() == 1);
  CHECK(never.use_count() == 1);
  CHECK(leaves.use_count() == 1);
}

TEMPLATE_TEST_CASE("Unwatching ends it at once", "[store][watch]", memory_kind, rocksdb_kind,
                   session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto who = std::make_shared<recorder>();
  put(records, about_lone("task-1", "c", 1, born_lone("task-1", "c", 1)));
  REQUIRE(watch_task(records, task_id{"task-1"}, who));
  records.unwatch("task-1", who);
  records.unwatch("task-1", who);
  records.unwatch("unknown", who);
  put(records, about_lone("task-1", "c", 2, moved(task_state::working)));
  CHECK(who->seen().empty());
  CHECK(who.use_count() == 1);
}

TEMPLATE_TEST_CASE("Tasks are listed latest first, ties by id, live and ended together",
                   "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  put(records, about_lone("b", "c1", 5, born_lone("b", "c1", 5)));
  put(records, about_lone("a", "c1", 5, born_lone("a", "c1", 5), moved(task_state::completed)));
  put(records, about_lone("d", "c2", 9, born_lone("d", "c2", 9), moved(task_state::failed)));
  put(records, about_lone("c", "c2", 1, born_lone("c", "c2", 1)));
  put(records, about_lone("e", "c2", 2, born_lone("e", "c2", 2), moved(task_state::completed)));
  const auto ids = [&](auto change_query) {
    list_tasks query;
    change_query(query);
    const auto page = list(records, query);
    REQUIRE(page.has_value());
    CHECK(page->total_size == page->tasks.size());
    CHECK(page->next_page_token.empty());
    return ids_of(*page);
  };
  CHECK(ids([](list_tasks&) {}) == "d a b e c");
  CHECK(ids([](list_tasks& q) { q.context = "c1"; }) == "a b");
  CHECK(ids([](list_tasks& q) { q.context = "c"; }) == "");
  CHECK(ids([](list_tasks& q) { q.state = task_state::completed; }) == "a e");
  CHECK(ids([](list_tasks& q) { q.state = task_state::submitted; }) == "b c");
  CHECK(ids([](list_tasks& q) { q.status_after = at_ms(5); }) == "d a b"); // Inclusive.
  CHECK(ids([](list_tasks& q) { q.status_after = at_ms(10); }) == "");
  CHECK(ids([](list_tasks& q) {
          q.context = "c2";
          q.state = task_state::completed;
          q.status_after = at_ms(2);
        })
        == "e");
}

TEMPLATE_TEST_CASE("Pages together are the whole list, each task once", "[store][list]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  std::set<std::string> all;
  for (int i = 0; i < 57; ++i) {
    const auto id = "task-" + std::to_string(i);
    all.insert(id);
    const auto at = (i * 7) % 10;
    auto change =
        about_lone(id, i % 2 ? "odd" : "even", at, born_lone(id, i % 2 ? "odd" : "even", at));
    if (i % 3)
      change.events.emplace_back(moved(i % 3 == 1 ? task_state::completed : task_state::rejected));
    records.commit(std::move(change));
  }
  records.flush();
  const auto context = GENERATE(as<std::string>{}, "", "odd");
  const std::uint32_t page_size = GENERATE(1u, 10u, 28u, 57u, 100u);
  CAPTURE(context, page_size);
  list_tasks query;
  query.context = context;
  query.page_size = page_size;
  std::vector<task_ptr> seen;
  for (int pages = 0; pages < 100; ++pages) {
    const auto page = list(records, query);
    REQUIRE(page.has_value());
    CHECK(page->total_size == (context.empty() ? 57 : 28));
    seen.insert(seen.end(), page->tasks.begin(), page->tasks.end());
    query.page_token = page->next_page_token;
    if (query.page_token.empty())
      break;
    CHECK(page->tasks.size() == page_size);
  }
  std::set<std::string> found;
  for (const auto& each : seen)
    found.insert(each->id.str());
  CHECK(seen.size() == (context.empty() ? 57 : 28));
  CHECK(found.size() == seen.size());
  CHECK(std::is_sorted(seen.begin(), seen.end(), [](const task_ptr& a, const task_ptr& b) {
    return a->status.at != b->status.at ? a->status.at > b->status.at : a->id < b->id;
  }));
}

TEMPLATE_TEST_CASE(
    "A page ends with the task that passes its bytes, and shows no less than was asked for",
    "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const std::string large(page_bytes_max / 3 + 1, 'x');
  for (int i = 0; i < 7; ++i) {
    const auto id = "t" + std::to_string(i);
    auto change =
        about_lone(id, "c", i, born_lone(id, "c", i), task_artifact{output("out", large)});
    if (i % 3 != 0) // Live and ended ones between each other.
      change.events.emplace_back(moved(task_state::completed));
    put(records, std::move(change));
  }
  const auto pages = [&](list_tasks query) {
    std::string out;
    do {
      const auto page = list(records, query);
      REQUIRE(page.has_value());
      CHECK(page->total_size == 7);
      for (const auto& each : page->tasks)
        CHECK((!query.view.include_artifacts
               || each->artifacts.at(0)->parts == output("out", large)->parts));
      out += ids_of(*page) + "|";
      query.page_token = page->next_page_token;
    } while (!query.page_token.empty());
    return out;
  };
  list_tasks query;
  CHECK(pages(query) == "t6 t5 t4 t3 t2 t1 t0|");
  query.view.include_artifacts = true;
  CHECK(pages(query) == "t6 t5 t4|t3 t2 t1|t0|");
  query.page_size = 2;
  CHECK(pages(query) == "t6 t5|t4 t3|t2 t1|t0|");
}

TEMPLATE_TEST_CASE("A task larger than a page is a page of its own, and so is an objective",
                   "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const std::string large(page_bytes_max + 1, 'x');
  for (int i = 0; i < 3; ++i) {
    const auto id = std::to_string(i);
    put(records, about_lone("t" + id, "c", i, born_lone("t" + id, "c", i),
                            moved(task_state::completed, 1, say(large))));
    const auto spec = make_objective("o" + id, {1});
    spec->description = large;
    put(records, spec, i);
    put(records, about("o" + id, i, objective_moved{objective_event::work, ""},
                       objective_moved{objective_event::complete, ""}));
  }
  put(records, about_lone("t3", "c", 3, born_lone("t3", "c", 3)));
  const auto sizes = [&](auto query, auto rows) {
    std::string out;
    do {
      const auto page = list(records, query);
      REQUIRE(page.has_value());
      out += std::to_string(((*page).*rows).size()) + " ";
      query.page_token = page->next_page_token;
    } while (!query.page_token.empty());
    return out;
  };
  CHECK(sizes(list_tasks{}, &task_page::tasks)
        == "2 1 1 "); // the small one, and the one that passes the bytes
  CHECK(sizes(list_objectives{}, &objective_page::objectives) == "1 1 1 ");
}

TEMPLATE_TEST_CASE(
    "In an objective's context its tasks without a record are listed as they are found",
    "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {5, 2});
  put(records, spec, 10);
  put(records, make_objective("another", {3}), 11);
  put(records, about_task(*spec, 0, 0, 20, born(*spec, 0, 0, 20), moved(task_state::working)));
  const auto listed = [&](list_tasks query, std::uint32_t size) {
    query.context = "o";
    query.page_size = size;
    std::string out;
    std::uint64_t total = 0;
    std::size_t rows = 0;
    do {
      const auto page = list(records, query);
      REQUIRE(page.has_value());
      total = page->total_size;
      rows += page->tasks.size();
      out += (out.empty() || page->tasks.empty() ? "" : " ") + ids_of(*page);
      for (const auto& each : page->tasks)
        CHECK(describe(each) == describe(find_task(records, each->id)));
      query.page_token = page->next_page_token;
    } while (!query.page_token.empty());
    CHECK(rows == total);
    return out;
  };
  const auto check_pages = [&](const list_tasks& query, const std::string& expected) {
    for (const std::uint32_t size : {1u, 2u, 3u, 100u})
      CHECK(listed(query, size) == expected);
  };
  check_pages({}, "o.p0.t0 o.p0.t1 o.p0.t2 o.p0.t3 o.p0.t4 o.p1.t0 o.p1.t1");

  put(records, about("o", 30, tasks_withdrawn{0, {2, 3}, task_state::canceled, "not needed"}));
  put(records, about("o", 40, tasks_renewed{0, {3}}));
  check_pages({}, "o.p0.t2 o.p0.t0 o.p0.t1 o.p0.t3.r1 o.p0.t4 o.p1.t0 o.p1.t1");
  list_tasks narrowed;
  narrowed.state = task_state::submitted;
  check_pages(narrowed, "o.p0.t1 o.p0.t3.r1 o.p0.t4 o.p1.t0 o.p1.t1");
  narrowed.status_after = at_ms(11);
  check_pages(narrowed, "");
  narrowed.state = task_state::canceled;
  check_pages(narrowed, "o.p0.t2");
  narrowed.state = task_state::working;
  check_pages(narrowed, "o.p0.t0");
  narrowed.state.reset();
  check_pages(narrowed, "o.p0.t2 o.p0.t0");
  narrowed.status_after = at_ms(31);
  check_pages(narrowed, "");
  CHECK(list(records, list_tasks{})->total_size == 1); // Elsewhere only what has begun.
  list_tasks other;
  other.who.id = "somebody";
  other.context = "o";
  CHECK(list(records, other)->total_size == 0);

  // Once it is settled and out of memory, the same.
  put(records, about_task(*spec, 0, 0, 50, moved(task_state::completed)));
  put(records, about("o", 60, tasks_withdrawn{0, {1, 3, 4}, task_state::canceled, ""},
                     tasks_withdrawn{1, {0, 1}, task_state::canceled, ""},
                     objective_moved{objective_event::cancel, ""}));
  records.evict(at_ms(1'000));
  check_pages({}, "o.p0.t1 o.p0.t3.r1 o.p0.t4 o.p1.t0 o.p1.t1 o.p0.t0 o.p0.t2");
}

TEMPLATE_TEST_CASE("A task that begins between two pages is neither shown twice as waiting nor "
                   "missed by a new walk",
                   "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {6});
  put(records, spec, 10);
  list_tasks query;
  query.context = "o";
  query.page_size = 2;
  const auto first = list(records, query);
  CHECK(ids_of(*first) == "o.p0.t0 o.p0.t1");
  for (const std::uint32_t begins : {0u, 3u})
    put(records,
        about_task(*spec, 0, begins, 20, born(*spec, 0, begins, 20), moved(task_state::working)));
  query.page_token = first->next_page_token;
  const auto second = list(records, query);
  CHECK(ids_of(*second) == "o.p0.t2 o.p0.t4"); // t3 has moved to the front.
  CHECK(second->total_size == 6);
  query.page_token = second->next_page_token;
  CHECK(ids_of(*list(records, query)) == "o.p0.t5");
  query.page_token.clear();
  CHECK(ids_of(*list(records, query)) == "o.p0.t0 o.p0.t3");
}

TEMPLATE_TEST_CASE("A list refuses bad pages", "[store][list]", memory_kind, rocksdb_kind,
                   session_kind) {
  TestType kind;
  auto& records = *kind.records;
  for (int i = 0; i < 3; ++i)
    records.commit(
        about_lone("t" + std::to_string(i), "c", i, born_lone("t" + std::to_string(i), "c", i)));
  records.flush();
  list_tasks query;
  query.page_size = 1;
  const auto token = list(records, query)->next_page_token;
  REQUIRE_FALSE(token.empty());
  query.page_token = token;
  CHECK(list(records, query).has_value());
  query.context = "c";
  CHECK(list(records, query).error().code == errc::invalid_params);
  query = {};
  query.page_token = "garbage";
  CHECK(list(records, query).error().field == "pageToken");
  for (const std::uint32_t size : {0u, 101u, 4'000'000'000u}) {
    query = {};
    query.page_size = size;
    CHECK(list(records, query).error().field == "pageSize");
    list_objectives other;
    other.page_size = size;
    CHECK(list(records, other).error().field == "pageSize");
  }
  list_objectives other;
  other.page_token = token;
  CHECK(list(records, other).error().code == errc::invalid_params);
}

TEMPLATE_TEST_CASE("Objectives are listed most recently updated first, in pages", "[store][list]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  for (int i = 0; i < 9; ++i) {
    const auto id = "o" + std::to_string(i);
    put(records, make_objective(id, {1}), i);
    if (i % 3 == 0)
      put(records, about(id, 100 - i, objective_moved{objective_event::work, ""},
                         objective_moved{objective_event::fail, "x"}));
  }
  const auto ids = [&](std::vector<objective_state> states, std::size_t expected_total) {
    list_objectives query;
    query.states = std::move(states);
    return ids_listed(records, std::move(query), expected_total);
  };
  CHECK(ids({}, 9) == "o0o3o6o8o7o5o4o2o1");
  CHECK(ids({objective_state::failed}, 3) == "o0o3o6");
  CHECK(ids({objective_state::submitted}, 6) == "o8o7o5o4o2o1");
  CHECK(ids({objective_state::completed}, 0).empty());
  CHECK(ids({objective_state::completed, objective_state::submitted}, 6) == "o8o7o5o4o2o1");
}

TEMPLATE_TEST_CASE("Objectives are narrowed by text and time, and listed in three orders, whether "
                   "they are in memory or not",
                   "[store][list]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const std::vector<std::string> called{"pear", "Fig", "apple", "fig 2", "APPLE pie", "plum"};
  for (std::size_t i = 0; i < called.size(); ++i) {
    auto spec = make_objective("o" + std::to_string(i), {1});
    spec->name = called[i];
    spec->description = i == 5 ? "like Apples" : "";
    const auto id = spec->id.str();
    put(records, about(id, static_cast<std::int64_t>(i), objective_created{spec, {}}));
    if (i % 2 == 0) // settled, the last created last
      put(records,
          about(id, 100 - static_cast<std::int64_t>(i), objective_moved{objective_event::work, ""},
                objective_moved{objective_event::fail, "x"}));
  }
  records.evict(at_ms(1'000));
  const auto ids = [&](list_objectives query, std::size_t expected_total) {
    return ids_listed(records, std::move(query), expected_total);
  };
  list_objectives query;
  CHECK(ids(query, 6) == "o0o2o4o5o3o1");
  query.updated_after = at_ms(98);
  CHECK(ids(query, 2) == "o0o2");
  query.updated_after = at_ms(5);
  CHECK(ids(query, 4) == "o0o2o4o5");
  query = {};
  query.order = objective_order::created;
  CHECK(ids(query, 6) == "o5o4o3o2o1o0");
  query.order = objective_order::name;
  CHECK(ids(query, 6) == "o4o1o2o3o0o5");
  query.states = {objective_state::failed};
  CHECK(ids(query, 3) == "o4o2o0");
  query = {};
  query.text = "apple";
  CHECK(ids(query, 3) == "o2o4o5");
  query.states = {objective_state::submitted};
  CHECK(ids(query, 1) == "o5");
  query = {};
  query.text = "O3"; // an id
  CHECK(ids(query, 1) == "o3");
}

TEMPLATE_TEST_CASE("Each owner sees what is theirs and nothing else", "[store][list]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const std::vector<principal> callers{{}, {"alice"}, {"bob"}, {"alice", "b"}};
  std::set<std::string> owners;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    const auto owner = owner_of(callers[i]);
    owners.insert(owner);
    const auto name = std::to_string(i);
    auto spec = make_objective("o" + name, {2});
    put(records, about(spec->id.str(), 1, objective_created{spec, {}, owner}));
    auto works = born(*spec, 0, 0, 2);
    works.record->owner = owner;
    put(records, about_task(*spec, 0, 0, 2, std::move(works), moved(task_state::working)));
    auto settled = make_objective("s" + name, {1});
    put(records, about(settled->id.str(), 3, objective_created{settled, {}, owner},
                       objective_moved{objective_event::work, ""},
                       objective_moved{objective_event::fail, ""}));
    for (const bool ends : {false, true}) {
      const auto id = (ends ? "ended" : "live") + name;
      auto made = born_lone(id, "shared", 4);
      made.record->owner = owner;
      put(records, about_lone(id, "shared", 4, std::move(made)));
      if (ends)
        put(records, about_lone(id, "shared", 5, moved(task_state::completed)));
    }
  }
  REQUIRE(owners.size() == callers.size());
  records.evict(at_ms(1'000'000));

  for (std::size_t i = 0; i < callers.size(); ++i) {
    CAPTURE(i);
    const auto owner = owner_of(callers[i]);
    const auto mine = std::to_string(i);
    const auto others = std::to_string((i + 1) % callers.size());
    for (const auto* kind_of : {"live", "ended"}) {
      CHECK(find_task_of(records, owner, task_id{kind_of + mine}));
      CHECK_FALSE(find_task_of(records, owner, task_id{kind_of + others}));
    }
    for (const auto* task : {".p0.t0", ".p0.t1"}) { // One that works, one that has not begun.
      CHECK(find_task_of(records, owner, task_id{"o" + mine + task}));
      CHECK_FALSE(find_task_of(records, owner, task_id{"o" + others + task}));
    }
    for (const auto* objective : {"o", "s"}) {
      CHECK(find_objective_of(records, owner, objective_id{objective + mine}));
      CHECK_FALSE(find_objective_of(records, owner, objective_id{objective + others}));
      CHECK(find_objective_of(records, owner, plan_id{objective + mine + ".p0"}));
      CHECK_FALSE(find_objective_of(records, owner, plan_id{objective + others + ".p0"}));
    }
    list_tasks query;
    query.who = callers[i];
    CHECK(list(records, query)->total_size == 3);
    CHECK(list(records, query)->tasks.front()->id.str() == "ended" + mine);
    query.context = "shared";
    CHECK(list(records, query)->total_size == 2);
    query.state = task_state::completed;
    CHECK(list(records, query)->total_size == 1);
    query.context.clear();
    CHECK(list(records, query)->total_size == 1);
    query.status_after = at_ms(6);
    CHECK(list(records, query)->total_size == 0);
    list_objectives objectives;
    objectives.who = callers[i];
    CHECK(list(records, objectives)->total_size == 2);
    objectives.states = {objective_state::failed};
    const auto page = list(records, objectives);
    REQUIRE(page->objectives.size() == 1);
    CHECK(page->objectives[0]->id.str() == "s" + mine);
    CHECK(page->objectives[0]->owner == owner);
  }
}

TEST_CASE("The memory store keeps the last ended tasks only", "[store][memory]") {
  const auto records = make_memory_store({.tasks = 3});
  for (int i = 0; i < 5; ++i) {
    const auto id = "t" + std::to_string(i);
    records->commit(about_lone(id, "c", i, born_lone(id, "c", i), moved(task_state::completed)));
  }
  CHECK(ids_of(*list(*records, list_tasks{})) == "t4 t3 t2");
  CHECK(find_task(*records, task_id{"t1"}) == nullptr);
  CHECK(find_task(*records, task_id{"t2"}));
  const auto spec = make_objective("o", {1});
  const auto none = make_memory_store({.tasks = 0});
  put(*none, spec);
  put(*none, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::completed)));
  CHECK(find_task(*none, task_id{"o.p0.t0"}) == nullptr);
  CHECK(find_objective(*none, spec->id)->plans[0].tasks[0].state == task_state::completed);
}

TEST_CASE("The memory store keeps the last ended tasks that fit in its bytes", "[store][memory]") {
  const std::string piece(100'000, 'x');
  const auto records = make_memory_store({.tasks = 10, .bytes = 250'000});
  for (int i = 0; i < 5; ++i) {
    const auto id = "t" + std::to_string(i);
    records->commit(about_lone(id, "c", i, born_lone(id, "c", i),
                               task_artifact{output("a", piece), false, true},
                               moved(task_state::completed)));
  }
  CHECK(ids_of(*list(*records, list_tasks{})) == "t4 t3");
}

TEST_CASE("The memory store keeps the last settled objectives, and what goes goes whole",
          "[store][memory]") {
  const auto records = make_memory_store({.objectives = 2});
  const auto settle = [&](const std::string& id, std::int64_t ms) {
    auto spec = std::make_shared<objective_spec>(*make_objective(id, {2}));
    auto plan = std::make_shared<plan_spec>(*spec->plans[0]);
    plan->id = plan_id{"plan of " + id};
    plan->tasks.edit(0).id = task_id{"task of " + id};
    spec->plans[0] = plan;
    put(*records, about(id, ms, objective_created{spec, task_id{"root of " + id}}));
    put(*records, about_lone("root of " + id, id, ms, born_lone("root of " + id, id, ms)));
    put(*records, about_task(*spec, 0, 0, ms, born(*spec, 0, 0, ms), moved(task_state::failed)));
    put(*records, about(id, ms, tasks_renewed{0, {0}}));
    auto again = about_task(*spec, 0, 0, ms, born(*spec, 0, 0, ms), moved(task_state::completed));
    again.task.id = renewed_id(plan->tasks[0].id, 1);
    std::get<task_created>(again.events[0]).record->id = again.task.id;
    put(*records, std::move(again));
    put(*records, about(id, ms, objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::complete, ""}));
    put(*records, about_lone("root of " + id, id, ms, moved(task_state::completed)));
  };
  const auto who = std::make_shared<recorder>();
  for (int i = 0; i < 5; ++i)
    settle("o" + std::to_string(i), i + 1);
  const auto live = make_objective("live", {1});
  put(*records, live, 1);
  REQUIRE(watch_objective(*records, objective_id{"o0"}, who));
  records->evict(at_ms(0));
  CHECK(records->status().live_objectives == 4);
  for (const auto* kept :
       {"o0", "o3", "o4", "live"}) // One that is watched, the newest, and what lives.
    CHECK(find_objective(*records, objective_id{kept}));
  CHECK(find_task(*records, task_id{"task of o3.r1"}));
  CHECK(objective_of(*records, plan_id{"plan of o3"}));
  CHECK(list(*records, list_tasks{})->total_size == 3 * 3);
  CHECK_FALSE(find_objective(*records, objective_id{"o1"}));
  CHECK_FALSE(objective_of(*records, plan_id{"plan of o1"}));
  for (const auto* task : {"task of o1", "task of o1.r1", "o1.p0.t1", "root of o1"}) {
    CHECK_FALSE(find_task(*records, task_id{task}));
    CHECK_FALSE(is_known(*records, task_id{task}));
  }
  // A change about one that is gone changes nothing, and its id may be chosen again.
  put(*records, about("o1", 9, objective_moved{objective_event::reopen, "retry"}));
  CHECK_FALSE(find_objective(*records, objective_id{"o1"}));
  settle("o1", 10);
  CHECK(find_task(*records, task_id{"task of o1.r1"})->status.at == at_ms(10));
  records->unwatch("o0", who);
  records->evict(at_ms(0));
  CHECK_FALSE(find_objective(*records, objective_id{"o0"}));
  CHECK_FALSE(find_objective(*records, objective_id{"o3"}));
  CHECK(find_objective(*records, objective_id{"o4"}));
  CHECK(find_objective(*records, objective_id{"o1"}));
}

TEST_CASE("Settled objectives of the memory store count as memory, and the oldest go",
          "[store][memory]") {
  const auto memory = std::make_shared<memory_budget>(10'000'000);
  const auto held = [&] { return memory->held(memory_account::ended_objectives); };
  memory_bounds bounds;
  bounds.memory = memory;
  SECTION("when the process is short of memory") {}
  SECTION("when they are more bytes than the store keeps") {
    bounds.bytes = 2'500'000;
  }
  {
    const auto records = make_memory_store(bounds);
    const auto begin = [&](const std::string& id, std::int64_t ms) {
      put(*records, about(id, ms, objective_created{make_large_objective(id, 1'000'000), {}},
                          objective_moved{objective_event::work, ""}));
    };
    const auto end = [&](const std::string& id, std::int64_t ms) {
      put(*records, about(id, ms, objective_moved{objective_event::fail, ""}));
    };
    for (const auto* id : {"o1", "o2", "o3"})
      begin(id, 1);
    CHECK(held() == 0); // What is live is counted by who runs it.
    end("o1", 2);
    end("o2", 3);
    end("o3", 4);
    CHECK(held() > 3'000'000);
    if (bounds.bytes > 3'000'000)
      memory->force(memory_account::live_work, 5'000'000);
    records->evict(at_ms(0));
    CHECK_FALSE(find_objective(*records, objective_id{"o1"}));
    CHECK(find_objective(*records, objective_id{"o2"}));
    CHECK(held() > 2'000'000);
    CHECK(held() < 2'500'000);
    put(*records, about("o2", 5, objective_moved{objective_event::reopen, "retry"}));
    CHECK(held() < 1'500'000);
    memory->give_back(memory_account::live_work, memory->held(memory_account::live_work));
  }
  CHECK(memory->held() == 0);
}

TEST_CASE(
    "The memory store keeps settled objectives up to so many tasks, and the last one however wide",
    "[store][memory]") {
  const auto records = make_memory_store({.tasks = 5});
  for (int i = 0; i < 4; ++i) {
    const auto id = "o" + std::to_string(i);
    put(*records, about(id, i, objective_created{make_objective(id, {2}), {}},
                        objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::fail, ""}));
  }
  records->evict(at_ms(0));
  CHECK(list(*records, list_objectives{})->total_size == 2);
  put(*records, about("wide", 9, objective_created{make_objective("wide", {50}), {}},
                      objective_moved{objective_event::work, ""},
                      objective_moved{objective_event::fail, ""}));
  records->evict(at_ms(0));
  const auto page = list(*records, list_objectives{});
  REQUIRE(page->objectives.size() == 1);
  CHECK(page->objectives[0]->id.str() == "wide");
}
