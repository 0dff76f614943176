// The same message again (docs/a2a.md, D12), on a clock of the test's.
#include "actors/recent_sends.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/limits.hpp>

#include <atomic>
#include <thread>

using namespace troupe;

namespace {

std::atomic<std::int64_t> seconds_now{0};

timestamp test_now() {
  return timestamp{std::chrono::seconds{seconds_now}};
}

send_message a_message(std::string id, std::string text = "x") {
  send_message out;
  out.message.message_id = std::move(id);
  out.message.from = role::user;
  out.message.parts.push_back(text_part(std::move(text)));
  return out;
}

/// What a send was told, if it was.
struct told {
  std::vector<result<sent>> all;
  reply<sent> to() {
    return [this](result<sent> value) { all.push_back(std::move(value)); };
  }
};

sent made(std::string id) {
  sent out;
  out.task = task_id{std::move(id)};
  out.created = true;
  return out;
}

} // namespace

TEST_CASE("a message that comes again is told of the first one's task", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  told first;
  auto done = first.to();
  REQUIRE_FALSE(recent.answer(a_message("m"), done));
  done(made("t1"));
  CHECK(first.all.at(0)->created);

  told again;
  auto second = again.to();
  REQUIRE(recent.answer(a_message("m"), second));
  CHECK(again.all.at(0)->task.str() == "t1");
  CHECK_FALSE(again.all.at(0)->created);
}

TEST_CASE("a message that comes again too early waits for the first one's outcome",
          "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  told first;
  told again;
  auto done = first.to();
  auto second = again.to();
  REQUIRE_FALSE(recent.answer(a_message("m"), done));
  REQUIRE(recent.answer(a_message("m"), second));
  CHECK(again.all.empty());
  done(made("t1"));
  CHECK(again.all.at(0)->task.str() == "t1");
}

TEST_CASE("another message under the same id is refused", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  told first;
  auto done = first.to();
  REQUIRE_FALSE(recent.answer(a_message("m"), done));
  for (bool known : {false, true}) {
    if (known)
      done(made("t1"));
    told other;
    auto port = other.to();
    REQUIRE(recent.answer(a_message("m", "something else"), port));
    REQUIRE(other.all.at(0).has_error());
    CHECK(other.all.at(0).error().code == errc::invalid_params);
    CHECK(other.all.at(0).error().field == "message.messageId");
  }
}

TEST_CASE("the scope of a message's id is tenant, caller, context and task", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  std::vector<send_message> all(5, a_message("m"));
  all[1].who.tenant = "t";
  all[2].who.id = "somebody";
  all[3].message.context_id = "c";
  all[4].message.task_id = "c";
  for (const auto& one : all) {
    told port;
    auto done = port.to();
    CHECK_FALSE(recent.answer(one, done));
  }
}

TEST_CASE("what was refused may be sent again", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  told first;
  told waiting;
  auto done = first.to();
  auto second = waiting.to();
  REQUIRE_FALSE(recent.answer(a_message("m"), done));
  REQUIRE(recent.answer(a_message("m"), second));
  done(make_error(errc::overloaded, "later"));
  CHECK(waiting.all.at(0).error().code == errc::overloaded);
  told again;
  auto third = again.to();
  CHECK_FALSE(recent.answer(a_message("m", "anything"), third));
}

TEST_CASE("a message is forgotten when its window is over", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  const auto is_new = [&] {
    told port;
    auto done = port.to();
    const bool out = !recent.answer(a_message("m"), done);
    if (out)
      done(made("t"));
    return out;
  };
  CHECK(is_new());
  seconds_now += 9;
  CHECK_FALSE(is_new());
  seconds_now += 1;
  CHECK(is_new());
}

TEST_CASE("the oldest messages make room for new ones", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  const auto is_new = [&](std::size_t n) {
    told port;
    auto done = port.to();
    const bool out = !recent.answer(a_message(std::to_string(n)), done);
    if (out)
      done(made("t"));
    return out;
  };
  for (std::size_t n = 0; n <= recent_sends_max; ++n)
    if (!is_new(n))
      FAIL("message " << n << " is not new");
  CHECK_FALSE(is_new(recent_sends_max));
  CHECK(is_new(0));
}

TEST_CASE("of many that come at once one is new", "[actors][dedup]") {
  recent_sends recent(std::chrono::seconds{10}, &test_now);
  std::atomic<int> fresh{0};
  std::atomic<int> answered{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        reply<sent> done = [&](result<sent> value) { answered += value.has_value() ? 1 : 0; };
        if (!recent.answer(a_message(std::to_string(n)), done)) {
          ++fresh;
          done(made("t"));
        }
      }
    });
  for (auto& one : all)
    one.join();
  CHECK(fresh == 200);
  CHECK(answered == 800);
}
