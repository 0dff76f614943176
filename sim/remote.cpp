#include "sim/remote.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr int task_not_found = -32001;
constexpr int not_cancelable = -32002;
constexpr int unsupported = -32004;
constexpr int method_not_found = -32601;
constexpr auto too_busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                          "Content-Length: 0\r\n\r\n";

std::string first_text(const json::object& message) {
  const auto* parts = array_at(message, "parts");
  const auto* first = parts == nullptr || parts->empty() ? nullptr : parts->front().if_object();
  return first == nullptr ? std::string{} : text_at(*first, "text");
}

} // namespace

std::string remote_name(std::size_t number) {
  return "r" + std::to_string(number);
}

std::string remote_url(std::size_t number) {
  return "http://r" + std::to_string(number) + ".example/";
}

remote::remote(world& in, std::size_t number)
    : in_(in), number_(number), chance_(in.stream("remote agent " + remote_name(number))) {
  version_ = chance_.chance(0.7) ? remote_version::v1_0 : remote_version::v0_3;
  streams_ = chance_.chance(0.7);
  is_idempotent_ = chance_.chance(0.5);
  lists_ = version_ == remote_version::v1_0 && chance_.chance(0.7);
  closes_at_question_ = chance_.chance(0.5);
  refuses_cancels_ = chance_.chance(0.2);
  slowness_ = chance_.one_of(std::to_array<nanoseconds>({0ns, 20ms, 1s}));
}

// -- bytes ----------------------------------------------------------------------------------------

void remote::accept(const std::shared_ptr<connection>& from) {
  keep_line(lines_, from, [this](const line_ptr& line) { read(line); });
}

void remote::read(const line_ptr& from) {
  from->unread += from->to->receive(std::string::npos);
  note_leaks(from->unread, remote_name(number_), in_.seen);
  while (const auto asked = take_request(from->unread))
    answer(from, *asked);
  if (from->to->is_over()) {
    from->follows.clear();
    from->to->close();
  }
}

void remote::tell(const line_ptr& to, const std::string& body) {
  in_.after(chance_.between(0ns, slowness_), [to, body] { to->to->send(http_answer(body)); });
}

void remote::begin_stream(const line_ptr& to, const work& of) {
  in_.after(chance_.between(0ns, slowness_), [this, to, id = of.shown.id] {
    const auto* const with = find(id);
    if (with == nullptr)
      return to->to->close();
    to->to->send(stream_head());
    to->to->send(stream_event_bytes(rpc_result(sent_task_json(with->shown, version_))));
    if (is_terminal(with->shown.state))
      to->to->send(stream_end());
    else
      to->follows = id;
  });
}

// -- requests -------------------------------------------------------------------------------------

void remote::answer(const line_ptr& to, const remote_request& asked) {
  if (asked.is_card)
    return tell(to, card_json(remote_url(number_), streams_, is_idempotent_, version_));
  if (!in_.is_calm && chance_.chance(in_.how.remote_faults)) {
    if (chance_.chance(0.5)) {
      in_.story.reached("a remote agent never answers");
      return;
    }
    in_.story.reached("a remote agent has too much to do");
    return to->to->send(too_busy);
  }
  if (asked.method == "SendMessage" || asked.method == "SendStreamingMessage")
    return send(to, asked);
  if (asked.method == "ListTasks")
    return list(to, asked);
  const auto id = text_at(asked.params, "id");
  auto* const with = find(id);
  if (with != nullptr && !in_.is_calm && chance_.chance(in_.how.remote_faults / 4)) {
    in_.story.reached("a remote agent forgets a task");
    with->is_forgotten = true;
    in_.seen.remote_tasks[with->record].states.emplace_back(in_.next_moment(), "forgotten");
    return tell(to, rpc_error(task_not_found, "no such task"));
  }
  if (with == nullptr)
    return tell(to, rpc_error(task_not_found, "no such task"));
  if (asked.method == "GetTask")
    return tell(to, rpc_result(task_json(with->shown, version_)));
  if (asked.method == "CancelTask")
    return cancel(to, asked);
  if (asked.method == "SubscribeToTask")
    return subscribe(to, asked);
  tell(to, rpc_error(method_not_found, "no such method"));
}

void remote::send(const line_ptr& to, const remote_request& asked) {
  const auto* said = object_at(asked.params, "message");
  if (said == nullptr)
    return tell(to, rpc_error(method_not_found, "no message"));
  auto message = *said;
  auto key = asked.key;
  if (in_.how.bug == mutant::resend_without_key)
    key.clear();
  if (in_.how.bug == mutant::answer_without_task)
    message.erase("taskId");
  const bool is_stream = asked.method == "SendStreamingMessage" && streams_;
  if (const auto id = text_at(message, "taskId"); !id.empty()) {
    auto* const with = find(id);
    if (with == nullptr)
      return tell(to, rpc_error(task_not_found, "no such task"));
    if (is_terminal(with->shown.state))
      return tell(to, rpc_error(unsupported, "the task has ended"));
    if (with->shown.state == "TASK_STATE_INPUT_REQUIRED") {
      in_.story.reached("a remote agent gets an answer");
      move(*with, "TASK_STATE_WORKING", "");
      go_on(*with);
    }
    return tell(to, rpc_result(sent_task_json(with->shown, version_)));
  }
  const auto known = is_idempotent_ && !key.empty() ? keys_.find(key) : keys_.end();
  if (known != keys_.end())
    in_.story.reached("a remote agent knows a request that comes again");
  auto* with = known == keys_.end() ? nullptr : find(known->second);
  if (with == nullptr) {
    with = &make(asked, message);
    if (!key.empty())
      keys_[key] = with->shown.id;
  }
  if (is_stream)
    return begin_stream(to, *with);
  tell(to, rpc_result(sent_task_json(with->shown, version_)));
}

void remote::subscribe(const line_ptr& to, const remote_request& asked) {
  const auto* const with = find(text_at(asked.params, "id"));
  if (!streams_ || is_terminal(with->shown.state))
    return tell(to, rpc_error(unsupported, "the task has ended, or nobody may subscribe"));
  in_.story.reached("a stream of a remote agent is taken up again");
  begin_stream(to, *with);
}

void remote::cancel(const line_ptr& to, const remote_request& asked) {
  auto* const with = find(text_at(asked.params, "id"));
  if (is_terminal(with->shown.state))
    return tell(to, rpc_error(not_cancelable, "the task has ended"));
  if (in_.how.bug == mutant::forgotten_cancel) {
    auto shown = with->shown;
    shown.state = "TASK_STATE_CANCELED";
    return tell(to, rpc_result(task_json(shown, version_)));
  }
  if (refuses_cancels_ && !in_.is_calm) {
    in_.story.reached("a remote agent refuses a cancel");
    return tell(to, rpc_error(not_cancelable, "too late"));
  }
  in_.story.reached("a remote agent cancels a task");
  move(*with, "TASK_STATE_CANCELED", "");
  tell(to, rpc_result(task_json(with->shown, version_)));
}

void remote::list(const line_ptr& to, const remote_request& asked) {
  if (!lists_)
    return tell(to, rpc_error(unsupported, "no lists"));
  const auto context = text_at(asked.params, "contextId");
  std::string tasks;
  std::size_t count = 0;
  for (const auto& [id, each] : works_)
    if (!each->is_forgotten && each->shown.context == context) {
      tasks += (count++ == 0 ? "" : ",") + task_json(each->shown, version_);
    }
  in_.story.reached(count == 0 ? "a remote agent is searched for a task that it does not have"
                               : "a remote agent is searched for a task that it has");
  if (count == 0)
    in_.seen.remote_searches.push_back({context, in_.next_moment()});
  const auto size = std::to_string(count);
  tell(to, rpc_result(R"({"tasks":[)" + tasks + R"(],"nextPageToken":"","pageSize":)" + size
                      + R"(,"totalSize":)" + size + "}"));
}

// -- tasks ----------------------------------------------------------------------------------------

remote::work* remote::find(const std::string& id) {
  const auto found = works_.find(id);
  return found == works_.end() || found->second->is_forgotten ? nullptr : found->second.get();
}

remote::work& remote::make(const remote_request&, const json::object& message) {
  const auto text = first_text(message);
  const auto count = ++made_[text];
  const auto id = remote_name(number_) + "-" + text + "-" + std::to_string(count);
  auto chance = in_.stream("remote task " + id);
  auto fresh = std::make_unique<work>(work{{}, in_.seen.remote_tasks.size(), chance});
  fresh->shown.id = id;
  fresh->shown.context = text_at(message, "contextId");
  fresh->steps_left = static_cast<int>(fresh->chance.below(5));
  remote_record record;
  record.agent = remote_name(number_);
  record.id = id;
  record.context = fresh->shown.context;
  record.text = text;
  record.message = text_at(message, "messageId");
  record.made = in_.next_moment();
  const auto* metadata = object_at(message, "metadata");
  record.may_come_twice = metadata != nullptr && text_at(*metadata, "whenUnsure") == "resend";
  in_.seen.remote_tasks.push_back(std::move(record));
  in_.story.add("remote task " + id + " begins in context " + fresh->shown.context);
  auto& out = *works_.emplace(id, std::move(fresh)).first->second;
  move(out, "TASK_STATE_WORKING", "");
  go_on(out);
  return out;
}

void remote::go_on(work& with) {
  in_.after(with.chance.between(1ms, std::max<nanoseconds>(in_.how.step_max, 1ms)),
            [this, id = with.shown.id, turn = ++with.turn] {
              auto* const later = find(id);
              if (later != nullptr && later->turn == turn && !is_terminal(later->shown.state))
                step(*later);
            });
}

void remote::step(work& with) {
  auto& chance = with.chance;
  if (with.shown.state == "TASK_STATE_INPUT_REQUIRED") {
    in_.story.reached("a remote agent goes on without an answer");
    move(with, "TASK_STATE_WORKING", "");
    return go_on(with);
  }
  if (with.steps_left-- <= 0) {
    if (chance.chance(in_.how.silent))
      return;
    if (chance.chance(in_.how.failing)) {
      constexpr auto ends = std::to_array<const char*>(
          {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED"});
      return end(with, chance.one_of(ends), "drawn");
    }
    return end(with, "TASK_STATE_COMPLETED", "");
  }
  if (chance.chance(in_.how.asking)) {
    in_.story.reached("a remote agent asks");
    with.shown.words_id = with.shown.id + "-q" + std::to_string(++with.questions);
    move(with, "TASK_STATE_INPUT_REQUIRED", "which?");
    if (chance.chance(0.3))
      go_on(with);
    return;
  }
  if (chance.chance(0.3)) {
    with.shown.words_id = with.shown.id + "-m" + std::to_string(with.steps_left);
    move(with, "TASK_STATE_WORKING", "still here");
    return go_on(with);
  }
  const auto text = with.shown.id + "/" + std::to_string(++with.chunks) + ";";
  in_.seen.chunks.insert(text);
  with.shown.artifacts["out"] += text;
  show(with, chunk_event(with.shown, "out", text, with.chunks > 1, version_));
  go_on(with);
}

void remote::end(work& with, const std::string& state, const std::string& words) {
  if (state == "TASK_STATE_COMPLETED") {
    const auto text = with.shown.id + "/result;";
    in_.seen.chunks.insert(text);
    with.shown.artifacts["result"] = text;
    show(with, chunk_event(with.shown, "result", text, false, version_));
  }
  move(with, state, words);
}

void remote::move(work& with, const std::string& state, const std::string& words) {
  auto& states = in_.seen.remote_tasks[with.record].states;
  if (states.empty() || states.back().second != state)
    states.emplace_back(in_.next_moment(), state);
  with.shown.state = state;
  with.shown.words = words;
  in_.story.add("remote task " + with.shown.id + " is " + state);
  show(with, status_event(with.shown, version_));
}

void remote::show(work& with, const std::string& event) {
  const bool is_over = is_terminal(with.shown.state);
  const bool is_left =
      is_over || (closes_at_question_ && with.shown.state == "TASK_STATE_INPUT_REQUIRED");
  for (const auto& each : lines_) {
    if (each->follows != with.shown.id)
      continue;
    if (!in_.is_calm && chance_.chance(in_.how.remote_faults)) {
      in_.story.reached("a remote agent ends a stream too soon");
      if (in_.how.bug == mutant::clean_end_is_completion) {
        auto shown = with.shown;
        shown.state = "TASK_STATE_COMPLETED";
        shown.words.clear();
        each->to->send(stream_event_bytes(rpc_result(status_event(shown, version_))));
      }
      each->follows.clear();
      each->to->send(stream_end());
      continue;
    }
    each->to->send(stream_event_bytes(rpc_result(event)));
    if (is_over && !in_.is_calm && chance_.chance(in_.how.remote_faults)) {
      in_.story.reached("a remote agent says its end twice");
      each->to->send(stream_event_bytes(rpc_result(event)));
    }
    if (is_left) {
      each->follows.clear();
      each->to->send(stream_end());
    }
  }
}

} // namespace troupe::sim
