#include "sim/client.hpp"

#include "protocol/json/quoted.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/object_text.hpp"
#include "sim/receiver.hpp"
#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t tasks_known_max = 50;
constexpr std::size_t objectives_known_max = 10;
constexpr std::size_t questions_known_max = 20;
constexpr std::size_t push_configs_known_max = 20;
/// Of a client; one that waits for nothing would do hundreds in a second.
constexpr std::uint64_t operations_max = 150;
/// What the method is called there.
const char* subscription(binding how) {
  return how == binding::json_rpc_0_3 ? "tasks/resubscribe" : "SubscribeToTask";
}

constexpr auto cursor_header = "A2A-Extensions: urn:troupe:stream-cursor:v1\r\n";

} // namespace

client::client(world& in, const std::string& name)
    : in_(in), name_(name), chance_(in.stream("operation " + name)),
      extra_(in.stream("edits of " + name)), caller_(in, name) {
  caller_.on_event = [this](const std::string& data) { on_event(data); };
  caller_.on_end = [this](caller::end how) { on_end(how); };
}

void client::stop() {
  is_stopped_ = true;
  caller_.hang_up();
}

// -- what to do next ------------------------------------------------------------------------------

client::request client::draw_send() {
  request out;
  out.kind = call_kind::send;
  out.message_id = name_ + ".m" + std::to_string(++made_);
  out.is_stream = chance_.chance(0.4);
  out.method = out.is_stream ? "SendStreamingMessage" : "SendMessage";
  out.params = R"({"message":{"messageId":)" + quoted(out.message_id)
               + R"(,"role":"ROLE_USER","parts":[{"text":)" + quoted(out.message_id)
               + R"(}]},"configuration":{"returnImmediately":)"
               + (chance_.chance(0.6) ? "true" : "false") + "}}";
  out.may_repeat = in_.how.deduplicates;
  return out;
}

client::request client::draw_objective() {
  request out;
  out.kind = call_kind::create;
  out.method = "objectives/create";
  ordered_objective made;
  made.id = name_ + ".o" + std::to_string(++made_);
  out.objective = made.id;
  in_.seen.names.insert(made.id);
  made.parallel_max = chance_.chance(0.4) ? static_cast<std::uint32_t>(chance_.between(1, 4)) : 0;
  std::string plans;
  std::vector<std::string> afters;
  const auto count = chance_.between(1, 3);
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = made.id + ".p" + std::to_string(i);
    made.plans.push_back(draw_tasks(in_, chance_, extra_, name));
    made.plans.back().is_first = true;
    learn_plan(in_, made.id, made.plans.back());
    std::string after;
    if (i > 0 && extra_.chance(0.1))
      after = R"(,"dependencies":[)" + quoted(made.plans[i - 1].name) + "]";
    if (after.empty() && i > 0 && made.plans[0].alternatives.size() + 1 == i
        && in_.stream("alternative " + made.plans[i].name).chance(in_.how.alternatives))
      made.plans[0].alternatives.push_back(made.plans[i].name);
    afters.push_back(after);
  }
  for (std::size_t i = 0; i < count; ++i)
    plans += (plans.empty() ? "{" : ",{") + json_of(made.plans[i], in_.how) + afters[i] + "}";
  if (extra_.chance(in_.how.deadlines))
    made.deadline = draw_deadline(in_, extra_, made.id);
  out.params = R"({"id":)" + quoted(made.id) + R"(,"name":)" + quoted(made.id)
               + R"(,"start":true,"maxParallel":)" + std::to_string(made.parallel_max)
               + (made.deadline.empty() ? "" : R"(,"deadline":)" + quoted(made.deadline))
               + R"(,"plans":[)" + plans + "]}";
  remember(in_.known_objectives, made.id, objectives_known_max);
  in_.seen.objectives.push_back(std::move(made));
  return out;
}

client::request client::draw_plan(const std::string& objective) {
  request out;
  out.kind = call_kind::add_plan;
  out.method = "plans/create";
  out.objective = objective;
  // The second plan of c11 is not the twelfth one of c1.
  const auto* mark = name_.size() > 2 ? "-" : "";
  const auto plan =
      draw_tasks(in_, chance_, extra_, objective + ".x" + name_ + mark + std::to_string(++made_));
  out.plan = plan.name;
  out.params = R"({"objectiveId":)" + quoted(objective) + R"(,"id":)" + quoted(plan.name)
               + R"(,"start":true,)" + json_of(plan, in_.how) + "}";
  const auto of = std::ranges::find(in_.seen.objectives, objective, &ordered_objective::id);
  of->plans.push_back(plan);
  learn_plan(in_, objective, plan);
  return out;
}

client::request client::draw_move(const std::string& objective) {
  request out;
  out.kind = call_kind::move;
  out.method = "objectives/update";
  out.objective = objective;
  constexpr auto states = std::to_array<const char*>(
      {"blocked", "blocked", "working", "working", "working", "canceled"});
  out.to = states[chance_.below(states.size())];
  out.params = R"({"id":)" + quoted(objective) + R"(,"status":)" + quoted(out.to) + "}";
  return out;
}

std::optional<client::request> client::draw_other(const std::string& operation) {
  auto drawn = draw_edit(in_, extra_, name_, operation);
  if (!drawn)
    return std::nullopt;
  request out;
  out.kind = drawn->kind;
  out.method = std::move(drawn->method);
  out.params = std::move(drawn->params);
  out.task = std::move(drawn->task);
  out.objective = std::move(drawn->objective);
  out.may_repeat = drawn->may_repeat;
  out.change = std::move(drawn->change);
  out.input = std::move(drawn->input);
  out.message_id = std::move(drawn->message_id);
  out.questions = std::move(drawn->questions);
  out.plan = std::move(drawn->plan);
  out.to = std::move(drawn->to);
  if (out.kind != call_kind::answer_together && extra_.chance(in_.how.other_bindings))
    out.how = binding::rest;
  return out;
}

client::request client::draw_push_config(const std::string& operation, dice& chance) {
  asked_push_config made;
  const auto number = chance.below(receivers_max);
  made.receiver = receiver_name(number);
  object_text config;
  config.add("url", quoted(receiver_url(number))).add("token", quoted(operation));
  config.add("id", quoted(operation));
  const auto turn = chance.below(10);
  request out;
  if (turn < 5 || in_.known_tasks.empty()) {
    out = draw_send();
    constexpr std::string_view before = R"("configuration":{)";
    out.params.insert(out.params.find(before) + before.size(),
                      R"("taskPushNotificationConfig":)" + config.str() + ",");
    made.begins_task = true;
  } else if (turn < 9 || in_.known_push_configs.empty()) {
    made.task = chance.one_of(in_.known_tasks);
    out.kind = call_kind::create_push_config;
    const bool is_0_3 = chance.chance(0.3);
    out.how = is_0_3 ? binding::json_rpc_0_3 : binding::json_rpc;
    out.method = is_0_3 ? "tasks/pushNotificationConfig/set" : "CreateTaskPushNotificationConfig";
    object_text params;
    params.add("taskId", quoted(made.task));
    if (is_0_3)
      params.add("pushNotificationConfig", config.str());
    out.params = is_0_3 ? params.str() : config.add("taskId", quoted(made.task)).str();
  } else {
    const auto token = chance.one_of(in_.known_push_configs);
    auto& known = in_.seen.push_configs.at(token);
    known.is_dropped = true;
    out.kind = call_kind::delete_push_config;
    out.method = "DeleteTaskPushNotificationConfig";
    out.params = object_text().add("taskId", quoted(known.task)).add("id", quoted(token)).str();
    return out;
  }
  out.token = operation;
  in_.seen.push_configs.emplace(operation, std::move(made));
  return out;
}

binding client::draw_stream_binding() const {
  auto chance = in_.stream("binding of stream " + name_ + "." + std::to_string(operations_));
  if (!chance.chance(in_.how.other_bindings))
    return binding::json_rpc;
  return chance.one_of(
      std::to_array<binding>({binding::json_rpc_0_3, binding::rest, binding::rest_0_3}));
}

client::request client::draw() {
  request out;
  const auto with = [&](call_kind kind, const char* method, const std::string& id) {
    out.kind = kind;
    out.method = method;
    out.task = kind == call_kind::read ? std::string{} : id;
    out.params = R"({"id":)" + quoted(id) + "}";
    if (kind == call_kind::get && chance_.chance(in_.how.other_bindings))
      out.how = chance_.one_of(
          std::to_array<binding>({binding::json_rpc_0_3, binding::rest, binding::rest_0_3}));
  };
  const auto turn = chance_.below(100);
  if (turn < 12 && !in_.asking_tasks.empty()) {
    out.kind = call_kind::answer;
    out.method = "SendMessage";
    out.message_id = name_ + ".m" + std::to_string(++made_);
    out.task = chance_.one_of(in_.asking_tasks);
    out.params = R"({"message":{"messageId":)" + quoted(out.message_id) + R"(,"taskId":)"
                 + quoted(out.task) + R"(,"role":"ROLE_USER","parts":[{"text":"this"}]},)"
                 + R"("configuration":{"returnImmediately":true}})";
    out.may_repeat = in_.how.deduplicates;
  } else if (turn < 35 && !in_.known_tasks.empty()) {
    const auto id = chance_.one_of(in_.known_tasks);
    if (turn < 24)
      with(call_kind::get, "GetTask", id);
    else if (turn < 28)
      with(call_kind::cancel, "CancelTask", id);
    else {
      with(call_kind::get, "SubscribeToTask", id);
      out.how = draw_stream_binding();
      out.method = subscription(out.how);
      out.is_stream = true;
    }
  } else if (turn < 40) {
    out.kind = call_kind::list;
    out.method = "ListTasks";
    const auto page_size = std::to_string(chance_.between(1, 20));
    out.params = R"({"pageSize":)" + page_size + R"(,"includeArtifacts":)"
                 + (chance_.chance(0.5) ? "true" : "false") + "}";
  } else if (turn < 52) {
    return draw_objective();
  } else if (turn < 64 && !in_.known_objectives.empty()) {
    const auto id = chance_.one_of(in_.known_objectives);
    if (turn < 56)
      return draw_plan(id);
    if (turn < 60)
      return draw_move(id);
    with(call_kind::read, "objectives/get", id);
  } else {
    return draw_send();
  }
  return out;
}

// -- doing it -------------------------------------------------------------------------------------

void client::begin() {
  if (in_.is_calm || is_stopped_ || operations_ == operations_max)
    return;
  const auto operation = name_ + "." + std::to_string(++operations_);
  chance_ = in_.stream("operation " + operation);
  if (!in_.how.only.empty() && !in_.how.only.contains(operation))
    return think();
  extra_ = in_.stream("edits of " + operation);
  auto other = extra_.chance(in_.how.changing) ? draw_other(operation) : std::nullopt;
  auto pushing = in_.stream("notifications of " + operation);
  if (pushing.chance(in_.how.notified))
    other = draw_push_config(operation, pushing);
  now_ = other ? std::move(*other) : draw();
  in_.seen.operations.push_back(operation);
  call_ = in_.seen.calls.size();
  call made;
  made.client = name_;
  made.kind = now_.kind;
  made.message_id = now_.message_id;
  made.task = now_.task;
  made.objective = now_.objective;
  made.change = now_.change;
  made.input = now_.input;
  made.questions = now_.questions;
  made.plan = now_.plan;
  made.to = now_.to;
  made.began = in_.next_moment();
  in_.seen.calls.push_back(std::move(made));
  if (!now_.message_id.empty())
    in_.seen.sent.insert(now_.message_id);
  stream_.reset();
  cursor_.clear();
  tries_left_ = static_cast<int>(chance_.between(0, 4));
  is_again_ = false;
  attempt();
}

void client::attempt() {
  caller::question asked;
  asked.method = now_.method;
  asked.params = now_.params;
  asked.patience = in_.how.patience;
  asked.how = now_.how;
  asked.task = now_.task;
  if (now_.kind == call_kind::get && now_.how != binding::json_rpc && !now_.is_stream)
    in_.story.reached("a task is read as " + name_of(now_.how));
  asked.is_stream = now_.is_stream;
  if (now_.is_stream) {
    asked.headers = cursor_header;
    asked.patience = std::max<nanoseconds>(asked.patience, 10s);
    if (!cursor_.empty())
      asked.headers += "Troupe-Cursor: " + cursor_ + "\r\n";
    begin_stream(cursor_);
  }
  if (in_.seen.calls[call_].tries++ > 0 && !now_.token.empty())
    in_.seen.push_configs.at(now_.token).is_sent_again = true;
  caller_.ask(asked);
  if (is_again_ && !now_.message_id.empty() && !now_.is_resumed)
    in_.retries[now_.message_id] = caller_.line();
}

void client::begin_stream(const std::string& after) {
  stream_ = in_.seen.streams.size();
  stream_read read;
  read.client = name_;
  read.task = now_.task;
  read.after = after;
  in_.seen.streams.push_back(std::move(read));
}

void client::on_event(const std::string& data) {
  note_leaks(data, name_, in_.seen);
  auto read = read_stream_event(data);
  if (!read)
    return;
  if (now_.how != binding::json_rpc)
    in_.story.reached("a stream is read as " + name_of(now_.how));
  in_.story.add(name_ + " sees " + data);
  auto& stream = in_.seen.streams[*stream_];
  if (read->error != 0) {
    in_.seen.calls[call_].error = read->error;
    in_.story.reached("a stream ends with an error");
    return;
  }
  auto& event = read->event;
  event.at = in_.next_moment();
  if (stream.task.empty())
    stream.task = read->task;
  if (!event.cursor.empty())
    cursor_ = event.cursor;
  if (!is_again_ || event.kind != event_kind::snapshot || !is_terminal(event.task.state))
    note_taken(read->task);
  if (now_.task.empty()) {
    now_.task = read->task;
    in_.seen.calls[call_].tasks.push_back(event.task);
    in_.seen.calls[call_].ended = event.at; // The message is acknowledged.
  }
  if (event.kind != event_kind::artifact)
    learn(event.task);
  stream.events.push_back(std::move(event));
  if (chance_.chance(0.03)) {
    in_.story.reached("a client leaves a stream");
    caller_.hang_up();
    in_.after(chance_.between(0ns, in_.how.think_max), [this] { on_loss(); });
  }
}

void client::on_end(caller::end how) {
  if (how == caller::end::answered)
    return on_answer();
  if (how == caller::end::timed_out)
    in_.story.reached("a client waits in vain");
  on_loss();
}

void client::on_answer() {
  auto& made = in_.seen.calls[call_];
  const auto& answer = caller_.answer();
  if (stream_ && answer.header("content-type").starts_with("text/event-stream")) {
    in_.seen.streams[*stream_].is_complete = made.error == 0;
    return think();
  }
  const auto body = caller_.body();
  note_leaks(body, name_, in_.seen);
  in_.story.add(name_ + " gets " + std::to_string(answer.status()) + " " + body);
  if (body.find("mayBeDone") != std::string::npos) {
    in_.story.reached("a command that waits for the disk may still be done");
    return on_loss();
  }
  made.ended = in_.next_moment();
  if (now_.kind == call_kind::get && now_.how != binding::json_rpc) {
    if (const auto shown = read_answer(now_.how, body); shown && answer.status() == 200) {
      made.tasks.push_back(*shown);
      learn(*shown);
    } else {
      made.error = answer.status() == 200 ? 1 : answer.status();
    }
    return think();
  }
  boost::system::error_code failed;
  const auto whole = json::parse(body, failed);
  if (failed || !whole.is_object()) {
    made.error = answer.status();
    note_error(made.error, body);
    return think();
  }
  if (const auto* error = whole.as_object().if_contains("error")) {
    take_refusal(*error);
  } else if (now_.how == binding::rest) {
    on_rest_answer(whole.as_object());
  } else if (const auto* result = whole.as_object().if_contains("result");
             result != nullptr && result->is_object()) {
    note_answer(result->as_object());
    read_tasks(result->as_object());
  }
  think();
}

void client::on_rest_answer(const json::object& whole) {
  if (now_.kind == call_kind::change)
    in_.story.reached("a change is made over REST");
  if (now_.input)
    in_.story.reached("a question is answered or claimed over REST");
  note_answer(whole);
  read_tasks(whole);
}

void client::take_refusal(const json::value& error) {
  auto& made = in_.seen.calls[call_];
  auto refused = read_error(error);
  made.error = refused.code;
  made.refusal = std::move(refused.reason);
  if (made.input)
    made.input->shown_by = std::move(refused.by);
  if (now_.how == binding::rest)
    in_.story.reached("a request over REST is refused");
  note_error(made.error, caller_.body());
  note_refusal(made.refusal);
}

void client::note_error(int code, const std::string& body) {
  for (const std::string_view limit :
       {"limits.live-tasks", "limits.requests-in-flight", "limits.connections",
        "limits.backlog-changes", "limits.streams"})
    if (body.find(limit) != std::string::npos)
      in_.story.reached("a request is refused because of " + std::string(limit));
  if (body.find("too many reads wait") != std::string::npos)
    in_.story.reached("a read is refused because too many wait");
  if (const auto status = caller_.answer().status(); status == 429 || status == 503)
    in_.story.reached("a request is refused for a while");
  if (now_.kind == call_kind::cancel)
    in_.story.reached("a cancel is refused");
  if (now_.kind == call_kind::answer)
    in_.story.reached("an answer to a question is refused");
  if (now_.kind == call_kind::answer_together)
    in_.story.reached("a message that answers several questions is refused");
  if (now_.kind == call_kind::add_plan)
    in_.story.reached("a plan is refused");
  if (now_.kind == call_kind::create && is_again_)
    in_.story.reached("an objective that is made again is refused");
  if (now_.is_stream && code != 0)
    in_.story.reached("a stream is refused");
  if (now_.kind == call_kind::create_push_config)
    in_.story.reached("notifications of a task are refused");
}

void client::note_answer(const json::object& result) {
  switch (now_.kind) {
    case call_kind::send:
      if (is_again_)
        in_.story.reached("a message that was sent again is taken");
      // A message that comes again to an ended task brings nothing any more.
      if (const auto* task = object_at(result, "task");
          task != nullptr && !(is_again_ && is_terminal(read_task(*task).state)))
        note_taken(text_at(*task, "id"));
      if (const auto* task = result.if_contains("task"); task != nullptr) {
        const auto state = read_task(task->as_object()).state;
        if (state == "TASK_STATE_INPUT_REQUIRED")
          in_.story.reached("a send is answered with a question");
        if (is_terminal(state))
          in_.story.reached("a send is answered with an end");
      }
      break;
    case call_kind::answer: in_.story.reached("a question is answered"); break;
    case call_kind::list:
      if (result.contains("nextPageToken") && !result.at("nextPageToken").as_string().empty())
        in_.story.reached("a list has another page");
      break;
    case call_kind::create: in_.story.reached("an objective begins"); break;
    case call_kind::add_plan: in_.story.reached("a plan joins an objective"); break;
    case call_kind::move: in_.story.reached("an objective is moved"); break;
    case call_kind::claim: in_.story.reached("a question is claimed"); break;
    case call_kind::release: in_.story.reached("a claim is released"); break;
    case call_kind::answer_together:
      in_.story.reached("a message answers several questions");
      break;
    case call_kind::create_push_config:
      note_taken(in_.seen.push_configs.at(now_.token).task);
      in_.story.reached("notifications of a task are asked for");
      break;
    case call_kind::delete_push_config:
      in_.story.reached("notifications of a task are stopped");
      break;
    case call_kind::answer_input:
    case call_kind::change:
    case call_kind::get:
    case call_kind::cancel:
    case call_kind::read: break;
  }
}

void client::note_taken(const std::string& task) {
  if (now_.token.empty())
    return;
  auto& made = in_.seen.push_configs.at(now_.token);
  made.task = task;
  if (!std::exchange(made.is_taken, true))
    remember(in_.known_push_configs, now_.token, push_configs_known_max);
}

void client::read_tasks(const json::object& result) {
  auto& tasks = in_.seen.calls[call_].tasks;
  switch (now_.kind) {
    case call_kind::send:
    case call_kind::answer:
      if (const auto* task = result.if_contains("task"))
        tasks.push_back(read_task(task->as_object()));
      break;
    case call_kind::cancel:
      for (auto& each : read_cancels(result))
        in_.seen.shown_cancels.push_back(std::move(each));
      tasks.push_back(read_task(result));
      break;
    case call_kind::get: tasks.push_back(read_task(result)); break;
    case call_kind::list:
      for (const auto& each : result.at("tasks").as_array())
        tasks.push_back(read_task(each.as_object()));
      break;
    // Tasks of objectives are seen when they are read.
    case call_kind::add_plan:
    case call_kind::create:
    case call_kind::move:
    case call_kind::read: read_shown(result); break;
    case call_kind::change: read_change(result); break;
    case call_kind::answer_input:
    case call_kind::claim:
    case call_kind::release: read_input(result); break;
    case call_kind::answer_together: // It shows one of the tasks, or the whole.
    case call_kind::create_push_config:
    case call_kind::delete_push_config: break;
  }
  for (const auto& each : tasks)
    learn(each);
}

void client::note_refusal(const std::string& reason) {
  if (now_.change) {
    if (reason == "REVISION_MISMATCH")
      in_.story.reached("a change is refused because of its revision");
    if (reason == "DUPLICATE_REQUEST")
      in_.story.reached("another change has the same request id");
    if (reason == "STILL_NEEDED" || reason == "STILL_READ")
      in_.story.reached("a change is refused because something is still needed");
    if (reason == "DEPENDENCY_CYCLE")
      in_.story.reached("a change is refused because of a cycle");
  }
  if (now_.input) {
    if (reason == "ALREADY_ANSWERED")
      in_.story.reached("an answer is refused because another one came first");
    if (reason == "INPUT_EXPIRED")
      in_.story.reached("an answer is refused because its question has expired");
    if (reason == "INPUT_CLAIMED")
      in_.story.reached("an answer is refused because somebody has claimed the question");
  }
}

void client::read_shown(const json::object& result) {
  const auto* inside = object_at(result, "objective");
  const auto& whole = inside == nullptr ? result : *inside;
  for (auto& each : read_pending_inputs(whole))
    remember(in_.known_questions, each, questions_known_max);
  const auto& made = in_.seen.calls[call_];
  const auto sight = [&](const auto& shown, std::uint64_t objective_revision) {
    in_.revisions[shown.id] = shown.revision;
    progress_sighting seen;
    seen.of = shown.id;
    seen.client = name_;
    seen.state = shown.state;
    seen.revision = shown.revision;
    seen.objective_revision = objective_revision;
    seen.fraction = shown.progress.fraction;
    seen.began = made.began;
    seen.ended = made.ended;
    in_.seen.progress.push_back(std::move(seen));
  };
  if (whole.contains("objectiveId")) {
    const auto shown = read_plan(whole);
    note_names(shown, name_, in_.seen);
    sight(shown, 0);
    return;
  }
  const auto shown = read_objective(whole);
  if (shown.id.empty())
    return;
  note_names(shown, name_, in_.seen);
  sight(shown, shown.revision);
  for (const auto& each : shown.plans)
    sight(each, shown.revision);
}

void client::read_change(const json::object& result) {
  auto& change = *in_.seen.calls[call_].change;
  change.revision = count_at(result, "revision");
  if (change.is_dry_run)
    return in_.story.reached("a change is only tried");
  in_.revisions[change.target] = *change.revision;
  in_.story.reached(change.is_of_plan ? "a plan is changed" : "an objective is changed");
  for (const auto& each : change.operations)
    in_.story.reached("a change does " + each);
}

void client::read_input(const json::object& answered) {
  auto& input = *in_.seen.calls[call_].input;
  const auto* inside = object_at(answered, "input");
  const auto& result = inside == nullptr ? answered : *inside;
  input.shown_state = text_at(result, "state");
  if (const auto* answer = object_at(result, "answer")) {
    input.shown_value = text_at(*answer, "value");
    input.shown_by = text_at(*answer, "by");
  }
  if (const auto* claim = object_at(result, "claim"))
    input.claimed_by = text_at(*claim, "by");
  if (now_.kind != call_kind::answer_input)
    return;
  in_.story.reached(input.declines ? "a question is declined" : "an answer by id is taken");
  if (input.overrides)
    in_.story.reached("an answer overrides a claim, if there is one");
}

/// What was asked may have happened or not.
void client::on_loss() {
  if (is_stopped_)
    return;
  if (now_.is_stream && !now_.task.empty()) {
    now_.method = subscription(now_.how);
    now_.params = R"({"id":)" + quoted(now_.task) + "}";
    now_.may_repeat = now_.is_resumed = true;
    if (!cursor_.empty())
      in_.story.reached("a stream is resumed");
  }
  if (!now_.may_repeat || tries_left_-- <= 0)
    return think();
  in_.story.reached("a request is sent again");
  is_again_ = true;
  in_.after(chance_.between(1ms, 1s), [this] {
    if (is_stopped_)
      return;
    if (in_.is_disk_behind && in_.is_disk_behind())
      in_.story.reached(cursor_.empty() ? "a request is sent again while changes wait for the disk"
                                        : "a stream is resumed while changes wait for the disk");
    attempt();
  });
}

void client::think() {
  in_.after(chance_.between(0ns, in_.how.think_max), [this] { begin(); });
}

void client::learn(const task_view& shown) {
  if (!shown.question.empty())
    remember(in_.known_questions, shown.question, questions_known_max);
  auto& known = in_.known_tasks;
  auto& asking = in_.asking_tasks;
  if (shown.state == "TASK_STATE_INPUT_REQUIRED")
    remember(asking, shown.id, tasks_known_max);
  else if (chance_.chance(0.8)) // Else an answer is sent once more.
    std::erase(asking, shown.id);
  if (!is_terminal(shown.state))
    remember(known, shown.id, tasks_known_max);
  else if (chance_.chance(0.3))
    std::erase(known, shown.id);
}

} // namespace troupe::sim
