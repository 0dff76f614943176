#include "protocol/record.hpp"

#include "protocol/codec_opt.hpp"
#include "protocol/codec_progress.hpp"
#include "protocol/record_json.hpp"

#include <charconv>

namespace troupe::record {

namespace json = boost::json;

namespace {

// -- a task ----------------------------------------------------------------------------------------------------------

std::optional<double> amount(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found && !found->is_null() ? std::optional{found->to_number<double>()} : std::nullopt;
}

std::optional<timestamp> rfc3339(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found ? std::optional{named(*found, parse_rfc3339)} : std::nullopt;
}

// A report that was accepted once is read back without being judged again.
progress_report progress_report_from(const json::object& in) {
  progress_report out;
  for (const auto& item : at(in, "trackers").as_array()) {
    const auto& tracker = item.as_object();
    const auto* status = find(tracker, "status");
    out.trackers.push_back({text(tracker, "id"), amount(tracker, "progress"), amount(tracker, "total"),
                            text(tracker, "message"),
                            status ? std::optional{named(*status, tracker_status_from)} : std::nullopt,
                            rfc3339(tracker, "startedAt"), rfc3339(tracker, "updatedAt")});
  }
  if (const auto* found = find(in, "aggregate")) {
    const auto& aggregate = found->as_object();
    out.aggregate = {amount(aggregate, "progress"), amount(aggregate, "total"), text(aggregate, "message")};
  }
  return out;
}

void write_progress_pointee(json_writer& out, const progress_ptr& value) {
  if (value)
    write_progress(out, *value);
  else
    out.null();
}

void write_metadata(json_writer& out, const task& what) {
  if (!what.origin) {
    write_tree(out, "m", what.metadata);
    return;
  }
  out.key("m").begin_object();
  opt::write_task_metadata(out, what);
  for (const auto& member : what.metadata)
    out.escaped_key({member.key().data(), member.key().size()}).value(member.value());
  out.end_object();
}

// All but where it comes from and its metadata. What equals `usual` is left out.
void write_members(json_writer& out, const task& what, const task& usual) {
  if (what.id != usual.id)
    out.member("i", what.id.str());
  if (what.context != usual.context)
    out.member("c", what.context);
  out.optional_member("own", what.owner).optional_member("a", what.agent);
  if (what.attempt != 0)
    out.key("n").number(what.attempt);
  if (what.failures != 0)
    out.key("f").number(what.failures);
  if (what.awaits_retry)
    out.key("w").boolean(true);
  if (what.status.state != usual.status.state)
    out.member("s", to_string(what.status.state));
  if (what.status.at != usual.status.at)
    write_time(out, "at", what.status.at);
  if (what.status.message) {
    out.key("msg");
    write(out, *what.status.message);
  }
  if (what.created != usual.created)
    write_time(out, "cr", what.created);
  if (what.progress) {
    out.key("pr");
    write_progress(out, *what.progress);
  }
  if (!what.artifacts.empty()) {
    out.key("ar").begin_array();
    for (const auto& output : what.artifacts)
      write_pointee(out, output);
    out.end_array();
  }
  if (!what.history.empty()) {
    out.key("h").begin_array();
    for (const auto& turn : what.history)
      write_pointee(out, turn);
    out.end_array();
  }
  write_texts(out, "om", what.accepted_output_modes);
}

bool flag(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found && found->as_bool();
}

task task_from(const json::object& in, task out) {
  if (const auto* id = find(in, "i"))
    out.id = task_id{text_from(*id)};
  if (const auto* context = find(in, "c"))
    out.context = text_from(*context);
  out.owner = text(in, "own");
  out.agent = text(in, "a");
  out.attempt = number<std::uint32_t>(in, "n", 0);
  out.failures = number<std::uint32_t>(in, "f", 0);
  out.awaits_retry = flag(in, "w");
  if (const auto* state = find(in, "s"))
    out.status.state = named(*state, task_state_from);
  out.status.at = time(in, "at", out.status.at);
  if (const auto* message = find(in, "msg"))
    out.status.message = pointee(*message, message_from);
  out.created = time(in, "cr", out.created);
  if (const auto* progress = find(in, "pr"))
    out.progress = pointee(*progress, progress_report_from);
  if (const auto* artifacts = find(in, "ar"))
    for (const auto& output : artifacts->as_array())
      out.artifacts.push_back(pointee(output, artifact_from));
  if (const auto* history = find(in, "h"))
    for (const auto& turn : history->as_array())
      out.history.push_back(pointee(turn, message_from));
  out.metadata = tree(in, "m");
  out.accepted_output_modes = texts(in, "om");
  return out;
}

// What a task is when `where` creates it and nothing else is said.
task usual_task(const change& where) {
  task usual;
  usual.id = where.task.id;
  usual.context = where.context;
  usual.origin.plan_index = where.task.plan_index;
  usual.origin.task_index = where.task.task_index;
  usual.status = {task_state::submitted, nullptr, where.at};
  usual.created = where.at;
  return usual;
}

// -- facts, each an object whose first member says what it is -----------------------------------------------------------

void write_indexes(json_writer& out, std::string_view name, const std::vector<std::uint32_t>& indexes) {
  out.key(name).begin_array();
  for (const auto index : indexes)
    out.number(index);
  out.end_array();
}

std::vector<std::uint32_t> indexes_from(const json::value& from) {
  std::vector<std::uint32_t> out;
  for (const auto& index : from.as_array())
    out.push_back(index.to_number<std::uint32_t>());
  return out;
}

struct fact_writer {
  json_writer& out;
  const change& where;

  void operator()(const objective_created& what) const {
    out.key("objective");
    write_pointee(out, what.spec);
    out.optional_member("root", what.root_task.str()).optional_member("own", what.owner);
  }
  void operator()(const objective_edited& what) const {
    out.key("edited").begin_object().optional_member("n", what.name).optional_member("d", what.description);
    out.end_object();
  }
  void operator()(const objective_moved& what) const {
    out.member("objective to", to_string(what.to)).optional_member("why", what.reason);
  }
  void operator()(const plan_added& what) const {
    out.key("plan");
    write_pointee(out, what.spec);
    if (what.start)
      out.key("start").boolean(true);
  }
  void operator()(const plan_moved& what) const {
    out.member("plan to", to_string(what.to)).key("p").number(what.plan).optional_member("why", what.reason);
    if (what.requested)
      out.key("rq").boolean(true);
  }
  void operator()(const tasks_withdrawn& what) const {
    write_indexes(out, "withdrawn", what.tasks);
    out.key("p").number(what.plan).member("to", to_string(what.to)).optional_member("why", what.reason);
    write_tree(out, "m", what.metadata);
  }
  void operator()(const tasks_renewed& what) const {
    write_indexes(out, "renewed", what.tasks);
    out.key("p").number(what.plan);
  }
  void operator()(const pause_changed& what) const {
    out.key("paused").boolean(what.paused);
    if (what.plan)
      out.key("p").number(*what.plan);
  }
  void operator()(const objective_closing& what) const {
    out.member("closing", to_string(what.to)).optional_member("why", what.reason);
  }
  void operator()(const task_created& what) const {
    out.key("created");
    if (!what.record) {
      out.null();
      return;
    }
    out.begin_object();
    write_members(out, *what.record, usual_task(where));
    write_tree(out, "m", what.record->metadata);
    out.end_object();
  }
  void operator()(const task_moved& what) const {
    out.member("to", to_string(what.to));
    if (what.attempt != 0)
      out.key("n").number(what.attempt);
    if (what.failures != 0)
      out.key("f").number(what.failures);
    if (what.message) {
      out.key("msg");
      write(out, *what.message);
    }
  }
  void operator()(const task_message& what) const {
    out.key("message");
    write_pointee(out, what.what);
  }
  void operator()(const task_artifact& what) const {
    out.key("artifact");
    write_pointee(out, what.what);
    if (what.append)
      out.key("append").boolean(true);
    if (what.last_chunk)
      out.key("last").boolean(true);
  }
  void operator()(const task_progress& what) const {
    out.key("progress");
    write_progress_pointee(out, what.what);
  }
};

message_ptr message_of(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found ? pointee(*found, message_from) : nullptr;
}

std::uint32_t plan_of(const json::object& in) {
  return at(in, "p").to_number<std::uint32_t>();
}

task_created created_from(const json::value& from, const change& where) {
  if (from.is_null())
    return {};
  return {std::make_shared<task>(task_from(from.as_object(), usual_task(where)))};
}

event event_from(const json::object& in, const change& where) {
  if (in.empty())
    throw std::runtime_error("an empty fact");
  const auto& first = *in.begin();
  const auto kind = std::string_view{first.key().data(), first.key().size()};
  const auto& value = first.value();
  if (kind == "to")
    return task_moved{named(value, task_state_from), number<std::uint32_t>(in, "n", 0), message_of(in, "msg"),
                      number<std::uint32_t>(in, "f", 0)};
  if (kind == "created")
    return created_from(value, where);
  if (kind == "progress")
    return task_progress{pointee(value, progress_report_from)};
  if (kind == "artifact")
    return task_artifact{pointee(value, artifact_from), flag(in, "append"), flag(in, "last")};
  if (kind == "message")
    return task_message{pointee(value, message_from)};
  if (kind == "plan to")
    return plan_moved{plan_of(in), named(value, plan_state_from), text(in, "why"), flag(in, "rq")};
  if (kind == "objective to")
    return objective_moved{named(value, objective_state_from), text(in, "why")};
  if (kind == "withdrawn")
    return tasks_withdrawn{plan_of(in), indexes_from(value), named(at(in, "to"), task_state_from), text(in, "why"),
                           tree(in, "m")};
  if (kind == "renewed")
    return tasks_renewed{plan_of(in), indexes_from(value)};
  if (kind == "paused")
    return pause_changed{value.as_bool(), find(in, "p") ? std::optional{plan_of(in)} : std::nullopt};
  if (kind == "closing")
    return objective_closing{named(value, objective_state_from), text(in, "why")};
  if (kind == "objective")
    return objective_created{pointee(value, objective_spec_from), task_id{text(in, "root")}, text(in, "own")};
  if (kind == "plan")
    return plan_added{pointee(value, plan_spec_from), flag(in, "start")};
  if (kind == "edited")
    return objective_edited{text(value.as_object(), "n"), text(value.as_object(), "d")};
  throw std::runtime_error("a fact of an unknown kind, " + std::string{kind});
}

// -- where a fact belongs ----------------------------------------------------------------------------------------------

// Whether `id` is the generated one: `<objective>.p<plan>.t<task>`.
bool is_generated(std::string_view id, std::string_view objective, std::uint32_t plan, std::uint32_t task) {
  if (!id.starts_with(objective))
    return false;
  std::array<char, 32> tail{'.', 'p'};
  const auto end = tail.data() + tail.size();
  auto* at = std::to_chars(tail.data() + 2, end, plan).ptr;
  *at++ = '.';
  *at++ = 't';
  at = std::to_chars(at, end, task).ptr;
  return id.substr(objective.size()) == std::string_view{tail.data(), static_cast<std::size_t>(at - tail.data())};
}

change change_from(const json::object& in, std::string_view stream, std::uint64_t sequence) {
  change out;
  out.sequence = sequence;
  out.at = time_from(at(in, "t"));
  out.context = stream;
  if (const auto* indexes = find(in, "p")) {
    const auto& pair = indexes->as_array();
    out.task.lone = false;
    out.task.plan_index = pair.at(0).to_number<std::uint32_t>();
    out.task.task_index = pair.at(1).to_number<std::uint32_t>();
    const auto* id = find(in, "i");
    out.task.id = id ? task_id{text_from(*id)}
                     : make_task_id(make_plan_id(objective_id{stream}, out.task.plan_index), out.task.task_index);
  } else if (const auto* context = find(in, "c")) {
    out.task.id = task_id{stream};
    out.context = text_from(*context);
  }
  const auto& events = at(in, "e").as_array();
  out.events.reserve(events.size());
  for (const auto& item : events)
    out.events.push_back(event_from(item.as_object(), out));
  return out;
}

} // namespace

void write(std::string& out, const change& what) {
  json_writer json{out};
  json.begin_object();
  write_time(json, "t", what.at);
  if (const auto& task = what.task; !task.id.empty()) {
    if (task.lone) {
      json.member("c", what.context);
    } else {
      json.key("p").begin_array().number(task.plan_index).number(task.task_index).end_array();
      if (!is_generated(task.id.str(), what.context, task.plan_index, task.task_index))
        json.member("i", task.id.str());
    }
  }
  json.key("e").begin_array();
  for (const auto& fact : what.events) {
    json.begin_object();
    std::visit(fact_writer{json, what}, fact);
    json.end_object();
  }
  json.end_array().end_object();
}

result<change> read_change(std::string_view row, std::string_view stream, std::uint64_t sequence) {
  return read_row<change>("change", row, [&](const json::object& in) { return change_from(in, stream, sequence); });
}

void write(std::string& out, const task& what) {
  task usual;
  usual.status.state = task_state::unspecified;
  json_writer json{out};
  json.begin_object();
  write_members(json, what, usual);
  write_metadata(json, what);
  json.end_object();
}

result<task> read_task(std::string_view row) {
  return read_row<task>("task", row, [](const json::object& in) {
    task usual;
    usual.status.state = task_state::unspecified;
    return task_from(in, std::move(usual));
  });
}

} // namespace troupe::record
