// What the agent `a2a` does beside what its delegations decide.
#include "agents/a2a/a2a_agent.hpp"
#include "agents/a2a/delegation_lines.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/flooding_agent.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"
#include "tests/support/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace troupe;
using namespace troupe::test;
using namespace troupe::testing;

TEST_CASE("a stream is read no further while the store has no room for what it says",
          "[agents][a2a]") {
  const flooding_agent there;
  delegation_options how;
  a2a::target to;
  to.url = there.url();
  how.targets.push_back({"flood", to});
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  port->is_roomy = false;
  auto begun = agent.start(shared(order_with(R"({"target": "flood", "text": "go"})")), port);
  auto& run = std::get<agent_run_ptr>(begun);
  const auto artifacts = [&] { return port->all<report_artifact>().size(); };
  // The note is durable as soon as it is reported.
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  run->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return there.frames() > 1;
  }));
  for (int i = 0; i < 2'000; ++i)
    loop->turn();
  const auto before = artifacts();
  CHECK(before <= 1); // the event that found no room
  port->is_roomy = true;
  run->on_room();
  CHECK(comes_true([&] {
    loop->turn();
    return artifacts() > before + 5;
  }));
}

TEST_CASE("a stream that never ends, and is of another task, fails the task", "[agents][a2a]") {
  const flooding_agent there(true);
  delegation_options how;
  a2a::target to;
  to.url = there.url();
  how.targets.push_back({"flood", to});
  std::vector<std::string> warned;
  how.warn = [&](const std::string& line) { warned.push_back(line); };
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  auto begun = agent.start(shared(order_with(R"({"target": "flood", "text": "go"})")), port);
  auto& run = std::get<agent_run_ptr>(begun);
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  run->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_failed>().empty();
  }));
  const auto how_it_failed = port->all<report_failed>().front();
  CHECK_THAT(how_it_failed.reason, ContainsSubstring("sends without an end"));
  CHECK_FALSE(how_it_failed.retry);
  REQUIRE(warned.size() == 1);
  CHECK(warned.front()
        == "the agent \"flood\" sent 10001 frames of other tasks, or after the end; they were "
           "dropped");
}

TEST_CASE("an agent keeps its client, and asks for the card again by its ETag", "[agents][a2a]") {
  push_receiver server;
  const auto card = R"({"name":"A","version":"1","capabilities":{},"supportedInterfaces":[{"url":")"
                    + server.url("/")
                    + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
  server.script({answer_text(200, "ETag: \"v1\"\r\n", card), answer_text(304, "ETag: \"v1\"\r\n")});
  hand_time time;
  delegation_options how;
  a2a::target to;
  to.url = server.url("");
  how.targets.push_back({"there", to});
  const auto loop = std::make_shared<a2a::call_loop>(time);
  a2a_agent agent(std::move(how), loop, time);
  const auto meet = [&] {
    const auto port = std::make_shared<fake_port>();
    const auto begun =
        agent.start(shared(order_with(R"({"target": "there", "text": "go"})")), port);
    REQUIRE(comes_true([&] {
      loop->turn();
      return !port->all<report_note>().empty();
    }));
  };
  meet();
  time.pass(std::chrono::minutes{6});
  meet();
  const auto asked = server.received();
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].header("if-none-match") == "\"v1\"");
}

TEST_CASE("a broken stream of an agent with cursors is subscribed to with the last one",
          "[agents][a2a]") {
  push_receiver server;
  const auto card = R"({"name":"A","version":"1","capabilities":{"streaming":true,"extensions":[)"
                    R"({"uri":"urn:troupe:stream-cursor:v1"}]},"supportedInterfaces":[{"url":")"
                    + server.url("/")
                    + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
  server.script(
      {answer_text(200, {}, card),
       answer_text(200, "Content-Type: text/event-stream\r\n",
                   R"(data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"r","contextId":)"
                   R"("c","status":{"state":"TASK_STATE_WORKING"},"metadata":)"
                   R"({"troupe/v1/cursor":"5.0"}}}})"
                   "\n\n")});
  delegation_options how;
  a2a::target to;
  to.url = server.url("");
  how.targets.push_back({"there", to});
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  auto begun = agent.start(shared(order_with(R"({"target": "there", "text": "go"})")), port);
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  std::get<agent_run_ptr>(begun)->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return server.received().size() >= 3;
  }));
  const auto third = server.received()[2];
  CHECK_THAT(third.body, ContainsSubstring("SubscribeToTask"));
  CHECK(third.header("troupe-cursor") == "5.0");
}

namespace {

/// An agent of 1.0 without streams, whose tasks work until they are canceled.
struct working_agent {
  working_agent() {
    server.answer_with([this](const received_post& asked) { return answer(asked); });
  }

  std::string answer(const received_post& asked) {
    const auto says = [](const std::string& result) {
      return answer_text(200, "Content-Type: application/json\r\n",
                         R"({"jsonrpc":"2.0","id":1,)" + result + "}");
    };
    const auto a_task = [](const std::string& id, const std::string& state) {
      return R"({"id":")" + id + R"(","contextId":"c","status":{"state":"TASK_STATE_)" + state
             + R"("}})";
    };
    if (asked.method == "GET")
      return answer_text(200, {},
                         R"({"name":"A","version":"1","capabilities":{},"supportedInterfaces":[{)"
                         R"("url":")"
                             + server.url("/")
                             + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
    if (asked.body.find("SendMessage") != std::string::npos)
      return says(R"("result":{"task":)" + a_task("r" + std::to_string(++sends), "WORKING") + "}");
    if (is_broken)
      return answer_text(500);
    if (asked.body.find("CancelTask") == std::string::npos)
      return says(R"("result":)" + a_task("r1", "WORKING"));
    ++cancels;
    return says(refuses ? R"("error":{"code":-32002,"message":"too late"})"
                        : R"("result":)" + a_task("r1", "CANCELED"));
  }

  push_receiver server;
  std::atomic<int> sends{0};
  std::atomic<int> cancels{0};
  std::atomic<bool> is_broken{true}; ///< For all but the card and new tasks.
  std::atomic<bool> refuses{false};
};

struct retry_bed {
  retry_bed() { renew(); }

  /// Of the next process.
  void renew() {
    delegation_options how;
    a2a::target to;
    to.url = there.server.url("");
    how.targets.push_back({"there", to});
    how.cancels_file = [path = (where.path() / "cancels").string()] { return path; };
    loop = std::make_shared<a2a::call_loop>(time);
    agent = std::make_unique<a2a_agent>(std::move(how), loop, time);
  }
  /// One attempt of the task `t1`.
  void begin() {
    port = std::make_shared<fake_port>();
    auto begun = agent->start(shared(order_with(R"({"target": "there", "text": "go"})")), port);
    run = std::move(std::get<agent_run_ptr>(begun));
  }
  template<class Fits>
  [[nodiscard]] bool comes(Fits fits, std::chrono::milliseconds step = {}) {
    return comes_true([&] {
      // The server answers in real time: it gets 2 ms for each step.
      const auto begin = std::chrono::steady_clock::now();
      for (auto spent = std::chrono::steady_clock::duration::zero();
           step.count() > 0 && spent < std::chrono::milliseconds{2};
           spent = std::chrono::steady_clock::now() - begin) {
        loop->turn();
        if (fits())
          return true;
      }
      time.pass(step);
      loop->turn();
      return fits();
    });
  }
  [[nodiscard]] bool is_noted() const { return !port->all<report_note>().empty(); }
  /// The attempt sends, and is given up.
  void lose() {
    begin();
    REQUIRE(comes([&] { return is_noted(); }));
    run->on_noted();
    REQUIRE(comes([&] { return port->all<report_note>().size() == 2; })); // the id is known
    REQUIRE(comes([&] { return !port->all<report_failed>().empty(); }, std::chrono::seconds{20}));
    const auto lost = port->all<report_failed>().front();
    CHECK_THAT(lost.reason, ContainsSubstring("has not answered for 600 s"));
    CHECK(lost.retry);
    run.reset();
  }

  temporary_directory where;
  working_agent there;
  hand_time time;
  std::shared_ptr<a2a::call_loop> loop;
  std::unique_ptr<a2a_agent> agent;
  std::shared_ptr<fake_port> port;
  agent_run_ptr run;
};

} // namespace

TEST_CASE("another attempt sends when the task of the one before is canceled", "[agents][a2a]") {
  retry_bed bed;
  bed.lose();
  bed.begin();
  REQUIRE(bed.comes([&] { return !bed.port->all<report_message>().empty(); }));
  for (int i = 0; i < 1'000; ++i)
    bed.loop->turn();
  CHECK_FALSE(bed.is_noted());
  CHECK_THAT(text_of(bed.port->all<report_message>().at(0).message.parts),
             ContainsSubstring("is to cancel an earlier attempt first"));
  SECTION("and is told when it is") {
    bed.there.is_broken = false;
    REQUIRE(bed.comes([&] { return bed.is_noted(); }, std::chrono::seconds{1}));
    CHECK(bed.there.cancels == 1);
    bed.run->on_noted();
    CHECK(bed.comes([&] { return bed.there.sends == 2; }));
  }
  SECTION("and is lost, too, if it never is") {
    REQUIRE(bed.comes([&] { return !bed.port->all<report_failed>().empty(); },
                      std::chrono::seconds{20}));
    CHECK_THAT(bed.port->all<report_failed>().front().reason,
               ContainsSubstring("has not answered the cancel of an earlier attempt"));
    CHECK(bed.there.sends == 1);
  }
  SECTION("and is canceled meanwhile") {
    static_cast<void>(bed.run->on_cancel());
    REQUIRE(bed.comes([&] { return !bed.port->all<report_canceled>().empty(); }));
    CHECK(bed.port->all<report_canceled>().front().outcome == cancel_outcome::no_answer);
    CHECK(bed.there.sends == 1);
  }
}

TEST_CASE("no other attempt begins beside a task that its agent does not cancel", "[agents][a2a]") {
  retry_bed bed;
  bed.there.refuses = true;
  bed.lose();
  bed.there.is_broken = false;
  bed.begin();
  REQUIRE(
      bed.comes([&] { return !bed.port->all<report_failed>().empty(); }, std::chrono::seconds{1}));
  const auto how = bed.port->all<report_failed>().front();
  CHECK_THAT(how.reason, ContainsSubstring("goes on with an earlier attempt"));
  CHECK_THAT(how.reason, ContainsSubstring("too late"));
  CHECK_FALSE(how.retry);
  CHECK(bed.there.sends == 1);
}

TEST_CASE("the next process cancels what an attempt has left, before another one sends",
          "[agents][a2a]") {
  retry_bed bed;
  bed.lose();
  bed.renew();
  bed.agent->deliver_cancels();
  bed.there.is_broken = false;
  bed.begin();
  REQUIRE(bed.comes([&] { return bed.is_noted(); }, std::chrono::seconds{1}));
  CHECK(bed.there.cancels == 1);
}

namespace {

/// Delegations that have begun, by turns.
struct begun_bed {
  explicit begun_bed(delegation_options how) : agent(std::move(how), loop) {}

  std::shared_ptr<fake_port> begin(order given) {
    const auto port = std::make_shared<fake_port>();
    auto begun = agent.start(shared(std::move(given)), port);
    runs.push_back(std::move(std::get<agent_run_ptr>(begun)));
    return port;
  }
  /// All that can be done now.
  void turn() const {
    while (loop->turn()) {
    }
  }

  std::shared_ptr<a2a::call_loop> loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent;
  std::vector<agent_run_ptr> runs;
};

delegation_target target_at(std::string alias, const push_receiver& server) {
  a2a::target to;
  to.url = server.url("");
  return {std::move(alias), to};
}

std::string card_at(const push_receiver& server) {
  return answer_text(
      200, {},
      R"({"name":"A","version":"1","capabilities":{},"supportedInterfaces":[{"url":")"
          + server.url("/") + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
}

} // namespace

TEST_CASE("the request of a delegation is counted from when it is sent until its answer begins",
          "[agents][a2a][memory]") {
  push_receiver server;
  server.script({card_at(server)});
  delegation_options how;
  how.targets.push_back(target_at("there", server));
  how.memory = std::make_shared<memory_budget>(std::size_t{64} << 20);
  const auto memory = how.memory;
  begun_bed bed(std::move(how));
  auto given = order_with(R"({"target": "there", "text": "go"})");
  constexpr std::size_t bytes = std::size_t{1} << 20;
  const auto made = std::make_shared<artifact>(text_artifact("log", std::string(bytes, 'x')));
  given.dependencies.push_back({});
  given.dependencies.back().artifacts.push_back(made);
  const auto port = bed.begin(std::move(given));
  REQUIRE(comes_true([&] {
    bed.turn();
    return !port->all<report_note>().empty();
  }));
  CHECK(memory->held(memory_account::remote_exchanges) < bytes);
  // While it is sent it counts; the answer does not come.
  server.hold();
  bed.runs.back()->on_noted();
  CHECK(comes_true([&] {
    bed.turn();
    return memory->held(memory_account::remote_exchanges) >= bytes;
  }));
  bed.runs.clear();
  server.release();
  CHECK(comes_true([&] {
    bed.turn();
    return memory->held(memory_account::remote_exchanges) == 0;
  }));
}

TEST_CASE("a request for which the process has no memory is not sent, and is sent later",
          "[agents][a2a][memory]") {
  push_receiver server;
  const auto done = answer_text(200, "Content-Type: application/json\r\n",
                                R"({"jsonrpc":"2.0","id":1,"result":{"task":{"id":"r",)"
                                R"("contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}})");
  server.script({card_at(server), done});
  hand_time time;
  delegation_options how;
  how.targets.push_back(target_at("there", server));
  how.memory = std::make_shared<memory_budget>(std::size_t{64} << 20);
  const auto memory = how.memory;
  const auto loop = std::make_shared<a2a::call_loop>(time);
  a2a_agent agent(std::move(how), loop, time);
  const auto port = std::make_shared<fake_port>();
  auto begun = agent.start(
      shared(order_with(R"({"target": "there", "text": ")" + std::string(100'000, 'x') + "\"}")),
      port);
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  memory->force(memory_account::backlog, std::size_t{48} << 20);
  std::get<agent_run_ptr>(begun)->on_noted();
  for (int i = 0; i < 100; ++i) {
    time.pass(std::chrono::milliseconds{250});
    loop->turn();
  }
  CHECK(server.received().size() == 1); // the card
  CHECK(port->all<report_failed>().empty());
  memory->give_back(memory_account::backlog, std::size_t{48} << 20);
  CHECK(comes_true([&] {
    if (memory->held(memory_account::remote_exchanges) == 0) // else it waits for the server
      time.pass(std::chrono::milliseconds{250});
    loop->turn();
    return !port->all<report_completed>().empty();
  }));
}

TEST_CASE("delegations above the limit of all targets wait, and each target gets its turn",
          "[agents][a2a]") {
  push_receiver one;
  push_receiver two;
  one.hold();
  two.hold();
  delegation_options how;
  how.targets = {target_at("one", one), target_at("two", two)};
  how.open_max = 2;
  begun_bed bed(std::move(how));
  const auto to = [&](const char* alias) {
    return bed.begin(order_with(R"({"target": ")" + std::string(alias) + R"(", "text": "go"})"));
  };
  for (int i = 0; i < 3; ++i)
    static_cast<void>(to("one"));
  REQUIRE(comes_true([&] {
    bed.turn();
    return one.connections() > 0;
  }));
  const auto waiting = to("two");
  bed.turn();
  CHECK(two.connections() == 0);
  bed.runs.erase(bed.runs.begin()); // the place goes to the first that waits: of "one"
  bed.turn();
  bed.runs.erase(bed.runs.begin());
  CHECK(comes_true([&] {
    bed.turn();
    return two.connections() == 1;
  }));
  one.release();
  two.release();
}

TEST_CASE("a target that is named by its URL is the same target, with its limits",
          "[agents][a2a]") {
  push_receiver there;
  push_receiver elsewhere;
  there.answer_with([&](const received_post&) { return card_at(there); });
  elsewhere.answer_with([&](const received_post&) { return card_at(elsewhere); });
  delegation_options how;
  how.targets = {target_at("there", there), target_at("elsewhere", elsewhere)};
  how.targets.front().limits.open_max = 1;
  begun_bed bed(std::move(how));
  const auto has_begun = [&](const std::shared_ptr<fake_port>& one) {
    return comes_true([&] {
      bed.turn();
      return !one->all<report_note>().empty();
    });
  };
  REQUIRE(has_begun(bed.begin(order_with(R"({"target": "there", "text": "go"})"))));
  const auto waits = bed.begin(order_with(R"({"url": ")" + there.url("/") + R"(", "text": "go"})"));
  REQUIRE(has_begun(bed.begin(order_with(R"({"target": "elsewhere", "text": "go"})"))));
  CHECK(waits->all<report_note>().empty());
  bed.runs.erase(bed.runs.begin());
  REQUIRE(has_begun(waits));
  CHECK(read_note(waits->all<report_note>().front().note)->target == "there");
}

TEST_CASE("URLs of plans leave no more lines behind than may be kept", "[agents][a2a]") {
  const auto time = std::make_shared<hand_time>();
  a2a::call_loop loop(*time);
  delegation_lines lines(10);
  const auto open = [&](int which) {
    a2a::line_options to;
    to.to.url = "http://127.0.0.1:9/" + std::to_string(which);
    return lines.open(loop, to.to.url, to).value();
  };
  const auto used = open(0);
  for (int i = 1; i <= 600; ++i)
    static_cast<void>(open(i));
  CHECK(lines.kept_lines() <= 256);
  CHECK(open(0) == used); // what is used is kept
}

TEST_CASE("the settings of a target are shared by all its delegations", "[agents][a2a]") {
  push_receiver there;
  there.hold();
  const auto setting = std::make_shared<int>(0); // each copy of the target has it once more
  delegation_options how;
  how.targets.push_back(target_at("there", there));
  how.targets.back().to->verify_card = [setting](std::string_view) { return result<void>{}; };
  how.open_max = 1;
  begun_bed bed(std::move(how));
  const auto begin = [&] { return bed.begin(order_with(R"({"target": "there", "text": "go"})")); };
  static_cast<void>(begin());
  REQUIRE(comes_true([&] {
    bed.turn();
    return there.connections() > 0;
  }));
  const auto copies = setting.use_count();
  for (int i = 0; i < 10; ++i)
    static_cast<void>(begin());
  bed.turn();
  CHECK(setting.use_count() == copies);
  there.release();
}

TEST_CASE("a target without a limit of its own has one", "[agents][a2a]") {
  const target_gate gate(target_limits{});
  auto filled = gate;
  for (std::size_t i = 0; i < target_open_max; ++i) {
    REQUIRE(filled.next_begin({}).has_value());
    filled.begin({});
  }
  CHECK_FALSE(filled.next_begin({}).has_value());
}
