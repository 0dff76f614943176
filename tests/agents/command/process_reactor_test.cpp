// Programs that are run in their caller's turns, without a thread.
#include "agents/command/process_reactor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include <troupe/actors/limits.hpp>

#include <optional>
#include <sstream>
#include <string>

#include <signal.h>
#include <sys/wait.h>

using namespace std::chrono_literals;
using namespace troupe;
using troupe::testing::comes_true;
using troupe::testing::hand_time;

namespace {

struct ending_listener final : process_listener {
  explicit ending_listener(std::optional<process_exit>& to, std::string& text)
      : end(to), output(text) {}
  output_verdict on_output(std::string_view bytes) override {
    output += bytes;
    return output_verdict::go_on;
  }
  void on_exit(const process_exit& how) override { end = how; }
  void on_start_failed(const spawn_failure&) override { end.emplace(); }

  std::optional<process_exit>& end;
  std::string& output;
};

process_spec shell(std::string script) {
  process_spec out;
  out.argv = {"/bin/sh", "-c", std::move(script)};
  out.output_bytes_max = 1024;
  out.kill_after = 2s;
  return out;
}

/// False if it never comes true.
template<class Condition>
[[nodiscard]] bool turns_until(process_reactor& reactor, Condition condition) {
  return comes_true([&] {
    reactor.turn();
    return condition();
  });
}

} // namespace

TEST_CASE("a reactor without a thread runs a program in its owner's turns", "[agents][command]") {
  ::signal(SIGPIPE, SIG_IGN);
  process_reactor reactor;
  std::optional<process_exit> end;
  std::string output;
  reactor.launch(shell("echo hello"), std::make_unique<ending_listener>(end, output));
  CHECK(output.empty()); // Nothing happens by itself.
  REQUIRE(turns_until(reactor, [&] { return end.has_value(); }));
  CHECK(end->code == 0);
  CHECK(output == "hello\n");
}

TEST_CASE("a program that ignores SIGTERM is killed by the clock that was handed in",
          "[agents][command]") {
  hand_time time;
  process_reactor reactor{time};
  std::optional<process_exit> end;
  std::string output;
  const auto key = reactor.launch(shell("trap '' TERM; echo ready; sleep 100"),
                                  std::make_unique<ending_listener>(end, output));
  REQUIRE(turns_until(reactor, [&] { return output == "ready\n"; }));
  reactor.terminate(key);
  for (int turns = 0; turns < 100; ++turns)
    reactor.turn();
  CHECK_FALSE(end); // No time has passed.
  time.pass(2s);
  REQUIRE(turns_until(reactor, [&] { return end.has_value(); }));
  CHECK(end->signal == SIGKILL);
}

TEST_CASE("only the part of a long stdin that the program reads is made, and a little more",
          "[agents][command]") {
  constexpr std::size_t all = std::size_t{4} << 20;
  for (const bool reads : {false, true}) {
    CAPTURE(reads);
    process_reactor reactor;
    std::optional<process_exit> end;
    std::string output;
    std::size_t made = 0;
    auto spec = shell(reads ? "wc -c" : "echo ready; exec sleep 100");
    spec.input.emplace();
    spec.input->add_source([&](text_pieces& out) {
      out.end().append(1024, 'x');
      made += 1024;
      return made < all;
    });
    const auto key =
        reactor.launch(std::move(spec), std::make_unique<ending_listener>(end, output));
    if (reads) {
      REQUIRE(turns_until(reactor, [&] { return end.has_value(); }));
      CHECK(output == std::to_string(all) + "\n");
      CHECK(made == all);
      continue;
    }
    REQUIRE(turns_until(reactor, [&] { return output == "ready\n"; }));
    for (int turns = 0; turns < 100; ++turns)
      reactor.turn();
    CHECK(made <= (64 << 10) + input_piece_bytes_max); // a full pipe and a piece
    reactor.kill(key);
    REQUIRE(turns_until(reactor, [&] { return end.has_value(); }));
  }
}

TEST_CASE("later input of a program comes after its order", "[agents][command]") {
  process_reactor reactor;
  std::optional<process_exit> end;
  std::string output;
  auto spec = shell("head -c 300010 | tail -c 20");
  spec.input.emplace(std::string(300'000, 'x'));
  spec.keep_input_open = true;
  const auto key = reactor.launch(std::move(spec), std::make_unique<ending_listener>(end, output));
  reactor.write_input(key, std::string("12345"));
  reactor.write_input(key, std::string("67890"));
  REQUIRE(turns_until(reactor, [&] { return end.has_value(); }));
  CHECK(output == "xxxxxxxxxx1234567890");
}

TEST_CASE("processes that survive the reported end of the last program are still ended and reaped",
          "[agents][command]") {
  hand_time time;
  process_reactor reactor{time, true};
  std::optional<process_exit> end;
  std::string output;
  // The pids of one that leaves its group, and of one that this one starts.
  auto spec = shell("(setsid sh -c 'setsid sleep 600 >/dev/null 2>&1 & echo $$ $!; wait' &); "
                    "read -r go");
  spec.input.emplace();
  spec.keep_input_open = true;
  const auto key = reactor.launch(std::move(spec), std::make_unique<ending_listener>(end, output));
  REQUIRE(turns_until(reactor, [&] { return output.ends_with('\n'); }));
  std::istringstream pids(output);
  id_t outer = 0;
  pid_t inner = 0;
  pids >> outer >> inner;
  const auto is_zombie = [](id_t pid) {
    siginfo_t info{};
    return ::waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
  };
  reactor.write_input(key, std::string("go\n"));
  // No time passes, so there is no second look.
  REQUIRE(turns_until(reactor, [&] { return is_zombie(outer); }));
  CHECK_FALSE(end);
  time.pass(clear_max);
  reactor.turn();
  CHECK(end);
  CHECK(::kill(inner, 0) == 0);
  CHECK(turns_until(reactor, [&] {
    time.pass(1s);
    return ::kill(inner, 0) != 0;
  }));
}
