// Programs that are run in their caller's turns, without a thread.
#include "agents/process_reactor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"

#include <optional>

#include <signal.h>

using namespace std::chrono_literals;
using namespace troupe;
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

} // namespace

TEST_CASE("a reactor without a thread runs a program in its owner's turns", "[agents][command]") {
  ::signal(SIGPIPE, SIG_IGN);
  process_reactor reactor;
  std::optional<process_exit> end;
  std::string output;
  reactor.launch(shell("echo hello"), std::make_unique<ending_listener>(end, output));
  CHECK(output.empty()); // Nothing happens by itself.
  while (!end)
    reactor.turn();
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
  while (output != "ready\n")
    reactor.turn();
  reactor.terminate(key);
  for (int turns = 0; turns < 100; ++turns)
    reactor.turn();
  CHECK_FALSE(end); // No time has passed.
  time.pass(2s);
  while (!end)
    reactor.turn();
  CHECK(end->signal == SIGKILL);
}
