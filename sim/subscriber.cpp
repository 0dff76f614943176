#include "sim/subscriber.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/object_text.hpp"
#include "sim/views.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

/// A stream says that it is alive every few seconds.
constexpr nanoseconds patience_min = 10s;

} // namespace

subscriber::subscriber(world& in, const std::string& name)
    : in_(in), name_(name), chance_(in.stream("subscriber " + name)), caller_(in, name) {
  caller_.on_event = [this](const std::string& data) { on_event(data); };
  caller_.on_end = [this](caller::end how) { on_end(how); };
}

void subscriber::stop() {
  is_stopped_ = true;
  caller_.hang_up();
}

void subscriber::begin() {
  if (in_.is_calm || is_stopped_)
    return;
  if (in_.known_objectives.empty())
    return think();
  objective_ = chance_.one_of(in_.known_objectives);
  detail_ = chance_.one_of(std::to_array<const char*>({"", "states", "tasks", "full"}));
  per_second_ = chance_.chance(0.3) ? chance_.between(1, 20) : 0;
  how_ = chance_.chance(in_.how.other_bindings) ? binding::rest : binding::json_rpc;
  cursor_.clear();
  tries_left_ = static_cast<int>(chance_.between(0, 4));
  attempt();
}

void subscriber::attempt() {
  caller::question asked;
  asked.method = "objectives/subscribe";
  asked.how = how_;
  asked.is_stream = true;
  asked.patience = std::max(in_.how.patience, patience_min);
  object_text params;
  params.add("id", quoted(objective_));
  if (!detail_.empty())
    params.add("detail", quoted(detail_));
  if (per_second_ > 0) {
    params.add("maxPerSecond", std::to_string(per_second_));
    in_.story.reached("a stream of an objective has so many events a second at most");
  }
  if (!cursor_.empty()) {
    in_.story.reached("a stream of an objective is resumed");
    switch (chance_.below(3)) {
      case 0: params.add("cursor", quoted(cursor_)); break;
      case 1: asked.headers = "Last-Event-ID: " + cursor_ + "\r\n"; break;
      default: asked.headers = "Troupe-Cursor: " + cursor_ + "\r\n"; break;
    }
  }
  asked.params = params.str();
  has_failed_ = false;
  stream_ = in_.seen.objective_streams.size();
  objective_stream made;
  made.client = name_;
  made.objective = objective_;
  made.after = cursor_;
  made.shows_tasks = detail_ != "states";
  made.is_folded = per_second_ > 0;
  in_.seen.objective_streams.push_back(std::move(made));
  caller_.ask(asked);
}

void subscriber::on_event(const std::string& data) {
  note_leaks(data, name_, in_.seen);
  auto shown = read_objective_event(data);
  if (!shown)
    return;
  in_.story.add(name_ + " sees " + data);
  if (shown->error != 0) {
    has_failed_ = true;
    return in_.story.reached("a stream of an objective ends with an error");
  }
  auto& event = shown->event;
  if (event.whole) {
    note_names(*event.whole, name_, in_.seen);
    in_.story.reached(event.has_gap ? "a stream of an objective says that changes are missing"
                                    : "an objective is subscribed to");
  }
  cursor_ = event.cursor;
  read().events.push_back(std::move(event));
  if (chance_.chance(0.02)) {
    caller_.hang_up();
    in_.after(chance_.between(0ns, in_.how.think_max), [this] { on_loss(); });
  }
}

void subscriber::on_end(caller::end how) {
  if (how != caller::end::answered)
    return on_loss();
  if (caller_.answer().header("content-type").starts_with("text/event-stream")) {
    read().is_complete = !has_failed_;
    if (!has_failed_)
      in_.story.reached("a stream of an objective ends with its objective");
  } else {
    const auto body = caller_.body();
    note_leaks(body, name_, in_.seen);
    in_.story.add(name_ + " gets " + std::to_string(caller_.answer().status()) + " " + body);
    in_.story.reached("a stream of an objective is refused");
  }
  think();
}

void subscriber::on_loss() {
  if (is_stopped_)
    return;
  if (tries_left_-- <= 0)
    return think();
  in_.after(chance_.between(1ms, 1s), [this] {
    if (!is_stopped_)
      attempt();
  });
}

void subscriber::think() {
  in_.after(chance_.between(1ms, std::max<nanoseconds>(in_.how.think_max, 100ms)),
            [this] { begin(); });
}

} // namespace troupe::sim
