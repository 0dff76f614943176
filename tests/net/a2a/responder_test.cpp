// Operations with a responder of the test's own: what they keep, and what they count, while they
// wait.
#include "actors/manual_clock.hpp"
#include "net/a2a/awaited.hpp"
#include "net/a2a/operation.hpp"
#include "net/a2a/rest.hpp"
#include "net/a2a/shown_objective.hpp"
#include "net/a2a/task_stream.hpp"
#include "net/server_state.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <limits>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

/// Takes everything that is sent, unless it is stuck, and has room for answers as long as the test
/// says so.
class noting_responder final : public http_responder {
public:
  struct hold {
    std::size_t bytes = 0;
    std::size_t text_bytes = 0; ///< Of the text that was there when it was asked.
    bool has_room = false;
  };

  explicit noting_responder(loop& home) : wake_(std::make_shared<wakeup>(home.ready())) {}

  void release_body() noexcept override {}
  const wakeup_ptr& wake() const noexcept override { return wake_; }
  awaitable<void> wait(time_point) override {
    if (wake_->take())
      wake_->notify();
    return wake_->wait();
  }
  bool is_late() const noexcept override { return false; }
  bool is_gone() const noexcept override { return is_gone_; }
  bool is_draining() const noexcept override { return false; }
  awaitable<bool> begin_stream() override { co_return true; }
  std::size_t stream_window() const noexcept override { return stream_window_bytes; }
  bool hold_stream(std::size_t bytes, std::size_t) override {
    holds.push_back({bytes, stream_text().size(), bytes <= room});
    return bytes <= room;
  }
  awaitable<bool> send_stream() override {
    if (is_stuck) {
      while (is_stuck)
        co_await wake_->wait();
      wake_->notify(); // What came meanwhile is still to be looked at.
    }
    most_at_once = std::max(most_at_once, stream_text().size());
    sent += stream_text();
    stream_text().clear();
    co_return !is_gone_;
  }
  awaitable<void> end_stream() override {
    has_ended = true;
    co_return;
  }

  void go() {
    is_gone_ = true;
    wake_->notify();
  }

  std::size_t room = std::numeric_limits<std::size_t>::max();
  std::vector<hold> holds;
  std::string sent;
  std::size_t most_at_once = 0; ///< Bytes.
  bool has_ended = false;
  bool is_stuck = false; ///< The client takes nothing.

private:
  wakeup_ptr wake_;
  bool is_gone_ = false;
};

/// Counts the watches that have ended.
struct watched_store final : passing_store {
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    ++ended_watches;
    passing_store::unwatch(task_or_objective, who);
  }
  int ended_watches = 0;
};

/// A server in one thread's hand, and one request to it.
struct one_request {
  one_request() {
    agents.add("puppet", puppet);
    agents.default_agent = "puppet";
    how.by_hand = &clock;
    main_gateway = std::make_unique<gateway>(*records, agents, how);
    main_gateway->start();
    state = std::make_unique<server_state>(*main_gateway, server_options{});
    home.attach(*main_gateway);
    request.method = boost::beast::http::verb::post;
    request.content_type = "application/json";
    request.a2a_version = "1.0";
  }
  ~one_request() {
    responder.go();
    turn();
  }

  /// `POST` of `body` to a path, by REST.
  awaitable<void> post(const std::string& path, std::string body) {
    request.target = path;
    request.body = std::move(body);
    return serve_rest(*state, exchange, *parse_rest_path(path));
  }
  void turn() {
    for (int i = 0; i < 10; ++i) {
      home.turn();
      clock.settle();
    }
  }

  std::unique_ptr<watched_store> records = std::make_unique<watched_store>();
  std::shared_ptr<puppet_agent> puppet = std::make_shared<puppet_agent>();
  agent_registry agents;
  manual_clock clock;
  executor_options how;
  std::unique_ptr<gateway> main_gateway;
  std::unique_ptr<server_state> state;
  loop home{std::chrono::milliseconds{100}, json_depth_max, system_time()};
  noting_responder responder{home};
  http_request request;
  connection_facts facts;
  http_exchange exchange{request, responder, facts, home};
};

/// Of an objective without plans, whose changes the test brings.
struct quiet_source final : feed_source {
  void open(const watcher_ptr&, feed_done<feed_snapshot>) override {}
  void close(const watcher_ptr&) override {}
  void read(const std::string&, bool, const history_range& range,
            feed_done<history_page> done) const override {
    history_page nothing;
    nothing.next_after = range.after;
    done(std::move(nothing));
  }
  const task_id& task() const noexcept override { return none; }
  const principal& reader() const noexcept override { return who; }
  task_id none;
  principal who;
};

} // namespace

TEST_CASE("a stream with a rate lets go of changes of which it shows nothing", "[net][opt]") {
  one_request one;
  operation_call call(*one.state, one.exchange);
  const auto source = make_feed(call);
  source->open(std::make_shared<quiet_source>(),
               feed_snapshot{nullptr, std::make_shared<objective_view>(), 1});
  source->go_on_after(stream_cursor{1, stream_cursor::whole});
  opt::subscribe_to_objective asked;
  asked.per_second = 4;
  shown_objective shown(call, source, asked, opt::objective_cursor{1, 0});
  const auto news = std::make_shared<change>();
  news->task.id = task_id("t");
  news->sequence = 2;
  news->events.emplace_back(task_artifact{});
  source->live()->on_change(news);
  REQUIRE(news.use_count() == 2); // It waits in the feed.
  // It is taken and looked at, and the batch that had it is gone.
  for (int i = 0; i < 3; ++i)
    static_cast<void>(shown.add_news());
  CHECK(news.use_count() == 1);
}

TEST_CASE("a stream over REST does not keep the params that it was asked with", "[net][rest]") {
  one_request one;
  auto rest = one.post("/message:stream", text_message("go"));
  REQUIRE(rest.valid()); // The stream is still to come.
  const auto& call = static_cast<const operation_call&>(*one.exchange.kept);
  CHECK(call.params == nullptr);
  CHECK(call.merged.is_null());
}

TEST_CASE("the feed of a stream ends with its gateway, also while the client takes nothing",
          "[net][sse][gateway]") {
  one_request one;
  asio::co_spawn(one.home.context(), one.post("/message:stream", text_message("go")),
                 asio::detached);
  one.turn();
  CHECK_THAT(one.responder.sent, ContainsSubstring("TASK_STATE_WORKING"));
  one.responder.is_stuck = true;
  one.puppet->port(0)->report(report_artifact{text_artifact("out", "x"), false, true});
  one.turn();
  CHECK_THAT(one.responder.sent, !ContainsSubstring("artifactUpdate"));
  CHECK(one.records->ended_watches == 0);
  one.home.own_gateway().kill();
  one.turn();
  CHECK(one.records->ended_watches == 1);
  CHECK_FALSE(one.responder.has_ended);
  one.responder.is_stuck = false;
  one.responder.wake()->notify();
  one.turn();
  CHECK_THAT(one.responder.sent,
             ContainsSubstring("artifactUpdate") && ContainsSubstring("gateway"));
  CHECK(one.responder.has_ended);
  CHECK(one.records->ended_watches == 1);
}

TEST_CASE("a long event of a stream is counted before it is encoded", "[net][sse]") {
  one_request one;
  asio::co_spawn(one.home.context(), one.post("/message:stream", text_message("go")),
                 asio::detached);
  one.turn();
  CHECK_THAT(one.responder.sent, ContainsSubstring("TASK_STATE_WORKING"));
  one.responder.sent.clear();
  one.responder.holds.clear();
  one.responder.room = 100'000;
  constexpr std::size_t long_bytes = 1'000'000;
  one.puppet->port(0)->report(
      report_artifact{text_artifact("out", std::string(long_bytes, 'x')), false, true});
  one.turn();
  REQUIRE_FALSE(one.responder.holds.empty());
  const auto& first = one.responder.holds.front();
  CHECK_FALSE(first.has_room);
  CHECK(first.bytes >= long_bytes);
  CHECK(first.text_bytes == 0);
  CHECK_THAT(one.responder.sent, ContainsSubstring("limits.stream-bytes-total"));
  CHECK(one.responder.sent.size() < one.responder.room);
  CHECK(one.responder.has_ended);
}

TEST_CASE("an event that is longer as text than it was estimated is counted as it is",
          "[net][sse]") {
  one_request one;
  asio::co_spawn(one.home.context(), one.post("/message:stream", text_message("go")),
                 asio::detached);
  one.turn();
  one.responder.sent.clear();
  one.responder.holds.clear();
  one.responder.room = 100'000;
  constexpr std::size_t characters = 50'000;
  one.puppet->port(0)->report(report_artifact{text_artifact("out", std::string(characters, '\x01')),
                                              false, true}); // JSON: six bytes each.
  one.turn();
  REQUIRE(one.responder.holds.size() >= 2);
  CHECK(one.responder.holds[0].has_room);
  CHECK_FALSE(one.responder.holds[1].has_room);
  CHECK(one.responder.holds[1].text_bytes >= 6 * characters);
  CHECK_THAT(one.responder.sent, ContainsSubstring("limits.stream-bytes-total"));
  CHECK(one.responder.sent.size() < one.responder.room);
  CHECK(one.responder.has_ended);
}

TEST_CASE("a long event is made and sent in pieces, and is whole", "[net][sse]") {
  one_request one;
  asio::co_spawn(one.home.context(), one.post("/message:stream", text_message("go")),
                 asio::detached);
  one.turn();
  one.responder.sent.clear();
  one.responder.most_at_once = 0;
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i)
    text += std::to_string(i) + "\"\n";
  one.puppet->port(0)->report(report_artifact{text_artifact("out", text), false, true});
  one.turn();
  CHECK(one.responder.sent.empty()); // A thread of its own begins it.
  REQUIRE(one.state->answers.turn());
  for (int i = 0; i < 10; ++i)
    one.turn();
  CHECK(one.responder.most_at_once <= stream_piece_bytes + 100);
  const std::string begin = "data: ";
  const std::string end = "\n\n";
  const auto& sent = one.responder.sent;
  REQUIRE(sent.starts_with(begin));
  REQUIRE(sent.ends_with(end));
  const auto event =
      boost::json::parse(sent.substr(begin.size(), sent.size() - begin.size() - end.size()));
  CHECK((at(event, "/artifactUpdate/artifact/parts/0/text") == text));
}
