// Question: what does it cost that a task is done by another Troupe, and by one behind that?
//
// Four servers (`troupe serve`): a leaf, and three more, each with the one before as its target. A
// request is a `SendMessage` that waits for its task: a plain one to the leaf (its agent is
// `echo`), the same through 1 to 3 relays of bytes, plain messages that each of 1 to 3 servers
// hands on (`forward`, `agents.a2a-target`), and messages with a plan of one task that goes over 1
// to 3 servers. `plan`: a message with a plan to the leaf, whose task is done there: what a hop
// costs that delegates nothing. At 1 and at 64 at once; memory store and RocksDB. Then plans of 50
// and of 1,000 tasks, all delegated to the leaf at once: delegations a second. A cancel that goes
// over 3 servers to the leaf, until its answer: that the leaf is canceled. Waiting: the memory of
// 1,000 delegations whose leaf sleeps, beside 1,000 tasks that sleep here. Hostile: delegations to
// the leaf, 8 at once, while each second 8 others begin at an agent that floods its streams, one
// kind of flood after the other (troupe_hostile_agent); the same without it is the baseline. Every
// answer is a completed task. All are processes of their own. Units: us, requests/s, tasks/s,
// bytes. Knobs: --troupe PATH, --seconds, --rounds, --filter (`memory/...`, `rocksdb/...`,
// `hostile/...`).
#include "bench/support/harness.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace troupe::bench;
using troupe::testing::http_client;
using troupe::testing::temporary_directory;

constexpr std::size_t hops_max = 3;

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

class started {
public:
  explicit started(const std::vector<std::string>& argv)
      : process_(argv), port_(std::to_string(listening_port(process_))) {}
  ~started() { process_.terminate(); }

  [[nodiscard]] const std::string& port() const noexcept { return port_; }
  [[nodiscard]] double resident_bytes() const { return process_.resident_bytes(); }

private:
  child_process process_;
  std::string port_;
};

std::string target_text(const std::string& alias, const std::string& port) {
  return "[[targets]]\nalias = \"" + alias + "\"\nurl = \"http://127.0.0.1:" + port + "\"\n";
}

std::unique_ptr<started> serve(const std::string& troupe, const std::string& store,
                               const temporary_directory& place, const std::string& settings) {
  const auto config = (place.path() / "serve.toml").string();
  std::ofstream file(config);
  file << "deduplicate-seconds = 0\n" << settings;
  file.close();
  check(file.good(), "cannot write " + config);
  return std::make_unique<started>(
      std::vector<std::string>{troupe, "serve", "--listen", "127.0.0.1:0", "--store", store,
                               "--data", (place.path() / "records").string(), "--config", config});
}

/// The settings of a server whose plain messages go to the one at `port`.
std::string forward_to(const std::string& port) {
  return "agent = \"a2a\"\n[agents]\na2a-target = \"next\"\n" + target_text("next", port);
}

/// The leaf is the first; each other one has the one before as its target `next`.
struct chain {
  chain(const std::string& troupe, const std::string& store) {
    for (std::size_t i = 0; i <= hops_max; ++i) {
      const auto& place = *places.emplace_back(std::make_unique<temporary_directory>());
      servers.push_back(
          serve(troupe, store, place, i > 0 ? forward_to(servers[i - 1]->port()) : ""));
    }
  }
  ~chain() {
    while (!servers.empty()) // the leaf last
      servers.pop_back();
  }

  std::vector<std::unique_ptr<temporary_directory>> places;
  std::vector<std::unique_ptr<started>> servers;
};

std::string task_text(const std::string& name, const std::string& target_input,
                      const std::string& target = "next") {
  return R"({"name":")" + name + R"(","agent":"a2a","input":{"target":")" + target + R"(",)"
         + target_input + "}}";
}

std::string plan_of(const std::string& tasks) {
  return R"("metadata":{"opt/v1/plan":{"name":"p","tasks":[)" + tasks + "]}}";
}

constexpr const char* question = R"("text":"What is the weather like in Paris today?")";

/// What a leaf is asked that is to be canceled.
std::string long_sleep() {
  return R"("text":"go",)" + plan_of(R"({"name":"s","agent":"sleep","input":{"seconds":600}})");
}

/// The params of a message that goes over so many servers; `inner`: what the leaf gets.
std::string params_over(std::size_t hops, std::string inner = question) {
  if (hops == 0)
    return R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{)" + inner + "}]}}";
  for (std::size_t i = 1; i < hops; ++i)
    inner = R"("text":"go",)" + plan_of(task_text("t", inner));
  return R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{"text":"go"}],)"
         + plan_of(task_text("t", inner)) + "}}";
}

/// The params of a message with a plan of one task, which the server does itself.
std::string params_of_plan() {
  return R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{"text":"go"}],)"
         + plan_of(std::string(R"({"name":"t","agent":"echo","input":{)") + question + "}}") + "}}";
}

/// One message whose plan has so many tasks, all delegated at once.
std::string params_of_fan(std::size_t tasks, const std::string& input,
                          const std::string& target = "next") {
  std::string all;
  for (std::size_t i = 0; i < tasks; ++i)
    all += (i == 0 ? "" : ",") + task_text("t" + std::to_string(i), input, target);
  return R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{"text":"go"}],)"
         + plan_of(all) + "}}";
}

struct reached {
  double requests_per_s = 0;
  latencies answers;
};

struct settings {
  std::string troupe;
  std::string seconds;
  std::string warmup;
};

reached load(const settings& how, const std::string& port, std::size_t at_once,
             const std::string& params) {
  child_process client({own_folder() + "/troupe_client_requests", "--with", "beast", "--port", port,
                        "--at-once", std::to_string(at_once), "--seconds", how.seconds, "--warmup",
                        how.warmup, "--params", params});
  const auto line = client.read_line(std::chrono::seconds(120));
  check(client.wait() == 0, line);
  const auto said = boost::json::parse(line).as_object();
  return {said.at("requests_per_s").to_number<double>(), read_latencies(said)};
}

/// One contestant, round by round.
struct column {
  std::string name;
  std::vector<double> rates;
  std::vector<latencies> answers;

  void add(const reached& one) {
    rates.push_back(one.requests_per_s);
    answers.push_back(one.answers);
  }
};

void print(report& results, const column& one, const column* base) {
  if (base == nullptr) {
    results.add(one.name, median(one.rates), "requests/s");
    return add_latencies(results, one.name, one.answers);
  }
  results.add(one.name, median(one.rates), "requests/s", median(base->rates),
              ratio_of(one.rates, base->rates));
  add_latencies(results, one.name, one.answers, base->answers);
}

void measure_hops(const options& how, report& results, const settings& where,
                  const std::string& store, std::size_t at_once) {
  const auto prefix = store + "/" + std::to_string(at_once) + "/";
  column plain{prefix + "plain", {}, {}};
  column planned{prefix + "plan", {}, {}};
  std::vector<column> relayed;
  std::vector<column> forwarded;
  std::vector<column> delegated;
  for (std::size_t hops = 1; hops <= hops_max; ++hops) {
    relayed.push_back({prefix + "relay " + std::to_string(hops), {}, {}});
    forwarded.push_back({prefix + "forward " + std::to_string(hops), {}, {}});
    delegated.push_back({prefix + "hops " + std::to_string(hops), {}, {}});
  }
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    const chain all(where.troupe, store);
    plain.add(load(where, all.servers[0]->port(), at_once, params_over(0)));
    planned.add(load(where, all.servers[0]->port(), at_once, params_of_plan()));
    std::vector<std::unique_ptr<started>> relays;
    auto port = all.servers[0]->port();
    for (std::size_t hops = 1; hops <= hops_max; ++hops) {
      relays.push_back(std::make_unique<started>(
          std::vector<std::string>{own_folder() + "/troupe_delegation_relay", "--to", port}));
      port = relays.back()->port();
      relayed[hops - 1].add(load(where, port, at_once, params_over(0)));
      forwarded[hops - 1].add(load(where, all.servers[hops]->port(), at_once, params_over(0)));
      delegated[hops - 1].add(load(where, all.servers[hops]->port(), at_once, params_over(hops)));
    }
  }
  results.heading(store + ", " + std::to_string(at_once)
                  + " at once; baseline: a plain send to the leaf");
  print(results, plain, nullptr);
  print(results, planned, &plain);
  for (const auto* each : {&relayed, &forwarded, &delegated})
    for (const auto& one : *each)
      print(results, one, &plain);
}

/// Delegations a second of plans with many tasks, beside plain sends, 64 at once.
void measure_fan(const options& how, report& results, const settings& where,
                 const std::string& store, std::size_t tasks) {
  column plain{store + "/fan plain", {}, {}};
  std::vector<double> rates;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    const chain all(where.troupe, store);
    plain.add(load(where, all.servers[0]->port(), how.quick ? 4 : 64, params_over(0)));
    const auto plans = load(where, all.servers[1]->port(), 1,
                            params_of_fan(tasks, R"("text":"What is the weather like?")"));
    rates.push_back(plans.requests_per_s * static_cast<double>(tasks));
  }
  const auto name = store + "/fan " + std::to_string(tasks);
  results.heading(name + "; baseline: plain sends");
  results.add(name, median(rates), "tasks/s", median(plain.rates), ratio_of(rates, plain.rates));
}

/// The result of one request, on a connection that stays.
boost::json::value ask(http_client& on, const std::string& method, const std::string& params) {
  const auto answer =
      on.post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}");
  const auto whole = boost::json::parse(answer.body);
  const auto* result = whole.as_object().if_contains("result");
  check(result != nullptr, method + ": " + answer.body);
  return *result;
}

/// The same params with a message id of its own.
std::string numbered(std::string params, std::size_t number) {
  params.replace(params.find('@'), 1, std::to_string(number));
  return params;
}

http_client client_of(const started& server) {
  return http_client(static_cast<std::uint16_t>(std::stoul(server.port())));
}

/// How many tasks of the server work.
std::int64_t working_at(http_client& server) {
  return ask(server, "ListTasks", R"({"status":"TASK_STATE_WORKING","pageSize":1})")
      .at("totalSize")
      .as_int64();
}

/// How long a cancel takes that goes over three servers to the leaf, beside a delegation over one.
void measure_cancel(const options& how, report& results, const settings& where,
                    const std::string& store) {
  std::vector<double> canceled;
  std::vector<double> delegated;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    const chain all(where.troupe, store);
    auto leaf = client_of(*all.servers[0]);
    auto near = client_of(*all.servers[1]);
    auto root = client_of(*all.servers[hops_max]);
    auto sleeping = params_over(hops_max, long_sleep());
    sleeping.insert(sleeping.rfind('}'), R"(,"configuration":{"returnImmediately":true})");
    std::vector<double> own_canceled;
    std::vector<double> own_delegated;
    for (std::size_t i = 0; i < (how.quick ? 3U : 100U); ++i) {
      own_delegated.push_back(1e6 * seconds_of([&] {
                                static_cast<void>(
                                    ask(near, "SendMessage", numbered(params_over(1), i)));
                              }));
      const auto made = ask(root, "SendMessage", numbered(sleeping, i));
      const std::string id(made.at("task").at("id").as_string());
      for (int looks = 0; working_at(leaf) == 0; ++looks)
        check(looks < 100'000, "the leaf never works");
      own_canceled.push_back(1e6 * seconds_of([&] {
                               static_cast<void>(
                                   ask(root, "CancelTask", R"({"id":")" + id + R"("})"));
                             }));
      check(working_at(leaf) == 0, "the answer to the cancel came before the leaf was canceled");
    }
    canceled.push_back(median(own_canceled));
    delegated.push_back(median(own_delegated));
  }
  results.heading(store + ", a cancel over " + std::to_string(hops_max)
                  + " servers to the leaf; baseline: a delegation over one");
  results.add(store + "/cancel", median(canceled), "us", median(delegated),
              ratio_of(canceled, delegated));
}

/// Memory of a delegation that waits, beside that of a task that sleeps.
void measure_waiting(report& results, const settings& where, std::size_t tasks) {
  const auto bytes_of = [&](const std::string& kind) {
    const chain all(where.troupe, "memory");
    std::string text;
    for (std::size_t i = 0; i < tasks; ++i)
      text += (i == 0 ? "" : ",")
              + (kind == "here" ? R"({"name":"t)" + std::to_string(i)
                                      + R"(","agent":"sleep","input":{"seconds":600}})"
                                : task_text("t" + std::to_string(i), long_sleep()));
    const auto params =
        R"({"message":{"messageId":"m@","role":"ROLE_USER","parts":[{"text":"go"}],)"
        + plan_of(text) + R"(},"configuration":{"returnImmediately":true}})";
    auto near = client_of(*all.servers[1]);
    auto worker = client_of(*all.servers[kind == "here" ? 1 : 0]);
    const auto before = all.servers[1]->resident_bytes();
    static_cast<void>(ask(near, "SendMessage", numbered(params, 1)));
    for (int looks = 0; working_at(worker) < static_cast<std::int64_t>(tasks); ++looks)
      check(looks < 100'000, "not all tasks work");
    return (all.servers[1]->resident_bytes() - before) / static_cast<double>(tasks);
  };
  results.heading("a delegation that waits; baseline: a task that sleeps");
  const auto here = bytes_of("here");
  const auto there = bytes_of("there");
  results.add("waiting", there, "bytes", here);
}

/// Delegations to a good agent while others are begun at one that floods its streams.
void measure_hostile(const options& how, report& results, const settings& where,
                     const std::string& kind) {
  const auto name = "hostile/" + kind;
  column alone{name + " alone", {}, {}};
  column beside{name, {}, {}};
  std::vector<double> before;
  std::vector<double> after;
  for (std::size_t round = 0; round < how.rounds_or(3); ++round) {
    const started bad({own_folder() + "/troupe_hostile_agent", "--kind", kind});
    const temporary_directory leaf_place;
    const auto leaf = serve(where.troupe, "memory", leaf_place, "");
    const temporary_directory near_place;
    const auto near = serve(where.troupe, "memory", near_place,
                            target_text("next", leaf->port()) + target_text("bad", bad.port()));
    alone.add(load(where, near->port(), 8, params_over(1)));
    before.push_back(near->resident_bytes());
    std::atomic<int> begun{0};
    {
      auto text = params_of_fan(8, question, "bad");
      text.insert(text.rfind('}'), R"(,"configuration":{"returnImmediately":true})");
      const std::jthread feed([&](const std::stop_token& stop) {
        auto client = client_of(*near);
        while (!stop.stop_requested()) {
          static_cast<void>(ask(client, "SendMessage", numbered(text, 1'000'000'000U + begun++)));
          std::this_thread::sleep_for(std::chrono::seconds{1});
        }
      });
      while (begun == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      beside.add(load(where, near->port(), 8, params_over(1)));
      after.push_back(near->resident_bytes());
    }
  }
  results.heading(name + "; baseline: without the agent that floods");
  print(results, alone, nullptr);
  print(results, beside, &alone);
  results.add(name + " resident", median(after), "bytes", median(before), ratio_of(after, before));
}

} // namespace

int main(int argc, char** argv) {
  settings where;
  where.troupe = own_folder() + "/troupe";
  std::string seconds;
  return run_benchmark(
      argc, argv, "delegation",
      "What does it cost that a task is done by another Troupe, and by one behind that?",
      [&](const options& how, report& results) {
        where.seconds = !seconds.empty() ? seconds : how.quick ? "0.3" : "3";
        where.warmup = how.quick ? "0.1" : "1";
        for (const std::string store : {"memory", "rocksdb"}) {
          for (const std::size_t at_once : {1U, how.quick ? 4U : 64U})
            if (how.wants(store + "/" + std::to_string(at_once)))
              measure_hops(how, results, where, store, at_once);
          for (const std::size_t tasks : {how.quick ? 5U : 50U, how.quick ? 20U : 1'000U})
            if (how.wants(store + "/fan " + std::to_string(tasks)))
              measure_fan(how, results, where, store, tasks);
          if (how.wants(store + "/cancel"))
            measure_cancel(how, results, where, store);
        }
        if (how.wants("waiting"))
          measure_waiting(results, where, how.quick ? 20 : 1'000);
        for (const std::string kind : {"idle", "foreign", "endless", "comments", "slow"})
          if (how.wants("hostile/" + kind))
            measure_hostile(how, results, where, kind);
      },
      {{"--troupe", "the server's binary; default: the one beside this program", &where.troupe},
       {"--seconds", "measured time of each load (3)", &seconds}});
}
