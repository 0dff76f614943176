#include "sim/receiver.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "sim/http_request.hpp"
#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

notification read_notification(const http_request& from) {
  notification out;
  out.token = from.header("A2A-Notification-Token");
  out.id = from.header("A2A-Notification-Id");
  out.is_0_3 = from.header("A2A-Version") == "0.3";
  out.body = std::hash<std::string>{}(from.body);
  boost::system::error_code failed;
  const auto whole = json::parse(from.body, failed);
  if (failed || !whole.is_object())
    return out;
  if (out.is_0_3) {
    out.shows.kind = event_kind::snapshot;
    out.shows.task = read_task_0_3(whole.as_object());
  } else if (auto read = read_event(whole.as_object())) {
    out.shows = std::move(read->event);
  }
  return out;
}

} // namespace

std::string receiver_name(std::size_t number) {
  return "n" + std::to_string(number);
}

std::string receiver_url(std::size_t number) {
  return "http://n" + std::to_string(number) + ".example/";
}

receiver::receiver(world& in, std::size_t number)
    : in_(in), number_(number), chance_(in.stream("receiver " + receiver_name(number))) {
  slowness_ = chance_.one_of(std::to_array<nanoseconds>({0ns, 20ms, 1s}));
}

void receiver::accept(const std::shared_ptr<connection>& from) {
  keep_line(lines_, from, [this](const line_ptr& line) { read(line); });
}

void receiver::read(const line_ptr& from) {
  from->unread += from->to->receive(std::string::npos);
  note_leaks(from->unread, receiver_name(number_), in_.seen);
  while (const auto posted = take_http_request(from->unread)) {
    note(read_notification(*posted));
    answer(from);
  }
  if (from->to->is_over())
    from->to->close();
}

void receiver::note(notification posted) {
  posted.receiver = receiver_name(number_);
  in_.story.add(posted.receiver + " is sent " + posted.id);
  in_.story.reached(posted.is_0_3 ? "a notification of 0.3 arrives" : "a notification arrives");
  const auto is_same = [&](const notification& each) { return each.id == posted.id; };
  if (std::ranges::any_of(in_.seen.notifications, is_same))
    in_.story.reached("a notification comes again");
  switch (in_.how.bug) {
    case mutant::lost_notification:
      if (chance_.chance(0.05))
        return;
      break;
    case mutant::swapped_notifications:
      if (!held_ && chance_.chance(0.05)) {
        held_ = std::move(posted);
        return;
      }
      break;
    case mutant::notification_of_another:
      if (chance_.chance(0.05) && !in_.seen.notifications.empty())
        posted.token = in_.seen.notifications.front().token;
      break;
    default: break;
  }
  in_.seen.notifications.push_back(std::move(posted));
  if (held_)
    in_.seen.notifications.push_back(*std::exchange(held_, std::nullopt));
}

void receiver::answer(const line_ptr& to) {
  if (in_.is_calm || !chance_.chance(in_.how.receiver_faults))
    return say(to, "200 OK");
  switch (chance_.below(5)) {
    case 0: in_.story.reached("a receiver does not answer"); return;
    case 1:
      in_.story.reached("a receiver is too busy");
      return say(to, "503 Service Unavailable\r\nRetry-After: 1");
    case 2:
      in_.story.reached("a receiver does not want a notification");
      return say(to, "404 Not Found");
    case 3: in_.story.reached("a receiver hangs up"); return to->to->close();
    default:
      in_.story.reached("a receiver redirects");
      return say(to, "302 Found\r\nLocation: http://192.0.2.99/");
  }
}

void receiver::say(const line_ptr& to, std::string_view status) {
  in_.after(chance_.between(0ns, slowness_), [to, text = std::string(status)] {
    to->to->send("HTTP/1.1 " + text + "\r\nContent-Length: 0\r\n\r\n");
  });
}

} // namespace troupe::sim
