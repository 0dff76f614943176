// Everything at once, against the real server: slow, silent, garbled and greedy clients of all
// kinds, kill -9 at random moments, and beside them an honest client that must not notice.
// docs/attack.md says how to run it and how to read what it prints.
#include "tests/attack/attackers.hpp"
#include "tests/attack/honest_client.hpp"
#include "tests/attack/report.hpp"
#include "tests/attack/stalled_readers.hpp"
#include "tests/attack/strays.hpp"
#include "tests/attack/world.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace troupe::attack;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

struct options {
  std::uint64_t seed = 1;
  std::size_t seconds = 60;
  std::size_t address_space = std::size_t{1} << 30;
  dose whole;
  std::size_t stalled_readers = 0;
  std::string binary = TROUPE_BINARY_BUILT;
  std::string only;
  bool as_json = false;
  bool is_strict = false;
  bool has_default_limits = false;
};

constexpr const char* usage = R"(usage: troupe_attack [OPTION...]
  --seed N              of all random choices (1)
  --seconds N           of the attack (60)
  --address-space BYTES of the server; 0 = unbounded (1073741824)
  --share X             of all attackers (1)
  --doublings N         of a text of 1 kB by plans that multiply (8)
  --plan-tasks N        of large plans (20000)
  --default-limits      of the server, in place of limits that fit 1 GB together
  --only TEXT           only attackers whose names contain TEXT
  --strict              the exit code also judges the p99 of the honest client and memory
  --json                the findings as one line of JSON
  --binary PATH         another troupe
  --stalled-readers N   instead: what N readers cost that stop reading a task of 27 MB
)";

options read_options(int argc, char** argv) {
  options how;
  if (const char* given = std::getenv("TROUPE_BINARY"))
    how.binary = given;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    bool* const flag = name == "--json"             ? &how.as_json
                       : name == "--strict"         ? &how.is_strict
                       : name == "--default-limits" ? &how.has_default_limits
                                                    : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    if (i + 1 == argc)
      throw std::invalid_argument(std::string(name));
    const std::string value = argv[++i];
    if (name == "--only")
      how.only = value;
    else if (name == "--binary")
      how.binary = value;
    else if (name == "--seed")
      how.seed = std::stoull(value);
    else if (name == "--seconds")
      how.seconds = std::stoull(value);
    else if (name == "--address-space")
      how.address_space = std::stoull(value);
    else if (name == "--doublings")
      how.whole.doublings = std::stoull(value);
    else if (name == "--plan-tasks")
      how.whole.plan_tasks = std::stoull(value);
    else if (name == "--share")
      how.whole.share = std::stod(value);
    else if (name == "--stalled-readers")
      how.stalled_readers = std::stoull(value);
    else
      throw std::invalid_argument(std::string(name));
  }
  return how;
}

/// One line for who watches.
void say(const std::string& line) {
  std::fprintf(stderr, "troupe_attack: %s\n", line.c_str());
}

/// What the attackers compute is not to be taken from the server: they stand for other machines.
/// A lower priority is not enough. While all processors are busy, Linux lets a thread that has
/// waited for the disk wait for the end of a time slice, too, which is about 5 ms.
void yield_processor() {
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0)
    static_cast<void>(::nice(19));
}

class attack_run {
public:
  attack_run(const options& how, const std::string& directory)
      : how_(how), dice_(how.seed),
        server_(how.binary, directory, how.address_space,
                {"--config", directory + "/config", "--allow-commands"}),
        honest_([&](line_pipe& pipe) { be_honest(pipe, server_.port(), how.seed); }),
        attackers_([&](line_pipe& pipe) {
          yield_processor();
          be_attackers(pipe, server_.port(), how.seed, how.whole, how.only);
        }) {}

  findings run() {
    found_.seed = how_.seed;
    found_.seconds = how_.seconds;
    found_.address_space = how_.address_space;
    const auto part = std::max<std::size_t>(how_.seconds / 12, 3);
    // Everything once, in small: what is made once is made now.
    say("all attackers, in small");
    attackers_.tell("begin 0.05");
    watch(std::chrono::seconds(part));
    static_cast<void>(attackers_.ask("end"));
    watch(2s);
    say("the honest client alone");
    honest_.tell("phase");
    watch(std::chrono::seconds(part));
    found_.quiet = figures();
    found_.resident_before = server_.resident_bytes();
    honest_.tell("phase");
    say("all attackers");
    attack();
    say("what was acknowledged is read again");
    honest_.tell("verify all");
    found_.under_attack = figures();
    settle();
    if (const auto how = server_.stop(); !how.empty())
      found_.deaths.push_back("at its end: " + how + "\n" + server_.last_words());
    found_.strays = strays_left(::getpid());
    return found_;
  }

private:
  boost::json::object figures() {
    return boost::json::parse(honest_.ask("report", 10min)).as_object();
  }

  /// Lets time pass; notices if the server dies.
  void watch(milliseconds time) {
    for (const auto until = steady::now() + time; steady::now() < until;
         std::this_thread::sleep_for(20ms))
      if (const auto how = server_.death()) {
        found_.deaths.push_back(*how + "\n" + server_.last_words());
        say("the server died: " + *how);
        server_.restart();
        honest_.tell("verify");
      }
  }

  void attack() {
    attackers_.tell("begin 1");
    // The last part is without kills, so that the memory after it is that of a server that has seen
    // much.
    const auto kills = std::max<std::size_t>(how_.seconds / 20, 1);
    const auto last = milliseconds(how_.seconds * 1000 / 3);
    const auto between = (milliseconds(how_.seconds * 1000) - last) / kills;
    for (std::size_t i = 0; i < kills; ++i) {
      const auto before = milliseconds(dice_() % static_cast<std::uint64_t>(between.count()));
      watch(before);
      found_.reserved_max = std::max(found_.reserved_max, server_.reserved_bytes_max());
      found_.restarts.push_back(server_.kill_and_restart());
      say("killed, and started again in " + std::to_string(found_.restarts.back().count()) + " ms");
      honest_.tell("verify");
      watch(between - before);
    }
    watch(last);
    found_.reserved_max = std::max(found_.reserved_max, server_.reserved_bytes_max());
    found_.attackers = boost::json::parse(attackers_.ask("end")).as_object();
  }

  /// All have left. Memory is given back within a minute, or it is not: records that were read go
  /// after half a minute, and what the allocator keeps after ten seconds more.
  void settle() {
    const auto until = steady::now() + 60s;
    do {
      watch(1s);
      found_.resident_after = server_.resident_bytes();
    } while (found_.memory_growth() > memory_growth_max && steady::now() < until);
  }

  const options how_;
  std::mt19937_64 dice_;
  world server_;
  child honest_;
  child attackers_;
  findings found_;
};

/// The server's settings. Notifications may go to a host of this machine, which hangs.
std::string config(bool has_default_limits) {
  std::string out = "[push]\nallow-http = true\nallow-private = true\n";
  if (!has_default_limits) // The defaults bound each part for itself: together they are above 1 GB.
    out += "[limits]\nbody-bytes-total = 67108864\nanswer-bytes-total = 67108864\n"
           "stream-bytes-total = 67108864\nlive-bytes = 134217728\n";
  return out;
}

/// Connections that this process may have; its children, too.
void raise_limits() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 20'000)
    std::fprintf(stderr,
                 "troupe_attack: only %llu connections at once (ulimit -Hn); 20000 are wanted\n",
                 static_cast<unsigned long long>(files.rlim_max));
}

int measure_readers(const options& how, const std::string& directory) {
  constexpr std::size_t growth_max = 300'000'000;
  const world server(how.binary, directory, how.address_space);
  const auto cost = measure_stalled_readers(server, how.stalled_readers, 27);
  const auto growth = cost.resident_most - std::min(cost.resident_most, cost.resident_before);
  std::printf("%zu of %zu readers stalled on a task of 27 MB: %.1f MB more than the %.1f MB before "
              "(limit 300)\nsmall messages beside: p99 %.2f ms before, %.2f ms while they stall\n",
              cost.readers, how.stalled_readers, static_cast<double>(growth) / 1e6,
              static_cast<double>(cost.resident_before) / 1e6, cost.quiet_p99_ms,
              cost.stalled_p99_ms);
  return growth <= growth_max && cost.readers == how.stalled_readers ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  options how;
  try {
    how = read_options(argc, argv);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "troupe_attack: %s\n%s", wrong.what(), usage);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  raise_limits();
  const troupe::testing::temporary_directory place;
  try {
    if (how.stalled_readers > 0)
      return measure_readers(how, place.path().string());
    static_cast<void>(place.file("config", config(how.has_default_limits)));
    attack_run attack(how, place.path().string());
    const auto found = attack.run();
    std::fputs(
        (how.as_json ? as_json(found, how.is_strict) : as_text(found, how.is_strict)).c_str(),
        stdout);
    return found.problems(how.is_strict).empty() ? 0 : 1;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "troupe_attack: %s\n", fault.what());
    return 1;
  }
}
