#include "sim/caller.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t everything = std::string::npos;
/// A reader that stops takes so much before.
constexpr std::size_t bytes_before_stop = 200;

/// What becomes of a question that a planted bug changes.
std::string on_the_way(const std::string& params, mutant bug) {
  switch (bug) {
    case mutant::lost_dependency:
      return std::regex_replace(params, std::regex(R"re("dependencies":\["[^"]*",?)re"),
                                R"("dependencies":[)");
    case mutant::no_limit:
      return std::regex_replace(params, std::regex(R"("maxParallel":\d+)"), R"("maxParallel":0)");
    case mutant::message_of_another_name:
      return std::regex_replace(params, std::regex(R"("messageId":")"), R"("messageId":"x)");
    default: return params;
  }
}

} // namespace

caller::caller(world& in, dice& network, std::string name)
    : in_(in), network_(network), name_(std::move(name)), chance_(in.stream("caller " + name_)),
      self_(std::make_shared<caller*>(this)) {}

caller::~caller() {
  *self_ = nullptr;
  hang_up();
}

bool caller::connect() {
  if (to_ && !to_->is_broken() && !to_->is_over() && !chance_.chance(0.05))
    return true;
  hang_up();
  auto fresh = std::make_shared<connection>(in_, network_);
  if ((!in_.is_calm && network_.chance(in_.how.refusals)) || !in_.dial || !in_.dial(fresh))
    return false;
  to_ = std::move(fresh);
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
  const auto body = R"({"jsonrpc":"2.0","id":)" + std::to_string(number_) + R"(,"method":")"
                    + asked.method + R"(","params":)" + on_the_way(asked.params, in_.how.bug) + "}";
  to_->send("POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "
            "application/json\r\n"
            + asked.headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  in_.story.add(name_ + " sends " + asked.method + " " + asked.params);
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
      if (on_event)
        on_event(event);
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

void caller::finish(end how) {
  is_asking_ = false;
  ++number_;
  if (const auto call = on_end) // Which may put another one in its place.
    call(how);
}

} // namespace troupe::sim
