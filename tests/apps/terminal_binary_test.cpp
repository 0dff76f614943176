// `troupe run` in front of a person: the real binary on a terminal of its own.
#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* two_questions = R"({"name": "Trip", "plans": [{"name": "P", "tasks": [
  {"name": "from", "agent": "scripted", "input": {"steps": [{"ask": "Where from?"}, {"artifactFromAnswer": {"name": "city"}}]}},
  {"name": "to", "agent": "scripted", "input": {"steps": [{"ask": "Where to?"}, {"artifactFromAnswer": {"name": "city"}}]}}]}]})";
constexpr const char* deaf = R"({"name": "Deaf", "tasks": [{"name": "d", "agent": "command",
  "input": {"argv": ["/bin/sh", "-c", "trap '' TERM; echo it is up; while :; do sleep 1; done"], "killAfter": 1000}}]})";
constexpr const char* endless =
    R"({"name": "S", "tasks": [{"name": "s", "agent": "sleep", "input": {"seconds": 1000}}]})";

const std::vector<std::string> plain_terminal{"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"};

auto shows(const std::string& text) {
  return [text](const process& run) { return run.out().find(text) != std::string::npos; };
}

/// Pastes two lines where two questions are open, and sees that the second question is asked all
/// the same.
void paste_at(process& run) {
  const auto from = shows("? P / from"), to = shows("? P / to");
  REQUIRE(run.read_until([&](const process& p) { return from(p) || to(p); }, 30s));
  const bool from_first = from(run);
  run.send_input("pasted one\npasted two\n");
  REQUIRE(run.read_until(from_first ? to : from, 30s));
  run.send_input("typed\n");
  CHECK(run.wait() == 0);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("text pasted at a prompt answers the question that was shown and no other",
          "[apps][terminal]") {
  const temporary_directory place;
  const auto file = place.file("trip.json", two_questions);
  process tree({troupe_binary(), "run", file, "--store", "memory"}, plain_terminal, {});
  paste_at(tree);
  CHECK(tree.is_cooked());
  process lines({"/bin/sh", "-c", "exec \"$0\" \"$@\" > " + (place / "out"), troupe_binary(), "run",
                 file, "--store", "memory", "--json"},
                plain_terminal, {});
  paste_at(lines);
  const auto out = text_of(place / "out");
  CHECK_THAT(out, ContainsSubstring("\"text\":\"pasted one\"")
                      && ContainsSubstring("\"text\":\"typed\""));
  CHECK_THAT(out, !ContainsSubstring("pasted two"));
}

TEST_CASE("a question shows its choices at the prompt, and a number is one of them",
          "[apps][terminal]") {
  const temporary_directory place;
  const auto file = place.file("choose.json", R"({"name": "Trip", "tasks": [
    {"name": "to", "agent": "command", "input": {"protocol": "jsonl", "argv": ["sh", "-c",
      "read order; echo '{\"ask\": {\"prompt\": \"Where to?\", \"schema\": {\"enum\": [\"sea\", \"city\"]}}}'; read answer; echo \"$answer\" >&2; echo '{\"complete\": \"ok\"}'"]}}]})");
  process run({troupe_binary(), "run", file, "--store", "memory", "--output", "all"},
              plain_terminal, {});
  REQUIRE(run.read_until(shows("  2  city"), 30s));
  CHECK_THAT(run.out(), ContainsSubstring("Where to?") && ContainsSubstring("  1  sea"));
  run.send_input("2\n");
  CHECK(run.wait() == 0);
  process lines({"/bin/sh", "-c", "exec \"$0\" \"$@\" > " + (place / "out"), troupe_binary(), "run",
                 file, "--store", "memory", "--json"},
                plain_terminal, {});
  REQUIRE(lines.read_until(shows("  2  city"), 30s));
  lines.send_input("2\n");
  CHECK(lines.wait() == 0);
  CHECK_THAT(text_of(place / "out"), ContainsSubstring("\\\"answer\\\":\\\"city\\\""));
}

TEST_CASE("nothing is asked at the prompt with --no-input", "[apps][terminal]") {
  const temporary_directory place;
  process run({troupe_binary(), "run", place.file("trip.json", two_questions), "--store", "memory",
               "--no-input"},
              plain_terminal, {});
  CHECK(run.wait() == 3);
  CHECK_THAT(run.out(), ContainsSubstring("nobody is there to answer"));
  CHECK_THAT(run.out(), !ContainsSubstring("? P / "));
}

TEST_CASE("no line behind the tree is wider than the terminal", "[apps][terminal]") {
  const temporary_directory place;
  const auto file = place.file("wide.json", R"({"name": "W", "maxParallel": 1, "tasks": [
    {"name": "a task with a long name", "agent": "command", "input": {"argv": ["sleep", "1"]}},
    {"name": "another task with a long name", "agent": "command", "input": {"argv": ["sleep", "1"]}},
    {"name": "a third task with a long name", "agent": "command", "input": {"shell": "exit 3"}}]})");
  const std::vector<std::string> environment{"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm",
                                             "XDG_STATE_HOME=" + (place / "state")};
  process run({troupe_binary(), "run", file}, environment, {});
  CHECK(run.wait() == 1);
  const auto end = run.out().substr(run.out().rfind("\x1b[?25h"));
  CHECK_THAT(end, ContainsSubstring("longest waits: ") && ContainsSubstring("slowest: ")
                      && ContainsSubstring("(critical path ")
                      && ContainsSubstring("troupe run --retry"));
  for (const auto& line : lines_of(end))
    CHECK(line.size() <= 80 + 7); // with the control sequence in front, and the return behind
  // Without a terminal lines stay whole.
  const auto whole = run_program({troupe_binary(), "run", file, "-q"}, {}, environment);
  CHECK_THAT(whole.out, ContainsSubstring("failed: 2 of 3 tasks completed, 1 failed, in ")
                            && EndsWith(" attempts)\n"));
  CHECK(lines_of(whole.out).back().size() > 80);
}

TEST_CASE("Ctrl-D at a prompt gives up", "[apps][terminal]") {
  const temporary_directory place;
  process run({troupe_binary(), "run", place.file("trip.json", two_questions), "--store", "memory"},
              plain_terminal, {});
  REQUIRE(run.read_until(shows("? P / "), 30s));
  run.send_input("\x04");
  CHECK(run.wait() == 3);
  CHECK(run.is_cooked());
}

TEST_CASE("Ctrl-C cancels, a second one ends at once, and the terminal is as it was",
          "[apps][terminal]") {
  const temporary_directory place;
  process once({troupe_binary(), "run", place.file("endless.json", endless), "--store", "memory"},
               plain_terminal, {});
  REQUIRE(once.read_until(shows("1 running"), 30s));
  once.send_input("\x03");
  CHECK(once.wait() == 130);
  CHECK_THAT(once.out(), ContainsSubstring("canceled: 0 of 1 task"));
  CHECK(once.out().rfind("\x1b[?25h") > once.out().rfind("\x1b[?25l"));
  CHECK(once.is_cooked());

  process twice({troupe_binary(), "run", place.file("deaf.json", deaf), "--store", "memory"},
                plain_terminal, {});
  REQUIRE(twice.read_until(shows("it is up"), 30s));
  // Two of one number could become one.
  twice.send_input("\x03");
  twice.signal(SIGTERM);
  CHECK(twice.wait() == 130);
  CHECK(twice.out().rfind("\x1b[?25h") > twice.out().rfind("\x1b[?25l"));
  CHECK(twice.is_cooked());
}

TEST_CASE("after a second signal to stop the next start says how the run goes on, and it does",
          "[apps][terminal]") {
  const temporary_directory place;
  const auto go = place / "go";
  // Deaf to SIGTERM the first time; the next attempt ends at once.
  const auto file = place.file(
      "deaf.json", R"({"name": "Deaf", "tasks": [{"name": "d", "agent": "command",
  "input": {"argv": ["/bin/sh", "-c", "test -e )"
                       + go + R"( && exit 0; trap '' TERM; touch )" + go
                       + R"(; echo it is up; while :; do sleep 1; done"], "killAfter": 60}}]})");
  auto environment = plain_terminal;
  environment.push_back("XDG_STATE_HOME=" + (place / "state"));
  process first({troupe_binary(), "run", file}, environment, {});
  REQUIRE(first.read_until(shows("it is up"), 30s));
  // Two that come at once: the second ends the process, mostly before the cancel is recorded.
  for (const int number : {SIGSTOP, SIGINT, SIGTERM, SIGCONT})
    first.signal(number);
  CHECK(first.wait() == 130);
  CHECK(first.is_cooked());
  process next({troupe_binary(), "run", file}, environment, {});
  CHECK(next.wait() == 0);
  CHECK_THAT(next.out(),
             ContainsSubstring("an earlier run of \"Deaf\"") && ContainsSubstring("--resume"));
  process resumed({troupe_binary(), "run", "--resume"}, environment, {});
  const int code = resumed.wait();
  if (code == 0) {
    CHECK_THAT(resumed.out(), ContainsSubstring("attempt 2"));
    return;
  }
  // The cancel was recorded in time: it holds, and the rest can still be done.
  CHECK(code == 130);
  CHECK_THAT(resumed.out(),
             ContainsSubstring("canceled by request") && ContainsSubstring("--retry"));
  process retried({troupe_binary(), "run", "--retry"}, environment, {});
  CHECK(retried.wait() == 0);
}

TEST_CASE("on a dumb terminal changes are lines, and questions are asked all the same",
          "[apps][terminal]") {
  const temporary_directory place;
  process run({troupe_binary(), "run", place.file("trip.json", two_questions), "--store", "memory"},
              {"LC_ALL=C.UTF-8", "TERM=dumb"}, {});
  paste_at(run);
  CHECK_THAT(run.out(), ContainsSubstring("P / from: completed"));
  CHECK(run.out().find('\x1b') == std::string::npos);
}

TEST_CASE("a question is asked within a screen, however small", "[apps][terminal]") {
  const temporary_directory place;
  const auto file = place.file(
      "long.json",
      R"({"name": "Long", "tasks": [{"name": "q", "agent": "scripted", "input": {"steps": [
    {"ask": "Which of the flights shall I book, the one in the morning, the one at noon or the one in the night?"}]}}]})");
  for (const screen_size size :
       {screen_size{5, 20}, screen_size{3, 20}, screen_size{2, 20}, screen_size{2, 2}}) {
    CAPTURE(size.rows, size.columns);
    process run({troupe_binary(), "run", file, "--store", "memory"}, plain_terminal, size);
    REQUIRE(run.read_until(shows("> "), 30s));
    run.send_input("noon\n");
    CHECK(run.wait() == 0);
    // Each picture is drawn over the one before, so it was no higher than the screen.
    static const std::regex up("\x1b\\[([0-9]+)A");
    for (std::sregex_iterator it(run.out().begin(), run.out().end(), up);
         it != std::sregex_iterator(); ++it)
      CHECK(std::stoi((*it)[1]) < size.rows);
  }
}

TEST_CASE("a tree follows the size of its terminal", "[apps][terminal]") {
  const temporary_directory place;
  std::string tasks;
  for (int i = 0; i < 40; ++i)
    tasks += std::string(i == 0 ? "" : ", ") + R"({"name": "a task with a long name )"
             + std::to_string(i) + R"(", "agent": "sleep", "input": {"seconds": 1000}})";
  const auto file = place.file("wide.json", R"({"name": "Wide", "tasks": [)" + tasks + "]}");
  process run({troupe_binary(), "run", file, "--store", "memory"}, plain_terminal, screen_size{});
  REQUIRE(run.read_until(shows("40 running"), 30s));
  for (const screen_size size : {screen_size{8, 30}, screen_size{40, 120}, screen_size{5, 20}}) {
    CAPTURE(size.rows, size.columns);
    run.resize(size);
    // The second picture after this point was drawn for the new size.
    const auto from = run.out().size();
    const auto pictures = [from](const process& now) {
      static const std::regex up("\x1b\\[[0-9]+A");
      const auto& out = now.out();
      return std::distance(
          std::sregex_iterator(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), up),
          std::sregex_iterator());
    };
    REQUIRE(run.read_until([&](const process& now) { return pictures(now) >= 4; }, 30s));
    const auto& out = run.out();
    const auto last_up = out.rfind('A', out.rfind("\x1b[K"));
    const auto begin = out.rfind("\x1b[", last_up);
    CHECK(std::stoi(out.substr(begin + 2)) < size.rows);
    // Its lines are no wider than the screen.
    std::size_t width = 0;
    for (const auto& line : lines_of(out.substr(last_up + 1)))
      width = std::max(width, std::min(line.size(), line.find("\x1b")));
    CHECK(width < size.columns * 3U); // Bytes; a mark has three.
  }
  run.send_input("\x03");
  CHECK(run.wait() == 130);
}
