#include "protocol/opt/codec_opt.hpp"
#include "protocol/record/record.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <type_traits>

using namespace troupe;
using test::random_values;

namespace {

constexpr std::uint32_t rounds = 400;

// -- equality, member by member; pointers by what they point to ----------------------------------------------------------

template<class T>
bool same(const T& a, const T& b) requires std::equality_comparable<T> {
  return a == b;
}

template<class T>
bool same(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b);
template<class T>
bool same(const std::vector<T>& a, const std::vector<T>& b);
template<class T>
bool same(const chunked<T>& a, const chunked<T>& b);

bool same(const task_spec& a, const task_spec& b) {
  return a.id == b.id && a.key == b.key && a.name == b.name && a.description == b.description
         && a.agent == b.agent && a.input == b.input && a.dependencies == b.dependencies
         && a.dependency_indexes == b.dependency_indexes && a.retry == b.retry
         && a.timeout == b.timeout && a.deadline == b.deadline && a.priority == b.priority
         && a.is_removed == b.is_removed && a.metadata == b.metadata;
}

bool same(const plan_spec& a, const plan_spec& b) {
  return a.id == b.id && a.key == b.key && a.name == b.name && a.description == b.description
         && same(a.tasks, b.tasks) && a.dependencies == b.dependencies
         && a.alternatives == b.alternatives && a.failure == b.failure
         && a.parallel_max == b.parallel_max && a.metadata == b.metadata && a.outside == b.outside;
}

bool same(const objective_spec& a, const objective_spec& b) {
  return a.id == b.id && a.name == b.name && a.description == b.description
         && same(a.plans, b.plans) && a.parallel_max == b.parallel_max && a.metadata == b.metadata
         && same(a.references, b.references);
}

bool same(const task_slot& a, const task_slot& b) {
  return a.state == b.state && a.has_artifacts == b.has_artifacts && a.generation == b.generation
         && a.attempt == b.attempt;
}

bool same(const plan_view& a, const plan_view& b) {
  return same(a.spec, b.spec) && a.state == b.state && a.reason == b.reason
         && a.skip_requested == b.skip_requested && a.created == b.created && a.updated == b.updated
         && a.began == b.began && same(a.tasks, b.tasks);
}

bool same(const pending_input& a, const pending_input& b) {
  return a.task == b.task && a.prompt == b.prompt && a.since == b.since;
}

bool same(const trace_ptr& a, const trace_ptr& b) {
  return a && b ? *a == *b : !a && !b;
}

bool same(const objective_view& a, const objective_view& b) {
  return a.id == b.id && a.owner == b.owner && a.name == b.name && a.description == b.description
         && a.parallel_max == b.parallel_max && a.metadata == b.metadata && a.state == b.state
         && a.reason == b.reason && a.revision == b.revision && a.created == b.created
         && a.updated == b.updated && a.root_task == b.root_task && same(a.plans, b.plans)
         && same(a.pending_inputs, b.pending_inputs) && same(a.trace, b.trace)
         && same(a.references, b.references);
}

bool same(const task& a, const task& b) {
  return a.id == b.id && a.context == b.context && a.owner == b.owner && a.agent == b.agent
         && a.attempt == b.attempt && a.failures == b.failures && a.awaits_retry == b.awaits_retry
         && a.status.state == b.status.state && same(a.status.message, b.status.message)
         && a.status.at == b.status.at && a.created == b.created && same(a.progress, b.progress)
         && same(a.artifacts, b.artifacts) && same(a.history, b.history) && a.metadata == b.metadata
         && a.questions == b.questions && a.is_queued == b.is_queued && a.question == b.question
         && a.ready_at == b.ready_at && a.since == b.since && a.details == b.details;
}

bool same(const objective_created& a, const objective_created& b) {
  return same(a.spec, b.spec) && a.root_task == b.root_task && a.owner == b.owner
         && same(a.trace, b.trace);
}
bool same(const objective_edited& a, const objective_edited& b) {
  return a.edited == b.edited;
}
bool same(const plan_edited& a, const plan_edited& b) {
  return a.plan == b.plan && a.edited == b.edited;
}
bool same(const objective_moved& a, const objective_moved& b) {
  return a.on == b.on && a.reason == b.reason;
}
bool same(const plan_added& a, const plan_added& b) {
  return same(a.spec, b.spec) && a.start == b.start;
}
bool same(const plan_moved& a, const plan_moved& b) {
  return a.plan == b.plan && a.on == b.on && a.reason == b.reason && a.requested == b.requested;
}
bool same(const add_task& a, const add_task& b) {
  return same(a.spec, b.spec);
}
template<template<class> class Operation>
bool same(const Operation<std::uint32_t>& a, const Operation<std::uint32_t>& b) requires requires {
  a.task;
}
{
  bool more = true;
  if constexpr (requires { a.on; })
    more = a.on == b.on;
  else if constexpr (requires { a.name; })
    more = a.name == b.name;
  else if constexpr (requires { a.deadline; })
    more = a.deadline == b.deadline;
  else if constexpr (requires { a.priority; })
    more = a.priority == b.priority;
  return a.task == b.task && more;
}
bool same(const plan_changed& a, const plan_changed& b) {
  const auto same_operation = [](const applied_operation& x, const applied_operation& y) {
    return x.index() == y.index()
           && std::visit([&]<class Kind>(const Kind& one) { return same(one, std::get<Kind>(y)); },
                         x);
  };
  return a.plan == b.plan && a.author == b.author && a.reason == b.reason
         && a.revision == b.revision
         && std::ranges::equal(a.operations, b.operations, same_operation);
}
bool same(const tasks_withdrawn& a, const tasks_withdrawn& b) {
  return a.plan == b.plan && a.tasks == b.tasks && a.to == b.to && a.reason == b.reason
         && a.metadata == b.metadata;
}
bool same(const tasks_renewed& a, const tasks_renewed& b) {
  return a.plan == b.plan && a.tasks == b.tasks;
}
bool same(const pause_changed& a, const pause_changed& b) {
  return a.paused == b.paused && a.plan == b.plan;
}
bool same(const objective_closing& a, const objective_closing& b) {
  return a.to == b.to && a.reason == b.reason;
}
bool same(const task_created& a, const task_created& b) {
  return same(a.record, b.record);
}
bool same(const task_moved& a, const task_moved& b) {
  return a.to == b.to && a.attempt == b.attempt && same(a.message, b.message)
         && a.failures == b.failures && a.taken_by == b.taken_by;
}
bool same(const question_opened& a, const question_opened& b) {
  return a.asked && b.asked ? *a.asked == *b.asked : a.asked == b.asked;
}
bool same(const question_answered& a, const question_answered& b) {
  return a.id == b.id;
}
bool same(const question_expired& a, const question_expired& b) {
  return a.id == b.id;
}
bool same(const question_withdrawn& a, const question_withdrawn& b) {
  return a.id == b.id && a.reason == b.reason;
}
bool same(const task_queued&, const task_queued&) {
  return true;
}
bool same(const task_resumed&, const task_resumed&) {
  return true;
}
bool same(const task_noted& a, const task_noted& b) {
  return a.note == b.note;
}
bool same(const task_message& a, const task_message& b) {
  return same(a.message, b.message) && a.state == b.state;
}
bool same(const task_artifact& a, const task_artifact& b) {
  return same(a.artifact, b.artifact) && a.append == b.append && a.last_chunk == b.last_chunk;
}
bool same(const task_progress& a, const task_progress& b) {
  return same(a.progress, b.progress);
}

bool same(const event& a, const event& b) {
  return a.index() == b.index()
         && std::visit(
             [&](const auto& kind) {
               return same(kind, std::get<std::remove_cvref_t<decltype(kind)>>(b));
             },
             a);
}

bool same(const change& a, const change& b) {
  return a.context == b.context && a.task.id == b.task.id && a.task.lone == b.task.lone
         && a.task.plan_index == b.task.plan_index && a.task.task_index == b.task.task_index
         && a.at == b.at && a.sequence == b.sequence && a.by == b.by && same(a.events, b.events);
}

template<class T>
bool same(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) {
  return a && b ? same(*a, *b) : a == b;
}

template<class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

template<class T>
bool same(const chunked<T>& a, const chunked<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

// -- events ----------------------------------------------------------------------------------------------------------

std::vector<applied_operation> any_operations(random_values& random) {
  std::vector<applied_operation> out;
  for (auto count = random.below(4); count > 0; --count) {
    const auto task = random.below(1'000'000);
    switch (random.below(7)) {
      case 0: out.emplace_back(add_task{random.any_task_spec(plan_id{"p"}, 3)}); break;
      case 1: out.emplace_back(remove_task<std::uint32_t>{task}); break;
      case 2: out.emplace_back(add_dependency<std::uint32_t>{task, random.below(1000)}); break;
      case 3: out.emplace_back(remove_dependency<std::uint32_t>{task, random.below(1000)}); break;
      case 4: out.emplace_back(rename_task<std::uint32_t>{task, random.text()}); break;
      case 5:
        out.emplace_back(set_deadline<std::uint32_t>{
            task, random.coin() ? std::optional{random.time()} : std::nullopt});
        break;
      default:
        out.emplace_back(
            set_priority<std::uint32_t>{task, static_cast<std::int32_t>(random.below(9)) - 4});
        break;
    }
  }
  return out;
}

event any_event(random_values& random, std::size_t kind, const change& where) {
  switch (kind) {
    case 0:
      return objective_created{std::make_shared<const objective_spec>(random.any_objective_spec()),
                               task_id{random.text()}, random.text(),
                               shared_trace(random.any_trace())};
    case 1: return objective_edited{{random.text(), random.text(), random.object()}};
    case 2: return objective_moved{event_to(random.any_objective_state()), random.text()};
    case 3: return plan_added{random.plan_ptr(), random.coin()};
    case 4:
      return plan_moved{random.below(100), event_to(random.any_plan_state()), random.text(),
                        random.coin()};
    case 5:
      return plan_changed{random.below(100), any_operations(random), random.text(), random.text(),
                          random.below(1000)};
    case 6:
      return tasks_withdrawn{random.below(100), random.indexes(), random.any_task_state(),
                             random.text(), random.object()};
    case 7: return tasks_renewed{random.below(100), random.indexes()};
    case 8:
      return pause_changed{random.coin(),
                           random.coin() ? std::optional{random.below(100)} : std::nullopt};
    case 9: return objective_closing{random.any_objective_state(), random.text()};
    case 10: {
      auto record = std::make_shared<task>(random.any_task());
      if (random.coin())
        record->id = where.task.id;
      if (random.coin())
        record->context = where.context;
      if (random.coin())
        record->created = record->status.at = where.at;
      if (random.coin())
        record->status.state = task_state::submitted;
      return task_created{std::move(record)};
    }
    case 11:
      return task_moved{random.any_task_state(), random.below(4), random.message_or_null(),
                        random.below(3), random.coin() ? random.text() : std::string{}};
    case 12:
      return task_message{std::make_shared<const message>(random.any_message()),
                          random.any_task_state()};
    case 13:
      return task_artifact{std::make_shared<const artifact>(random.any_artifact()), random.coin(),
                           random.coin()};
    case 14: return task_progress{std::make_shared<const progress_report>(random.any_progress())};
    case 15: return question_opened{std::make_shared<const question>(random.any_question())};
    case 16: return question_answered{random.text()};
    case 17: return question_expired{random.text()};
    case 18: return question_withdrawn{random.text(), random.text()};
    case 19: return task_queued{};
    case 20: return task_resumed{};
    case 21: return task_noted{random.text()};
    default: return plan_edited{random.below(100), {random.text(), random.text(), random.object()}};
  }
}

change any_change(random_values& random) {
  change out;
  out.context = random.some_text();
  out.at = random.time();
  out.sequence = random.below(1000);
  if (random.coin())
    out.by = random.text();
  if (random.coin()) {
    out.task.lone = random.coin();
    out.task.id = task_id{random.some_text()};
    if (!out.task.lone) {
      out.task.plan_index = random.below(1000);
      out.task.task_index = random.below(1'000'000);
      if (random.coin())
        out.task.id = make_task_id(make_plan_id(objective_id{out.context}, out.task.plan_index),
                                   out.task.task_index);
    }
  }
  return out;
}

std::string row_of(const change& change) {
  std::string row;
  record::write(row, change);
  return row;
}

result<change> read_back(const change& news) {
  return record::read_change(row_of(news), news.stream(), news.sequence);
}

} // namespace

TEST_CASE("a change of every kind of fact reads back as it was written", "[protocol][record]") {
  const auto kind =
      static_cast<std::size_t>(GENERATE(range(0, static_cast<int>(std::variant_size_v<event>))));
  random_values random{static_cast<std::uint32_t>(kind)};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    auto change = any_change(random);
    change.events.push_back(any_event(random, kind, change));
    REQUIRE(change.events.front().index() == kind);
    const auto row = row_of(change);
    CAPTURE(row);
    const auto back = record::read_change(row, change.stream(), change.sequence);
    REQUIRE(back.has_value());
    REQUIRE(same(*back, change));
  }
}

TEST_CASE("a change of several facts keeps them in order, and one of none is a row too",
          "[protocol][record]") {
  random_values random{99};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    auto change = any_change(random);
    for (auto n = random.below(6); n > 0; --n)
      change.events.push_back(any_event(random, random.below(std::variant_size_v<event>), change));
    const auto back = read_back(change);
    REQUIRE(back.has_value());
    REQUIRE(same(*back, change));
  }
}

TEST_CASE("facts without a value are rows too", "[protocol][record]") {
  change change;
  change.context = "obj-1";
  change.events = {objective_created{}, plan_added{},    task_created{},
                   task_message{},      task_artifact{}, task_progress{}};
  const auto back = read_back(change);
  REQUIRE(back.has_value());
  CHECK(same(*back, change));
}

TEST_CASE("moving a plan's task makes a short row", "[protocol][record]") {
  change change;
  change.context = "obj-0123456789abcd";
  change.task = {task_id{"obj-0123456789abcd.p0.t17"}, false, 0, 17};
  change.at = timestamp{milliseconds{1'700'000'000'123}};
  change.events.push_back(task_moved{task_state::completed, 1, nullptr});
  CHECK(row_of(change) == R"({"t":1700000000123,"p":[0,17],"e":[{"to":"completed","n":1}]})");
}

TEST_CASE("creating a plan's task leaves its spec to the objective", "[protocol][record]") {
  random_values random{5};
  change change;
  change.context = "obj-1";
  change.task = {task_id{"obj-1.p0.t0"}, false, 0, 0};
  change.at = timestamp{milliseconds{1'700'000'000'123}};
  auto record = std::make_shared<task>();
  record->id = change.task.id;
  record->context = change.context;
  record->origin = {random.plan_ptr(1), 0, 0};
  record->agent = "sleep";
  record->attempt = 1;
  record->created = record->ready_at = record->since = record->status.at = change.at;
  change.events.push_back(task_created{record});
  CHECK(row_of(change) == R"({"t":1700000000123,"p":[0,0],"e":[{"created":{"a":"sleep","n":1}}]})");
  const auto back = read_back(change);
  REQUIRE(back.has_value());
  const auto& made = *std::get<task_created>(back->events.front()).record;
  CHECK(same(made, *record));
  CHECK_FALSE(made.origin);
}

TEST_CASE("a created task knows its place in the plan", "[protocol][record]") {
  change change;
  change.context = "obj-1";
  change.task = {task_id{"mine"}, false, 3, 14};
  auto record = std::make_shared<task>();
  record->id = task_id{"mine"};
  change.events.push_back(task_created{record});
  const auto back = read_back(change);
  REQUIRE(back.has_value());
  const auto& origin = std::get<task_created>(back->events.front()).record->origin;
  CHECK(origin.plan_index == 3);
  CHECK(origin.task_index == 14);
  CHECK_FALSE(origin);
}

TEST_CASE("a finished task reads back as it was written", "[protocol][record]") {
  random_values random{7};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const auto task = random.any_task();
    std::string row;
    record::write(row, task);
    CAPTURE(row);
    const auto back = record::read_task(row);
    REQUIRE(back.has_value());
    REQUIRE(same(*back, task));
  }
}

TEST_CASE("a finished task of a plan needs no objective to be read", "[protocol][record]") {
  auto plan = std::make_shared<plan_spec>();
  plan->id = plan_id{"obj-1.p0"};
  plan->tasks.resize(2);
  plan->tasks.edit(1).name = "write it up";
  plan->tasks.edit(1).agent = "writer";
  task task;
  task.id = task_id{"obj-1.p0.t1"};
  task.context = "obj-1";
  task.origin = {plan, 0, 1};
  task.agent = "writer";
  task.metadata["own"] = 1;
  std::string row;
  record::write(row, task);
  const auto back = record::read_task(row);
  REQUIRE(back.has_value());
  CHECK_FALSE(back->origin);
  CHECK(back->metadata.at("troupe/v1/name") == "write it up");
  CHECK(back->metadata.at("opt/v1/objectiveId") == "obj-1");
  CHECK(back->metadata.at("opt/v1/planId") == "obj-1.p0");
  CHECK(back->metadata.at("opt/v1/taskIndex") == 1);
  CHECK(back->metadata.at("own") == 1);
}

TEST_CASE("a settled objective reads back as it was written", "[protocol][record]") {
  random_values random{8};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const auto objective_view = random.any_objective_view();
    std::string row;
    record::write(row, objective_view);
    CAPTURE(row);
    const auto back = record::read_objective(row);
    REQUIRE(back.has_value());
    REQUIRE(same(*back, objective_view));
  }
}

TEST_CASE("an objective of 100,000 tasks that all completed is stored in a few bytes a task",
          "[protocol][record]") {
  auto plan = std::make_shared<plan_spec>();
  plan->id = plan_id{"obj-1.p0"};
  plan->tasks.resize(100'000);
  for (std::size_t i = 0; i < plan->tasks.size(); ++i)
    plan->tasks.edit(i).id = make_task_id(plan->id, i);
  objective_view objective_view;
  objective_view.id = objective_id{"obj-1"};
  objective_view.plans.push_back({plan, plan_state::completed, {}, {}, {}, {}, {}});
  objective_view.plans[0].tasks.resize(
      plan->tasks.size(), {.state = task_state::completed, .has_artifacts = true, .attempt = 1});
  std::string row;
  record::write(row, objective_view);
  CHECK(row.size() < 4 * plan->tasks.size());
  const auto back = record::read_objective(row);
  REQUIRE(back.has_value());
  CHECK(same(*back, objective_view));
}

TEST_CASE("members nobody knows are passed over", "[protocol][record]") {
  const auto back = record::read_change(
      R"({"new":[{}],"t":1,"c":"ctx","e":[{"to":"working","n":2,"later":{"x":1}}],"more":null})",
      "task-1", 4);
  REQUIRE(back.has_value());
  CHECK(back->task.id == task_id{"task-1"});
  CHECK(back->context == "ctx");
  CHECK(back->sequence == 4);
  REQUIRE(back->events.size() == 1);
  CHECK(std::get<task_moved>(back->events[0]).attempt == 2);
}

TEST_CASE("text that is not UTF-8 does not make a row unreadable", "[protocol][record]") {
  change change;
  change.context = "ctx";
  change.task.id = task_id{"t"};
  auto spoken = std::make_shared<message>();
  spoken->parts.push_back(text_part("caf\xe9 \xff\xc2"));
  change.events.push_back(task_message{spoken});
  const auto back = read_back(change);
  REQUIRE(back.has_value());
  CHECK(same(*back, change));
}

TEST_CASE("a row that is not one of ours is an error that shows it", "[protocol][record]") {
  const auto* row =
      GENERATE("", "{", "[]", "null", "{}", R"({"t":1})", R"({"t":"x","e":[]})",
               R"({"t":1,"e":{}})", R"({"t":1,"e":[{}]})", R"({"t":1,"e":[{"unheard of":1}]})",
               R"({"t":1,"e":[{"to":"asleep"}]})", R"({"t":1,"e":[{"to":7}]})",
               R"({"t":1,"p":[1],"e":[]})", R"({"t":1,"p":[-1,2],"e":[]})",
               R"({"t":1,"p":[1,4294967296],"e":[]})", R"({"t":1,"e":[{"message":{"i":"m"}}]})",
               R"({"t":1,"e":[{"message":{"i":"m","p":[{"b":"?"}]}}]})",
               R"({"t":1,"e":[{"plan to":"working"}]})", R"({"t":1.5,"e":[]})",
               R"({"t":1,"e":[]} trailing)");
  CAPTURE(row);
  const auto back = record::read_change(row, "s", 1);
  REQUIRE(back.has_error());
  CHECK(back.error().code == errc::store_failed);
  CHECK_THAT(back.error().message, ContainsSubstring(row));
}

TEST_CASE("task slots that do not fit the plan are an error, however many", "[protocol][record]") {
  struct row {
    const char* slots;
    const char* why;
  };
  const auto [slots, why] = GENERATE(values<row>({
      {"[]", "fewer task slots"},
      {R"([[2,"completed",true,0,1]])", "more task slots"},
      {R"([[1,"completed",true,0,1],[1,"failed",true,0,1]])", "more task slots"},
      {R"([[18446744073709551615,"completed",true,0,1]])", "more task slots"},
      {R"([[1,"completed",true,4294967296,1]])", "cannot be read"},
      {R"([[1,"asleep",true,0,1]])", "asleep"},
  }));
  const std::string stored =
      R"({"i":"o","s":"completed","cr":1,"up":1,"pl":[{"spec":{"i":"p","ts":[{}]},"s":"completed",)"
      R"("cr":1,"up":1,"ts":)"
      + std::string{slots} + "}]}";
  CAPTURE(stored);
  const auto read = record::read_objective(stored);
  REQUIRE(read.has_error());
  CHECK_THAT(read.error().message, ContainsSubstring(why));
}

TEST_CASE("cut and mutated rows give a value or an error, never a crash",
          "[protocol][record][fuzz]") {
  random_values random{11};
  std::size_t refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    auto change = any_change(random);
    change.events.push_back(any_event(random, random.below(std::variant_size_v<event>), change));
    auto row = row_of(change);
    const auto whole = row.size();
    if (random.coin())
      row.resize(random.below(static_cast<std::uint32_t>(row.size())));
    for (auto n = random.below(4); n > 0 && !row.empty(); --n)
      row[random.below(static_cast<std::uint32_t>(row.size()))] =
          R"({}[]",:0-ae.n)"[random.below(12)];
    const auto back = record::read_change(row, "stream", 1);
    refused += back.has_error();
    if (row.size() < whole)
      REQUIRE((back.has_error() || row.empty()));
    record::read_task(row).has_value();
    record::read_objective(row).has_value();
  }
  CHECK(refused > 1'000);
}

TEST_CASE("a million levels of nesting in a row are refused", "[protocol][record][fuzz]") {
  const auto row = R"({"t":1,"e":[{"message":)" + std::string(1'000'000, '[');
  CHECK(record::read_change(row, "s", 1).has_error());
}

TEST_CASE("rows that were written before events had principals, traces and places outside read as "
          "they did",
          "[protocol][record]") {
  const auto created = record::read_change(
      R"({"t":1700000000123,"e":[{"objective":{"i":"o","n":"trip","pl":[{"i":"o.p0","n":"Book","ts":[{"n":"Flight","a":"echo"},)"
      R"({"n":"Hotel","dep":["Flight"],"at":[0]},{"n":"Car","dep":["elsewhere"],"at":[4294967295]}]}]},"root":"task-1","own":"2:usme"},)"
      R"({"objective to":"working"}]})",
      "o", 1);
  REQUIRE(created.has_value());
  CHECK_FALSE(created->by);
  const auto& made = std::get<objective_created>(created->events.at(0));
  CHECK(made.owner == "2:usme");
  CHECK(made.root_task.str() == "task-1");
  CHECK_FALSE(made.trace);
  CHECK(made.spec->plans.at(0)->outside.empty());
  CHECK(made.spec->plans.at(0)->tasks[2].dependency_indexes
        == std::vector<std::uint32_t>{elsewhere});
  CHECK(std::get<objective_moved>(created->events.at(1)).to() == objective_state::working);

  const auto moved = record::read_change(
      R"({"t":1700000000123,"e":[{"plan to":"skipped","p":1,"why":"skipped by request","rq":true},{"paused":true,"p":0},)"
      R"({"closing":"canceled","why":"canceled by request"},{"withdrawn":[0,2],"p":0,"to":"canceled","why":"x","m":{"a":1}},)"
      R"({"renewed":[1],"p":0},{"edited":{"n":"new"}}]})",
      "o", 2);
  REQUIRE(moved.has_value());
  CHECK(moved->events.size() == 6);
  CHECK(std::get<plan_moved>(moved->events[0]).requested);
  CHECK(std::get<pause_changed>(moved->events[1]).plan == 0u);
  CHECK(std::get<objective_closing>(moved->events[2]).to == objective_state::canceled);
  CHECK(std::get<tasks_withdrawn>(moved->events[3]).tasks == std::vector<std::uint32_t>{0, 2});

  const auto sealed = record::read_objective(
      R"({"i":"o","own":"2:usme","n":"trip","s":"failed","why":"no","rev":3,"cr":1700000000000,"up":1700000000500,"root":"task-1",)"
      R"("pl":[{"spec":{"i":"o.p0","n":"Book","ts":[{"n":"Flight"},{"n":"Hotel"},{"n":"Car"}]},"s":"failed","why":"no",)"
      R"("cr":1700000000000,"up":1700000000500,"ts":[[2,"completed",true,0,1],[1,"failed",false,70000,90000]]}]})");
  REQUIRE(sealed.has_value());
  const auto& plan = sealed->plans.at(0);
  CHECK(plan.began == timestamp{});
  CHECK(plan.tasks[1].attempt == 1);
  CHECK(plan.tasks[1].has_artifacts);
  CHECK(plan.tasks[2].generation == 70'000);
  CHECK(plan.tasks[2].attempt == attempt_shown_max);
}
