#include "protocol/opt/objective_change.hpp"

#include "protocol/fold/shown_progress.hpp"
#include "protocol/is_one_of.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

namespace troupe::opt {

namespace {

namespace json = boost::json;

template<class Event>
constexpr bool is_of_task = is_one_of<Event, task_created, task_moved, task_progress>;
template<class Event>
constexpr bool is_of_tasks = is_one_of<Event, tasks_withdrawn, tasks_renewed>;
template<class Event>
constexpr bool is_output = is_one_of<Event, task_artifact, task_message>;

/// Where an event is shown first; nothing if it never is.
struct detail_needed {
  std::optional<change_detail> operator()(const objective_edited& edited) const {
    return edited.edited.empty() ? std::nullopt : std::optional{change_detail::states};
  }
  std::optional<change_detail> operator()(const task_moved& moved) const {
    return is_interrupted(moved.to) ? change_detail::states : change_detail::tasks;
  }
  std::optional<change_detail> operator()(const task_message& said) const {
    return is_from_agent(said) ? std::optional{change_detail::full} : std::nullopt;
  }
  template<class Event>
  std::optional<change_detail> operator()(const Event&) const {
    if constexpr (is_of_task<Event> || is_of_tasks<Event>)
      return change_detail::tasks;
    else if constexpr (is_output<Event>)
      return change_detail::full;
    else if constexpr (is_one_of<Event, objective_created, objective_moved, plan_added, plan_edited,
                                 plan_moved, plan_changed, objective_changed, pause_changed,
                                 objective_closing, question_reminded>)
      return change_detail::states;
    else
      return std::nullopt;
  }
};

bool is_event_shown(const event& one, change_detail detail) noexcept {
  const auto needed = std::visit(detail_needed{}, one);
  return needed && *needed <= detail;
}

/// Writes one event, which is shown.
struct change_event_writer {
  json_writer& out;
  const change& where;
  change_detail detail;
  const std::vector<plan_spec_ptr>& plans;
  const a2a_event_writer& write_a2a;

  [[nodiscard]] std::string id_of(std::uint32_t plan) const {
    return plan < plans.size() ? plans[plan]->id.str()
                               : make_plan_id(objective_id{where.context}, plan).str();
  }
  json_writer& begin(std::string_view kind) const {
    return out.begin_object().member("kind", kind);
  }
  json_writer& begin_plan(std::uint32_t plan) const {
    return begin("plan").member("planId", id_of(plan));
  }
  void write_edits(const edits& edited) const {
    out.optional_member("name", edited.name).optional_member("description", edited.description);
    if (!edited.metadata.empty())
      out.key("metadata").value(edited.metadata);
    out.end_object();
  }
  void begin_task() const {
    begin("task").member("planId", id_of(where.task.plan_index));
    out.member("taskId", where.task.id.str()).key("taskIndex").number(where.task.task_index);
  }
  void write_update(const event& happened) const {
    if (detail != change_detail::full)
      return;
    std::string text;
    json_writer update(text);
    if (write_a2a(update, where, happened))
      out.key("update").raw(text);
  }

  void operator()(const objective_created&) const {
    begin("objective").member("status", to_string(objective_state::submitted)).end_object();
  }
  void operator()(const objective_edited& edited) const {
    begin("objective");
    write_edits(edited.edited);
  }
  void operator()(const objective_moved& moved) const {
    begin("objective").member("status", to_string(moved.to()));
    out.optional_member("reason", moved.reason).end_object();
  }
  void operator()(const plan_added& added) const {
    if (!added.spec)
      return;
    begin("plan").member("planId", added.spec->id.str()).member("name", added.spec->name);
    out.member("status", to_string(plan_state::pending)).end_object();
  }
  void operator()(const plan_edited& edited) const {
    begin_plan(edited.plan);
    write_edits(edited.edited);
  }
  void operator()(const plan_moved& moved) const {
    begin_plan(moved.plan).member("status", to_string(moved.to()));
    out.optional_member("reason", moved.reason).end_object();
  }
  void operator()(const plan_changed& changed) const {
    begin_plan(changed.plan).key("change");
    plan_spec unknown;
    unknown.id = plan_id{id_of(changed.plan)};
    write_revision(out, changed.plan < plans.size() ? *plans[changed.plan] : unknown,
                   changed.revision, where, changed);
    out.end_object();
  }
  void operator()(const objective_changed& changed) const {
    begin("objective").key("change");
    write_revision(out, plans, where, changed);
    out.end_object();
  }
  void operator()(const pause_changed& changed) const {
    if (changed.plan)
      begin_plan(*changed.plan);
    else
      begin("objective");
    out.key("paused").boolean(changed.paused).end_object();
  }
  void operator()(const objective_closing& closing) const {
    begin("objective").member("closing", to_string(closing.to));
    out.optional_member("reason", closing.reason).end_object();
  }
  void write_tasks(std::uint32_t plan, const std::vector<std::uint32_t>& tasks,
                   std::string_view status, std::string_view reason) const {
    begin("tasks").member("planId", id_of(plan)).key("taskIndexes").begin_array();
    for (const auto task : tasks)
      out.number(task);
    out.end_array().member("status", status).optional_member("reason", reason).end_object();
  }
  void operator()(const tasks_withdrawn& withdrawn) const {
    write_tasks(withdrawn.plan, withdrawn.tasks, to_string(withdrawn.to), withdrawn.reason);
  }
  void operator()(const tasks_renewed& renewed) const {
    write_tasks(renewed.plan, renewed.tasks, "pending", "");
  }
  void operator()(const task_created& created) const {
    begin_task();
    out.member("status",
               to_string(created.record ? created.record->status.state : task_state::submitted));
    out.end_object();
  }
  void operator()(const task_moved& moved) const {
    begin_task();
    out.member("status", to_string(moved.to)).key("attempt").number(moved.attempt);
    if (detail != change_detail::full && moved.message)
      out.optional_member("reason", text_of(moved.message->parts));
    if (moved.message && is_interrupted(moved.to))
      out.optional_member("inputId", text_in(moved.message->metadata, question_id_key));
    write_update(moved);
    out.end_object();
  }
  void operator()(const task_progress& news) const {
    begin_task();
    if (news.progress) {
      if (const auto fraction = known_fraction(*news.progress))
        out.key("fraction").number(*fraction);
      out.optional_member("message", words_of(*news.progress));
    }
    write_update(news);
    out.end_object();
  }
  void operator()(const question_reminded& reminded) const {
    begin_task();
    out.member("status", to_string(reminded.state)).key("reminder").number(reminded.count);
    if (detail != change_detail::full && reminded.message)
      out.optional_member("reason", text_of(reminded.message->parts));
    write_update(reminded);
    out.end_object();
  }
  template<class Event>
  void operator()(const Event& happened) const {
    if constexpr (is_output<Event>) {
      begin_task();
      write_update(happened);
      out.end_object();
    }
  }
};

} // namespace

// -- the subscription -----------------------------------------------------------------------------

result<subscribe_to_objective> read_subscribe_to_objective(const json::value& params) {
  static const json::value none = json::object{};
  document_reading reading(unknown_members::ignore, true);
  const place root;
  subscribe_to_objective out;
  if (const document_reader in(params.is_null() ? none : params, root, reading, "params"); in) {
    out.id = objective_id{in.id("id", true)};
    out.per_second =
        in.whole_number("maxPerSecond", 1, changes_per_second_max).value_or(out.per_second);
    if (const auto* detail = in.find("detail")) {
      const auto* text = detail->if_string();
      if (text && *text == "states")
        out.detail = change_detail::states;
      else if (text && *text == "full")
        out.detail = change_detail::full;
      else if (!text || *text != "tasks")
        in.fail_type("detail", "one of states, tasks, full", *detail);
    }
  }
  if (reading.failed())
    return reading.failure.take();
  return out;
}

std::string to_string(const objective_cursor& at) {
  return std::to_string(at.sequence) + "-" + std::to_string(at.revision);
}

std::optional<objective_cursor> parse_objective_cursor(std::string_view text) noexcept {
  objective_cursor out;
  const auto dash = text.find('-');
  if (dash == std::string_view::npos)
    return std::nullopt;
  const auto read = [](std::string_view digits, std::uint64_t& to) {
    const auto* end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, to);
    return problem == std::errc{} && stop == end;
  };
  if (!read(text.substr(0, dash), out.sequence) || !read(text.substr(dash + 1), out.revision))
    return std::nullopt;
  return out;
}

// -- changes --------------------------------------------------------------------------------------

bool is_shown(const change& news, change_detail detail) noexcept {
  return std::ranges::any_of(news.events,
                             [&](const event& one) { return is_event_shown(one, detail); });
}

void write_changes(json_writer& out, std::span<const change_ptr> changes,
                   const objective_cursor& at, change_detail detail,
                   const std::vector<plan_spec_ptr>& plans, const a2a_event_writer& write_a2a) {
  const auto& last = *changes.back();
  out.begin_object().member("cursor", to_string(at)).key("revision").number(at.revision);
  out.key("at").time(last.at);
  if (last.progress) {
    out.key("progress");
    write(out, *last.progress);
  }
  out.key("events").begin_array();
  for (const auto& news : changes)
    for (const auto& one : news->events)
      if (is_event_shown(one, detail))
        std::visit(change_event_writer{out, *news, detail, plans, write_a2a}, one);
  out.end_array().end_object();
}

} // namespace troupe::opt
