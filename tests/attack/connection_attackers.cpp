// What clients do to connections: they open many, and say nothing, little, or nothing more.
#include "tests/attack/attackers.hpp"

#include <algorithm>
#include <array>

namespace troupe::attack {

namespace {

using namespace std::chrono_literals;

/// Keeps up `size` connections, each begun by `begin`, and looks at them once a turn.
template<class Begin>
void keep_up(attacker& self, std::size_t size, std::size_t begun_in_turn, Begin begin) {
  std::vector<connection> all;
  while (!self.is_over()) {
    std::erase_if(all, [&](auto& each) { return self.is_over() || !self.look_at(each); });
    for (std::size_t i = 0; i < begun_in_turn && all.size() < size && !self.is_over(); ++i)
      if (auto one = begin(); one.is_open())
        all.push_back(std::move(one));
    self.pause(200ms);
  }
  for (auto& each : all)
    each.reset();
}

void stay_idle(attacker& self) {
  keep_up(self, self.how_much.of(10'000), 1'000, [&] { return self.connect(); });
}

void stay_half_open(attacker& self) {
  keep_up(self, self.how_much.of(500), 100, [&] {
    static constexpr std::array<std::string_view, 5> beginnings{
        "G", "GET / HT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le",
        "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "
        "application/json\r\nContent-Length: 5000000\r\n\r\n{\"jsonrpc\":",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\nabc"};
    auto one = self.connect();
    one.send(beginnings[self.below(beginnings.size())]);
    return one;
  });
}

/// Sends a long value of each header that the server keeps, one after the other, and stays.
void leave_long_headers(attacker& self) {
  static constexpr std::array<std::string_view, 6> names{
      "Accept", "Authorization", "If-Match", "If-None-Match", "Last-Event-ID", "A2A-Extensions"};
  const std::string value(30'000, 'x');
  keep_up(self, self.how_much.of(500), 20, [&] {
    auto one = self.connect();
    for (const auto name : names)
      if (one.is_open())
        self.ask(one,
                 request_text("GET", "/healthz", {}, std::string(name) + ": " + value + "\r\n"),
                 2s);
    return one;
  });
}

/// A thousand a second: most say nothing, some ask, all leave at once.
void come_and_go(attacker& self) {
  const auto in_turn = self.how_much.of(50);
  while (!self.is_over()) {
    const auto next = steady::now() + 50ms;
    for (std::size_t i = 0; i < in_turn && !self.is_over(); ++i) {
      auto one = self.connect();
      if (self.below(4) == 0)
        self.ask(one, request_text("GET", "/healthz"), 2s);
      one.reset();
    }
    self.pause(std::chrono::duration_cast<std::chrono::milliseconds>(next - steady::now()));
  }
}

/// A crowd that asks for something large and does not read it.
struct stalled_crowd {
  std::size_t megabytes;
  std::size_t connections;
  std::size_t at_once; ///< New connections at a time.
  std::chrono::seconds lasts;
};

/// `request_for`: of the id of the large task.
template<class Request>
void stop_reading(attacker& self, const stalled_crowd& crowd, Request request_for) {
  auto maker = self.connect();
  const auto task = self.make_large_task(maker, crowd.megabytes);
  if (task.empty())
    return self.pause(1s);
  const std::string request = request_for(task);
  std::vector<connection> all;
  const auto until = steady::now() + crowd.lasts;
  while (!self.is_over() && steady::now() < until) {
    for (std::size_t i = 0; i < crowd.at_once && all.size() < self.how_much.of(crowd.connections);
         ++i) {
      auto one = self.connect(4096);
      one.send(request);
      all.push_back(std::move(one));
    }
    // One of them reads a little.
    if (!all.empty() && !self.look_at(all[self.below(all.size())]))
      all.pop_back();
    self.pause(100ms);
  }
  for (auto& each : all)
    each.reset();
  self.cancel_task(task);
}

/// Streams of a task with a large history that are not read.
void stop_reading_streams(attacker& self) {
  stop_reading(self, {self.how_much.share < 1 ? 5U : 27U, 300, 50, 20s},
               [](const std::string& task) {
                 return request_text("GET", "/tasks/" + task + ":subscribe", {},
                                     "Accept: text/event-stream\r\n");
               });
}

/// An objective, and all questions, that are followed and not read. Others ask many questions.
void stop_reading_questions(attacker& self) {
  auto maker = self.connect();
  const auto task = self.begin_task(maker, R"({"sleep":3600})");
  if (task.empty())
    return self.pause(1s);
  const auto objective = task.substr(0, task.find('.'));
  keep_up(self, self.how_much.of(300), 50, [&] {
    auto one = self.connect(4096);
    one.send(self.below(2) == 0
                 ? rpc_text("inputs/subscribe", "{}")
                 : rpc_text("objectives/subscribe", R"({"id":")" + objective + "\"}"));
    return one;
  });
  self.cancel_task(task);
}

/// Answers of several MB that are read slowly, or not; three on each connection.
void stop_reading_answers(attacker& self) {
  stop_reading(self, {5, 100, 10, 15s}, [](const std::string& task) {
    const auto request = rpc_text("GetTask", R"({"id":")" + task + "\"}");
    return request + request + request;
  });
}

constexpr auto kinds = std::to_array<attacker_kind>({{"idle connections", stay_idle},
                                                     {"half-open connections", stay_half_open},
                                                     {"long headers", leave_long_headers},
                                                     {"new connections", come_and_go},
                                                     {"stalled streams", stop_reading_streams},
                                                     {"stalled questions", stop_reading_questions},
                                                     {"stalled answers", stop_reading_answers}});

} // namespace

std::span<const attacker_kind> connection_attackers() {
  return kinds;
}

} // namespace troupe::attack
