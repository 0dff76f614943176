#include "sim/caller.hpp"

#include "protocol/json/quoted.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <regex>
#include <utility>

#include "sim/views.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t everything = std::string::npos;
/// A reader that stops takes so much before.
constexpr std::size_t bytes_before_stop = 200;

/// What becomes of a question that a planted bug changes.
caller::question on_the_way(caller::question asked, mutant bug) {
  const auto replace = [](std::string& in, const char* pattern, const char* by) {
    in = std::regex_replace(in, std::regex(pattern), by);
  };
  switch (bug) {
    case mutant::lost_dependency:
      replace(asked.params, R"re("dependencies":\["[^"]*",?)re", R"("dependencies":[)");
      break;
    case mutant::no_limit:
      replace(asked.params, R"("maxParallel":\d+)", R"("maxParallel":0)");
      break;
    case mutant::message_of_another_name:
      replace(asked.params, R"("messageId":")", R"("messageId":"x)");
      break;
    case mutant::forgotten_request:
      replace(asked.params, R"re(,"requestId":"r-[^"]*")re", "");
      break;
    case mutant::deaf_to_revisions: replace(asked.params, R"(,"ifRevision":\d+)", ""); break;
    case mutant::deaf_to_dry_run: replace(asked.params, R"(,"dryRun":true)", ""); break;
    case mutant::deaf_to_claims:
      if (asked.method == "inputs/answer" && asked.params.find("override") == std::string::npos)
        asked.params.insert(1, R"("override":true,)");
      break;
    case mutant::lost_deadline:
      replace(asked.params, R"re("deadline":"[^"]*",?)re", "");
      replace(asked.params, ",}", "}");
      break;
    case mutant::early_deadline:
      replace(asked.params, R"re(("deadline":"[^".]*\.)\d+Z)re", "$01000Z");
      break;
    case mutant::lost_edge:
      replace(asked.params, R"re("op":"addDependency",("task":"[^"]*"),"on":"[^"]*")re",
              R"("op":"setPriority",$1,"priority":1)");
      break;
    case mutant::half_an_answer: // The last one is lost on the way.
      replace(asked.params, R"re(("opt/v1/answers":\[\{[^\]]*),\{[^{}]*\}\])re", "$1]");
      break;
    case mutant::plan_of_another_name: // The server makes its own.
      if (asked.method == "plans/create")
        replace(asked.params, R"re("name":"[^"]*","onFailure")re", R"("name":"x","onFailure")");
      break;
    case mutant::other_move:
      if (asked.method == "plans/update" || asked.method == "objectives/update")
        replace(asked.params, R"("status":"failed")", R"("status":"completed")");
      break;
    case mutant::lost_alternatives:
      replace(asked.params, R"re(,"alternatives":\[[^\]]*\])re", "");
      break;
    case mutant::forgotten_cursor: replace(asked.headers, "Troupe-Cursor: [^\r]*\r\n", ""); break;
    default: break;
  }
  return asked;
}

/// What becomes of an answer or an event.
std::string on_the_way_back(std::string body, mutant bug, dice& chance, binding how) {
  switch (bug) {
    case mutant::wrong_text:
      if (chance.chance(0.05))
        body = std::regex_replace(body, std::regex("/1;"), "/0;");
      break;
    case mutant::other_version:
      if (how == binding::json_rpc_0_3)
        body =
            std::regex_replace(body, std::regex(R"("state":"completed")"), R"("state":"working")");
      break;
    case mutant::other_binding:
      if (how == binding::rest)
        body = std::regex_replace(body, std::regex(R"("artifactId":"result")"),
                                  R"("artifactId":"other")");
      break;
    case mutant::other_revision:
      // Nine and its number is another one.
      if (chance.chance(0.1))
        body = std::regex_replace(
            body, std::regex(R"(("(?:plan|objective)Id":"[^"]*","revision":))"), "$019");
      break;
    case mutant::wrong_winner:
      body = std::regex_replace(body, std::regex(R"re("state":"answered","by":"c)re"),
                                R"("state":"answered","by":"x)");
      break;
    case mutant::falling_progress:
      if (chance.chance(0.1))
        body = std::regex_replace(body, std::regex(R"("fraction":0\.)"), R"("fraction":0.0)");
      break;
    case mutant::whole_too_soon:
      if (chance.chance(0.1))
        body = std::regex_replace(body, std::regex(R"("fraction":0\.\d+)"), R"("fraction":1)");
      break;
    case mutant::forged_name:
      if (chance.chance(0.05))
        body = std::regex_replace(body, std::regex(R"re("name":"c(\d+)\.o)re"), R"("name":"c$1.x)");
      break;
    case mutant::failed_plan:
      body = std::regex_replace(
          body,
          std::regex(
              R"re(("id":"[^"]*\.p\d+","objectiveId":"[^"]*","name":"[^"]*","status":")completed)re"),
          "$1failed");
      break;
    case mutant::other_state:
      body = std::regex_replace(
          body, std::regex(R"re(("kind":"plan","planId":"[^"]*","status":")completed)re"),
          "$1failed");
      break;
    case mutant::other_parent:
      body = std::regex_replace(
          body,
          std::regex(
              R"re(("id":"[^"]*\.p\d+","objectiveId":"[^"]*","name":"[^"]*","status":")failed)re"),
          "$1completed");
      break;
    default: break;
  }
  return body;
}

std::string body_of(const caller::question& asked, std::uint64_t number) {
  const bool is_named = asked.method.find('/') != std::string::npos; // in 0.3
  if (asked.how == binding::json_rpc || (asked.how == binding::json_rpc_0_3 && is_named))
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(number) + R"(,"method":")" + asked.method
           + R"(","params":)" + asked.params + "}";
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(number)
         + R"(,"method":"tasks/get","params":{"id":)" + quoted(asked.task) + "}}";
}

/// "plans/modify" is POST /plans/ID:modify; the other members of `params` are the body.
std::string rest_bytes(const caller::question& asked) {
  auto members = boost::json::parse(asked.params).as_object();
  const auto id = std::string(members.at("id").as_string());
  members.erase("id");
  const auto slash = asked.method.find('/');
  const auto verb = asked.method.substr(slash + 1);
  const auto path = "/" + asked.method.substr(0, slash) + "/" + id;
  const std::string head = " HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n" + asked.headers;
  if (verb == "get")
    return "GET " + path + head + "\r\n";
  const auto body = boost::json::serialize(members);
  return (verb == "update" ? "PATCH " + path : "POST " + path + ":" + verb) + head
         + "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size())
         + "\r\n\r\n" + body;
}

std::string bytes_of(const caller::question& asked, std::uint64_t number) {
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
  if (asked.how == binding::rest && asked.method.find('/') != std::string::npos)
    return rest_bytes(asked);
  const std::string verb = asked.is_stream ? ":subscribe" : "";
  switch (asked.how) {
    case binding::rest:
      return "GET /tasks/" + asked.task + verb + host + "A2A-Version: 1.0\r\n" + asked.headers
             + "\r\n";
    case binding::rest_0_3:
      return "GET /v1/tasks/" + asked.task + verb + host + asked.headers + "\r\n";
    case binding::json_rpc:
    case binding::json_rpc_0_3: break;
  }
  const auto body = body_of(asked, number);
  return "POST /" + host + (asked.how == binding::json_rpc ? "A2A-Version: 1.0\r\n" : "")
         + "Content-Type: application/json\r\n" + asked.headers
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace

std::string name_of(binding how) {
  switch (how) {
    case binding::json_rpc: return "1.0 over JSON-RPC";
    case binding::json_rpc_0_3: return "0.3 over JSON-RPC";
    case binding::rest: return "1.0 over REST";
    case binding::rest_0_3: return "0.3 over REST";
  }
  return {};
}

std::optional<task_view> read_answer(binding how, const std::string& body) {
  boost::system::error_code failed;
  const auto whole = boost::json::parse(body, failed);
  if (failed || !whole.is_object())
    return std::nullopt;
  const auto* task = &whole.as_object();
  if (how == binding::json_rpc || how == binding::json_rpc_0_3) {
    const auto* result = task->if_contains("result");
    task = result == nullptr ? nullptr : result->if_object();
  }
  if (task == nullptr || !task->contains("status"))
    return std::nullopt;
  return how == binding::json_rpc || how == binding::rest ? read_task(*task) : read_task_0_3(*task);
}

caller::caller(world& in, std::string name)
    : in_(in), name_(std::move(name)), chance_(in.stream("caller " + name_)),
      halves_(in.stream("half-closes of " + name_)), self_(std::make_shared<caller*>(this)) {}

caller::~caller() {
  *self_ = nullptr;
  hang_up();
}

bool caller::connect() {
  if (to_ && !to_->is_broken() && !to_->is_over() && !is_half_closed_ && !chance_.chance(0.05))
    return true;
  if (to_ && to_->is_over() && !to_->is_broken())
    in_.story.reached("the server has closed a connection that was kept");
  hang_up();
  auto fresh = std::make_shared<connection>(
      in_, in_.stream("connection " + name_ + "." + std::to_string(++connections_)));
  if (!in_.is_calm && chance_.chance(in_.how.refusals)) {
    in_.story.reached("a connection is refused");
    return false;
  }
  if (!in_.dial || !in_.dial(fresh)) {
    in_.story.reached("a client asks while no server runs");
    return false;
  }
  to_ = std::move(fresh);
  is_half_closed_ = false;
  reader_ = {};
  manner_ = in_.is_calm                               ? manner::at_once
            : chance_.chance(in_.how.stopped_readers) ? manner::stopped
            : chance_.chance(in_.how.slow_readers)    ? manner::slow
                                                      : manner::at_once;
  to_->on_news = [this] { on_news(); };
  return true;
}

void caller::ask(const question& asked) {
  const bool is_connected = connect();
  ++number_;
  is_asking_ = true;
  patience_ = asked.patience;
  heard_at_ = in_.now();
  if (!is_connected) {
    in_.after(1ms, [self = self_, number = number_] {
      if (*self != nullptr && (*self)->number_ == number)
        (*self)->finish(end::refused);
    });
    return;
  }
  reader_.begin_next();
  held_event_.clear();
  asked_ = on_the_way(asked, in_.how.bug);
  to_->send(bytes_of(asked_, number_));
  if (!in_.is_calm && halves_.chance(in_.how.half_closes)) {
    is_half_closed_ = true;
    to_->end_sending();
  }
  in_.story.add(name_ + " sends " + asked.method + " " + asked.params
                + (asked.how == binding::json_rpc ? "" : " as " + name_of(asked.how)));
  watch_patience();
}

void caller::hang_up() {
  is_asking_ = false;
  ++number_;
  if (to_)
    to_->close();
  to_.reset();
}

void caller::watch_patience() {
  in_.after(std::max(heard_at_ + patience_ - in_.now(), 1ms + 0ns),
            [self = self_, number = number_] {
              if (*self == nullptr || (*self)->number_ != number || !(*self)->is_asking_)
                return;
              auto& me = **self;
              if (me.in_.now() - me.heard_at_ < me.patience_)
                return me.watch_patience();
              me.hang_up();
              me.finish(end::timed_out);
            });
}

void caller::on_news() {
  if (manner_ == manner::at_once)
    return read(everything);
  if (!std::exchange(is_reading_slowly_, true))
    in_.after(chance_.between(1ms, 200ms), [self = self_] {
      if (*self != nullptr)
        (*self)->read_slowly();
    });
}

void caller::read_slowly() {
  is_reading_slowly_ = false;
  if (!to_)
    return;
  if (manner_ == manner::stopped) {
    in_.story.reached("a client stops reading");
    if (reader_.body().size() > bytes_before_stop && !to_->is_over())
      return;
  }
  const auto number = number_;
  read(1 + chance_.below(100));
  if (number == number_ && to_ && to_->arrived() > 0)
    on_news();
}

void caller::read(std::size_t bytes_max) {
  const auto number = number_;
  const auto line = to_;
  const auto bytes = line->receive(bytes_max);
  if (!bytes.empty())
    heard_at_ = in_.now();
  reader_.add(bytes);
  if (!is_asking_)
    return;
  if (reader_.is_wrong()) {
    in_.story.add(name_ + " cannot read the answer");
    hang_up();
    return finish(end::broken);
  }
  if (reader_.header("content-type").starts_with("text/event-stream"))
    for (const auto& event : reader_.take_events()) {
      hand_on(event);
      if (number != number_)
        return;
    }
  if (reader_.is_complete())
    finish(end::answered);
  else if (line->is_over()) {
    hang_up();
    finish(end::broken);
  }
}

void caller::hand_on(const std::string& event) {
  if (!on_event)
    return;
  const auto bug = in_.how.bug;
  const auto number = number_;
  const bool is_wrong =
      (bug == mutant::lost_event || bug == mutant::repeated_event || bug == mutant::swapped_events)
      && chance_.chance(0.1);
  if (is_wrong && bug == mutant::lost_event)
    return;
  const bool is_0_3 = asked_.how == binding::json_rpc_0_3 || asked_.how == binding::rest_0_3;
  if (bug == mutant::lost_event_of_0_3 && is_0_3 && chance_.chance(0.2))
    return;
  if (bug == mutant::lost_change && event.find(R"("change":)") != std::string::npos
      && chance_.chance(0.1))
    return;
  if (is_wrong && bug == mutant::swapped_events && held_event_.empty()) {
    held_event_ = event;
    return;
  }
  on_event(on_the_way_back(event, bug, chance_, binding::json_rpc));
  if (number == number_ && is_wrong && bug == mutant::repeated_event)
    on_event(event);
  if (bug == mutant::revived_task && number == number_
      && event.find("TASK_STATE_COMPLETED") != std::string::npos && chance_.chance(0.2))
    on_event(std::regex_replace(event, std::regex("TASK_STATE_COMPLETED"), "TASK_STATE_WORKING"));
  if (const auto held = std::exchange(held_event_, {}); number == number_ && !held.empty())
    on_event(held);
}

std::string caller::body() {
  auto out = on_the_way_back(reader_.body(), in_.how.bug, chance_, asked_.how);
  if (in_.how.bug == mutant::stale_answer && asked_.method == "GetTask")
    out = old_answers_.emplace(asked_.params, out).first->second;
  return out;
}

void caller::finish(end how) {
  if (is_half_closed_ && how == end::answered)
    in_.story.reached("a client that sends nothing more gets its answer");
  is_asking_ = false;
  ++number_;
  if (how == end::answered && !in_.is_calm && chance_.chance(in_.how.resets)) {
    in_.story.reached("a connection breaks after an answer");
    to_->cut();
  }
  if (const auto call = on_end) // Which may put another one in its place.
    call(how);
}

} // namespace troupe::sim
