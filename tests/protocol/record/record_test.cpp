#include "protocol/opt/codec_opt.hpp"
#include "protocol/record/change_line.hpp"
#include "protocol/record/record.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <type_traits>
#include <utility>

using namespace troupe;
using test::random_values;

namespace {

constexpr std::uint32_t rounds = 400;

// -- equality, member by member; pointers by what they point to -----------------------------------

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
         && a.timeout == b.timeout && a.deadline == b.deadline
         && a.deadline_after == b.deadline_after && a.priority == b.priority
         && a.expected == b.expected && a.caller == b.caller && a.is_removed == b.is_removed
         && a.metadata == b.metadata;
}

bool same(const plan_spec& a, const plan_spec& b) {
  return a.id == b.id && a.key == b.key && a.name == b.name && a.description == b.description
         && same(a.tasks, b.tasks) && a.dependencies == b.dependencies
         && a.alternatives == b.alternatives && a.failure == b.failure
         && a.parallel_max == b.parallel_max && a.metadata == b.metadata && a.outside == b.outside
         && a.deadline == b.deadline && a.deadline_after == b.deadline_after
         && a.priority == b.priority && a.is_removed == b.is_removed;
}

bool same(const objective_spec& a, const objective_spec& b) {
  return a.id == b.id && a.name == b.name && a.description == b.description
         && same(a.plans, b.plans) && a.parallel_max == b.parallel_max && a.metadata == b.metadata
         && same(a.references, b.references) && a.deadline == b.deadline
         && a.deadline_after == b.deadline_after && a.priority == b.priority;
}

bool same(const task_summary& a, const task_summary& b) {
  return a.state == b.state && a.has_artifacts == b.has_artifacts && a.is_skipped == b.is_skipped
         && a.generation == b.generation && a.attempt == b.attempt;
}

bool same(const plan_view& a, const plan_view& b) {
  return same(a.spec, b.spec) && a.state == b.state && a.reason == b.reason
         && a.skip_requested == b.skip_requested && a.created == b.created && a.updated == b.updated
         && a.began == b.began && a.revision == b.revision && same(a.tasks, b.tasks);
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
         && a.reason == b.reason && a.revision == b.revision && a.made_bytes == b.made_bytes
         && a.usage == b.usage && a.created == b.created && a.updated == b.updated
         && a.root_task == b.root_task && same(a.plans, b.plans)
         && same(a.pending_inputs, b.pending_inputs) && same(a.trace, b.trace)
         && same(a.references, b.references) && a.deadline == b.deadline
         && a.deadline_after == b.deadline_after && a.priority == b.priority;
}

bool same(const task& a, const task& b) {
  return a.id == b.id && a.context == b.context && a.owner == b.owner && a.agent == b.agent
         && a.attempt == b.attempt && a.failures == b.failures && a.awaits_retry == b.awaits_retry
         && a.status.state == b.status.state && same(a.status.message, b.status.message)
         && a.status.at == b.status.at && a.created == b.created && same(a.progress, b.progress)
         && same(a.artifacts, b.artifacts) && same(a.history, b.history) && a.metadata == b.metadata
         && a.questions == b.questions && a.is_queued == b.is_queued && a.question == b.question
         && a.closed == b.closed && a.ready_at == b.ready_at && a.since == b.since
         && a.details == b.details;
}

// A structured binding names every member, or does not compile.
bool same(const objective_created& a, const objective_created& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}
bool same(const objective_edited& a, const objective_edited& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && a2 == b2;
}
bool same(const plan_edited& a, const plan_edited& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const objective_moved& a, const objective_moved& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const plan_added& a, const plan_added& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}
bool same(const plan_moved& a, const plan_moved& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
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
bool same(const edit_plan& a, const edit_plan& b) {
  return a.edited == b.edited && a.parallel_max == b.parallel_max && a.failure == b.failure
         && a.deadline == b.deadline && a.priority == b.priority;
}
bool same(const edit_objective& a, const edit_objective& b) {
  return a.edited == b.edited && a.deadline == b.deadline && a.priority == b.priority
         && a.parallel_max == b.parallel_max;
}
template<template<class> class Operation>
bool same(const Operation<std::uint32_t>& a, const Operation<std::uint32_t>& b) requires requires {
  a.plan;
}
{
  bool more = true;
  if constexpr (requires { a.edit; })
    more = same(a.edit, b.edit);
  else if constexpr (requires { a.on; })
    more = a.on == b.on;
  return a.plan == b.plan && more;
}
bool same(const applied_objective_operation& a, const applied_objective_operation& b) {
  return a.index() == b.index()
         && std::visit([&]<class Kind>(const Kind& one) { return same(one, std::get<Kind>(b)); },
                       a);
}
bool same(const applied_operation& a, const applied_operation& b) {
  return a.index() == b.index()
         && std::visit([&]<class Kind>(const Kind& one) { return same(one, std::get<Kind>(b)); },
                       a);
}
bool same(const plan_changed& a, const plan_changed& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5);
}
bool same(const objective_changed& a, const objective_changed& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}
bool same(const tasks_withdrawn& a, const tasks_withdrawn& b) {
  const auto& [a1, a2, a3, a4, a5, a6] = a;
  const auto& [b1, b2, b3, b4, b5, b6] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5)
         && same(a6, b6);
}
bool same(const tasks_renewed& a, const tasks_renewed& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const pause_changed& a, const pause_changed& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && a3 == b3;
}
bool same(const objective_closing& a, const objective_closing& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const task_created& a, const task_created& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return same(a1, b1);
}
bool same(const task_moved& a, const task_moved& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4) && same(a5, b5);
}
bool same(const question_opened& a, const question_opened& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return same(a1, b1);
}
bool same(const question_answered& a, const question_answered& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && a4 == b4;
}
bool same(const question_expired& a, const question_expired& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return same(a1, b1);
}
bool same(const question_withdrawn& a, const question_withdrawn& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const question_claimed& a, const question_claimed& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && a2 == b2;
}
bool same(const question_released& a, const question_released& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const question_reminded& a, const question_reminded& b) {
  const auto& [a1, a2, a3, a4] = a;
  const auto& [b1, b2, b3, b4] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3) && same(a4, b4);
}
bool same(const task_queued&, const task_queued&) {
  return true;
}
bool same(const task_resumed&, const task_resumed&) {
  return true;
}
bool same(const task_noted& a, const task_noted& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return same(a1, b1);
}
bool same(const task_message& a, const task_message& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return same(a1, b1) && same(a2, b2);
}
bool same(const task_artifact& a, const task_artifact& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return same(a1, b1) && same(a2, b2) && same(a3, b3);
}
bool same(const task_progress& a, const task_progress& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return same(a1, b1);
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

// -- events ---------------------------------------------------------------------------------------

std::optional<deadline_edit> any_deadline(random_values& random) {
  if (random.coin())
    return std::nullopt;
  return deadline_edit{random.coin() ? std::optional{random.time()} : std::nullopt};
}

std::optional<std::int32_t> any_priority(random_values& random) {
  return random.coin() ? std::optional{static_cast<std::int32_t>(random.below(201)) - 100}
                       : std::nullopt;
}

edit_plan any_edit_plan(random_values& random) {
  edit_plan out{{random.text(), random.text(), random.object()},
                random.coin() ? std::optional{random.below(9)} : std::nullopt,
                random.coin() ? std::optional{on_failure::keep_going} : std::nullopt,
                {},
                {}};
  out.deadline = any_deadline(random);
  out.priority = any_priority(random);
  return out;
}

std::vector<applied_operation> any_operations(random_values& random) {
  std::vector<applied_operation> out;
  for (auto count = random.below(4); count > 0; --count) {
    const auto task = random.below(1'000'000);
    switch (random.below(12)) {
      case 8: out.emplace_back(skip_task<std::uint32_t>{task}); break;
      case 9: out.emplace_back(complete_task<std::uint32_t>{task}); break;
      case 10: out.emplace_back(retry_task<std::uint32_t>{task}); break;
      case 11: out.emplace_back(any_edit_plan(random)); break;
      case 0: out.emplace_back(add_task{random.any_task_spec(plan_id{"p"}, 3)}); break;
      case 1: out.emplace_back(remove_task<std::uint32_t>{task}); break;
      case 2: out.emplace_back(add_dependency<std::uint32_t>{task, random.below(1000)}); break;
      case 3: out.emplace_back(remove_dependency<std::uint32_t>{task, random.below(1000)}); break;
      case 4: out.emplace_back(rename_task<std::uint32_t>{task, random.text()}); break;
      case 5:
        out.emplace_back(set_deadline<std::uint32_t>{
            task, random.coin() ? std::optional{random.time()} : std::nullopt});
        break;
      case 6:
        out.emplace_back(put_task<std::uint32_t>{task, random.any_task_spec(plan_id{"p"}, 3)});
        break;
      default:
        out.emplace_back(
            set_priority<std::uint32_t>{task, static_cast<std::int32_t>(random.below(9)) - 4});
        break;
    }
  }
  return out;
}

std::vector<applied_objective_operation> any_objective_operations(random_values& random) {
  edit_objective fields{{random.text(), random.text(), random.object()}, {}, {}};
  fields.deadline = any_deadline(random);
  fields.priority = any_priority(random);
  if (random.coin())
    fields.parallel_max = random.below(9);
  return {fields, edit_plan_of<std::uint32_t>{random.below(100), any_edit_plan(random)},
          skip_plan<std::uint32_t>{random.below(100)},
          set_plan_dependencies<std::uint32_t>{random.below(100), random.indexes()},
          remove_plan<std::uint32_t>{random.below(100)}};
}

/// One of each kind of event, every member filled. A kind without its function does not compile.
template<class Kind>
Kind any_of(random_values& random, const change& where) = delete;

template<>
objective_created any_of(random_values& random, const change&) {
  return {std::make_shared<const objective_spec>(random.any_objective_spec()),
          task_id{random.text()}, random.text(), shared_trace(random.any_trace())};
}
template<>
objective_edited any_of(random_values& random, const change&) {
  return {{random.text(), random.text(), random.object()}, random.any_usage()};
}
template<>
plan_edited any_of(random_values& random, const change&) {
  return {random.below(100), {random.text(), random.text(), random.object()}};
}
template<>
objective_moved any_of(random_values& random, const change&) {
  return {static_cast<objective_event>(random.below(objective_event_count)), random.text()};
}
template<>
plan_added any_of(random_values& random, const change&) {
  return {random.plan_ptr(), random.coin(), random.below(9)};
}
template<>
plan_moved any_of(random_values& random, const change&) {
  return {random.below(100), static_cast<plan_event>(random.below(plan_event_count)), random.text(),
          random.coin()};
}
template<>
plan_changed any_of(random_values& random, const change&) {
  return {random.below(100), any_operations(random), random.text(), random.text(),
          random.below(1000)};
}
template<>
objective_changed any_of(random_values& random, const change&) {
  return {any_objective_operations(random), random.text(), random.text(), random.below(1000)};
}
template<>
tasks_withdrawn any_of(random_values& random, const change&) {
  return {random.below(100),
          random.indexes(),
          random.any_task_state(),
          random.text(),
          random.object(),
          random.list<artifact_ptr>(
              3, [&] { return std::make_shared<const artifact>(random.any_artifact()); })};
}
template<>
tasks_renewed any_of(random_values& random, const change&) {
  return {random.below(100), random.indexes()};
}
template<>
pause_changed any_of(random_values& random, const change&) {
  return {random.coin(), random.coin() ? std::optional{random.below(100)} : std::nullopt,
          random.coin()};
}
template<>
objective_closing any_of(random_values& random, const change&) {
  return {random.any_objective_state(), random.text()};
}
template<>
task_created any_of(random_values& random, const change& where) {
  auto record = std::make_shared<task>(random.any_task());
  if (random.coin())
    record->id = where.task.id;
  if (random.coin())
    record->context = where.context;
  if (random.coin())
    record->created = record->status.at = where.at;
  if (random.coin())
    record->status.state = task_state::submitted;
  return {std::move(record)};
}
template<>
task_moved any_of(random_values& random, const change&) {
  return {random.any_task_state(), random.below(4), random.message_or_null(), random.below(3),
          random.coin() ? random.text() : std::string{}};
}
template<>
task_message any_of(random_values& random, const change&) {
  return {std::make_shared<const message>(random.any_message()), random.any_task_state()};
}
template<>
task_artifact any_of(random_values& random, const change&) {
  return {std::make_shared<const artifact>(random.any_artifact()), random.coin(), random.coin()};
}
template<>
task_progress any_of(random_values& random, const change&) {
  return {std::make_shared<const progress_report>(random.any_progress())};
}
template<>
question_opened any_of(random_values& random, const change&) {
  return {std::make_shared<const question>(random.any_question())};
}
template<>
question_answered any_of(random_values& random, const change&) {
  return {random.text(), random.text(), random.text(), static_cast<answer_action>(random.below(3))};
}
template<>
question_expired any_of(random_values& random, const change&) {
  return {random.text()};
}
template<>
question_withdrawn any_of(random_values& random, const change&) {
  return {random.text(), random.text()};
}
template<>
question_claimed any_of(random_values& random, const change&) {
  return {random.text(), {random.text(), random.time()}};
}
template<>
question_released any_of(random_values& random, const change&) {
  return {random.text(), random.text()};
}
template<>
question_reminded any_of(random_values& random, const change&) {
  return {random.text(), std::make_shared<const message>(random.any_message()),
          random.coin() ? task_state::input_required : task_state::auth_required, random.below(9)};
}
template<>
task_queued any_of(random_values&, const change&) {
  return {};
}
template<>
task_resumed any_of(random_values&, const change&) {
  return {};
}
template<>
task_noted any_of(random_values& random, const change&) {
  return {random.text()};
}

/// Of the kind that has this number in the variant.
event any_event(random_values& random, std::size_t kind, const change& where) {
  event out;
  const auto make = [&]<std::size_t... number>(std::index_sequence<number...>) {
    ((number == kind
      && (out = any_of<std::variant_alternative_t<number, event>>(random, where), true))
     || ...);
  };
  make(std::make_index_sequence<std::variant_size_v<event>>{});
  return out;
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

TEST_CASE("a line of a change has everything, for all kinds of events", "[protocol][record]") {
  const auto kind =
      static_cast<std::size_t>(GENERATE(range(0, static_cast<int>(std::variant_size_v<event>))));
  random_values random{static_cast<std::uint32_t>(kind)};
  for (std::uint32_t i = 0; i < rounds; ++i) {
    auto change = any_change(random);
    change.events.push_back(any_event(random, kind, change));
    std::string line;
    record::write_line(line, change);
    CAPTURE(line);
    CHECK(line.find('\n') == std::string::npos);
    const auto back = record::read_line(line);
    REQUIRE(back.has_value());
    REQUIRE(same(*back, change));
  }
}

TEST_CASE("a line of a change names its stream, its sequence and its group", "[protocol][record]") {
  std::string line;
  record::write_line(line, {"trip", false, 3, R"({"t":1,"e":[]})"}, 17);
  CHECK(line == R"({"objective":"trip","sequence":3,"group":17,"change":{"t":1,"e":[]}})");
  const auto back = record::read_line(line);
  REQUIRE(back.has_value());
  CHECK(back->stream() == "trip");
  CHECK(back->sequence == 3);
  line.clear();
  record::write_line(line, {"lone", true, 1, R"({"t":1,"c":"talk","e":[]})"});
  CHECK(line == R"({"task":"lone","sequence":1,"change":{"t":1,"c":"talk","e":[]}})");
  CHECK(record::read_line(line)->task.id.str() == "lone");
}

TEST_CASE("a line that is not one of a change is an error", "[protocol][record]") {
  const auto* line =
      GENERATE("", "[]", "{}", R"({"objective":"o","sequence":1})",
               R"({"sequence":1,"change":{"t":1,"e":[]}})",
               R"({"objective":7,"sequence":1,"change":{"t":1,"e":[]}})",
               R"({"objective":"o","sequence":-1,"change":{"t":1,"e":[]}})",
               R"({"task":"t","sequence":1,"change":{"t":1,"e":[]}})",
               R"({"objective":"o","sequence":1,"change":{"t":1,"c":"x","e":[]}})",
               R"({"objective":"o","sequence":1,"change":{"t":1,"e":[{"unheard of":1}]}})");
  CAPTURE(line);
  const auto back = record::read_line(line);
  REQUIRE(back.has_error());
  CHECK(back.error().code == errc::store_failed);
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

TEST_CASE("an ended task reads back as it was written", "[protocol][record]") {
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

TEST_CASE("an ended task of a plan needs no objective to be read", "[protocol][record]") {
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
  objective_view.plans.push_back({plan, plan_state::completed, {}, {}, {}, {}, {}, {}});
  objective_view.plans.edit(0).tasks.resize(
      plan->tasks.size(),
      task_summary{.state = task_state::completed, .has_artifacts = true, .attempt = 1});
  std::string row;
  record::write(row, objective_view);
  CHECK(row.size() < 4 * plan->tasks.size());
  const auto back = record::read_objective(row);
  REQUIRE(back.has_value());
  CHECK(same(*back, objective_view));
}

TEST_CASE("unknown members are ignored", "[protocol][record]") {
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

TEST_CASE("summaries of tasks that do not fit the plan are an error, however many",
          "[protocol][record]") {
  struct row {
    const char* slots;
    const char* why;
  };
  const auto [slots, why] = GENERATE(values<row>({
      {"[]", "fewer task summaries"},
      {R"([[2,"completed",true,0,1]])", "more task summaries"},
      {R"([[1,"completed",true,0,1],[1,"failed",true,0,1]])", "more task summaries"},
      {R"([[18446744073709551615,"completed",true,0,1]])", "more task summaries"},
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

TEST_CASE("a trace names at most trace_path_max servers, the first ones", "[protocol][record]") {
  std::vector<std::string> longer;
  std::string written;
  for (std::size_t i = 0; i < trace_path_max + 3; ++i) {
    longer.push_back("server-" + std::to_string(i));
    written += (i == 0 ? "\"" : ",\"") + longer.back() + "\"";
  }
  const std::vector<std::string> kept(longer.begin(), longer.begin() + trace_path_max);
  const auto made = shared_trace({"p", "s", longer});
  REQUIRE(made);
  CHECK(made->path == kept);
  CHECK(made->traceparent == "p");
  CHECK(made->tracestate == "s");
  CHECK_FALSE(shared_trace({}));
  const auto restored = record::read_change(
      R"({"t":1,"e":[{"objective":{"i":"o","n":"trip","pl":[]},"root":"","own":"","tr":{"p":"p","via":[)"
          + written + "]}}]}",
      "o", 1);
  REQUIRE(restored.has_value());
  const auto& trace = std::get<objective_created>(restored->events.at(0)).trace;
  REQUIRE(trace);
  CHECK(trace->path == kept);
  CHECK(trace->traceparent == "p");
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
  const auto& plan = sealed->plans[0];
  CHECK(plan.began == timestamp{});
  CHECK(plan.tasks[1].attempt == 1);
  CHECK(plan.tasks[1].has_artifacts);
  CHECK(plan.tasks[2].generation == 70'000);
  CHECK(plan.tasks[2].attempt == attempt_shown_max);
}
