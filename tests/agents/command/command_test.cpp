// Real processes: /bin/sh and the small programs beside it. Nothing sleeps here but the programs
// that are ended.
#include "agents/command/command.hpp"
#include "agents/command/command_lines.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/json/json_pieces.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
using namespace troupe::test;
using troupe::testing::comes_true;
using troupe::testing::temporary_directory;

namespace {

namespace json = boost::json;

// One attempt of a command.
struct job {
  job(command_agent& agent, json::object input, std::uint32_t attempt = 1) {
    order order;
    order.id = task_id("t1");
    order.attempt = attempt;
    order.input = std::move(input);
    begin(agent, shared(std::move(order)));
  }
  job(command_agent& agent, const order_ptr& order) { begin(agent, order); }

  void begin(command_agent& agent, const order_ptr& order) {
    auto started = agent.start(order, port);
    if (auto* going = std::get_if<agent_run_ptr>(&started))
      run = std::move(*going);
    else
      port->report(std::get<report_failed>(started));
  }

  [[nodiscard]] std::string end() { return ending(port->wait_for_end()); }

  // The text of the artifact `stdout` of a command that must complete.
  [[nodiscard]] std::string output() {
    const auto report = port->wait_for_end();
    INFO(ending(report));
    REQUIRE(std::holds_alternative<report_completed>(report));
    const auto& artifacts = std::get<report_completed>(report).artifacts;
    REQUIRE(artifacts.size() == 1);
    CHECK(artifacts[0].name == "stdout");
    return text_of(artifacts[0].parts);
  }

  // The text of the n-th message of a jsonl program.
  [[nodiscard]] std::string said(std::size_t n = 0) {
    return text_of(port->wait_for<report_message>(n).message.parts);
  }

  std::shared_ptr<fake_port> port = std::make_shared<fake_port>();
  agent_run_ptr run;
};

json::object shell(std::string_view script, std::string_view more = "{}") {
  auto out = object(more);
  out["argv"] = json::array{"/bin/sh", "-c", script};
  return out;
}

json::object talking_shell(std::string_view script, std::string_view more = "{}") {
  auto out = shell(script, more);
  out["protocol"] = "jsonl";
  return out;
}

// A process as one that is not its parent sees it.
class watched_process {
public:
  explicit watched_process(const std::string& pid)
      : fd_(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(std::stoi(pid)), 0U))) {
    REQUIRE(fd_ >= 0);
  }
  ~watched_process() { ::close(fd_); }
  watched_process(const watched_process&) = delete;
  watched_process& operator=(const watched_process&) = delete;

  // Waits for its end, at most a minute.
  [[nodiscard]] bool ends() const {
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, 60'000) == 1;
  }
  [[nodiscard]] bool runs() const {
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

private:
  int fd_;
};

// Our soft limit of open files, for a while.
class open_files_limit {
public:
  explicit open_files_limit(rlim_t soft) {
    auto changed = before_;
    changed.rlim_cur = soft;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &changed) == 0);
  }
  ~open_files_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  open_files_limit(const open_files_limit&) = delete;
  open_files_limit& operator=(const open_files_limit&) = delete;

  [[nodiscard]] static rlimit now() {
    rlimit out{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &out) == 0);
    return out;
  }

private:
  rlimit before_ = now();
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The last argument of each child of ours; "" for a zombie.
std::vector<std::string> children() {
  std::vector<std::string> out;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(thread.path() / "children");
    for (std::string pid; list >> pid;) {
      std::ifstream file("/proc/" + pid + "/cmdline", std::ios::binary);
      std::string line(std::istreambuf_iterator<char>(file), {});
      if (!line.empty() && line.back() == '\0')
        line.pop_back();
      out.push_back(line.substr(line.rfind('\0') + 1));
    }
  }
  return out;
}

std::string executable(const temporary_directory& in, const std::string& name,
                       std::string_view text) {
  const auto path = in.file(name, text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

} // namespace

// -- what a program gets and gives ----------------------------------------------------------------

TEST_CASE("stdout of a program is its artifact", "[agents][command]") {
  command_agent agent;
  CHECK(job(agent, object(R"({"argv": ["echo", "a b", "$HOME", "*"]})")).output()
        == "a b $HOME *\n"); // no shell
  CHECK(job(agent, object(R"({"argv": ["/bin/sh", "-c", "exit 0"]})")).output().empty());
}

TEST_CASE("a program finds the order on its stdin", "[agents][command]") {
  command_agent agent;
  job cat(agent, object(R"({"argv": ["cat"], "data": [1, 2]})"), 3);
  const auto read = json::parse(cat.output());
  CHECK(read.at("task").at("id") == "t1");
  CHECK(read.at("task").at("attempt") == 3);
  CHECK(read.at("input").at("data") == json::array{1, 2});
  CHECK(job(agent, object(R"({"argv": ["cat"], "stdin": "none"})")).output().empty());
}

TEST_CASE("a large order is fed while its echo is read", "[agents][command]") {
  command_agent agent;
  json::object input = object(R"({"argv": ["cat"]})");
  input["data"] = std::string(3'000'000, 'x');
  job cat(agent, input);
  CHECK(json::parse(cat.output()).at("input").at("data") == input["data"]);
}

TEST_CASE("a program gets its directory and only the environment it may have",
          "[agents][command]") {
  command_options options;
  options.environment = {"PATH=/usr/bin:/bin", "SECRET=1", "KEEP=2", "LANG=C", "TROUPE_RUN=x.1"};
  options.variables_passed = {"KEEP", "TROUPE_RUN"};
  command_agent agent(options);
  CHECK(job(agent, object(R"({"argv": ["pwd"], "cwd": "/"})")).output() == "/\n");
  const auto variables =
      job(agent,
          object(
              R"({"argv": ["/usr/bin/env"], "envAllow": ["KEEP", "TROUPE_RUN"], "env": {"MINE": "x y"}})"))
          .output();
  const std::string expected = "KEEP=2\nLANG=C\nMINE=x y\nPATH=/usr/bin:/bin\nTROUPE_RUN=run-";
  CHECK(variables.starts_with(expected));
  CHECK(variables.find('\n', expected.size()) == variables.size() - 1);
}

TEST_CASE("a task does not get a variable that the operator does not pass", "[agents][command]") {
  command_options options;
  options.environment = {"PATH=/usr/bin:/bin", "SECRET=1", "LC_TIME=C"};
  const auto input = object(R"({"argv": ["/usr/bin/env"], "envAllow": ["LC_TIME", "SECRET"]})");
  command_agent closed(options);
  CHECK_THAT(job(closed, input).end(), ContainsSubstring("/envAllow/1")
                                           && ContainsSubstring("SECRET")
                                           && ContainsSubstring("--pass-env"));
  CHECK_FALSE(closed.check_input(input).has_value());
  options.variables_passed = {"*"};
  command_agent open(options);
  CHECK(open.check_input(input).has_value());
  CHECK_THAT(job(open, input).output(), ContainsSubstring("SECRET=1\n"));
}

TEST_CASE("output that is not UTF-8 stays bytes", "[agents][command]") {
  command_agent agent;
  job binary(agent, shell(R"(printf '\377\000\001')"));
  const auto done = std::get<report_completed>(binary.port->wait_for_end());
  REQUIRE(done.artifacts.size() == 1);
  const auto& only = done.artifacts[0].parts.at(0);
  CHECK(only.media_type == "application/octet-stream");
  CHECK(std::get<raw_content>(only.content).bytes == std::string("\xff\0\x01", 3));
}

TEST_CASE("a program starts with signals as usual and nothing but its streams open",
          "[agents][command]") {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  command_agent agent;
  // Bit 13 of SigIgn is SIGPIPE.
  CHECK(job(agent, object(R"~({"argv": ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]})~"))
            .output()
        == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  ::signal(SIGPIPE, before);
  CHECK(job(agent, object(R"({"argv": ["ls", "/proc/self/fd"]})")).output()
        == "0\n1\n2\n3\n"); // 3 is ls reading the folder
}

TEST_CASE("a large order reaches the program whole, and is not copied for it",
          "[agents][command]") {
  command_agent agent;
  const std::string text = [] {
    std::string out;
    while (out.size() < 3'000'000)
      out += "plain text, \"quotes\"\n, \u20ac and \u2028 ";
    return out;
  }();
  const auto input = std::make_shared<const json::object>(
      shell("cat", R"({"outputLimit": 50000000, "text": "${a}", "data": {"all": ["${a}", 1]}})"));
  const auto replaced = std::make_shared<string_replacements>();
  const json::value parsed{{"text", text}, {"list", json::array(1000, {1, true, nullptr})}};
  replaced->by_place[&input->at("text")].text = {std::string_view{text}};
  replaced->by_place[&input->at("data").at("all").at(0)].value = &parsed;
  order made;
  made.id = task_id("t1");
  made.input = order_input{input, replaced};
  auto bytes = std::make_shared<artifact>();
  bytes->artifact_id = "b";
  bytes->parts = {part{raw_content{text}, {}, {}, {}}, data_part(parsed), text_part(text)};
  made.dependencies.push_back({task_id("t0"), "t0", "", {bytes}});
  const auto order = shared(std::move(made));
  auto line = order_line(order);
  (void)line.next(1);
  CHECK(line.bytes_held() < 16 * 1024);
  const auto output = job(agent, order).output();
  CHECK(output == order_line(order).rest());
  const auto read = json::parse(output);
  CHECK(read.at("input").as_object() == order->input.resolve());
  const auto& parts = read.at("dependencies").at(0).at("artifacts").at(0).at("parts");
  CHECK(parts.at(0).at("raw") == json::value(to_base64(text)));
  CHECK(parts.at(1).at("data") == parsed);
  CHECK(parts.at(2).at("text") == json::value(text));
}

// -- how it ends ----------------------------------------------------------------------------------

TEST_CASE("a failure has the exit code and the last line of stderr", "[agents][command]") {
  command_agent agent;
  CHECK(job(agent, shell("echo lost; echo first >&2; echo 'disk full' >&2; exit 3")).end()
        == "failed: exited with 3: disk full");
  CHECK(job(agent, shell("exit 255")).end() == "failed: exited with 255");
  CHECK(job(agent, shell("kill -SEGV $$")).end() == "failed: killed by SIGSEGV");
  CHECK(job(agent, shell("echo bye >&2; kill -9 $$")).end() == "failed: killed by SIGKILL: bye");
  CHECK(job(agent, shell(R"(printf 'a\377b\033[0m' >&2; exit 1)")).end()
        == "failed: exited with 1: a\xef\xbf\xbd"
           "b\xef\xbf\xbd[0m");
}

TEST_CASE("a program that says why on stdout is heard, too", "[agents][command]") {
  command_agent agent;
  CHECK(job(agent, shell("echo '2 tests failed'; exit 1")).end()
        == "failed: exited with 1: 2 tests failed");
}

TEST_CASE("what a program wrote is in the record, however it ended", "[agents][command]") {
  command_agent agent;
  const auto log_of = [&](std::string_view script) {
    job one(agent, shell(script));
    (void)one.end();
    const auto said = one.port->all<report_message>();
    REQUIRE(said.size() <= 1);
    return said.empty() ? std::string("none") : text_of(said.front().message.parts);
  };
  CHECK_THAT(log_of("echo fine"), EndsWith(" stdout fine\n"));
  CHECK(log_of("exit 1") == "none");
  CHECK_THAT(log_of("echo fine; echo careful >&2"),
             ContainsSubstring(" stdout fine\n") && ContainsSubstring(" stderr careful\n"));
  CHECK_THAT(log_of("echo half; exit 1"), EndsWith(" stdout half\n"));
}

TEST_CASE("a log hears every line of every program, and its end", "[agents][command]") {
  struct listening_log final : program_log {
    void on_line(const order& of, const program_line& line) override {
      heard += of.id.str() + (line.is_stderr ? " err " : " out ") + line.text + "\n";
    }
    void on_end(const order& of) override { heard += of.id.str() + " end\n"; }
    std::string heard;
  };
  const auto log = std::make_shared<listening_log>();
  command_options options;
  options.log = log;
  command_agent agent(options);
  (void)job(agent, shell("echo a; printf b")).end();
  CHECK(log->heard == "t1 out a\nt1 out b\nt1 end\n");
  log->heard.clear();
  (void)job(agent, talking_shell(R"(echo '{"complete": "x"}'; echo e >&2)")).end();
  CHECK(log->heard == "t1 err e\nt1 end\n"); // stdout is what it has to say
}

TEST_CASE("the last line of a program that runs is its progress", "[agents][command]") {
  command_agent agent;
  job one(agent, shell("echo one; echo two; echo ' '; exec sleep 60"));
  REQUIRE(comes_true([&] {
    one.run->on_wake();
    const auto shown = one.port->all<report_progress>();
    return !shown.empty() && shown.back().report.trackers.at(0).message == "two";
  }));
  CHECK(one.port->wakes().at(0) == std::chrono::milliseconds{250});
  const auto shown = one.port->all<report_progress>();
  CHECK(validate(shown.back().report).has_value());
  one.run->on_wake(); // Nothing new.
  CHECK(one.port->all<report_progress>().size() == shown.size());
  static_cast<void>(one.run->on_cancel());
}

TEST_CASE("what a program writes is in the record while it runs", "[agents][command]") {
  command_agent agent;
  job one(agent, shell("echo one; exec sleep 60"));
  REQUIRE(comes_true([&] {
    one.run->on_wake();
    return !one.port->all<report_message>().empty();
  }));
  CHECK_THAT(text_of(one.port->all<report_message>().front().message.parts),
             EndsWith(" stdout one\n"));
  static_cast<void>(one.run->on_cancel());
}

TEST_CASE("of a long line the reason of a failure has the last 4 KiB at most",
          "[agents][command]") {
  command_agent agent;
  const auto end =
      job(agent, shell("head -c 50000000 /dev/zero | tr '\\0' x >&2; printf END >&2; exit 1"))
          .end();
  CHECK(end == "failed: exited with 1: " + std::string(50'000'000 % 4096, 'x') + "END");
}

TEST_CASE("a program that cannot be started fails for good and says why", "[agents][command]") {
  command_options options;
  options.environment = {"PATH=/nonexistent:/usr/bin:/bin"};
  command_agent agent(options);
  const auto run = [&](const std::string& program, std::string_view more = "{}") {
    auto input = object(more);
    input["argv"] = json::array{program};
    return job(agent, input).end();
  };
  CHECK(
      run("no-such-program")
      == R"(failed for good: program "no-such-program" was not found in PATH (/nonexistent:/usr/bin:/bin))");
  CHECK(run("/no/such/program") == R"(failed for good: program "/no/such/program" does not exist)");
  CHECK(run("/etc/passwd") == R"(failed for good: program "/etc/passwd" is not executable)");
  CHECK(run("/etc") == R"(failed for good: program "/etc" is a directory)");
  CHECK(run("pwd", R"({"cwd": "/no/such/place"})")
        == R"(failed for good: working directory "/no/such/place": No such file or directory)");
  CHECK(run("pwd", R"({"cwd": "/etc/passwd"})")
        == R"(failed for good: working directory "/etc/passwd": Not a directory)");
  const temporary_directory place;
  const auto bare = executable(place, "bare", "no first line");
  CHECK_THAT(run(bare), ContainsSubstring("is not in an executable format"));
  const auto orphan = executable(place, "orphan", "#!/no/such/interpreter\n");
  CHECK_THAT(run(orphan), ContainsSubstring("needs an interpreter that does not exist"));
  place.file("plain", "#!/bin/sh\n");
  const auto folder = place.path().string();
  CHECK(run("plain", R"({"env": {"PATH": ")" + folder + R"("}})")
        == R"(failed for good: program "plain" in PATH ()" + folder + ") is not executable");
  CHECK(run("./plain", R"({"cwd": ")" + folder + R"("})")
        == R"(failed for good: program "./plain" is not executable)");
  executable(place, "script", "#!/bin/sh\necho from here\n");
  auto relative = object(R"({"argv": ["./script"]})");
  relative["cwd"] = folder;
  CHECK(job(agent, relative).output() == "from here\n");
  relative["argv"] = json::array{"script"};
  relative["env"] = json::object{{"PATH", "."}};
  CHECK(job(agent, relative).output() == "from here\n");
}

TEST_CASE("a program has the limit of open files that the agent found, not one raised since",
          "[agents][command]") {
  const open_files_limit usual(200);
  command_agent agent;
  const open_files_limit raised(300);
  CHECK(job(agent, shell("ulimit -S -n")).output() == "200\n");
  CHECK(open_files_limit::now().rlim_cur == 300);
}

TEST_CASE("arguments the system cannot take are a clear failure", "[agents][command]") {
  command_agent agent;
  json::object input;
  input["argv"] = json::array{"echo", std::string(20'000'000, 'x')};
  input["stdin"] = "none";
  CHECK_THAT(job(agent, input).end(),
             ContainsSubstring(
                 "failed for good: program \"echo\" cannot be executed: Argument list too long"));
}

TEST_CASE("an input that does not fit fails for good", "[agents][command]") {
  command_agent agent;
  CHECK(
      job(agent, object(R"({"argv": []})")).end()
      == R"(failed for good: input/argv: must be a list such as ["ls", "-l"]: the program and its arguments)");
}

// -- programs that misbehave ----------------------------------------------------------------------

TEST_CASE("a program that prints a gigabyte is ended at the limit", "[agents][command][hostile]") {
  command_agent agent;
  CHECK(job(agent, object(R"({"argv": ["head", "-c", "1073741824", "/dev/zero"]})")).end()
        == "failed: wrote more than 8388608 bytes to stdout (outputLimit)");
  CHECK(job(agent, shell("trap '' TERM PIPE; while :; do echo y; done 2>/dev/null",
                         R"({"outputLimit": 1000, "killAfter": 0.01})"))
            .end()
        == "failed: wrote more than 1000 bytes to stdout (outputLimit)");
}

TEST_CASE("a program whose output finds no memory is ended, and not tried again",
          "[agents][command][memory]") {
  command_options options;
  options.memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  command_agent agent{options};
  const auto check_refused = [&](json::object input) {
    CHECK_THAT(job(agent, std::move(input)).end(), ContainsSubstring("failed for good")
                                                       && ContainsSubstring("programs")
                                                       && ContainsSubstring("limits.memory"));
  };
  check_refused(object(R"({"argv": ["head", "-c", "4000000", "/dev/zero"]})"));
  // One line without an end.
  check_refused(shell("head -c 4000000 /dev/zero", R"({"protocol": "jsonl"})"));
  CHECK(job(agent, object(R"({"argv": ["echo", "short"]})")).output() == "short\n");
  CHECK(comes_true([&] { return options.memory->held() == 0; }));
}

TEST_CASE("the output limit is exact", "[agents][command][hostile]") {
  command_agent agent;
  CHECK(job(agent, shell("printf 12345", R"({"outputLimit": 5})")).output() == "12345");
  CHECK(job(agent, shell("printf 123456", R"({"outputLimit": 5})")).end()
        == "failed: wrote more than 5 bytes to stdout (outputLimit)");
}

TEST_CASE("a program need not read its stdin", "[agents][command][hostile]") {
  command_agent agent;
  auto closing = shell("exec 0<&-; echo closed");
  closing["data"] = std::string(1'000'000, 'x');
  CHECK(job(agent, closing).output() == "closed\n");
  auto ignoring = shell("echo ignored");
  ignoring["data"] = std::string(1'000'000, 'x');
  CHECK(job(agent, ignoring).output() == "ignored\n");
}

TEST_CASE("a program that closes its stdout is waited for", "[agents][command][hostile]") {
  command_agent agent;
  CHECK(
      job(agent,
          shell("echo out; exec 1>&- 2>&-; head -c 10000000 /dev/zero | wc -c >/dev/null; exit 4"))
          .end()
      == "failed: exited with 4: out");
}

TEST_CASE("a grandchild that keeps the pipe open does not keep the task",
          "[agents][command][hostile]") {
  command_agent agent;
  job left(agent, shell("sleep 600 & echo $!"));
  const auto pid = left.output();
  CHECK_FALSE(pid.empty()); // and it is killed with the group:
  const int gone = ::kill(static_cast<pid_t>(std::stoi(pid)), 0);
  if (gone == 0)
    CHECK(watched_process(pid).ends());
}

TEST_CASE("a grandchild that writes for ever does not keep the task",
          "[agents][command][hostile]") {
  command_agent agent;
  const auto output =
      job(agent, shell("yes & printf 'x\\n'", R"({"outputLimit": 100000000})")).output();
  CHECK_THAT(output, ContainsSubstring("x\n"));
}

TEST_CASE("cancel asks the whole group to stop", "[agents][command]") {
  command_agent agent;
  job polite(
      agent,
      talking_shell(
          R"(trap 'echo "{\"message\":\"bye\"}"; exit 0' TERM; sleep 600 & echo "{\"message\":\"$!\"}"; wait)",
          R"({"killAfter": 60})"));
  const watched_process child(polite.said());
  CHECK(child.runs());
  CHECK_FALSE(polite.run->on_cancel());
  CHECK(polite.said(1) == "bye");
  CHECK(polite.end() == "completed: "); // the task ignores it: it is canceled
  CHECK(child.ends());
}

TEST_CASE("a program that ignores SIGTERM is killed with all its children",
          "[agents][command][hostile]") {
  command_agent agent;
  job stubborn(
      agent,
      talking_shell(
          R"(trap '' TERM; sleep 600 & a=$!; (sleep 600; sleep 600) & echo "{\"message\":\"$a\"}"
                                       echo "{\"message\":\"$!\"}"; while :; do sleep 600; done)",
          R"({"killAfter": 0.02})"));
  const watched_process first(stubborn.said(0));
  const watched_process second(stubborn.said(1));
  CHECK_FALSE(stubborn.run->on_cancel());
  CHECK(stubborn.end() == "failed: killed by SIGKILL");
  CHECK(first.ends());
  CHECK(second.ends());
}

// Run by the test below in a process of its own.
TEST_CASE("a process joins its parent's group and waits to be ended", "[.runaway]") {
  ::signal(SIGTERM, SIG_DFL);
  REQUIRE(::setpgid(0, ::getpgid(::getppid())) == 0);
  std::printf("{\"message\":\"%d\"}\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  ::pause();
}

TEST_CASE("a program that has left its group is ended all the same", "[agents][command][hostile]") {
  command_agent agent;
  job runaway(
      agent,
      object(
          R"({"argv": ["/proc/self/exe", "[.runaway]", "--out", "/dev/null"], "protocol": "jsonl"})"));
  const watched_process program(runaway.said());
  CHECK_FALSE(runaway.run->on_cancel());
  CHECK(program.ends());
  CHECK(runaway.end() == "failed: killed by SIGTERM");
}

TEST_CASE("the end of the agent ends a program that has left its group",
          "[agents][command][hostile]") {
  auto agent = std::make_unique<command_agent>();
  job runaway(
      *agent,
      object(
          R"({"argv": ["/proc/self/exe", "[.runaway]", "--out", "/dev/null"], "protocol": "jsonl"})"));
  const watched_process program(runaway.said());
  runaway.run.reset();
  agent.reset(); // waits for it
  CHECK(program.ends());
}

TEST_CASE("a run that is given up ends its program at once", "[agents][command][hostile]") {
  command_agent agent;
  job given_up(
      agent,
      talking_shell(R"(trap '' TERM; echo "{\"message\":\"$$\"}"; while :; do sleep 600; done)",
                    R"({"killAfter": 3600})"));
  const watched_process program(given_up.said());
  SECTION("as it runs") {}
  SECTION("while it should be stopping") {
    CHECK_FALSE(given_up.run->on_cancel());
  }
  given_up.run.reset();
  CHECK(program.ends());
  CHECK(given_up.end() == "failed: killed by SIGKILL");
}

TEST_CASE("a program has a grace in which killAfter fits", "[agents][command]") {
  command_agent agent;
  const job slow(agent, object(R"({"argv": ["sleep", "600"], "killAfter": 25})"));
  CHECK(slow.run->cancel_grace_min() > std::chrono::seconds{25} + clear_max);
}

TEST_CASE("the end of the agent is the end of its programs", "[agents][command]") {
  auto agent = std::make_unique<command_agent>();
  job orphan(
      *agent,
      talking_shell(R"(trap '' TERM; echo "{\"message\":\"$$\"}"; while :; do sleep 600; done)"));
  const watched_process program(orphan.said());
  agent.reset();
  CHECK(program.runs()); // the run still holds the thread
  orphan.run.reset();
  CHECK(program.ends());
  CHECK(children().empty());
}

TEST_CASE("cancel right after start leaves nothing behind", "[agents][command]") {
  command_agent agent;
  for (int i = 0; i < 50; ++i) {
    job early(agent, object(R"({"argv": ["sleep", "600"]})"));
    CHECK_FALSE(early.run->on_cancel());
    CHECK(early.end() == "failed: killed by SIGTERM");
  }
  CHECK(children() == std::vector<std::string>{"troupe-warden"});
}

// -- many -----------------------------------------------------------------------------------------

TEST_CASE("a hundred programs run at once on one thread", "[agents][command]") {
  command_agent agent;
  std::vector<std::unique_ptr<job>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(std::make_unique<job>(
        agent,
        talking_shell(
            R"(read order; echo '{"ask":"go?"}'; read answer; echo '{"complete":"went"}')")));
  for (auto& one : all)
    CHECK(one->port->wait_for<report_question>().prompt == "go?"); // all are there, none has ended
  for (auto& one : all)
    one->run->on_answer(user_says("yes"));
  for (auto& one : all)
    CHECK(one->end() == "completed: went");
}

TEST_CASE("200 runs leave no descriptor and no zombie", "[agents][command]") {
  const auto before = open_descriptors();
  {
    command_agent agent;
    for (int i = 0; i < 40; ++i) {
      CHECK(job(agent, object(R"({"argv": ["true"]})")).output().empty());
      CHECK(job(agent, object(R"({"argv": ["false"]})")).end() == "failed: exited with 1");
      CHECK_THAT(job(agent, object(R"({"argv": ["/no/such"]})")).end(),
                 ContainsSubstring("does not exist"));
      CHECK_THAT(job(agent, shell("yes", R"({"outputLimit": 10})")).end(),
                 ContainsSubstring("outputLimit"));
      CHECK_THAT(job(agent, talking_shell("echo nonsense; sleep 600")).end(),
                 ContainsSubstring("not JSON"));
    }
    CHECK(children() == std::vector<std::string>{"troupe-warden"});
    CHECK(open_descriptors() == before + 3); // the reactor's own, and the warden's pipe
  }
  CHECK(open_descriptors() == before);
  CHECK(children().empty());
}

TEST_CASE("without descriptors a start fails and may be tried again",
          "[agents][command][hostile]") {
  command_agent agent;
  REQUIRE(job(agent, object(R"({"argv": ["true"]})")).output().empty());
  std::vector<int> hoard;
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0))
    hoard.push_back(fd);
  job starved(agent, object(R"({"argv": ["true"]})"));
  const auto end = starved.end();
  for (const int fd : hoard)
    ::close(fd);
  CHECK(end == "failed: cannot start a process: Too many open files");
  CHECK(job(agent, object(R"({"argv": ["true"]})")).output().empty());
}

// -- JSON lines -----------------------------------------------------------------------------------

TEST_CASE("a program reports line by line", "[agents][command][jsonl]") {
  command_agent agent;
  job talker(agent, talking_shell(R"(
    echo '{"progress": {"id": "p", "progress": 1, "total": 2}}'
    echo '{"progress": {"trackers": [{"id": "q"}]}}'
    echo '{"artifact": {"name": "log", "text": "a", "lastChunk": false}}'
    echo '{"artifact": {"name": "log", "text": "b", "append": true}}')"));
  CHECK(talker.end() == "completed: ");
  CHECK(talker.port->all<report_progress>().size() == 2);
  const auto chunks = talker.port->all<report_artifact>();
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[1].append);
  CHECK(chunks[1].artifact.artifact_id == chunks[0].artifact.artifact_id);
}

TEST_CASE("a program asks and gets the answer on its stdin", "[agents][command][jsonl]") {
  command_agent agent;
  job asking(agent, talking_shell(R"(
    read -r order; echo '{"ask": "Which city?"}'; read -r answer; read -r more
    printf '{"artifact": {"name": "heard", "data": [%s, %s]}}\n' "$answer" "$more")"));
  CHECK(asking.port->wait_for<report_question>().prompt == "Which city?");
  asking.run->on_answer(user_says("Paris"));
  asking.run->on_input(user_says("quickly"));
  CHECK(asking.end() == "completed: ");
  const auto heard =
      std::get<data_content>(asking.port->wait_for<report_artifact>().artifact.parts[0].content)
          .data;
  CHECK(heard.at(0).at("answer") == "Paris");
  CHECK(heard.at(0).at("message").at("messageId") == "m1");
  CHECK(heard.at(1).at("text") == "quickly");
}

TEST_CASE("a wrong line ends the group and names the line", "[agents][command][jsonl]") {
  command_agent agent;
  job wrong(agent, talking_shell(
                       R"(sleep 600 & echo "{\"message\":\"$!\"}"; echo '{"mesage":"x"}'; wait)"));
  const watched_process child(wrong.said());
  CHECK(wrong.end()
        == R"(failed: line 2 of stdout: unknown member "mesage"; did you mean "message"?)");
  CHECK(child.ends());
}

TEST_CASE("a program's own word on its end counts", "[agents][command][jsonl]") {
  command_agent agent;
  CHECK(
      job(agent, talking_shell(R"(echo '{"complete": "all good"}'; echo 'whatever'; exit 7)")).end()
      == "completed: all good");
  CHECK(job(agent, talking_shell(R"(echo '{"fail": "no luck"}')")).end() == "failed: no luck");
  CHECK(job(agent, talking_shell(R"(echo '{"fail": "wrong input", "retry": false}')")).end()
        == "failed for good: wrong input");
  CHECK(job(agent, talking_shell(R"(printf '{"complete": "no newline"}')")).end()
        == "completed: no newline");
  CHECK(job(agent, talking_shell(R"(printf '{"complete": "cut o')"))
            .end()
            .find("failed: line 1 of stdout: not JSON")
        == 0);
  CHECK(job(agent, talking_shell("exit 5")).end() == "failed: exited with 5");
}

TEST_CASE("a program that stays after its last word is ended", "[agents][command][jsonl]") {
  command_agent agent;
  CHECK(job(agent, talking_shell(
                       R"(trap '' TERM; echo '{"complete": "done"}'; while :; do sleep 600; done)",
                       R"({"killAfter": 0.01})"))
            .end()
        == "completed: done");
  // One that only waits for more on stdin sees its end and goes.
  CHECK(job(agent, talking_shell(R"(echo '{"complete": "done"}'; cat >/dev/null)",
                                 R"({"killAfter": 3600})"))
            .end()
        == "completed: done");
}

TEST_CASE("a program that asks twice gets two answers", "[agents][command][jsonl]") {
  command_agent agent;
  job asking(agent, talking_shell(R"(
    read -r order; echo '{"ask": "First?"}'; echo '{"ask": "Second?"}'; read -r one; read -r two; read -r more
    printf '{"artifact": {"name": "heard", "data": [%s, %s, %s]}}\n' "$one" "$two" "$more")"));
  CHECK(asking.port->wait_for<report_question>(1).prompt == "Second?");
  for (const auto* text : {"1", "2"})
    asking.run->on_answer(user_says(text));
  asking.run->on_input(user_says("3"));
  CHECK(asking.end() == "completed: ");
  const auto heard =
      std::get<data_content>(asking.port->wait_for<report_artifact>().artifact.parts[0].content)
          .data;
  CHECK(heard.at(0).at("answer") == "1");
  CHECK(heard.at(1).at("answer") == "2");
  CHECK_FALSE(heard.at(2).as_object().contains("answer"));
}

TEST_CASE("a message that was on its way when the program asked is not its answer",
          "[agents][command][jsonl]") {
  command_agent agent;
  job asking(agent, talking_shell(R"(
    read -r order; echo '{"ask": "Which?"}'; read -r one; read -r two
    printf '{"artifact": {"name": "heard", "data": [%s, %s]}}\n' "$one" "$two")"));
  CHECK(asking.port->wait_for<report_question>().prompt == "Which?");
  asking.run->on_input(user_says("hurry"));
  asking.run->on_answer(user_says("this one"));
  CHECK(asking.end() == "completed: ");
  const auto heard =
      std::get<data_content>(asking.port->wait_for<report_artifact>().artifact.parts[0].content)
          .data;
  CHECK(heard.at(0).at("text") == "hurry");
  CHECK(heard.at(1).at("answer") == "this one");
}

TEST_CASE("a question without a way to answer is a failure", "[agents][command][jsonl]") {
  command_agent agent;
  CHECK(job(agent, talking_shell(R"(echo '{"ask": "?"}'; sleep 600)", R"({"stdin": "none"})")).end()
        == R"(failed: asks a question, but its stdin is "none")");
}

TEST_CASE("answers to a program that reads none are no harm", "[agents][command][jsonl]") {
  command_agent agent;
  job deaf(agent,
           talking_shell(R"(exec 0<&-; echo '{"ask": "?"}'; echo '{"complete": "did not wait"}')"));
  deaf.run->on_answer(user_says(std::string(1'000'000, 'x')));
  CHECK(deaf.end() == "completed: did not wait");
  deaf.run->on_input(user_says("too late"));
  job plain(agent, shell("echo plain"));
  plain.run->on_input(user_says("a plain program takes no input"));
  CHECK(plain.output() == "plain\n");
}

// -- orphans --------------------------------------------------------------------------------------

namespace {

command_options adopting() {
  command_options out;
  out.adopts_orphans = true;
  return out;
}

// Leaves its group, loses its parent, and then says its pid.
constexpr auto leave = R"((setsid sh -c 'echo "{\"message\":\"$$\"}"; exec sleep 600' &); )";
constexpr auto leave_without_variables =
    R"((env -i setsid sh -c 'echo "{\"message\":\"$$\"}"; exec sleep 600' &); )";

} // namespace

TEST_CASE("a process that has left its program's group lives as long as the program",
          "[agents][command]") {
  command_agent agent(adopting());
  const std::string leaves = GENERATE(leave, leave_without_variables);
  CAPTURE(leaves);
  job one(agent, talking_shell(leaves + "read -r order; read -r answer"));
  const watched_process left(one.said());
  CHECK(left.runs());
  SECTION("that ends by itself") {
    one.run->on_input(user_says("go"));
    CHECK(one.end() == "completed: ");
    CHECK_FALSE(left.runs());
  }
  SECTION("that is canceled") {
    CHECK_FALSE(one.run->on_cancel());
    static_cast<void>(one.end());
    CHECK_FALSE(left.runs());
  }
  SECTION("that is given up") {
    one.run = nullptr;
    static_cast<void>(one.end());
    CHECK_FALSE(left.runs());
  }
  CHECK(children() == std::vector<std::string>{"troupe-warden"});
}

TEST_CASE("an orphan ends with its own program, not with another one", "[agents][command]") {
  command_agent agent(adopting());
  job first(agent, talking_shell(std::string(leave) + "read -r order; read -r answer"));
  job second(agent, talking_shell(std::string(leave) + "read -r order; read -r answer"));
  const watched_process of_first(first.said());
  const watched_process of_second(second.said());
  first.run = nullptr;
  static_cast<void>(first.end());
  CHECK(of_first.ends());
  CHECK(of_second.runs());
  second.run = nullptr;
  static_cast<void>(second.end());
  CHECK(of_second.ends());
}

TEST_CASE("an orphan that hides whose it is ends when no program runs", "[agents][command]") {
  command_agent agent(adopting());
  job first(agent,
            talking_shell(std::string(leave_without_variables) + "read -r order; read -r x"));
  job second(agent, talking_shell("echo '{\"message\":\"\"}'; read -r order; read -r x"));
  const watched_process of_first(first.said());
  static_cast<void>(second.said());
  first.run = nullptr;
  static_cast<void>(first.end());
  CHECK(of_first.runs()); // It may be of the other one.
  second.run = nullptr;
  static_cast<void>(second.end());
  CHECK_FALSE(of_first.runs());
}

TEST_CASE("children of an orphan end, too", "[agents][command]") {
  command_agent agent(adopting());
  job one(agent, talking_shell(
                     R"((setsid sh -c 'setsid sleep 600 & echo "{\"message\":\"$!\"}"; wait' &); )"
                     R"(read -r order; read -r answer)"));
  const watched_process deep(one.said());
  CHECK(deep.runs());
  one.run = nullptr;
  static_cast<void>(one.end());
  CHECK_FALSE(deep.runs());
}

TEST_CASE("a child from before the agent is no orphan", "[agents][command]") {
  // As of a shell that started something and then became this process.
  const auto child = ::fork();
  if (child == 0) {
    ::execl("/bin/sleep", "sleep", "600", nullptr);
    ::_exit(127);
  }
  REQUIRE(child > 0);
  {
    command_agent agent(adopting());
    CHECK(job(agent, shell("echo done")).output() == "done\n");
  }
  const watched_process other(std::to_string(child));
  CHECK(other.runs());
  CHECK(::kill(child, SIGKILL) == 0);
  CHECK(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("nothing is left of programs and their orphans when the agent goes",
          "[agents][command]") {
  std::optional<command_agent> agent(std::in_place, adopting());
  std::optional<job> one(std::in_place, *agent,
                         talking_shell(std::string(leave) + leave_without_variables
                                       + "read -r order; read -r answer"));
  const watched_process marked(one->said(0));
  const watched_process unmarked(one->said(1));
  one.reset();
  agent.reset();
  CHECK(marked.ends());
  CHECK(unmarked.ends());
  CHECK(children().empty());
}

// -- when we die ----------------------------------------------------------------------------------

// Run by the test below in a process of its own.
TEST_CASE("a process with a command waits to be killed", "[.victim]") {
  command_agent agent;
  job child(agent, talking_shell(
                       R"(sleep 600 & echo "{\"message\":\"$$\"}"; echo "{\"message\":\"$!\"}"; )"
                       R"((setsid sleep 600 & echo "{\"message\":\"$!\"}"); wait)"));
  std::printf("{\"message\":\"%d\"}\n", static_cast<int>(::getpid()));
  for (const std::size_t n : {0U, 1U, 2U})
    std::printf("{\"message\":\"%s\"}\n", child.said(n).c_str());
  std::fflush(stdout);
  ::pause();
}

TEST_CASE("programs die with us when we are killed", "[agents][command]") {
  command_agent agent;
  auto input = object(
      R"({"argv": ["/proc/self/exe", "[.victim]", "--out", "/dev/null"], "protocol": "jsonl"})");
  job victim(agent, input);
  const auto victim_pid = victim.said(0);
  const watched_process program(victim.said(1));
  const watched_process what_it_started(victim.said(2));
  const watched_process what_left_its_group(victim.said(3));
  CHECK(program.runs());
  CHECK(what_it_started.runs());
  REQUIRE(::kill(static_cast<pid_t>(std::stoi(victim_pid)), SIGKILL) == 0);
  CHECK(program.ends());
  CHECK(what_it_started.ends());
  CHECK(what_left_its_group.ends());
  CHECK(victim.end() == "failed: killed by SIGKILL");
}
