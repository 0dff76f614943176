#include "protocol/opt/objective_reading.hpp"

#include "protocol/fold/rollup.hpp"
#include "protocol/json/object_reader.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe::opt {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

constexpr std::uint32_t task_index_max = 1'000'000;
/// Places of removed tasks, of all plans. A short document must not become a large value.
constexpr std::size_t gaps_max = 100'000;

/// The generation at the end of the id of a renewed task (`trip.p0.t1.r2`), and the id without it.
std::pair<std::string, std::uint32_t> split_generation(const std::string& id) {
  const auto at = id.rfind(".r");
  if (at == std::string::npos)
    return {id, 0};
  std::uint32_t number = 0;
  const auto* end = id.data() + id.size();
  const auto [stop, problem] = std::from_chars(id.data() + at + 2, end, number);
  if (problem != std::errc{} || stop != end || number == 0)
    return {id, 0};
  return {id.substr(0, at), number};
}

task_summary summary_in(const object_reader& in, timestamp created) {
  task_summary out;
  const auto status = in.text("status");
  if (status == "skipped") {
    out.state = task_state::canceled;
    out.is_skipped = true;
  } else if (const auto state = task_state_from(status)) {
    out.state = *state;
    out.has_artifacts = *state == task_state::completed; // The document does not say it.
  }
  const auto attempts = in.whole_number("attempts", 0, attempt_shown_max).value_or(0);
  out.attempt = static_cast<std::uint16_t>(attempts);
  constexpr auto unknown = std::numeric_limits<std::uint32_t>::max(); // task_summary::changed_ms
  const auto changed = in.time("updatedAt");
  const auto since = changed ? (*changed - created).count() : std::int64_t{unknown};
  out.changed_ms = since >= 0 && since < unknown ? static_cast<std::uint32_t>(since) : unknown;
  return out;
}

/// Puts the tasks of `read`, which stand one behind the other, to their places. `gaps_left`: empty
/// places that the objective may have.
void place_tasks(const object_reader& in, first_failure& failure, plan_spec& read, plan_view& to,
                 std::size_t& gaps_left) {
  const auto* all = in.array("tasks");
  chunked<task_spec> specs;
  const auto list = in.where() / "tasks";
  for (std::size_t i = 0; all && i < all->size() && i < read.tasks.size(); ++i) {
    const auto where = list / i;
    const object_reader task{(*all)[i], where, failure};
    const auto index =
        task.whole_number("taskIndex", 0, task_index_max).value_or(static_cast<std::uint32_t>(i));
    if (index > specs.size() && index - specs.size() > gaps_left) {
      failure.set(where / "taskIndex", "is too large: the objective has too many empty places");
      return;
    }
    gaps_left -= index > specs.size() ? index - specs.size() : 0;
    while (specs.size() < index) {
      task_spec removed;
      removed.is_removed = true;
      specs.push_back(std::move(removed));
      to.tasks.push_back(task_summary{.state = task_state::canceled});
    }
    if (specs.size() > index) {
      failure.set(where / "taskIndex", "is not in order");
      return;
    }
    auto spec = read.tasks[i];
    auto summary = summary_in(task, to.created);
    auto [id, generation] = split_generation(spec.id.str());
    summary.generation = generation;
    spec.id = task_id{std::move(id)}; // `key` stays as it is written, as dependencies name it
    specs.push_back(std::move(spec));
    to.tasks.push_back(summary);
  }
  read.tasks = std::move(specs);
}

plan_view read_plan_view(const object_reader& in, first_failure& failure, const plan_spec_ptr& spec,
                         std::size_t& gaps_left) {
  plan_view out;
  auto own = std::make_shared<plan_spec>(*spec);
  out.created = in.time("createdAt").value_or(timestamp{});
  place_tasks(in, failure, *own, out, gaps_left);
  out.spec = std::move(own);
  out.state = plan_state_from(in.text("status")).value_or(plan_state::pending);
  out.reason = in.text("reason");
  out.began = in.time("startedAt").value_or(timestamp{});
  out.updated = in.time("updatedAt").value_or(timestamp{});
  out.revision = in.whole_number_64("revision", 0, UINT32_MAX).value_or(0);
  return out;
}

/// Notes the places of the tasks that others depend on (task_spec::dependency_indexes): the
/// document has their ids.
void note_dependencies(objective_view& view) {
  std::unordered_map<std::string, std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].spec->tasks.size(); ++t)
      if (const auto& key = view.plans[p].spec->tasks[t].key; !key.empty())
        places.emplace(key, std::pair{p, t});
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    auto spec = std::make_shared<plan_spec>(*view.plans[p].spec);
    for (std::uint32_t t = 0; t < spec->tasks.size(); ++t) {
      if (spec->tasks[t].dependencies.empty())
        continue;
      auto& task = spec->tasks.edit(t);
      task.dependency_indexes.assign(task.dependencies.size(), elsewhere);
      for (std::size_t i = 0; i < task.dependencies.size(); ++i) {
        const auto found = places.find(task.dependencies[i]);
        if (found == places.end())
          continue;
        const auto [on_plan, on_task] = found->second;
        if (on_plan == p)
          task.dependency_indexes[i] = on_task;
        else
          spec->outside.push_back({t, on_plan, on_task, {}});
      }
    }
    view.plans.edit(p).spec = std::move(spec);
  }
}

void read_questions(const object_reader& in, first_failure& failure, objective_view& out) {
  const auto* all = in.array("pendingInputs");
  const auto list = in.where() / "pendingInputs";
  for (std::size_t i = 0; all && i < all->size(); ++i) {
    const auto where = list / i;
    const object_reader one{(*all)[i], where, failure};
    pending_input asked;
    asked.task = task_id{one.text("taskId")};
    asked.prompt = one.text("prompt");
    asked.since = one.time("since").value_or(timestamp{});
    if (const auto id = question_address_from(one.text("inputId")))
      asked.question = id->question;
    out.pending_inputs.push_back(std::move(asked));
  }
}

error not_understood(error why) {
  why.code = errc::invalid_agent_response;
  return why;
}

// -- changes --------------------------------------------------------------------------------------

class change_reader {
public:
  change_reader(const objective_view& of, timestamp at, first_failure& failure)
      : of_(of), at_(at), failure_(failure) {}

  void read(const json::value& from, const place& where, shown_changes& out) {
    const object_reader in{from, where, failure_};
    const auto kind = in.text("kind");
    if (kind == "objective")
      read_objective_event(in, out);
    else if (kind == "plan")
      read_plan_event(in, out);
    else if (kind == "task")
      read_task_event(in, out);
    else if (kind == "tasks")
      read_tasks_event(in, out);
  }

private:
  void add(shown_changes& out, event happened, task_address task = {}) const {
    change one;
    one.context = of_.id.str();
    one.task = std::move(task);
    one.at = at_;
    one.events.push_back(std::move(happened));
    out.changes.push_back(std::move(one));
  }

  [[nodiscard]] std::optional<std::uint32_t> plan_of(const object_reader& in) const {
    const auto id = in.text("planId");
    for (std::uint32_t p = 0; p < of_.plans.size(); ++p)
      if (of_.plans[p].spec->id.str() == id)
        return p;
    return std::nullopt;
  }

  void read_objective_event(const object_reader& in, shown_changes& out) const {
    if (in.find("change")) {
      out.is_reshaped = true;
      return;
    }
    if (const auto state = objective_state_from(in.text("status"));
        state && *state != objective_state::submitted)
      add(out, objective_moved{event_to(*state), in.text("reason")});
    if (const auto end = objective_state_from(in.text("closing")))
      add(out, objective_closing{*end, in.text("reason")});
    if (in.find("paused"))
      add(out, pause_changed{in.boolean("paused", false), std::nullopt});
    if (in.find("name") || in.find("description")) {
      objective_edited edited;
      edited.edited.name = in.text("name");
      edited.edited.description = in.text("description");
      add(out, std::move(edited));
    }
  }

  void read_plan_event(const object_reader& in, shown_changes& out) const {
    const auto plan = plan_of(in);
    if (!plan || in.find("change") || in.find("name") || in.find("description")) {
      out.is_reshaped = true;
      return;
    }
    if (const auto state = plan_state_from(in.text("status")))
      add(out, plan_moved{*plan, event_to(*state), in.text("reason")});
    if (in.find("paused"))
      add(out, pause_changed{in.boolean("paused", false), *plan});
  }

  void read_task_event(const object_reader& in, shown_changes& out) const {
    const auto plan = plan_of(in);
    const auto index = in.whole_number("taskIndex", 0, task_index_max);
    if (!plan || !index || *index >= of_.plans[*plan].tasks.size()) {
      out.is_reshaped = true;
      return;
    }
    const task_address where{task_id{in.text("taskId")}, false, *plan, *index};
    if (const auto state = task_state_from(in.text("status"))) {
      if (!in.find("attempt")) {
        auto record = std::make_shared<task>();
        record->status.state = *state;
        add(out, task_created{std::move(record)}, where);
      } else {
        task_moved moved{*state, in.whole_number("attempt", 0, UINT32_MAX).value_or(0), nullptr};
        auto reason = in.text("reason");
        const auto question = in.text("inputId");
        if (!reason.empty() || !question.empty()) {
          message said;
          said.from = role::agent;
          if (!reason.empty())
            said.parts.push_back(text_part(std::move(reason)));
          if (!question.empty())
            said.metadata[question_id_key] = question;
          moved.message = std::make_shared<const message>(std::move(said));
        }
        add(out, std::move(moved), where);
      }
    }
    const auto fraction = in.number("fraction");
    const auto words = in.text("message");
    if (fraction || !words.empty()) {
      progress_report report;
      report.aggregate =
          progress_aggregate{fraction, fraction ? std::optional{1.0} : std::nullopt, words};
      add(out, task_progress{std::make_shared<const progress_report>(std::move(report))}, where);
    }
  }

  void read_tasks_event(const object_reader& in, shown_changes& out) const {
    const auto plan = plan_of(in);
    std::vector<std::uint32_t> tasks;
    if (const auto* all = in.array("taskIndexes"); all && plan)
      for (const auto& each : *all)
        if (const auto index = wire::whole_number_from(each);
            index && *index >= 0
            && *index < static_cast<std::int64_t>(of_.plans[*plan].tasks.size()))
          tasks.push_back(static_cast<std::uint32_t>(*index));
    if (!plan) {
      out.is_reshaped = true;
      return;
    }
    const auto status = in.text("status");
    if (status == "pending")
      add(out, tasks_renewed{*plan, std::move(tasks)});
    else
      add(out, tasks_withdrawn{*plan, std::move(tasks),
                               task_state_from(status).value_or(task_state::canceled),
                               in.text("reason")});
  }

  const objective_view& of_;
  const timestamp at_;
  first_failure& failure_;
};

} // namespace

result<objective_view> read_objective_view(const json::value& from) {
  const auto spec = read_objective(from, unknown_members::ignore);
  if (!spec)
    return not_understood(spec.error());
  first_failure failure(wire::where_style::pointer, errc::invalid_agent_response);
  const place root;
  const object_reader in{from, root, failure};
  objective_view out;
  out.id = spec->id;
  out.name = spec->name;
  out.description = spec->description;
  out.parallel_max = spec->parallel_max;
  out.metadata = spec->metadata;
  if (const auto state = objective_state_from(in.text("status")))
    out.state = *state;
  else
    in.fail("status", "is no state of an objective");
  out.reason = in.text("reason");
  out.closing = objective_state_from(in.text("closing"));
  out.revision = in.whole_number_64("revision", 0, UINT32_MAX).value_or(0);
  out.created = in.time("createdAt").value_or(timestamp{});
  out.updated = in.time("updatedAt").value_or(timestamp{});
  out.root_task = task_id{in.text("rootTaskId")};
  if (const auto* all = in.array("plans")) {
    const auto list = root / "plans";
    auto gaps_left = gaps_max;
    for (std::size_t i = 0; i < all->size() && i < spec->plans.size(); ++i) {
      const auto where = list / i;
      out.plans.push_back(read_plan_view(object_reader{(*all)[i], where, failure}, failure,
                                         spec->plans[i], gaps_left));
    }
  }
  read_questions(in, failure, out);
  if (failure)
    return failure.take();
  note_dependencies(out);
  sum_up(out);
  if (const auto fraction = read_fraction(from))
    out.rollup.held = {static_cast<std::uint32_t>(*fraction * whole_fraction), out.revision};
  out.usage = read_usage(from.as_object(), "modelUsage");
  if (out.id.empty())
    return make_error(errc::invalid_agent_response, "the objective has no id", "/id");
  return out;
}

std::optional<double> read_fraction(const json::value& from) noexcept {
  const auto* object = from.if_object();
  const auto* progress = object ? object->if_contains("progress") : nullptr;
  const auto* members = progress ? progress->if_object() : nullptr;
  const auto* found = members ? members->if_contains("fraction") : nullptr;
  if (!found || !found->is_number())
    return std::nullopt;
  boost::system::error_code failed;
  const auto value = found->to_number<double>(failed);
  return !failed && value >= 0 && value <= 1 ? std::optional{value} : std::nullopt;
}

model_usage read_usage(const json::object& from, std::string_view name) noexcept {
  const auto* found = from.if_contains(name);
  const auto* members = found ? found->if_object() : nullptr;
  if (!members)
    return {};
  constexpr double used_max = 1e12;
  const auto number = [&](std::string_view of) {
    const auto* one = members->if_contains(of);
    boost::system::error_code failed;
    const auto value = one && one->is_number() ? one->to_number<double>(failed) : 0.0;
    return !failed && value > 0 ? std::min(value, used_max) : 0.0;
  };
  const auto* estimated = members->if_contains("estimated");
  model_usage out;
  out.calls = static_cast<std::uint32_t>(std::min(number("calls"), 1e9));
  out.prompt_tokens = static_cast<std::uint64_t>(number("promptTokens"));
  out.answer_tokens = static_cast<std::uint64_t>(number("answerTokens"));
  out.milliseconds = static_cast<std::uint64_t>(std::round(number("seconds") * 1e3));
  out.cost_millionths = static_cast<std::uint64_t>(std::round(number("cost") * 1e6));
  out.is_estimated = estimated && estimated->is_bool() && estimated->get_bool();
  return out;
}

result<shown_changes> read_changes(const json::value& from, const objective_view& of) {
  first_failure failure(wire::where_style::pointer, errc::invalid_agent_response);
  const place root;
  const object_reader in{from, root, failure};
  shown_changes out;
  out.cursor = in.text("cursor");
  change_reader reader(of, in.time("at").value_or(timestamp{}), failure);
  if (const auto* all = in.array("events")) {
    const auto list = root / "events";
    for (std::size_t i = 0; i < all->size(); ++i) {
      const auto where = list / i;
      reader.read((*all)[i], where, out);
    }
  }
  if (failure)
    return failure.take();
  return out;
}

} // namespace troupe::opt
