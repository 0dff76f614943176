#include "protocol/record/record.hpp"

#include "protocol/a2a/codec_progress.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/record/record_json.hpp"

#include <charconv>

namespace troupe::record {

namespace json = boost::json;

namespace {

// -- a task ---------------------------------------------------------------------------------------

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
    out.trackers.push_back(
        {text(tracker, "id"), amount(tracker, "progress"), amount(tracker, "total"),
         text(tracker, "message"),
         status ? std::optional{named(*status, tracker_status_from)} : std::nullopt,
         rfc3339(tracker, "startedAt"), rfc3339(tracker, "updatedAt")});
  }
  if (const auto* found = find(in, "aggregate")) {
    const auto& aggregate = found->as_object();
    out.aggregate = {amount(aggregate, "progress"), amount(aggregate, "total"),
                     text(aggregate, "message")};
  }
  return out;
}

void write_progress_pointee(json_writer& out, const progress_ptr& value) {
  if (value)
    write_progress(out, *value);
  else
    out.null();
}

void write_metadata(json_writer& out, const task& task) {
  if (!task.origin) {
    write_tree(out, "m", task.metadata);
    return;
  }
  out.key("m").begin_object();
  opt::write_task_metadata(out, task);
  for (const auto& member : task.metadata)
    out.escaped_key({member.key().data(), member.key().size()}).value(member.value());
  out.end_object();
}

// -- its life -------------------------------------------------------------------------------------

// [by, until]
void write_claim(json_writer& out, const input_claim& claim) {
  out.begin_array().string(claim.by);
  out.number(std::int64_t{claim.until.time_since_epoch().count()}).end_array();
}

input_claim claim_from(const json::value& in) {
  const auto& pair = in.as_array();
  return {text_from(pair.at(0)), time_from(pair.at(1))};
}

void write_question(json_writer& out, const question& asked) {
  out.begin_object().member("i", asked.id).key("n").number(asked.attempt);
  if (asked.kind == question_kind::auth)
    out.key("auth").boolean(true);
  out.optional_member("q", asked.prompt).optional_member("k", asked.key);
  write_tree(out, "f", asked.form);
  write_tree(out, "d", asked.data);
  if (asked.deadline)
    write_time(out, "by", *asked.deadline);
  write_time(out, "t", asked.opened);
  if (asked.claim) {
    out.key("cl");
    write_claim(out, *asked.claim);
  }
  if (asked.remind_after.count() != 0)
    out.key("ra").number(std::int64_t{asked.remind_after.count()});
  if (asked.remind_at)
    write_time(out, "rat", *asked.remind_at);
  if (asked.reminders != 0)
    out.key("rn").number(asked.reminders);
  out.end_object();
}

question question_from(const json::object& in) {
  question out;
  out.id = text(in, "i");
  out.attempt = number<std::uint32_t>(in, "n", 1);
  out.kind = find(in, "auth") ? question_kind::auth : question_kind::input;
  out.prompt = text(in, "q");
  out.key = text(in, "k");
  out.form = tree(in, "f");
  out.data = tree(in, "d");
  if (const auto* deadline = find(in, "by"))
    out.deadline = time_from(*deadline);
  out.opened = time(in, "t", {});
  if (const auto* claim = find(in, "cl"))
    out.claim = claim_from(*claim);
  out.remind_after = std::chrono::milliseconds{number<std::int64_t>(in, "ra", 0)};
  if (const auto* due = find(in, "rat"))
    out.remind_at = time_from(*due);
  out.reminders = number<std::uint32_t>(in, "rn", 0);
  return out;
}

void write_closed(json_writer& out, const closed_question& closed) {
  out.begin_object().member("s", to_string(closed.state)).key("q");
  write_question(out, closed.asked);
  write_time(out, "t", closed.at);
  out.optional_member("by", closed.by).optional_member("m", closed.message);
  if (closed.action != answer_action::accept)
    out.member("ac", to_string(closed.action));
  out.optional_member("why", closed.reason).end_object();
}

answer_action action_from(const json::object& in) {
  const auto* action = find(in, "ac");
  return action ? named(*action, answer_action_from) : answer_action::accept;
}

closed_question closed_from(const json::object& in) {
  return {.asked = question_from(at(in, "q").as_object()),
          .state = named(at(in, "s"), question_state_from),
          .at = time(in, "t", {}),
          .by = text(in, "by"),
          .message = text(in, "m"),
          .action = action_from(in),
          .reason = text(in, "why")};
}

// [phase, attempt, begin, end, reason]
void write_span(json_writer& out, const task_span& span) {
  out.begin_array().string(to_string(span.phase)).number(span.attempt);
  out.number(std::int64_t{span.begin.time_since_epoch().count()})
      .number(std::int64_t{span.end.time_since_epoch().count()});
  out.string(span.reason).end_array();
}

task_span span_from(const json::array& in) {
  return {named(in.at(0), task_phase_from), in.at(1).to_number<std::uint32_t>(),
          time_from(in.at(2)), time_from(in.at(3)), text_from(in.at(4))};
}

void write_details(json_writer& out, const task_details& details) {
  write_texts(out, "om", details.accepted_output_modes);
  write_trace(out, details.trace);
  out.optional_member("by", details.taken_by).optional_member("nt", details.note);
  if (!details.spans.empty()) {
    out.key("sp").begin_array();
    for (const auto& span : details.spans)
      write_span(out, span);
    out.end_array();
  }
  if (details.spans_dropped != 0)
    out.key("sd").number(details.spans_dropped);
  write_usage(out, details.usage);
}

task_details details_from(const json::object& in) {
  task_details out;
  out.accepted_output_modes = texts(in, "om");
  out.trace = trace_of(in);
  out.taken_by = text(in, "by");
  out.note = text(in, "nt");
  if (const auto* spans = find(in, "sp"))
    for (const auto& span : spans->as_array())
      out.spans.push_back(span_from(span.as_array()));
  out.spans_dropped = number<std::uint32_t>(in, "sd", 0);
  out.usage = usage_of(in);
  return out;
}

// All but where it comes from and its metadata. What equals `usual` is left out.
void write_members(json_writer& out, const task& value, const task& usual) {
  if (value.id != usual.id)
    out.member("i", value.id.str());
  if (value.context != usual.context)
    out.member("c", value.context);
  out.optional_member("own", value.owner).optional_member("a", value.agent);
  if (value.attempt != 0)
    out.key("n").number(value.attempt);
  if (value.failures != 0)
    out.key("f").number(value.failures);
  if (value.awaits_retry)
    out.key("w").boolean(true);
  if (value.is_queued)
    out.key("wq").boolean(true);
  if (value.questions != 0)
    out.key("qn").number(value.questions);
  if (value.question) {
    out.key("qu");
    write_question(out, value.question.get());
  }
  if (!value.closed->empty()) {
    out.key("qc").begin_array();
    for (const auto& closed : value.closed.get())
      write_closed(out, closed);
    out.end_array();
  }
  if (value.status.state != usual.status.state)
    out.member("s", to_string(value.status.state));
  if (value.status.at != usual.status.at)
    write_time(out, "at", value.status.at);
  if (value.status.message) {
    out.key("msg");
    write(out, *value.status.message);
  }
  if (value.created != usual.created)
    write_time(out, "cr", value.created);
  if (value.ready_at != value.created)
    write_time(out, "rd", value.ready_at);
  if (value.since != value.created)
    write_time(out, "si", value.since);
  if (value.details)
    write_details(out, value.details.get());
  if (value.progress) {
    out.key("pr");
    write_progress(out, *value.progress);
  }
  if (!value.artifacts.empty()) {
    out.key("ar").begin_array();
    for (const auto& output : value.artifacts)
      write_pointee(out, output);
    out.end_array();
  }
  if (!value.history.empty()) {
    out.key("h").begin_array();
    for (const auto& turn : value.history)
      write_pointee(out, turn);
    out.end_array();
  }
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
  out.is_queued = flag(in, "wq");
  out.questions = number<std::uint32_t>(in, "qn", 0);
  if (const auto* asked = find(in, "qu"))
    out.question = question_from(asked->as_object());
  if (const auto* closed = find(in, "qc"))
    for (const auto& each : closed->as_array())
      out.closed.edit().push_back(closed_from(each.as_object()));
  if (const auto* state = find(in, "s"))
    out.status.state = named(*state, task_state_from);
  out.status.at = time(in, "at", out.status.at);
  if (const auto* message = find(in, "msg"))
    out.status.message = pointee(*message, message_from);
  out.created = time(in, "cr", out.created);
  out.ready_at = time(in, "rd", out.created);
  out.since = time(in, "si", out.created);
  if (auto details = details_from(in); details != task_details{})
    out.details = std::move(details);
  if (const auto* progress = find(in, "pr"))
    out.progress = pointee(*progress, progress_report_from);
  if (const auto* artifacts = find(in, "ar"))
    for (const auto& output : artifacts->as_array())
      out.artifacts.push_back(pointee(output, artifact_from));
  if (const auto* history = find(in, "h"))
    for (const auto& turn : history->as_array())
      out.history.push_back(pointee(turn, message_from));
  out.metadata = tree(in, "m");
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

// -- facts, each an object whose first member says what it is -------------------------------------

void write_indexes(json_writer& out, std::string_view name,
                   const std::vector<std::uint32_t>& indexes) {
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

void write_edits(json_writer& out, const edits& value) {
  out.begin_object().optional_member("n", value.name).optional_member("d", value.description);
  write_tree(out, "m", value.metadata);
  out.end_object();
}

edits edits_from(const json::object& in) {
  return {text(in, "n"), text(in, "d"), tree(in, "m")};
}

// Each operation is an array whose first item says which one it is.
struct operation_writer {
  json_writer& out;

  void operator()(const add_task& added) const {
    out.string("add");
    write_task_spec(out, added.spec, {});
  }
  void operator()(const remove_task<std::uint32_t>& removed) const {
    out.string("remove").number(removed.task);
  }
  void operator()(const add_dependency<std::uint32_t>& added) const {
    out.string("depend").number(added.task).number(added.on);
  }
  void operator()(const remove_dependency<std::uint32_t>& removed) const {
    out.string("free").number(removed.task).number(removed.on);
  }
  void operator()(const rename_task<std::uint32_t>& renamed) const {
    out.string("name").number(renamed.task).string(renamed.name);
  }
  void operator()(const set_deadline<std::uint32_t>& set) const {
    out.string("deadline").number(set.task);
    if (set.deadline)
      out.number(std::int64_t{set.deadline->time_since_epoch().count()});
    else
      out.null();
  }
  void operator()(const set_priority<std::uint32_t>& set) const {
    out.string("priority").number(set.task).number(std::int64_t{set.priority});
  }
  void operator()(const put_task<std::uint32_t>& put) const {
    out.string("put").number(put.task);
    write_task_spec(out, put.spec, {});
  }
  void operator()(const skip_task<std::uint32_t>& skipped) const {
    out.string("skip").number(skipped.task);
  }
  void operator()(const complete_task<std::uint32_t>& completed) const {
    out.string("end").number(completed.task);
  }
  void operator()(const retry_task<std::uint32_t>& retried) const {
    out.string("again").number(retried.task);
  }
  void operator()(const edit_plan& edited) const {
    out.string("plan");
    write_edit(edited);
  }

  void operator()(const edit_objective& edited) const {
    out.string("fields");
    begin_edit(edited);
    out.end_object();
  }
  void operator()(const edit_plan_of<std::uint32_t>& edited) const {
    out.string("plan fields").number(edited.plan);
    write_edit(edited.edit);
  }
  void operator()(const skip_plan<std::uint32_t>& skipped) const {
    out.string("skip plan").number(skipped.plan);
  }
  void operator()(const remove_plan<std::uint32_t>& removed) const {
    out.string("remove plan").number(removed.plan);
  }
  void operator()(const set_plan_dependencies<std::uint32_t>& set) const {
    out.string("order").number(set.plan).begin_array();
    for (const auto on : set.on)
      out.number(on);
    out.end_array();
  }

  template<class Edit>
  void begin_edit(const Edit& edited) const {
    out.begin_object().key("e");
    write_edits(out, edited.edited);
    if (edited.deadline && edited.deadline->at)
      write_time(out, "by", *edited.deadline->at);
    else if (edited.deadline)
      out.key("by").null();
    if (edited.priority)
      out.key("pri").number(std::int64_t{*edited.priority});
    if (edited.parallel_max)
      out.key("x").number(*edited.parallel_max);
  }
  void write_edit(const edit_plan& edited) const {
    begin_edit(edited);
    if (edited.failure)
      out.key("go").boolean(*edited.failure == on_failure::keep_going);
    out.end_object();
  }
};

template<class Edit>
Edit edit_from(const json::object& in) {
  Edit out;
  out.edited = edits_from(at(in, "e").as_object());
  if (const auto* deadline = find(in, "by"))
    out.deadline =
        deadline_edit{deadline->is_null() ? std::nullopt : std::optional{time_from(*deadline)}};
  if (const auto* priority = find(in, "pri"))
    out.priority = priority->to_number<std::int32_t>();
  if (const auto* most = find(in, "x"))
    out.parallel_max = most->to_number<std::uint32_t>();
  return out;
}

edit_plan edit_plan_from(const json::object& in) {
  auto out = edit_from<edit_plan>(in);
  if (const auto* keep_going = find(in, "go"))
    out.failure = keep_going->as_bool() ? on_failure::keep_going : on_failure::fail_fast;
  return out;
}

applied_operation operation_from(const json::array& in) {
  const auto kind = text_from(in.at(0));
  if (kind == "add")
    return add_task{task_spec_from(in.at(1).as_object(), {})};
  if (kind == "plan")
    return edit_plan_from(in.at(1).as_object());
  const auto task = in.at(1).to_number<std::uint32_t>();
  if (kind == "remove")
    return remove_task<std::uint32_t>{task};
  if (kind == "depend")
    return add_dependency<std::uint32_t>{task, in.at(2).to_number<std::uint32_t>()};
  if (kind == "free")
    return remove_dependency<std::uint32_t>{task, in.at(2).to_number<std::uint32_t>()};
  if (kind == "name")
    return rename_task<std::uint32_t>{task, text_from(in.at(2))};
  if (kind == "deadline")
    return set_deadline<std::uint32_t>{
        task, in.at(2).is_null() ? std::nullopt : std::optional{time_from(in.at(2))}};
  if (kind == "priority")
    return set_priority<std::uint32_t>{task, in.at(2).to_number<std::int32_t>()};
  if (kind == "put")
    return put_task<std::uint32_t>{task, task_spec_from(in.at(2).as_object(), {})};
  if (kind == "skip")
    return skip_task<std::uint32_t>{task};
  if (kind == "end")
    return complete_task<std::uint32_t>{task};
  if (kind == "again")
    return retry_task<std::uint32_t>{task};
  throw std::runtime_error("unknown operation " + kind);
}

applied_objective_operation objective_operation_from(const json::array& in) {
  const auto kind = text_from(in.at(0));
  if (kind == "fields")
    return edit_from<edit_objective>(in.at(1).as_object());
  const auto plan = in.at(1).to_number<std::uint32_t>();
  if (kind == "plan fields")
    return edit_plan_of<std::uint32_t>{plan, edit_plan_from(in.at(2).as_object())};
  if (kind == "skip plan")
    return skip_plan<std::uint32_t>{plan};
  if (kind == "remove plan")
    return remove_plan<std::uint32_t>{plan};
  if (kind == "order")
    return set_plan_dependencies<std::uint32_t>{plan, indexes_from(in.at(2))};
  throw std::runtime_error("unknown operation " + kind);
}

struct fact_writer {
  json_writer& out;
  const change& where;

  void operator()(const objective_created& created) const {
    out.key("objective");
    write_pointee(out, created.spec);
    out.optional_member("root", created.root_task.str()).optional_member("own", created.owner);
    write_trace(out, created.trace);
  }
  void operator()(const objective_edited& edited) const {
    out.key("edited");
    write_edits(out, edited.edited);
    write_usage(out, edited.used);
  }
  void operator()(const plan_edited& edited) const {
    out.key("plan edited");
    write_edits(out, edited.edited);
    out.key("p").number(edited.plan);
  }
  void operator()(const objective_moved& moved) const {
    out.member("objective to", to_string(moved.to())).optional_member("why", moved.reason);
  }
  void operator()(const plan_added& added) const {
    out.key("plan");
    write_pointee(out, added.spec);
    if (added.start)
      out.key("start").boolean(true);
    if (added.revision != 0)
      out.key("rev").number(added.revision);
  }
  void operator()(const plan_moved& moved) const {
    out.member("plan to", to_string(moved.to()))
        .key("p")
        .number(moved.plan)
        .optional_member("why", moved.reason);
    if (moved.requested)
      out.key("rq").boolean(true);
  }
  void operator()(const plan_changed& changed) const {
    out.key("plan changed");
    write_operations(changed.operations);
    out.key("p").number(changed.plan).key("rev").number(changed.revision);
    out.optional_member("by", changed.author).optional_member("why", changed.reason);
  }
  void operator()(const objective_changed& changed) const {
    out.key("changed");
    write_operations(changed.operations);
    out.key("rev").number(changed.revision);
    out.optional_member("by", changed.author).optional_member("why", changed.reason);
  }
  template<class Operation>
  void write_operations(const std::vector<Operation>& operations) const {
    out.begin_array();
    for (const auto& each : operations) {
      out.begin_array();
      std::visit(operation_writer{out}, each);
      out.end_array();
    }
    out.end_array();
  }
  void operator()(const tasks_withdrawn& withdrawn) const {
    write_indexes(out, "withdrawn", withdrawn.tasks);
    out.key("p")
        .number(withdrawn.plan)
        .member("to", to_string(withdrawn.to))
        .optional_member("why", withdrawn.reason);
    write_tree(out, "m", withdrawn.metadata);
    if (withdrawn.artifacts.empty())
      return;
    out.key("ar").begin_array();
    for (const auto& made : withdrawn.artifacts)
      write_pointee(out, made);
    out.end_array();
  }
  void operator()(const tasks_renewed& renewed) const {
    write_indexes(out, "renewed", renewed.tasks);
    out.key("p").number(renewed.plan);
  }
  void operator()(const pause_changed& changed) const {
    out.key("paused").boolean(changed.paused);
    if (changed.plan)
      out.key("p").number(*changed.plan);
    if (changed.for_planner)
      out.key("pl").boolean(true);
  }
  void operator()(const objective_closing& closing) const {
    out.member("closing", to_string(closing.to)).optional_member("why", closing.reason);
  }
  void operator()(const task_created& created) const {
    out.key("created");
    if (!created.record) {
      out.null();
      return;
    }
    out.begin_object();
    write_members(out, *created.record, usual_task(where));
    write_tree(out, "m", created.record->metadata);
    out.end_object();
  }
  void operator()(const task_moved& moved) const {
    out.member("to", to_string(moved.to));
    if (moved.attempt != 0)
      out.key("n").number(moved.attempt);
    if (moved.failures != 0)
      out.key("f").number(moved.failures);
    out.optional_member("by", moved.taken_by);
    if (moved.message) {
      out.key("msg");
      write(out, *moved.message);
    }
  }
  void operator()(const question_opened& opened) const {
    out.key("asked");
    if (opened.asked)
      write_question(out, *opened.asked);
    else
      out.null();
  }
  void operator()(const question_answered& answered) const {
    out.member("answered", answered.id).optional_member("by", answered.by);
    out.optional_member("m", answered.message);
    if (answered.action != answer_action::accept)
      out.member("ac", to_string(answered.action));
  }
  void operator()(const question_expired& expired) const { out.member("expired", expired.id); }
  void operator()(const question_withdrawn& withdrawn) const {
    out.member("not asked", withdrawn.id).optional_member("why", withdrawn.reason);
  }
  void operator()(const question_claimed& claimed) const {
    out.member("claimed", claimed.id).key("cl");
    write_claim(out, claimed.claim);
  }
  void operator()(const question_released& released) const {
    out.member("released", released.id).optional_member("by", released.by);
  }
  void operator()(const question_reminded& reminded) const {
    out.member("reminded", reminded.id).key("n").number(reminded.count);
    if (reminded.state != task_state::input_required)
      out.member("in", to_string(reminded.state));
    if (reminded.message) {
      out.key("msg");
      write(out, *reminded.message);
    }
  }
  void operator()(const task_queued&) const { out.key("queued").boolean(true); }
  void operator()(const task_resumed&) const { out.key("resumed").boolean(true); }
  void operator()(const task_noted& noted) const { out.member("noted", noted.note); }
  void operator()(const task_message& message) const {
    out.key("message");
    write_pointee(out, message.message);
    if (message.state != task_state::working)
      out.member("in", to_string(message.state));
  }
  void operator()(const task_artifact& artifact) const {
    out.key("artifact");
    write_pointee(out, artifact.artifact);
    if (artifact.append)
      out.key("append").boolean(true);
    if (artifact.last_chunk)
      out.key("last").boolean(true);
  }
  void operator()(const task_progress& progress) const {
    out.key("progress");
    write_progress_pointee(out, progress.progress);
  }
};

message_ptr message_in(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found ? pointee(*found, message_from) : nullptr;
}

std::uint32_t plan_in(const json::object& in) {
  return at(in, "p").to_number<std::uint32_t>();
}

task_created created_from(const json::value& from, const change& where) {
  if (from.is_null())
    return {};
  return {std::make_shared<task>(task_from(from.as_object(), usual_task(where)))};
}

plan_changed plan_changed_from(const json::value& operations, const json::object& in) {
  plan_changed out{
      plan_in(in), {}, text(in, "by"), text(in, "why"), number<std::uint64_t>(in, "rev", 0)};
  for (const auto& each : operations.as_array())
    out.operations.push_back(operation_from(each.as_array()));
  return out;
}

objective_changed objective_changed_from(const json::value& operations, const json::object& in) {
  objective_changed out{{}, text(in, "by"), text(in, "why"), number<std::uint64_t>(in, "rev", 0)};
  for (const auto& each : operations.as_array())
    out.operations.push_back(objective_operation_from(each.as_array()));
  return out;
}

tasks_withdrawn withdrawn_from(const json::value& tasks, const json::object& in) {
  tasks_withdrawn out{plan_in(in), indexes_from(tasks), named(at(in, "to"), task_state_from),
                      text(in, "why"), tree(in, "m")};
  if (const auto* artifacts = find(in, "ar"))
    for (const auto& made : artifacts->as_array())
      out.artifacts.push_back(pointee(made, artifact_from));
  return out;
}

event event_from(const json::object& in, const change& where) {
  if (in.empty())
    throw std::runtime_error("an empty fact");
  const auto& first = *in.begin();
  const auto kind = std::string_view{first.key().data(), first.key().size()};
  const auto& value = first.value();
  if (kind == "to")
    return task_moved{named(value, task_state_from), number<std::uint32_t>(in, "n", 0),
                      message_in(in, "msg"), number<std::uint32_t>(in, "f", 0), text(in, "by")};
  if (kind == "created")
    return created_from(value, where);
  if (kind == "progress")
    return task_progress{pointee(value, progress_report_from)};
  if (kind == "artifact")
    return task_artifact{pointee(value, artifact_from), flag(in, "append"), flag(in, "last")};
  if (kind == "message")
    return task_message{pointee(value, message_from), find(in, "in")
                                                          ? named(at(in, "in"), task_state_from)
                                                          : task_state::working};
  if (kind == "asked")
    return question_opened{pointee(value, question_from)};
  if (kind == "answered")
    return question_answered{text_from(value), text(in, "by"), text(in, "m"), action_from(in)};
  if (kind == "expired")
    return question_expired{text_from(value)};
  if (kind == "not asked")
    return question_withdrawn{text_from(value), text(in, "why")};
  if (kind == "claimed")
    return question_claimed{text_from(value), claim_from(at(in, "cl"))};
  if (kind == "released")
    return question_released{text_from(value), text(in, "by")};
  if (kind == "reminded")
    return question_reminded{text_from(value), message_in(in, "msg"),
                             find(in, "in") ? named(at(in, "in"), task_state_from)
                                            : task_state::input_required,
                             number<std::uint32_t>(in, "n", 1)};
  if (kind == "queued")
    return task_queued{};
  if (kind == "resumed")
    return task_resumed{};
  if (kind == "noted")
    return task_noted{text_from(value)};
  if (kind == "plan to")
    return plan_moved{plan_in(in), event_to(named(value, plan_state_from)), text(in, "why"),
                      flag(in, "rq")};
  if (kind == "plan changed")
    return plan_changed_from(value, in);
  if (kind == "changed")
    return objective_changed_from(value, in);
  if (kind == "objective to")
    return objective_moved{event_to(named(value, objective_state_from)), text(in, "why")};
  if (kind == "withdrawn")
    return withdrawn_from(value, in);
  if (kind == "renewed")
    return tasks_renewed{plan_in(in), indexes_from(value)};
  if (kind == "paused")
    return pause_changed{value.as_bool(), find(in, "p") ? std::optional{plan_in(in)} : std::nullopt,
                         flag(in, "pl")};
  if (kind == "closing")
    return objective_closing{named(value, objective_state_from), text(in, "why")};
  if (kind == "objective")
    return objective_created{pointee(value, objective_spec_from), task_id{text(in, "root")},
                             text(in, "own"), shared_trace(trace_of(in))};
  if (kind == "plan")
    return plan_added{pointee(value, plan_spec_from), flag(in, "start"),
                      number<std::uint64_t>(in, "rev", 0)};
  if (kind == "edited")
    return objective_edited{edits_from(value.as_object()), usage_of(in)};
  if (kind == "plan edited")
    return plan_edited{plan_in(in), edits_from(value.as_object())};
  throw std::runtime_error("a fact of an unknown kind, " + std::string{kind});
}

// -- where a fact belongs -------------------------------------------------------------------------

// Whether `id` is the generated one: `<objective>.p<plan>.t<task>`.
bool is_generated_task(std::string_view id, std::string_view objective, std::uint32_t plan,
                       std::uint32_t task) {
  if (!id.starts_with(objective))
    return false;
  std::array<char, 32> tail{'.', 'p'};
  const auto end = tail.data() + tail.size();
  auto* at = std::to_chars(tail.data() + 2, end, plan).ptr;
  *at++ = '.';
  *at++ = 't';
  at = std::to_chars(at, end, task).ptr;
  return id.substr(objective.size())
         == std::string_view{tail.data(), static_cast<std::size_t>(at - tail.data())};
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
                     : make_task_id(make_plan_id(objective_id{stream}, out.task.plan_index),
                                    out.task.task_index);
  } else if (const auto* context = find(in, "c")) {
    out.task.id = task_id{stream};
    out.context = text_from(*context);
  }
  if (const auto* by = find(in, "by"))
    out.by = text_from(*by);
  const auto& events = at(in, "e").as_array();
  out.events.reserve(events.size());
  for (const auto& item : events)
    out.events.push_back(event_from(item.as_object(), out));
  return out;
}

} // namespace

void write(std::string& out, const change& change) {
  json_writer json{out};
  json.begin_object();
  write_time(json, "t", change.at);
  if (const auto& task = change.task; !task.id.empty()) {
    if (task.lone) {
      json.member("c", change.context);
    } else {
      json.key("p").begin_array().number(task.plan_index).number(task.task_index).end_array();
      if (!is_generated_task(task.id.str(), change.context, task.plan_index, task.task_index))
        json.member("i", task.id.str());
    }
  }
  if (change.by)
    json.member("by", *change.by);
  json.key("e").begin_array();
  for (const auto& fact : change.events) {
    json.begin_object();
    std::visit(fact_writer{json, change}, fact);
    json.end_object();
  }
  json.end_array().end_object();
}

result<change> read_change(std::string_view row, std::string_view stream, std::uint64_t sequence) {
  return read_row<change>(
      "change", row, [&](const json::object& in) { return change_from(in, stream, sequence); });
}

bool is_row_of_lone_task(std::string_view begin) {
  const auto behind_time = begin.find(',');
  return behind_time != std::string_view::npos && begin.substr(behind_time).starts_with(R"(,"c":)");
}

void write(std::string& out, const task& value) {
  task usual;
  usual.status.state = task_state::unspecified;
  json_writer json{out};
  json.begin_object();
  write_members(json, value, usual);
  write_metadata(json, value);
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
