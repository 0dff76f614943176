// Agents that answer what no agent should. Each ends its own delegation with a reason, and disturbs
// no other.
#include "agents/a2a/a2a_agent.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::test;
using namespace troupe::testing;

namespace {

/// Of an agent that is asked at `self`.
using answer_maker =
    std::function<std::string(const push_receiver& self, const received_post& asked)>;

std::string card_from(const push_receiver& server, bool streams) {
  return answer_text(200, {},
                     R"({"name":"A","version":"1","capabilities":{"streaming":)"
                         + std::string(streams ? "true" : "false")
                         + R"(},"supportedInterfaces":[{"url":")" + server.url("/")
                         + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
}

std::string task_json(const std::string& id, const std::string& state,
                      const std::string& context = "c") {
  return R"({"id":")" + id + R"(","contextId":")" + context + R"(","status":{"state":"TASK_STATE_)"
         + state + R"("}})";
}

std::string rpc_result(const std::string& answer) {
  return answer_text(200, "Content-Type: application/json\r\n",
                     R"({"jsonrpc":"2.0","id":1,"result":)" + answer + "}");
}

std::string streams_out(const std::string& body) {
  return answer_text(200, "Content-Type: text/event-stream\r\n", body);
}

std::string event_with(const std::string& content) {
  return R"(data: {"jsonrpc":"2.0","id":1,"result":)" + content + "}\n\n";
}

bool asks_for(const received_post& asked, std::string_view method) {
  return asked.body.find(method) != std::string::npos;
}

std::string completes_at_once(const push_receiver& self, const received_post& asked) {
  return asked.method == "GET" ? card_from(self, false)
                               : rpc_result(R"({"task":)" + task_json("g", "COMPLETED") + "}");
}

/// Two tasks of one process: one is done by the agent `bad`, the other one by `good`.
class two_agents_bed {
public:
  /// `answer`: to all that `bad` is asked. `of_good`: to what `good` is asked.
  explicit two_agents_bed(answer_maker answer, answer_maker of_good = completes_at_once) {
    bad.answer_with([this, answer = std::move(answer)](const received_post& asked) {
      return answer(bad, asked);
    });
    good.answer_with([this, of_good = std::move(of_good)](const received_post& asked) {
      return of_good(good, asked);
    });
    delegation_options how;
    for (const auto* server : {&bad, &good}) {
      a2a::target to;
      to.url = server->url("");
      how.targets.push_back({server == &bad ? "bad" : "good", std::move(to)});
    }
    agent = std::make_unique<a2a_agent>(std::move(how), loop, time);
  }

  /// How the task of `bad` fails, once that of `good` has completed. `step`: so much passes for
  /// every 2 ms.
  report_failed end(std::chrono::milliseconds step = 50ms) {
    const auto of_bad = begin("bad");
    const auto of_good = begin("good");
    const auto has_failed = [&] { return !of_bad->all<report_failed>().empty(); };
    REQUIRE(comes_true([&] {
      turn();
      return !of_good->all<report_completed>().empty();
    }));
    REQUIRE(comes_true([&] {
      // The server answers in real time.
      const auto first = std::chrono::steady_clock::now();
      while (!has_failed() && std::chrono::steady_clock::now() < first + 2ms)
        turn();
      time.pass(step);
      return has_failed();
    }));
    return of_bad->all<report_failed>().front();
  }

  std::shared_ptr<fake_port> begin(const std::string& target) {
    auto given = order_with(R"({"target": ")" + target + R"(", "text": "go"})");
    given.id = task_id{target + std::to_string(runs.size())};
    const auto port = std::make_shared<fake_port>();
    auto started = agent->start(shared(std::move(given)), port);
    runs.push_back({port, std::move(std::get<agent_run_ptr>(started))});
    return port;
  }
  void turn() {
    loop->turn();
    for (auto& each : runs) // A note is durable as soon as it is reported.
      if (!each.is_noted && !each.port->all<report_note>().empty()) {
        each.is_noted = true;
        each.run->on_noted();
      }
  }

  hand_time time;
  push_receiver bad;
  push_receiver good;

private:
  struct begun {
    std::shared_ptr<fake_port> port;
    agent_run_ptr run;
    bool is_noted = false;
  };

  std::shared_ptr<a2a::call_loop> loop = std::make_shared<a2a::call_loop>(time);
  std::unique_ptr<a2a_agent> agent;
  std::vector<begun> runs;
};

} // namespace

TEST_CASE("an agent that sends half frames only is lost at last", "[agents][a2a][hostile]") {
  two_agents_bed bed([](const push_receiver& self, const received_post& asked) {
    if (asked.method == "GET")
      return card_from(self, true);
    return asks_for(asked, "SendStreamingMessage")
               ? streams_out(R"(data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"r)")
               : std::string{}; // closes the connection
  });
  const auto how = bed.end(1s);
  CHECK_THAT(how.reason, ContainsSubstring("has not answered for 600 s"));
}

TEST_CASE("an agent that answers with another task fails the task", "[agents][a2a][hostile]") {
  two_agents_bed bed([](const push_receiver& self, const received_post& asked) {
    if (asked.method == "GET")
      return card_from(self, false);
    return asks_for(asked, "SendMessage")
               ? rpc_result(R"({"task":)" + task_json("r1", "WORKING") + "}")
               : rpc_result(task_json("r2", "COMPLETED"));
  });
  const auto how = bed.end();
  CHECK_THAT(how.reason, ContainsSubstring("answered with another task"));
  CHECK_FALSE(how.retry);
}

TEST_CASE("an agent that lists the tasks of others proves nothing", "[agents][a2a][hostile]") {
  two_agents_bed bed([](const push_receiver& self, const received_post& asked) {
    if (asked.method == "GET")
      return card_from(self, true);
    return asks_for(asked, "ListTasks")
               ? rpc_result(R"({"tasks":[)" + task_json("r9", "WORKING", "of-another")
                            + R"(],"nextPageToken":"","pageSize":50,"totalSize":1})")
               : std::string{}; // closes the connection
  });
  const auto how = bed.end();
  CHECK_THAT(how.reason, ContainsSubstring("it is not known whether the agent \"bad\""));
  CHECK_FALSE(how.retry);
}

TEST_CASE("an artifact of chunks without end and without content fails the task",
          "[agents][a2a][hostile]") {
  std::string flood = event_with(R"({"task":)" + task_json("r1", "WORKING") + "}");
  const auto chunk = event_with(R"({"artifactUpdate":{"taskId":"r1","contextId":"c","append":true,)"
                                R"("artifact":{"artifactId":"a","parts":[{"text":""}]}}})");
  for (std::uint32_t i = 0; i < idle_frames_max + 10; ++i)
    flood += chunk;
  two_agents_bed bed([&](const push_receiver& self, const received_post& asked) {
    return asked.method == "GET" ? card_from(self, true) : streams_out(flood);
  });
  const auto how = bed.end();
  CHECK_THAT(how.reason, ContainsSubstring("sends without an end, and nothing new: more than 10000 "
                                           "events in a minute"));
  CHECK_FALSE(how.retry);
}

TEST_CASE("a flood of events with nothing new is read no faster than its target may send them",
          "[agents][a2a][hostile]") {
  std::string flood = event_with(R"({"task":)" + task_json("r1", "WORKING") + "}");
  const auto again = event_with(
      R"({"statusUpdate":{"taskId":"r1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}})");
  for (std::uint32_t i = 0; i < idle_frames_max + 10; ++i)
    flood += again;
  two_agents_bed bed([&](const push_receiver& self, const received_post& asked) {
    return asked.method == "GET" ? card_from(self, true) : streams_out(flood);
  });
  const auto began = bed.time.steady();
  CHECK_THAT(bed.end(20ms).reason, ContainsSubstring("sends without an end"));
  const auto events = idle_frames_max - idle_frames_at_once - idle_frames_per_second;
  CHECK(bed.time.steady() - began >= std::chrono::seconds{events / idle_frames_per_second});
}

TEST_CASE("what a target holds back of its flood delays no flood of another one",
          "[agents][a2a][hostile]") {
  const auto begins = [](const std::string& id) {
    return event_with(R"({"task":)" + task_json(id, "WORKING") + "}");
  };
  const auto status = [](const std::string& id, const std::string& more) {
    return event_with(R"({"statusUpdate":{"taskId":")" + id + R"(","contextId":"c",)" + more
                      + "}}");
  };
  // Three of them are more than all targets together may send at once.
  const std::size_t filler = (idle_frames_per_second_of_all / 3 + 100) * idle_frame_bytes;
  const auto long_event =
      status("r1", R"("status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m","role":)"
                   R"("ROLE_AGENT","parts":[{"text":"hello"}]}},"metadata":{"filler":")"
                       + std::string(filler, 'x') + R"("})");
  std::string short_events = begins("g");
  for (std::uint32_t i = 0; i < idle_frames_at_once + 10; ++i)
    short_events += status("g", R"("status":{"state":"TASK_STATE_WORKING"})");
  short_events += status("g", R"("status":{"state":"TASK_STATE_COMPLETED"})");
  two_agents_bed bed(
      [&](const push_receiver& self, const received_post& asked) {
        return asked.method == "GET" ? card_from(self, true)
                                     : streams_out(begins("r1") + long_event);
      },
      [&](const push_receiver& self, const received_post& asked) {
        if (asked.method == "GET")
          return card_from(self, true);
        return asks_for(asked, "SendStreamingMessage") ? streams_out(short_events)
                                                       : rpc_result(task_json("g", "COMPLETED"));
      });
  for (int i = 0; i < 3; ++i) {
    const auto flooded = bed.begin("bad");
    REQUIRE(comes_true([&] {
      bed.turn();
      return !flooded->all<report_message>().empty();
    }));
  }
  const auto of_good = bed.begin("good");
  CHECK(comes_true([&] { // no time passes
    bed.turn();
    return !of_good->all<report_completed>().empty();
  }));
}

TEST_CASE("a stream that announces more than an event may have fails the task",
          "[agents][a2a][hostile]") {
  const auto flood = event_with(R"({"task":)" + task_json("r1", "WORKING") + "}")
                     + "data: " + std::string((std::size_t{16} << 20) + 1, 'x');
  two_agents_bed bed([&](const push_receiver& self, const received_post& asked) {
    return asked.method == "GET" ? card_from(self, true) : streams_out(flood);
  });
  const auto how = bed.end();
  CHECK_THAT(how.reason, ContainsSubstring("bytes; the limit is 16777216"));
  CHECK_FALSE(how.retry);
}

TEST_CASE("a card that is always elsewhere fails the task", "[agents][a2a][hostile]") {
  two_agents_bed bed([](const push_receiver&, const received_post&) {
    return answer_text(302, "Location: /elsewhere\r\n");
  });
  CHECK_THAT(bed.end().reason, ContainsSubstring("more than 3 redirects"));
}

TEST_CASE("a request is not sent where an agent redirects it", "[agents][a2a][hostile]") {
  const push_receiver elsewhere;
  two_agents_bed bed([&](const push_receiver& self, const received_post& asked) {
    return asked.method == "GET" ? card_from(self, false)
                                 : answer_text(307, "Location: " + elsewhere.url("/") + "\r\n");
  });
  CHECK_FALSE(bed.end(1s).reason.empty());
  CHECK(elsewhere.connections() == 0);
}
