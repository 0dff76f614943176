// Notifications on their way: order, headers, retries, restarts, and addresses that are refused at
// the last moment.
#include "net/push/push_sender.hpp"
#include "protocol/json/base64.hpp"
#include "tests/net/push_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/small_stacks.hpp"
#include <troupe/net/keys.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <stdexcept>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// [submitted], working, an artifact, a word of the agent and one of the client, a question, an
/// answer, the end.
void live(push_bed& bed, const std::string& id) {
  bed.put(about_lone(id, "c", 2, moved(task_state::working),
                     task_artifact{output("a", "one"), false, true}));
  bed.put(about_lone(id, "c", 3, task_message{say("half way")}));
  bed.put(about_lone(id, "c", 3, task_message{say("noise", role::user)}));
  bed.put(about_lone(id, "c", 3, moved(task_state::input_required, 1, say("which?"))));
  bed.put(about_lone(id, "c", 4, moved(task_state::working)));
  bed.put(about_lone(id, "c", 5, moved(task_state::completed)));
}

/// A store of which a feed can be opened only while `reads`.
class moody_store final : public passing_store {
public:
  std::atomic<bool> reads{true};
  std::atomic<int> refused{0};

  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    if (reads || !who)
      return passing_store::snapshot_task(id, std::move(who), std::move(done), client);
    ++refused;
    done(make_error(errc::store_unreadable, "the disk is on holiday"));
  }
};

/// A store that opens no feed while `waits`, until it is told to.
class waiting_store final : public passing_store {
public:
  std::atomic<bool> waits{false};

  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    if (!waits || !who)
      return passing_store::snapshot_task(id, std::move(who), std::move(done), client);
    const std::lock_guard lock{guard_};
    asked_.emplace_back([this, id, who, done = std::move(done), client] {
      passing_store::snapshot_task(id, who, done, client);
    });
  }
  [[nodiscard]] std::size_t asked() const {
    const std::lock_guard lock{guard_};
    return asked_.size();
  }
  void answer() {
    waits = false;
    std::vector<std::function<void()>> asked;
    {
      const std::lock_guard lock{guard_};
      asked.swap(asked_);
    }
    for (const auto& each : asked)
      each();
  }

private:
  mutable std::mutex guard_;
  std::vector<std::function<void()>> asked_;
};

/// Set while it lives; to be made before there are other threads.
class environment_variable {
public:
  environment_variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  environment_variable(const environment_variable&) = delete;
  environment_variable& operator=(const environment_variable&) = delete;
  ~environment_variable() { ::unsetenv(name_); }

private:
  const char* name_;
};

/// Hosts of any name.
result<net::addresses> on_loopback(const std::string&) {
  return net::addresses{boost::asio::ip::make_address("127.0.0.1")};
}

/// The URL of a receiver under the name of a host of its own.
std::string named(const std::string& host, const push_receiver& at) {
  return "http://" + host + ".test:" + std::to_string(at.port()) + "/hook";
}

constexpr auto life_1_0 = "TASK_STATE_WORKING, artifact, TASK_STATE_WORKING, "
                          "TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING, "
                          "TASK_STATE_COMPLETED";
constexpr auto life_0_3 =
    "task working, task working, task input-required, task working, task completed";

} // namespace

TEST_CASE("Every event is posted in order with the headers of 1.0, then the configuration goes",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed(GENERATE(push_bed::kind::memory, push_bed::kind::rocksdb));
  bed.start();
  bed.put_task("t");
  auto config = hook("t", receiver.url("/hook?x=1"), "mine");
  config.token = "tok";
  config.authentication = push_authentication{"Bearer", "s3cret"};
  REQUIRE(bed.create(config).has_value());
  receiver.hold(); // So that everything but the first is there at once.
  live(bed, "t");
  receiver.wait_for(1);
  receiver.release();
  const auto got = receiver.wait_for(6);
  CHECK(gists(got) == life_1_0);
  CHECK(boost::json::parse(got[2].body)
            .at("statusUpdate")
            .at("status")
            .at("message")
            .at("parts")
            .at(0)
            .at("text")
        == "half way");
  for (const auto& each : got) {
    CHECK(each.method == "POST");
    CHECK(each.target == "/hook?x=1");
    CHECK(each.header("content-type") == "application/a2a+json");
    CHECK(each.header("authorization") == "Bearer s3cret");
    CHECK(each.header("x-a2a-notification-token") == "tok");
    CHECK(each.header("a2a-notification-token") == "tok");
    CHECK(each.header("a2a-version") == "1.0");
    CHECK(each.header("user-agent").starts_with("troupe"));
    CHECK(each.header("host") == "127.0.0.1:" + std::to_string(receiver.port()));
    CHECK(each.header("a2a-notification-jwt").empty());
  }
  std::set<std::string> ids;
  for (const auto& each : got) {
    CHECK(each.header("a2a-notification-id")
              .starts_with("t/mine/")); // Another task's never has the same.
    ids.insert(each.header("a2a-notification-id"));
  }
  CHECK(ids.size() == got.size());
  CHECK(receiver.most_at_once() == 1);
  bed.wait_until_forgotten("t");
}

TEST_CASE("0.3 posts the whole task at each change of state", "[net][push]") {
  push_receiver receiver;
  push_bed bed(GENERATE(push_bed::kind::memory, push_bed::kind::rocksdb));
  bed.start();
  bed.put_task("t");
  auto config = hook("t", receiver.url());
  config.payload = push_payload::v0_3;
  REQUIRE(bed.create(config).has_value());
  bed.flush();
  receiver.hold();
  live(bed, "t");
  receiver.wait_for(1);
  receiver.release();
  const auto got = receiver.wait_for(5);
  CHECK(gists(got) == life_0_3);
  CHECK(boost::json::parse(got[1].body).at("history").as_array().size()
        == 2); // with what the agent said
  CHECK(got[0].header("content-type") == "application/json");
  CHECK(got[0].header("a2a-version") == "0.3");
  CHECK(boost::json::parse(got[4].body).at("artifacts").as_array().size() == 1);
  CHECK(boost::json::parse(got[0].body).at("history").as_array().size() == 1);
}

TEST_CASE("The content type of 1.0 can be set", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.options.content_type = "application/json";
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  bed.move("t", task_state::working);
  CHECK(receiver.wait_for(1)[0].header("content-type") == "application/json");
}

TEST_CASE("A configuration that came with the message gets the task from its creation on",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed(GENERATE(push_bed::kind::memory, push_bed::kind::rocksdb));
  bed.start();
  bed.put_task("t");
  const bool is_new = GENERATE(true, false);
  bed.move("t", task_state::working);
  bed.flush();
  REQUIRE(bed.attach(hook("t", receiver.url()), is_new).has_value());
  receiver.wait_for(1);
  bed.move("t", task_state::completed);
  bed.wait_until_forgotten("t");
  const auto got = gists(receiver.received());
  CAPTURE(got);
  CHECK((
      got == "task TASK_STATE_WORKING, TASK_STATE_COMPLETED"
      || (is_new && got == "task TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED")));
}

TEST_CASE("A failed notification is tried again after growing waits, before later ones",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  // The second attempt is made on a new connection: on one that was left over, an end without a
  // word is tried once more at once.
  receiver.script({answer_text(503, "Connection: close\r\n"), "", answer_text(500),
                   answer_text(429, "Retry-After: 77\r\n"), answer_text(200)});
  bed.clock.let_run();
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  live(bed, "t");
  const auto got = receiver.wait_for(10);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(got[i].body == got[4].body);
    CHECK(got[i].header("a2a-notification-id") == got[4].header("a2a-notification-id"));
  }
  CHECK(gists({got.begin() + 4, got.end()}) == life_1_0);
  CHECK(bed.clock.waits() == std::vector<std::chrono::milliseconds>{1s, 2s, 4s, 77s});
}

TEST_CASE("An event the receiver does not want is left out, and a redirect is not followed",
          "[net][push]") {
  push_receiver receiver;
  push_receiver elsewhere;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  receiver.script({answer_text(400), answer_text(302, "Location: " + elsewhere.url() + "\r\n"),
                   answer_text(307, "Location: /x\r\n")});
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  live(bed, "t");
  CHECK(gists(receiver.wait_for(6)) == life_1_0);
  bed.wait_until_forgotten("t");
  CHECK(elsewhere.received().empty());
  CHECK(bed.clock.waits().empty());
}

TEST_CASE(
    "After so many failures in a row a configuration is stopped, says why, and names no secret",
    "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.options.failures_max = 3;
  bed.start();
  bed.put_task("t");
  bed.clock.let_run();
  receiver.script(
      {answer_text(500), answer_text(204), answer_text(500), answer_text(404), answer_text(500)});
  auto config = hook("t", receiver.url("/secret-path"), "mine");
  config.token = "tok3n";
  REQUIRE(bed.create(config).has_value());
  live(bed, "t");
  receiver.wait_for(5);
  CHECK_THAT(bed.wait_until_stopped("t", "mine"), ContainsSubstring("500"));
  CHECK(bed.records->pushes().find(task_id{"t"}, "mine")->progress.failures == 3);
  bed.wait_for_warning();
  {
    const std::lock_guard lock{bed.guard};
    REQUIRE(bed.warnings.size() == 1);
    CHECK(bed.warnings[0].find("127.0.0.1") != std::string::npos);
    CHECK(bed.warnings[0].find("secret-path") == std::string::npos);
    CHECK(bed.warnings[0].find("tok3n") == std::string::npos);
  }
  bed.restart(); // Stopped it stays.
  bed.put_task("t2");
  REQUIRE(bed.create(hook("t2", receiver.url("/second"))).has_value());
  bed.move("t2", task_state::completed);
  CHECK(receiver.wait_for(6).back().target == "/second");
  CHECK(receiver.received().size() == 6);
}

TEST_CASE("A fault while one configuration is served stops that one, and is said", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.seams.chance = [left = 1]() mutable -> double {
    if (left-- > 0)
      throw std::runtime_error("no luck");
    return 0.5;
  };
  bed.start();
  bed.put_task("t");
  bed.put_task("t2");
  REQUIRE(bed.create(hook("t", receiver.url("/first"), "mine")).has_value());
  bed.move("t", task_state::working);
  CHECK_THAT(bed.wait_until_stopped("t", "mine"), ContainsSubstring("no luck"));
  REQUIRE(bed.create(hook("t2", receiver.url("/second"))).has_value());
  bed.move("t", task_state::completed);
  bed.move("t2", task_state::completed);
  bed.wait_until_forgotten("t2");
  const auto got = receiver.received();
  REQUIRE(got.size() == 2);
  CHECK(got[0].target == "/first");
  CHECK(got[1].target == "/second");
  const std::lock_guard lock{bed.guard};
  REQUIRE(bed.warnings.size() == 1);
  CHECK(bed.warnings[0].find("no luck") != std::string::npos);
}

TEST_CASE("A disk that cannot be read for a while stops no configuration", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  auto moody = std::make_unique<moody_store>();
  auto& disk = *moody;
  bed.records = std::move(moody);
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url(), "mine")).has_value());
  bed.service = nullptr; // The next one reads where the last one stopped.
  disk.reads = false;
  bed.start();
  bed.clock.take().then();
  const auto again = bed.clock.take();
  CHECK(disk.refused == 2);
  disk.reads = true;
  again.then();
  bed.move("t", task_state::completed);
  CHECK(gists(receiver.wait_for(1)).ends_with("TASK_STATE_COMPLETED"));
  bed.wait_until_forgotten("t");
  const std::lock_guard lock{bed.guard};
  CHECK(bed.warnings.empty());
}

TEST_CASE("A configuration that goes while its task is read leaves its place, and so does a sender",
          "[net][push]") {
  const bool sender_goes = GENERATE(false, true);
  push_receiver receiver;
  push_bed bed;
  auto waiting = std::make_unique<waiting_store>();
  auto& disk = *waiting;
  bed.records = std::move(waiting);
  bed.options.parallel_per_host_max = 1;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url(), "a")).has_value());
  bed.service = nullptr; // The next one has to read.
  disk.waits = true;
  bed.start();
  REQUIRE(comes_true([&] { return disk.asked() == 1; }));
  if (sender_goes) {
    bed.service = nullptr;
    disk.answer(); // Too late.
    bed.start();
  } else {
    CHECK(bed.erase("t", "a") == errc::none);
    disk.waits = false;
    REQUIRE(bed.create(hook("t", receiver.url(), "b")).has_value());
  }
  bed.move("t", task_state::completed);
  const auto id = receiver.wait_for(1).front().header("a2a-notification-id");
  CHECK(id.starts_with(sender_goes ? "t/a/" : "t/b/"));
  disk.answer();
  bed.wait_until_forgotten("t");
  CHECK(receiver.received().size() == 1);
}

TEST_CASE("Notifications that were not delivered when the process ended are delivered after the "
          "restart, from where it stopped",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  auto config = hook("t", receiver.url());
  config.payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  const std::string life = config.payload == push_payload::v1_0 ? life_1_0 : life_0_3;
  REQUIRE(bed.create(config).has_value());
  const int before = GENERATE(0, 1, 2);
  CAPTURE(before);
  std::vector<std::string> answers(static_cast<std::size_t>(before), answer_text(204));
  answers.push_back(answer_text(503));
  receiver.script(answers);
  live(bed, "t");
  const auto failed = bed.clock.take(); // It waits to try again, and never will.
  bed.restart();
  bed.flush();
  const auto total = static_cast<std::size_t>(std::count(life.begin(), life.end(), ',')) + 2;
  auto got = receiver.wait_for(total);
  got.erase(got.begin() + before); // The one that was refused came again.
  CHECK(gists(got) == life);
  bed.wait_until_forgotten("t");
  failed.then(); // Of a sender that is no more: nothing.
}

TEST_CASE("More than the queue holds is read from the journal, all of it and in order",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.options.queue_changes_max = 3;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  receiver.hold();
  bed.move("t", task_state::working);
  receiver.wait_for(1);
  constexpr int artifacts = 40;
  for (int i = 0; i < artifacts; ++i)
    bed.put(
        about_lone("t", "c", 2, task_artifact{output("a" + std::to_string(i), "x"), false, true}));
  bed.move("t", task_state::completed);
  bed.flush();
  receiver.release();
  const auto got = receiver.wait_for(artifacts + 2);
  for (int i = 0; i < artifacts; ++i)
    CHECK(boost::json::parse(got[static_cast<std::size_t>(i) + 1].body)
              .at("artifactUpdate")
              .at("artifact")
              .at("artifactId")
              .as_string()
          == "a" + std::to_string(i));
  CHECK(gist(got.back()) == "TASK_STATE_COMPLETED");
}

TEST_CASE("What waits for receivers counts as feeds, and without room is read from the history",
          "[net][push][memory]") {
  const bool has_room = GENERATE(true, false);
  CAPTURE(has_room);
  constexpr std::size_t most = 1 << 20;
  const auto memory = std::make_shared<memory_budget>(most);
  memory->force(memory_account::backlog, has_room ? 0 : most);
  push_receiver receiver;
  push_bed bed;
  bed.feeds = std::make_shared<feed_budget>(feed_bytes_total_max, memory);
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  receiver.hold();
  bed.move("t", task_state::working);
  receiver.wait_for(1);
  constexpr std::size_t artifacts = 40;
  constexpr std::size_t text_bytes = 1000;
  for (std::size_t i = 0; i < artifacts; ++i)
    bed.put(about_lone(
        "t", "c", 2,
        task_artifact{output("a" + std::to_string(i), std::string(text_bytes, 'x')), false, true}));
  bed.move("t", task_state::completed);
  bed.flush();
  const auto held = [&] { return memory->held(memory_account::feeds); };
  if (has_room)
    REQUIRE(comes_true([&] { return held() > artifacts * text_bytes; }));
  CHECK((held() > artifacts * text_bytes) == has_room);
  receiver.release();
  const auto got = receiver.wait_for(artifacts + 2);
  for (std::size_t i = 0; i < artifacts; ++i)
    CHECK_THAT(got[i + 1].body, ContainsSubstring("\"a" + std::to_string(i) + '"'));
  CHECK(gist(got.back()) == "TASK_STATE_COMPLETED");
  REQUIRE(comes_true([&] { return held() == 0; }));
}

TEST_CASE("Without a history the present task is sent for changes that did not fit the queue",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed(push_bed::kind::memory);
  bed.options.queue_changes_max = 2;
  bed.start();
  bed.put_task("t");
  auto config = hook("t", receiver.url());
  config.payload = GENERATE(push_payload::v1_0, push_payload::v0_3);
  REQUIRE(bed.create(config).has_value());
  receiver.hold();
  bed.move("t", task_state::working);
  receiver.wait_for(1);
  for (int i = 0; i < 10; ++i) // More than the store keeps of it.
    bed.put(about_lone("t", "c", 2,
                       moved(i % 2 == 0 ? task_state::input_required : task_state::working, 1,
                             say(std::string(tail_bytes_max / 5, 'x')))));
  bed.move("t", task_state::completed);
  receiver.release();
  const auto got = receiver.wait_for(4); // Two more had their place in the queue.
  CHECK((gist(got[3]) == "task TASK_STATE_COMPLETED" || gist(got[3]) == "task completed"));
  bed.wait_until_forgotten("t");
  CHECK(receiver.received().size() == 4);
}

TEST_CASE("Without a journal the store's tail has what the queue could not hold", "[net][push]") {
  push_receiver receiver;
  push_bed bed(push_bed::kind::memory);
  bed.options.queue_changes_max = 2;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  receiver.hold();
  bed.move("t", task_state::working);
  receiver.wait_for(1);
  std::string expected = "TASK_STATE_WORKING";
  for (int i = 0; i < 10; ++i) {
    bed.move("t", i % 2 == 0 ? task_state::input_required : task_state::working);
    expected += i % 2 == 0 ? ", TASK_STATE_INPUT_REQUIRED" : ", TASK_STATE_WORKING";
  }
  bed.move("t", task_state::completed);
  receiver.release();
  CHECK(gists(receiver.wait_for(12)) == expected + ", TASK_STATE_COMPLETED");
  bed.wait_until_forgotten("t");
  CHECK(receiver.received().size() == 12);
}

TEST_CASE(
    "Nothing is posted once a configuration is deleted, and what replaced it has the new address",
    "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url("/gone"), "a")).has_value());
  REQUIRE(bed.create(hook("t", receiver.url("/old"), "b")).has_value());
  REQUIRE(bed.create(hook("t", receiver.url("/new"), "b")).has_value());
  REQUIRE(bed.erase("t", "a") == errc::none);
  bed.move("t", task_state::completed);
  bed.wait_until_forgotten("t");
  const auto got = receiver.received();
  REQUIRE(got.size() == 1);
  CHECK(got[0].target == "/new");
}

TEST_CASE("A name that leads to a private address is refused when it is connected to",
          "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.options.address.allow_private = false;
  const bool mixed = GENERATE(false, true);
  std::vector<std::string> asked;
  bed.seams.resolve = [&](const std::string& host) -> result<net::addresses> {
    asked.push_back(host);
    net::addresses out{boost::asio::ip::make_address("127.0.0.1")};
    if (mixed)
      out.push_back(boost::asio::ip::make_address("192.0.43.8"));
    return out;
  };
  bed.start();
  bed.put_task("t");
  REQUIRE(
      bed.create(hook("t", "http://rebound.example.com:" + std::to_string(receiver.port()) + "/",
                      "mine"))
          .has_value());
  bed.move("t", task_state::completed);
  CHECK_THAT(bed.wait_until_stopped("t", "mine"), ContainsSubstring("127.0.0.1"));
  CHECK(asked == std::vector<std::string>{"rebound.example.com"});
  CHECK(receiver.connections() == 0);
}

TEST_CASE("A listed host may have a private address, and is asked for by its name", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.options.address.allow_private = false;
  bed.options.address.allow_hosts = {"*.corp.example"};
  bed.seams.resolve = [](const std::string&) -> result<net::addresses> {
    return net::addresses{boost::asio::ip::make_address("127.0.0.1")};
  };
  bed.start();
  bed.put_task("t");
  const auto authority = "hooks.corp.example:" + std::to_string(receiver.port());
  REQUIRE(bed.create(hook("t", "http://" + authority + "/")).has_value());
  bed.move("t", task_state::working);
  CHECK(receiver.wait_for(1)[0].header("host") == authority);
}

TEST_CASE("A name that does not resolve is tried again", "[net][push]") {
  push_bed bed;
  bed.seams.resolve = [](const std::string& host) -> result<net::addresses> {
    return make_error(errc::unavailable, host + " cannot be resolved");
  };
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", "https://nowhere.example.com/")).has_value());
  bed.move("t", task_state::working);
  CHECK(bed.clock.take().wait == 1s);
}

TEST_CASE("A receiver is not to blame for the name servers of others", "[net][push]") {
  // More hosts than there are look-ups at once; what is behind them is never looked up before its
  // time is over.
  const auto opened = std::make_shared<std::promise<void>>();
  const auto gate = opened->get_future().share();
  const auto asked = std::make_shared<std::atomic<std::size_t>>(0);
  push_bed bed;
  bed.options.timeout = 100ms;
  bed.seams.resolve = [gate, asked](const std::string& host) -> result<net::addresses> {
    ++*asked;
    gate.wait_for(20s);
    return make_error(errc::unavailable, host + " cannot be resolved");
  };
  bed.start();
  bed.put_task("t");
  constexpr std::size_t hosts = 8;
  for (std::size_t i = 0; i < hosts; ++i)
    REQUIRE(bed.create(hook("t", "https://dead" + std::to_string(i) + ".example/",
                            "c" + std::to_string(i)))
                .has_value());
  bed.move("t", task_state::working);
  for (std::size_t i = 0; i < hosts; ++i)
    static_cast<void>(bed.clock.take());
  bed.flush();
  std::size_t failed = 0;
  for (const auto& row : bed.records->pushes().list(task_id{"t"}))
    failed += row.progress.failures;
  CHECK(failed < hosts);
  CHECK(comes_true([&] { return *asked == failed; })); // Those whose name servers were asked.
  opened->set_value();
}

TEST_CASE("TLS: the certificate must fit the name and be vouched for", "[net][push]") {
  const auto identity = make_test_certificate({"hooks.example.com"});
  push_receiver receiver(identity);
  push_bed bed;
  const auto [host, trusted, accepted] = GENERATE(table<std::string, bool, bool>({
      {"hooks.example.com", true, true},
      {"other.example.com", true, false},
      {"hooks.example.com", false, false},
  }));
  CAPTURE(host, trusted);
  if (trusted)
    bed.seams.trusted_pem = identity.certificate_pem;
  bed.seams.resolve = [](const std::string&) -> result<net::addresses> {
    return net::addresses{boost::asio::ip::make_address("127.0.0.1")};
  };
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", "https://" + host + ":" + std::to_string(receiver.port()) + "/"))
              .has_value());
  bed.move("t", task_state::working);
  if (accepted) {
    CHECK(gists(receiver.wait_for(1)) == "TASK_STATE_WORKING");
  } else {
    CHECK(bed.clock.take().wait == 1s);
    CHECK(receiver.received().empty());
  }
}

TEST_CASE("TLS: the system's roots are read at the first https delivery, once", "[net][push]") {
  const temporary_directory directory;
  const auto roots = directory / "roots.pem";
  const environment_variable where("SSL_CERT_FILE", roots);
  const auto identity = make_test_certificate({"hooks.example.com"});
  push_receiver receiver(identity);
  push_bed bed;
  bed.seams.resolve = [](const std::string&) -> result<net::addresses> {
    return net::addresses{boost::asio::ip::make_address("127.0.0.1")};
  };
  bed.start();
  std::ofstream(roots) << identity.certificate_pem; // Not there when it started.
  const auto deliver = [&](const std::string& task) {
    bed.put_task(task);
    REQUIRE(
        bed.create(hook(task, "https://hooks.example.com:" + std::to_string(receiver.port()) + "/"))
            .has_value());
    bed.move(task, task_state::completed);
    bed.wait_until_forgotten(task);
  };
  receiver.script({answer_text(
      204, "Connection: close\r\n")}); // So that the second delivery needs a handshake, too.
  deliver("first");
  std::filesystem::remove(roots);
  deliver("second");
  CHECK(receiver.connections() == 2);
  CHECK(receiver.received().size() == 2);
}

TEST_CASE("A slow receiver is given up after the time-out, and no other waits for it",
          "[net][push]") {
  push_receiver slow;
  push_receiver quick;
  push_bed bed;
  bed.seams.resolve = on_loopback;
  bed.options.timeout = 1s;
  bed.options.parallel_per_host_max = 1;
  bed.start();
  bed.put_task("t");
  slow.hold();
  REQUIRE(bed.create(hook("t", slow.url("/1"))).has_value());
  REQUIRE(bed.create(hook("t", slow.url("/2"))).has_value());
  REQUIRE(bed.create(hook("t", named("quick", quick))).has_value());
  bed.move("t", task_state::working);
  quick.wait_for(1);
  CHECK(bed.clock.take().wait == 1s);
  CHECK(bed.clock.take().wait == 1s);
  CHECK(slow.wait_for(2).size() == 2);
}

TEST_CASE("The turn of one that waits does not begin within that of another", "[net][push]") {
  // On a small stack: turns within turns would need more than it has.
  const small_stacks small;
  push_receiver slow;
  push_bed bed(push_bed::kind::memory);
  bed.options.timeout = 10min; // Longer than anything here waits.
  bed.options.parallel_per_host_max = 1;
  bed.start();
  bed.put_task("t");
  slow.hold();
  REQUIRE(bed.create(hook("t", slow.url())).has_value());
  bed.move("t", task_state::working);
  REQUIRE(comes_true([&] { return slow.connections() == 1; }));
  for (int i = 0; i < 200; ++i) {
    const auto task = "other-" + std::to_string(i);
    bed.put_task(task);
    for (int id = 0; id < 16; ++id) // They wait for their first turn, and have nothing to tell.
      REQUIRE(bed.create(hook(task, slow.url(), std::to_string(id))).has_value());
  }
  slow.release();
  bed.move("t", task_state::completed);
  bed.wait_until_forgotten("t");
  CHECK(slow.received().size() == 2);
}

TEST_CASE("Receivers that hang leave turns to one that answers", "[net][push]") {
  push_receiver quick;
  std::array<push_receiver, 4> hanging;
  push_bed bed;
  bed.options.parallel_max = 4;
  bed.options.timeout = 10min; // Longer than anything here waits.
  bed.seams.resolve = on_loopback;
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", named("quick", quick))).has_value());
  bed.move("t", task_state::working);
  quick.wait_for(1);
  bed.put_task("other");
  for (auto& one : hanging) {
    one.hold();
    const auto name = "h" + std::to_string(one.port());
    REQUIRE(bed.create(hook("other", named(name, one), name)).has_value());
  }
  bed.move("other", task_state::working);
  const auto asked = [&] {
    return std::ranges::count_if(hanging, [](const auto& one) { return one.connections() > 0; });
  };
  REQUIRE(comes_true([&] { return asked() >= 2; }));
  bed.move("t", task_state::completed);
  CHECK(comes_true(
      [&] { return quick.received().back().body.find("COMPLETED") != std::string::npos; }));
  CHECK(asked() == 2); // Half of all.
}

TEST_CASE("The ports of a host share its places, and a head without a body is no answer",
          "[net][push]") {
  std::array<push_receiver, 2> ports;
  std::mutex guard;
  std::size_t under_way = 0;
  std::size_t most = 0;
  push_bed bed;
  bed.options.parallel_per_host_max = 4;      // One for a host that hangs.
  bed.options.timeout = 500ms;                // Each attempt lasts so long.
  bed.options.debug = [&](std::string_view) { // An attempt is over.
    const std::lock_guard lock{guard};
    --under_way;
  };
  bed.start();
  bed.put_task("t");
  for (auto& one : ports) {
    one.answer_with([&](const received_post&) {
      const std::lock_guard lock{guard};
      most = std::max(most, ++under_way);
      return std::string{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"};
    });
    for (const auto* id : {"a", "b"})
      REQUIRE(bed.create(hook("t", one.url(), id + std::to_string(one.port()))).has_value());
  }
  bed.move("t", task_state::working);
  bed.move("t", task_state::completed);
  bed.wait_until_forgotten("t"); // The head says that it was delivered.
  CHECK(ports[0].received().size() == 4);
  CHECK(ports[1].received().size() == 4);
  const std::lock_guard lock{guard};
  CHECK(most == 1);
}

TEST_CASE("An answer without end costs the connection only", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  receiver.script({answer_text(200, {}, std::string(1024 * 1024, 'x')),
                   "HTTP/1.1 100 Continue\r\n\r\n" + answer_text(200)});
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  receiver.hold(); // So that there is no pause, in which the connection would be closed anyway.
  live(bed, "t");
  bed.flush();
  receiver.wait_for(1);
  receiver.release();
  CHECK(gists(receiver.wait_for(6)) == life_1_0);
  bed.wait_until_forgotten("t");
  CHECK(bed.clock.waits().empty());
  CHECK(receiver.connections() == 2);
}

TEST_CASE("An answer that is none is a failure", "[net][push]") {
  push_receiver receiver;
  push_bed bed;
  bed.start();
  bed.put_task("t");
  receiver.script({GENERATE("nonsense\r\n\r\n", "HTTP/1.1 2x0 Ok\r\n\r\n",
                            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")});
  bed.options.timeout = 200ms;
  bed.service = nullptr;
  bed.start();
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  bed.move("t", task_state::working);
  CHECK(bed.clock.take().wait == 1s);
}

TEST_CASE("A signed notification can be verified with the public key", "[net][push]") {
  const auto identity = make_test_certificate({"x"});
  push_receiver receiver;
  push_bed bed;
  bed.options.signing = {
      .key_pem = identity.key_pem, .key_id = "key-1", .issuer = "https://agent.example.com"};
  bed.start();
  bed.put_task("t");
  REQUIRE(bed.create(hook("t", receiver.url())).has_value());
  bed.move("t", task_state::working);
  const auto got = receiver.wait_for(1)[0];
  const auto token = got.header("a2a-notification-jwt");
  const auto last = token.rfind('.');
  const auto first = token.find('.');
  REQUIRE(first < last);
  const auto header = boost::json::parse(*from_base64(token.substr(0, first)));
  CHECK(header.at("alg").as_string() == "ES256");
  CHECK(header.at("kid").as_string() == "key-1");
  const auto key = net::verifying_key::from_pem(identity.public_pem);
  REQUIRE(key.has_value());
  CHECK(key->verify(token.substr(0, last), *from_base64(token.substr(last + 1))));
  const auto claims = boost::json::parse(*from_base64(token.substr(first + 1, last - first - 1)));
  CHECK(claims.at("iss").as_string() == "https://agent.example.com");
  CHECK(claims.at("aud").as_string() == "http://127.0.0.1:" + std::to_string(receiver.port()));
  CHECK(claims.at("taskId").as_string() == "t");
  CHECK(claims.at("jti").as_string() == got.header("a2a-notification-id"));
  CHECK(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 300);
  std::string hash;
  for (const auto byte : net::sha256(got.body)) {
    constexpr std::string_view digits = "0123456789abcdef";
    hash += {digits[byte >> 4], digits[byte & 15]};
  }
  CHECK(claims.at("request_body_sha256").as_string() == hash);
}

TEST_CASE("A signing key that is none is refused at the start", "[net][push]") {
  push_bed bed;
  bed.options.signing.key_pem = "no key";
  net::push_service service(*bed.records, bed.options, std::make_shared<feed_budget>(), {});
  const auto started = service.start();
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().code == errc::invalid_params);
}

TEST_CASE("A configuration that replaces a deleted one is known by its serial number",
          "[net][push]") {
  push_receiver old_receiver;
  push_receiver receiver;
  push_bed bed(push_bed::kind::memory);
  bed.put_task("t");
  auto sender =
      net::push_sender::make(*bed.records, bed.options, std::make_shared<feed_budget>(), bed.seams);
  REQUIRE(sender.has_value());
  const auto row = [](const push_receiver& to, std::uint64_t serial) {
    push_row out;
    out.config = hook("t", to.url(), "c");
    out.serial = serial;
    return out;
  };
  // The news of both may come in any order.
  (*sender)->begin(row(receiver, 2));
  (*sender)->drop(task_id{"t"}, "c", 1);
  (*sender)->begin(row(old_receiver, 1));
  (*sender)->start();
  bed.move("t", task_state::working);
  bed.move("t", task_state::completed);
  bed.flush();
  CHECK(comes_true([&] {
    const auto posts = receiver.received();
    return !posts.empty() && gists(posts).ends_with("TASK_STATE_COMPLETED");
  }));
  CHECK(old_receiver.received().empty());
}
