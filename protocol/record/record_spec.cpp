// Specs and settled objectives as records.
#include "protocol/fold/rollup.hpp"
#include "protocol/record/record.hpp"
#include "protocol/record/record_json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace troupe::record {

namespace json = boost::json;

namespace {

/// Of a row that does not say it: an older program wrote it.
constexpr std::uint32_t changed_ms_unknown = std::numeric_limits<std::uint32_t>::max();

void write_milliseconds(json_writer& out, std::string_view name, milliseconds value) {
  if (value.count() != 0)
    out.key(name).number(std::int64_t{value.count()});
}

void write_parallel_max(json_writer& out, std::uint32_t value) {
  if (value != 0)
    out.key("x").number(value);
}

bool same(const task_summary& a, const task_summary& b) {
  return a.state == b.state && a.has_artifacts == b.has_artifacts && a.is_skipped == b.is_skipped
         && a.generation == b.generation && a.attempt == b.attempt;
}

// Runs of equal summaries: [count, state, has artifacts, generation, attempt, true if it is
// skipped].
void write_summaries(json_writer& out, const chunked<task_summary>& summaries) {
  out.key("ts").begin_array();
  for (std::size_t i = 0; i < summaries.size();) {
    auto end = i + 1;
    while (end < summaries.size() && same(summaries[i], summaries[end]))
      ++end;
    out.begin_array().number(std::uint64_t{end - i}).string(to_string(summaries[i].state));
    out.boolean(summaries[i].has_artifacts)
        .number(summaries[i].generation)
        .number(std::uint32_t{summaries[i].attempt});
    if (summaries[i].is_skipped)
      out.boolean(true);
    out.end_array();
    i = end;
  }
  out.end_array();
}

std::uint16_t attempt_from(const json::value& from) {
  const auto number = from.to_number<std::uint32_t>();
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(number, attempt_shown_max));
}

chunked<task_summary> summaries_from(const json::object& in, std::size_t expected) {
  chunked<task_summary> out;
  for (const auto& item : at(in, "ts").as_array()) {
    const auto& run = item.as_array();
    const auto count = run.at(0).to_number<std::size_t>();
    if (count > expected - out.size())
      throw std::runtime_error("more task summaries than tasks");
    out.resize(out.size() + count, task_summary{.state = named(run.at(1), task_state_from),
                                                .has_artifacts = run.at(2).as_bool(),
                                                .is_skipped = run.size() > 5 && run.at(5).as_bool(),
                                                .attempt = attempt_from(run.at(4)),
                                                .generation = run.at(3).to_number<std::uint32_t>(),
                                                .changed_ms = changed_ms_unknown});
  }
  if (out.size() != expected)
    throw std::runtime_error("fewer task summaries than tasks");
  return out;
}

// When each summary was changed last, as the difference from the one before, in milliseconds; so
// many of one difference in a row are [count, difference]. Missing: it is not known of any.
void write_changed(json_writer& out, const chunked<task_summary>& summaries) {
  bool is_known = false;
  for (std::size_t i = 0; i < summaries.size() && !is_known; ++i)
    is_known = summaries[i].changed_ms != changed_ms_unknown;
  if (!is_known)
    return;
  out.key("ch").begin_array();
  const auto difference = [&](std::size_t i) {
    return std::int64_t{summaries[i].changed_ms}
           - (i == 0 ? 0 : std::int64_t{summaries[i - 1].changed_ms});
  };
  for (std::size_t i = 0; i < summaries.size();) {
    const auto first = difference(i);
    auto end = i + 1;
    while (end < summaries.size() && difference(end) == first)
      ++end;
    if (end - i == 1)
      out.number(first);
    else
      out.begin_array().number(std::uint64_t{end - i}).number(first).end_array();
    i = end;
  }
  out.end_array();
}

void read_changed(const json::object& in, chunked<task_summary>& summaries) {
  const auto* found = find(in, "ch");
  if (found == nullptr)
    return;
  std::size_t next = 0;
  std::int64_t value = 0;
  for (const auto& item : found->as_array()) {
    const auto* run = item.if_array();
    const auto count = run != nullptr ? run->at(0).to_number<std::size_t>() : 1;
    const auto difference = (run != nullptr ? run->at(1) : item).to_number<std::int64_t>();
    if (count > summaries.size() - next)
      throw std::runtime_error("more times of task summaries than tasks");
    for (const auto end = next + count; next < end; ++next) {
      if (difference > changed_ms_unknown || difference < -std::int64_t{changed_ms_unknown})
        throw std::runtime_error("a time of a task summary that cannot be");
      value += difference;
      if (value < 0 || value > changed_ms_unknown)
        throw std::runtime_error("a time of a task summary that cannot be");
      summaries.edit(next).changed_ms = static_cast<std::uint32_t>(value);
    }
  }
  if (next != summaries.size())
    throw std::runtime_error("fewer times of task summaries than tasks");
}

void write_references(json_writer& out, const message_ptr& references) {
  if (!references)
    return;
  out.key("ref");
  write_pointee(out, references);
}

message_ptr references_of(const json::object& in) {
  const auto* found = find(in, "ref");
  return found ? pointee(*found, message_from) : nullptr;
}

// [fraction, revision]
void write_held(json_writer& out, std::uint32_t shown, std::uint64_t revision) {
  if (shown != 0)
    out.key("pr").begin_array().number(shown).number(revision).end_array();
}

held_fraction held_from(const json::object& in) {
  const auto* found = find(in, "pr");
  if (found == nullptr)
    return {};
  const auto& items = found->as_array();
  return {items.at(0).to_number<std::uint32_t>(), items.at(1).to_number<std::uint64_t>()};
}

// What is shown now, and what does not follow from specs and summaries. Of the tasks that have said
// how far they are: [task, fraction].
void write_rollup(json_writer& out, const objective_view& owner, std::uint32_t plan) {
  const auto& value = owner.plans[plan].rollup;
  write_held(out, progress_of(owner, plan).fraction, owner.revision);
  if (std::ranges::all_of(value.reached, [](std::uint32_t each) { return each == 0; }))
    return;
  out.key("re").begin_array();
  for (std::size_t task = 0; task < value.reached.size(); ++task)
    if (value.reached[task] != 0)
      out.begin_array().number(std::uint64_t{task}).number(value.reached[task]).end_array();
  out.end_array();
}

plan_rollup rollup_from(const json::object& in, std::size_t tasks) {
  plan_rollup out;
  out.held = held_from(in);
  const auto* reached = find(in, "re");
  if (reached == nullptr)
    return out;
  for (const auto& item : reached->as_array()) {
    const auto task = item.as_array().at(0).to_number<std::size_t>();
    if (task >= tasks)
      throw std::runtime_error("progress of a task that the plan does not have");
    out.reached.resize(task + 1);
    out.reached.edit(task) = item.as_array().at(1).to_number<std::uint32_t>();
  }
  return out;
}

template<class Of>
void write_deadline(json_writer& out, const Of& value) {
  if (value.deadline)
    write_time(out, "by", *value.deadline);
  write_milliseconds(out, "af", value.deadline_after);
}

template<class Of>
void read_deadline(const json::object& in, Of& out) {
  if (const auto* deadline = find(in, "by"))
    out.deadline = time_from(*deadline);
  out.deadline_after = milliseconds{number<std::int64_t>(in, "af", 0)};
}

/// Of an objective or a plan.
template<class Of>
void write_urgency(json_writer& out, const Of& value) {
  write_deadline(out, value);
  if (value.priority != 0)
    out.key("pri").number(std::int64_t{value.priority});
}

template<class Of>
void read_urgency(const json::object& in, Of& out) {
  read_deadline(in, out);
  out.priority = number<std::int32_t>(in, "pri", 0);
}

void write_plan_view(json_writer& out, const objective_view& owner, std::uint32_t plan) {
  const auto& value = owner.plans[plan];
  out.begin_object().key("spec");
  write_pointee(out, value.spec);
  out.member("s", to_string(value.state)).optional_member("why", value.reason);
  if (value.skip_requested)
    out.key("rq").boolean(true);
  write_time(out, "cr", value.created);
  write_time(out, "up", value.updated);
  if (value.began != timestamp{})
    write_time(out, "bg", value.began);
  if (value.revision != 0)
    out.key("rev").number(value.revision);
  write_summaries(out, value.tasks);
  write_changed(out, value.tasks);
  write_rollup(out, owner, plan);
  out.end_object();
}

plan_view plan_view_from(const json::object& in) {
  plan_view out;
  out.spec = pointee(at(in, "spec"), plan_spec_from);
  out.state = named(at(in, "s"), plan_state_from);
  out.reason = text(in, "why");
  const auto* requested = find(in, "rq");
  out.skip_requested = requested && requested->as_bool();
  out.created = time_from(at(in, "cr"));
  out.updated = time_from(at(in, "up"));
  out.began = time(in, "bg", timestamp{});
  out.revision = number<std::uint64_t>(in, "rev", 0);
  out.tasks = summaries_from(in, out.spec ? out.spec->tasks.size() : 0);
  read_changed(in, out.tasks);
  out.rollup = rollup_from(in, out.tasks.size());
  return out;
}

objective_view objective_view_from(const json::object& in) {
  objective_view out;
  out.id = objective_id{text(in, "i")};
  out.owner = text(in, "own");
  out.name = text(in, "n");
  out.description = text(in, "d");
  out.parallel_max = number<std::uint32_t>(in, "x", 0);
  read_urgency(in, out);
  out.metadata = tree(in, "m");
  out.state = named(at(in, "s"), objective_state_from);
  out.reason = text(in, "why");
  out.revision = number<std::uint64_t>(in, "rev", 0);
  out.made_bytes = number<std::uint64_t>(in, "made", 0);
  out.usage = usage_of(in);
  out.created = time_from(at(in, "cr"));
  out.updated = time_from(at(in, "up"));
  out.root_task = task_id{text(in, "root")};
  out.trace = shared_trace(trace_of(in));
  out.references = references_of(in);
  for (const auto& plan : at(in, "pl").as_array())
    out.plans.push_back(plan_view_from(plan.as_object()));
  if (const auto* inputs = find(in, "ask"))
    for (const auto& item : inputs->as_array()) {
      const auto& input = item.as_object();
      out.pending_inputs.push_back({.task = task_id{text(input, "i")},
                                    .prompt = text(input, "q"),
                                    .since = time_from(at(input, "t")),
                                    .question = text(input, "id"),
                                    .is_auth = find(input, "au") != nullptr});
    }
  out.rollup.held = held_from(in);
  sum_up(out);
  return out;
}

} // namespace

// Most ids are the generated ones; those are not written.
void write_task_spec(json_writer& out, const task_spec& value, const task_id& generated) {
  out.begin_object();
  if (value.id != generated)
    out.member("i", value.id.str());
  out.optional_member("k", value.key)
      .optional_member("n", value.name)
      .optional_member("d", value.description);
  out.optional_member("a", value.agent);
  write_tree(out, "in", value.input);
  write_texts(out, "dep", value.dependencies);
  if (!value.dependency_indexes.empty()) {
    out.key("at").begin_array();
    for (const auto index : value.dependency_indexes)
      out.number(index);
    out.end_array();
  }
  if (value.retry != retry_policy{}) {
    out.key("r")
        .begin_array()
        .number(value.retry.attempts_max)
        .number(std::int64_t{value.retry.backoff.count()});
    out.number(std::int64_t{value.retry.backoff_max.count()})
        .number(value.retry.jitter)
        .end_array();
  }
  write_milliseconds(out, "t", value.timeout);
  write_deadline(out, value);
  write_milliseconds(out, "ex", value.expected);
  if (value.priority != 0)
    out.key("pri").number(std::int64_t{value.priority});
  if (value.caller != no_caller)
    out.key("cl").number(value.caller);
  if (value.is_removed)
    out.key("rm").boolean(true);
  write_tree(out, "m", value.metadata);
  out.end_object();
}

task_spec task_spec_from(const json::object& in, const task_id& generated) {
  task_spec out;
  const auto* id = find(in, "i");
  out.id = id ? task_id{text_from(*id)} : generated;
  out.key = text(in, "k");
  out.name = text(in, "n");
  out.description = text(in, "d");
  out.agent = text(in, "a");
  out.input = tree(in, "in");
  out.dependencies = texts(in, "dep");
  if (const auto* indexes = find(in, "at"))
    for (const auto& index : indexes->as_array())
      out.dependency_indexes.push_back(index.to_number<std::uint32_t>());
  if (const auto* retry = find(in, "r")) {
    const auto& items = retry->as_array();
    out.retry.attempts_max = items.at(0).to_number<std::uint32_t>();
    out.retry.backoff = milliseconds{items.at(1).to_number<std::int64_t>()};
    out.retry.backoff_max = milliseconds{items.at(2).to_number<std::int64_t>()};
    out.retry.jitter = items.at(3).to_number<double>();
  }
  out.timeout = milliseconds{number<std::int64_t>(in, "t", 0)};
  read_deadline(in, out);
  out.expected = milliseconds{number<std::int64_t>(in, "ex", 0)};
  out.priority = number<std::int32_t>(in, "pri", 0);
  out.caller = number<std::uint32_t>(in, "cl", no_caller);
  const auto* removed = find(in, "rm");
  out.is_removed = removed && removed->as_bool();
  out.metadata = tree(in, "m");
  return out;
}

void write(json_writer& out, const plan_spec& value) {
  out.begin_object().member("i", value.id.str()).optional_member("k", value.key);
  out.optional_member("n", value.name)
      .optional_member("d", value.description)
      .key("ts")
      .begin_array();
  for (std::size_t i = 0; i < value.tasks.size(); ++i)
    write_task_spec(out, value.tasks[i], make_task_id(value.id, i));
  out.end_array();
  write_texts(out, "dep", value.dependencies);
  write_texts(out, "alt", value.alternatives);
  if (value.failure == on_failure::keep_going)
    out.key("go").boolean(true);
  write_parallel_max(out, value.parallel_max);
  write_urgency(out, value);
  if (value.is_removed)
    out.key("rm").boolean(true);
  write_tree(out, "m", value.metadata);
  if (!value.outside.empty()) {
    out.key("out").begin_array();
    for (const auto& each : value.outside)
      out.begin_array()
          .number(each.task)
          .number(each.on_plan)
          .number(each.on_task)
          .string(each.on.str())
          .end_array();
    out.end_array();
  }
  out.end_object();
}

plan_spec plan_spec_from(const json::object& in) {
  plan_spec out;
  out.id = plan_id{text(in, "i")};
  out.key = text(in, "k");
  out.name = text(in, "n");
  out.description = text(in, "d");
  const auto& tasks = at(in, "ts").as_array();
  for (const auto& task : tasks)
    out.tasks.push_back(task_spec_from(task.as_object(), make_task_id(out.id, out.tasks.size())));
  out.dependencies = texts(in, "dep");
  out.alternatives = texts(in, "alt");
  const auto* keep_going = find(in, "go");
  out.failure =
      keep_going && keep_going->as_bool() ? on_failure::keep_going : on_failure::fail_fast;
  out.parallel_max = number<std::uint32_t>(in, "x", 0);
  read_urgency(in, out);
  const auto* removed = find(in, "rm");
  out.is_removed = removed && removed->as_bool();
  out.metadata = tree(in, "m");
  if (const auto* outside = find(in, "out"))
    for (const auto& item : outside->as_array()) {
      const auto& each = item.as_array();
      out.outside.push_back({each.at(0).to_number<std::uint32_t>(),
                             each.at(1).to_number<std::uint32_t>(),
                             each.at(2).to_number<std::uint32_t>(),
                             each.size() > 3 ? task_id{text_from(each.at(3))} : task_id{}});
    }
  return out;
}

void write(json_writer& out, const objective_spec& value) {
  out.begin_object().member("i", value.id.str()).optional_member("n", value.name);
  out.optional_member("d", value.description).key("pl").begin_array();
  for (const auto& plan : value.plans)
    write_pointee(out, plan);
  out.end_array();
  write_parallel_max(out, value.parallel_max);
  write_urgency(out, value);
  write_tree(out, "m", value.metadata);
  write_references(out, value.references);
  out.end_object();
}

objective_spec objective_spec_from(const json::object& in) {
  objective_spec out;
  out.id = objective_id{text(in, "i")};
  out.name = text(in, "n");
  out.description = text(in, "d");
  for (const auto& plan : at(in, "pl").as_array())
    out.plans.push_back(pointee(plan, plan_spec_from));
  out.parallel_max = number<std::uint32_t>(in, "x", 0);
  read_urgency(in, out);
  out.metadata = tree(in, "m");
  out.references = references_of(in);
  return out;
}

namespace {

/// The lists of a report and their members.
constexpr std::array<std::pair<std::string_view, std::vector<task_id> change_report::*>, 8>
    report_lists{{{"add", &change_report::added},
                  {"rm", &change_report::removed},
                  {"put", &change_report::replaced},
                  {"skip", &change_report::skipped},
                  {"end", &change_report::completed},
                  {"again", &change_report::retried},
                  {"stop", &change_report::canceled},
                  {"free", &change_report::released}}};
constexpr std::array<std::pair<std::string_view, std::vector<plan_id> change_report::*>, 5>
    report_plan_lists{{{"padd", &change_report::plans_added},
                       {"prm", &change_report::plans_removed},
                       {"pskip", &change_report::plans_skipped},
                       {"pstop", &change_report::plans_canceled},
                       {"pfree", &change_report::plans_released}}};

} // namespace

void write(json_writer& out, const change_report& value) {
  out.begin_object().optional_member("p", value.plan.str());
  out.optional_member("o", value.objective.str()).key("rev").number(value.revision);
  const auto write_all = [&](const auto& lists) {
    for (const auto& [name, list] : lists) {
      if ((value.*list).empty())
        continue;
      out.key(name).begin_array();
      for (const auto& id : value.*list)
        out.string(id.str());
      out.end_array();
    }
  };
  write_all(report_lists);
  write_all(report_plan_lists);
  out.end_object();
}

change_report change_report_from(const json::object& in) {
  change_report out;
  out.plan = plan_id{text(in, "p")};
  out.revision = number<std::uint64_t>(in, "rev", 0);
  out.objective = objective_id{text(in, "o")};
  const auto read_all = [&](const auto& lists) {
    for (const auto& [name, list] : lists)
      for (auto& id : texts(in, name))
        (out.*list).emplace_back(std::move(id));
  };
  read_all(report_lists);
  read_all(report_plan_lists);
  return out;
}

void write(std::string& out, const objective_view& objective_view) {
  json_writer json{out};
  json.begin_object()
      .member("i", objective_view.id.str())
      .optional_member("own", objective_view.owner)
      .optional_member("n", objective_view.name);
  json.optional_member("d", objective_view.description);
  write_parallel_max(json, objective_view.parallel_max);
  write_urgency(json, objective_view);
  write_tree(json, "m", objective_view.metadata);
  json.member("s", to_string(objective_view.state))
      .optional_member("why", objective_view.reason)
      .key("rev")
      .number(objective_view.revision);
  if (objective_view.made_bytes > 0)
    json.key("made").number(objective_view.made_bytes);
  write_usage(json, objective_view.usage);
  write_held(json, progress_of(objective_view).fraction, objective_view.revision);
  write_time(json, "cr", objective_view.created);
  write_time(json, "up", objective_view.updated);
  json.optional_member("root", objective_view.root_task.str());
  write_trace(json, objective_view.trace);
  write_references(json, objective_view.references);
  json.key("pl").begin_array();
  for (std::uint32_t plan = 0; plan < objective_view.plans.size(); ++plan)
    write_plan_view(json, objective_view, plan);
  json.end_array();
  if (!objective_view.pending_inputs.empty()) {
    json.key("ask").begin_array();
    for (const auto& input : objective_view.pending_inputs) {
      json.begin_object().member("i", input.task.str()).optional_member("q", input.prompt);
      json.optional_member("id", input.question);
      if (input.is_auth)
        json.key("au").boolean(true);
      write_time(json, "t", input.since);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

result<objective_view> read_objective(std::string_view row) {
  return read_row<objective_view>("objective", row, objective_view_from);
}

} // namespace troupe::record
