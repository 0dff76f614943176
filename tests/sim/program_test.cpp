// The program troupe-sim: what it prints of a failure, what it refuses, and how it ends.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

namespace {

/// A process of the program, behind a pipe.
class started {
public:
  /// `words` end the command line, so they may also redirect; `environment` as "NAME='value'".
  explicit started(const std::string& words, const std::string& environment = "")
      : pipe_(::popen(
          ("echo $$; " + environment + " exec '" TROUPE_SIM_PROGRAM "' " + words).c_str(), "r")) {
    REQUIRE(pipe_ != nullptr);
    id_ = std::stoi(line());
  }
  ~started() {
    if (pipe_ != nullptr)
      ::pclose(pipe_);
  }
  started(const started&) = delete;
  started& operator=(const started&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }

  /// The next one; empty: it has closed its output, and so have all its processes.
  std::string line() {
    std::string out;
    for (int next = 0; (next = std::fgetc(pipe_)) != EOF;) {
      out += static_cast<char>(next);
      if (next == '\n')
        break;
    }
    return out;
  }
  std::string rest() {
    std::string out;
    for (auto next = line(); !next.empty(); next = line())
      out += next;
    return out;
  }
  /// Its code, once it has ended.
  int end() { return WEXITSTATUS(::pclose(std::exchange(pipe_, nullptr))); }

private:
  std::FILE* pipe_;
  pid_t id_ = 0;
};

struct ended {
  int code = 0;
  std::string output;
};

ended run_program(const std::string& words, const std::string& environment = "") {
  started one("2>&1 " + words, environment);
  auto output = one.rest();
  return {one.end(), std::move(output)};
}

/// Refuses, and says that; no world has run.
void check_refused(const std::string& words, const std::string& sentence) {
  CAPTURE(words);
  const auto got = run_program(words);
  CHECK(got.code == 2);
  CHECK(got.output.find(sentence) != std::string::npos);
  CHECK(got.output.find(" steps") == std::string::npos);
  if (got.output.find(sentence) == std::string::npos)
    UNSCOPED_INFO(got.output);
}

/// A process that `parent` has started.
pid_t child_of(pid_t parent) {
  const auto id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  pid_t out = 0;
  children >> out;
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

bool has(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

std::size_t count_of(const std::string& text, const std::string& pattern) {
  const std::regex each(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), each), std::sregex_iterator()));
}

} // namespace

TEST_CASE("troupe-sim tells a failure in full, and ends with 1", "[sim]") {
  const auto got = run_program("--seed 1 --mutant short-list");
  INFO(got.output);
  CHECK(got.code == 1);
  CHECK(has(got.output, "seed 1 fails: checker \\w+\n  \\S+ "));
  CHECK(has(got.output,
            "at [0-9.]+ s of virtual time, after [0-9]+ steps and ([0-9]+ crashes|1 crash); "
            "built by (g\\+\\+|clang) "));
  CHECK(has(got.output, "repeat it: troupe-sim --trace --seed 1 --mutant short-list\n"));
  std::size_t story = 0;
  for (const auto& line : lines_of(got.output))
    story += line.starts_with("  | ") ? 1 : 0;
  CHECK(story > 0);
  CHECK(story <= 40);
}

TEST_CASE("troupe-sim ends with 0 if nothing fails, and prints the same hash each time", "[sim]") {
  const auto first = run_program("--seed 1");
  const auto second = run_program("--seed 1");
  INFO(first.output);
  CHECK(first.code == 0);
  std::smatch hash;
  REQUIRE(std::regex_search(first.output, hash, std::regex("seed 1: hash ([0-9a-f]{16})")));
  CHECK(has(second.output, "seed 1: hash " + hash.str(1)));
}

TEST_CASE("several jobs of troupe-sim come to what one comes to", "[sim]") {
  const auto hash_of = [](const std::string& output) {
    std::smatch found;
    return std::regex_search(output, found, std::regex("hash of all histories ([0-9a-f]{16})"))
               ? found.str(1)
               : output;
  };
  CHECK(hash_of(run_program("--seeds 1..4 --jobs 2").output)
        == hash_of(run_program("--seeds 1..4").output));
}

TEST_CASE("troupe-sim shows the steps of a trace that were asked for", "[sim]") {
  const auto got = run_program("--seed 1 --trace --from 100 --to 200");
  CHECK(got.code == 0);
  std::size_t shown = 0;
  for (const auto& line : lines_of(got.output))
    if (std::smatch step;
        std::regex_search(line, step, std::regex("^ *([0-9]+) +[0-9]+\\.[0-9]+ "))) {
      ++shown;
      CHECK(std::stoul(step.str(1)) >= 100);
      CHECK(std::stoul(step.str(1)) <= 200);
    }
  CHECK(shown > 0);
}

TEST_CASE("troupe-sim repeats what the settings of a file say", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto path = files / "small.toml";
  const auto made =
      run_program("--seed 1 --mutant short-list --shrink --shrink-runs 5 --into " + path);
  INFO(made.output);
  CHECK(made.code == 1);
  const auto again = run_program("--config " + path);
  INFO(again.output);
  CHECK(again.code == 1);
  CHECK(has(again.output, "repeat it: troupe-sim --trace --config "));
}

TEST_CASE("troupe-sim names all checkers that have found a failure", "[sim]") {
  const auto got = run_program("--seed 3 --mutant short-list");
  INFO(got.output);
  CHECK(has(got.output, "fails: checker \\w+\n  \\S+ .*\n  also found by: \\w+"));
}

TEST_CASE("troupe-sim refuses a seed that is not one number or range", "[sim]") {
  for (const std::string text : {"1e3", "1.5", "1x", "1,2", "1-3", "0x10", "1..2..3", "1..2x",
                                 "1..", "..2", "-1", "+1", "1 2", "", "9223372036854775808"})
    for (const std::string option : {"--seed", "--seeds"})
      check_refused(option + " '" + text + "'",
                    option
                        + " is a seed from 0 to 9223372036854775807, or a range such as 1..1000, "
                          "not \""
                        + text + "\"\n");
  check_refused("--seeds 9..3", "the range \"9..3\" of --seeds is reversed; write 3..9\n");
}

TEST_CASE("troupe-sim ends after the last seed that there is", "[sim]") {
  const auto got = run_program("--seeds 9223372036854775806..9223372036854775807 --jobs 3");
  INFO(got.output);
  CHECK(got.code == 0);
  CHECK(has(got.output, "^2 seeds in "));
}

TEST_CASE("troupe-sim refuses values that are out of range, and empty ones", "[sim]") {
  for (const std::string minutes : {"nan", "inf", "-5", "0", "", "1m"})
    check_refused("--minutes '" + minutes + "'",
                  "--minutes is a number above 0, such as 0.5 or 10, and at most 1000000, not \""
                      + minutes + "\"\n");
  for (const std::string option : {"--failures", "--crash-at", "--crash-every", "--shrink-runs"})
    for (const std::string value : {"0", "-1", "1.5"})
      check_refused(option + ' ' + value, option
                                              + " is a whole number from 1 to 9223372036854775807, "
                                                "not \""
                                              + value + "\"\n");
  for (const std::string option : {"--from", "--to", "--twice-every"})
    check_refused("--trace " + option + " -1",
                  option + " is a whole number from 0 to 9223372036854775807, not \"-1\"\n");
  check_refused("--jobs 257", "--jobs is a whole number from 1 to 256, not \"257\"\n");
  check_refused("--config ''", "--config is a path, not \"\"\n");
  check_refused("--shrink --into ''", "--into is a path, not \"\"\n");
  check_refused("--mutant ''", "there is no planted bug \"\"\n");
}

TEST_CASE("troupe-sim names the nearest planted bug, and lists all", "[sim]") {
  check_refused("--mutant short-lst",
                "there is no planted bug \"short-lst\"; did you mean \"short-list\"?\n");
  CHECK(has(run_program("--mutant short-lst").output, "\n  lost-tail\n"));
}

TEST_CASE("troupe-sim refuses options that need or exclude others", "[sim]") {
  check_refused("--from 3", "--from needs --trace\n");
  check_refused("--to 3", "--to needs --trace\n");
  check_refused("--into x", "--into needs --shrink\n");
  check_refused("--shrink-runs 3", "--shrink-runs needs --shrink\n");
  check_refused("--trace --from 5 --to 3", "--from 5 is behind --to 3\n");
  check_refused("--trace --jobs 2", "--trace needs one job");
  check_refused("--minutes 1 --seeds 3..4", "give it --seed 3\n");
  for (const std::string pair :
       {"--config x --seed 1", "--config x --seeds 1", "--config x --minutes 1",
        "--seed 1 --seeds 1", "--crash-at 1 --crash-every 1", "--shrink --failures 2",
        "--find-mutants --config x", "--find-mutants --crash-at 1",
        "--find-mutants --crash-every 1", "--find-mutants --slow", "--find-mutants --trace",
        "--find-mutants --minutes 1", "--find-mutants --situations", "--find-mutants --failures 1"})
    check_refused(pair, " exclude each other: ");
  check_refused("--unknown", "--unknown (try `troupe-sim --help`)\n");
}

TEST_CASE("troupe-sim refuses a file of settings that it cannot use", "[sim]") {
  const troupe::testing::temporary_directory files;
  check_refused("--config " + files.path().string(), "cannot be read: Is a directory\n");
  check_refused("--config " + files / "none", "/none cannot be read: No such file or directory\n");
  check_refused("--config /dev/null", "/dev/null: there is no setting in it");
  check_refused("--config " + files.file("empty", "# nothing\n"), "/empty: there is no setting");
  check_refused("--config " + files.file("wrong", "seed = 1\nclients = -1\n"),
                "/wrong: line 2: clients is a whole number from 1 to 100; found \"clients = -1\"");
}

TEST_CASE("troupe-sim looks at --into before any world runs", "[sim]") {
  const troupe::testing::temporary_directory files;
  check_refused("--mutant short-list --shrink --into " + files.path().string(),
                "cannot be written: Is a directory\n");
  check_refused("--mutant short-list --shrink --into " + files / "none/small.toml",
                "/none/small.toml cannot be written: No such file or directory\n");
  check_refused("--find-mutants --shrink --into " + files / "none",
                "cannot be written: No such file or directory; with --find-mutants it is a "
                "directory\n");
  CHECK(run_program("--shrink --into " + files / "small.toml").code == 0);
  CHECK(std::filesystem::is_empty(files.path())); // Nothing failed.
}

TEST_CASE("troupe-sim repeats with a path as the shell takes it", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto path = files.file("it's small.toml", "seed = 1\nbug = \"short-list\"\n");
  const auto got = run_program("--config \"" + path + "\"");
  INFO(got.output);
  REQUIRE(got.code == 1);
  CHECK(has(got.output, "repeat it: troupe-sim --trace --config '/.*/it'\\\\''s small.toml'\n"));
}

TEST_CASE("troupe-sim says why the process of a world does not die", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto path = files.file("calm.toml", "seed = 1\nclients = 1\nspan = 0.5\n");
  CHECK(has(run_program("--crash-at 9000000 --config " + path).output,
            "seed 1 ends after [0-9]+ steps: its process does not die at step 9000000\n"));
  const auto in_memory = files.file("memory.toml", "seed = 1\nspan = 0.5\nis-durable = false\n");
  for (const std::string option : {"--crash-at", "--crash-every"}) {
    const auto got = run_program(option + " 100 --config " + in_memory);
    CHECK(got.code == 0);
    CHECK(has(got.output, "seed 1 has no disk: its process does not die\n"));
  }
}

TEST_CASE("troupe-sim prints as many failures as it is asked for", "[sim]") {
  const auto got = run_program("--seeds 1..1000 --mutant short-list --failures 2 --jobs 2");
  INFO(got.output);
  CHECK(got.code == 1);
  CHECK(count_of(got.output, "seed [0-9]+ fails") == 2);
  CHECK(has(got.output, ", 2 failed; "));
}

TEST_CASE("troupe-sim makes the first failure small, and no other", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto path = files / "small.toml";
  const auto got =
      run_program("--seeds 1..1000 --mutant short-list --jobs 2 --shrink --shrink-runs 2 "
                  "--into "
                  + path);
  INFO(got.output);
  CHECK(got.code == 1);
  CHECK(count_of(got.output, "seed [0-9]+ fails") == 1);
  CHECK(has(got.output, "after 2 runs, these are left: "));
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("troupe-sim ends with 2 if its output or its files have no place", "[sim]") {
  for (const std::string words : {"--seed 1", "--seed 1 --trace", "--help"}) {
    CAPTURE(words);
    const auto full = run_program(words + " >/dev/full");
    CHECK(full.code == 2);
    CHECK(full.output == "the output cannot be written: No space left on device\n");
    const auto closed = run_program(words + " >&-");
    CHECK(closed.code == 2);
    CHECK(closed.output == "the output cannot be written: it is closed\n");
  }
  const auto got = run_program("--seed 1", "TMPDIR=/nonexistent");
  CHECK(got.code == 2);
  CHECK(has(got.output, "there is no directory for temporary files: .*; set TMPDIR to one\n"));
}

TEST_CASE("a signal ends troupe-sim and its jobs, and no file is left", "[sim]") {
  const troupe::testing::temporary_directory files;
  started one("--minutes 1 --jobs 2 --mutant short-list --failures 1000000",
              "TMPDIR='" + files.path().string() + "'");
  REQUIRE(one.line().starts_with("seed "));
  ::kill(one.id(), SIGTERM);
  CHECK(has(one.rest(), "hash of all histories [0-9a-f]+\n$")); // All have closed it.
  CHECK(one.end() == 128 + SIGTERM);
  CHECK(std::filesystem::is_empty(files.path()));
}

TEST_CASE("no job outlives troupe-sim", "[sim]") {
  const troupe::testing::temporary_directory files;
  started one("--minutes 1 --jobs 2 --mutant short-list --failures 1000000",
              "TMPDIR='" + files.path().string() + "'");
  REQUIRE(one.line().starts_with("seed "));
  ::kill(one.id(), SIGKILL);
  CHECK_FALSE(has(one.rest(), "hash of all histories")); // It ends, so all have closed it.
}

TEST_CASE("troupe-sim leaves no file behind", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto environment = "TMPDIR='" + files.path().string() + "'";
  CHECK(run_program("--seeds 1..4 --jobs 2", environment).code == 0);
  CHECK(run_program("--seeds 1..4 --jobs 2 --mutant short-list --failures 1", environment).code
        == 1);
  CHECK(run_program("--seed 1 --trace >/dev/full", environment).code == 2);
  CHECK(std::filesystem::is_empty(files.path()));
}

TEST_CASE("troupe-sim says at which seed a process has died, and keeps what it came to", "[sim]") {
  started one("--minutes 1 --mutant short-list --failures 1000000");
  REQUIRE(one.line().starts_with("seed "));
  const auto job = child_of(one.id());
  REQUIRE(job > 0);
  ::kill(job, SIGKILL);
  const auto output = one.rest();
  INFO(output);
  CHECK(has(output, "seed [0-9]+ ends its process by signal 9 \\(Killed\\)\n"
                    "  its job runs no other seed\n"
                    "  repeat it: troupe-sim --trace --seed [0-9]+ --mutant short-list\n"));
  CHECK(has(output, "\n[1-9][0-9]* seeds? in "));
  CHECK(one.end() == 1);
}

TEST_CASE("troupe-sim finds a planted bug, makes it small, or says who has found it", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto found =
      run_program("--find-mutants --mutant short-list --shrink --shrink-runs 3 --into "
                  + files.path().string());
  INFO(found.output);
  CHECK(found.code == 0);
  CHECK(has(found.output, "^\\| `short-list` \\| 1 \\| `lists` \\|\n"));
  CHECK(has(found.output, "\n1 of 1 planted bug is found\n"));
  CHECK(std::filesystem::exists(files / "short-list.toml"));
  const auto missing = run_program("--find-mutants --mutant answer-before-commit --seed 1");
  CHECK(missing.code == 1);
  CHECK(has(missing.output, "^\\| `answer-before-commit` \\| not found \\| `kept`.* \\|\n"));
}

TEST_CASE("troupe-sim says in its help with which codes it ends", "[sim]") {
  const auto got = run_program("--help");
  CHECK(got.code == 0);
  CHECK(has(got.output, "--failures NUMBER=5 "));
  CHECK(has(got.output, "It ends with 0 if nothing fails; with 1 if"));
  CHECK(has(got.output, "with 2 if the\ncommand line or a file is wrong"));
}
