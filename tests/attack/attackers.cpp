#include "tests/attack/attackers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <deque>
#include <string>
#include <thread>

namespace troupe::attack {

namespace json = boost::json;
using namespace std::chrono_literals;

// -- one attacker ---------------------------------------------------------------------------------

void attacker::pause(std::chrono::milliseconds time) const {
  constexpr std::chrono::milliseconds step = 20ms;
  for (; time > 0ms && !is_over(); time -= step)
    std::this_thread::sleep_for(std::min(time, step));
}

connection attacker::connect(int receive_bytes) {
  connection out(to, receive_bytes);
  if (out.is_open())
    ++count.connections;
  else
    pause(100ms); // The server is being started again.
  return out;
}

bool attacker::look_at(connection& at) {
  const auto before = at.reader().answers();
  const bool is_alive = at.take();
  count.answers += at.reader().answers() - before;
  if (!at.reader().fault().empty()) {
    count.note_fault("not HTTP: " + at.reader().fault());
    at.close();
  }
  return is_alive && at.is_open();
}

std::string attacker::ask(connection& at, std::string_view text, std::chrono::milliseconds bound) {
  static_cast<void>(at.send(text));
  const bool is_answered = at.receive(bound);
  if (!at.reader().fault().empty()) {
    count.note_fault("not HTTP: " + at.reader().fault());
    at.close();
  }
  if (!is_answered)
    return {};
  ++count.answers;
  if (at.reader().status() >= 400)
    ++count.refusals;
  return at.reader().body();
}

std::string attacker::begin_task(connection& at, std::string_view steps) {
  const auto id = "x" + std::to_string(dice());
  std::string params =
      R"({"id":")" + id + R"(","name":"x","start":true,"plans":[{"name":"p","tasks":)";
  params +=
      R"([{"name":"t","agent":"scripted","input":{"steps":[)" + std::string(steps) + "]}}]}]}";
  const auto answer = ask(at, rpc_text("objectives/create", params));
  return answer.find(R"("result")") == std::string::npos ? std::string{} : id + ".p0.t0";
}

std::string attacker::make_large_task(connection& at, std::size_t megabytes) {
  const auto id = begin_task(at, R"({"sleep":3600})");
  const std::string text(1'000'000, 'x');
  for (std::size_t i = 0; i < megabytes && !id.empty() && !is_over(); ++i) {
    const auto answer =
        ask(at, rpc_text("SendMessage", R"({"message":{"messageId":"h)" + std::to_string(i)
                                            + R"(","taskId":")" + id
                                            + R"(","role":"ROLE_USER","parts":[{"text":")" + text
                                            + R"("}]},"configuration":{"returnImmediately":true,)"
                                              R"("historyLength":0}})"));
    if (answer.find(R"("result")") == std::string::npos)
      return cancel_task(id), std::string{};
  }
  return id;
}

void attacker::cancel_task(const std::string& id) {
  const auto until = steady::now() + 20s;
  for (bool is_answered = false; !is_answered && steady::now() < until;) {
    auto one = connect();
    is_answered = !ask(one, rpc_text("CancelTask", R"({"id":")" + id + "\"}"), 5s).empty();
    one.reset();
    if (!is_answered)
      std::this_thread::sleep_for(20ms);
  }
}

// -- all of them ----------------------------------------------------------------------------------

std::vector<attacker_kind> all_attackers() {
  std::vector<attacker_kind> out;
  for (const auto& kinds : {connection_attackers(), request_attackers(), work_attackers()})
    out.insert(out.end(), kinds.begin(), kinds.end());
  return out;
}

namespace {

/// The ids in one page of a list.
std::vector<std::string> ids_in(const std::string& answer, std::string_view list) {
  std::vector<std::string> out;
  boost::system::error_code failed;
  const auto whole = json::parse(answer, failed);
  const auto* result = failed ? nullptr : whole.as_object().if_contains("result");
  const auto* rows = result ? result->as_object().if_contains(list) : nullptr;
  if (rows != nullptr)
    for (const auto& each : rows->as_array())
      out.emplace_back(each.as_object().at("id").as_string());
  return out;
}

/// Cancels what is still live: its maker lost the connection before the answer came.
void cancel_all(const route& to) {
  struct kind {
    std::string_view list;
    std::string_view method;
    std::string_view filter;
    std::string_view cancel;
    std::string_view how;
  };
  static constexpr auto kinds = std::to_array<kind>({
      {"objectives", "objectives/list",
       R"({"status":["submitted","working","blocked"],"pageSize":100,"includePlans":false})",
       "objectives/update", R"("status":"canceled")"},
      {"tasks", "ListTasks", R"({"status":"TASK_STATE_WORKING","pageSize":100})", "CancelTask",
       R"("metadata":{})"},
      {"tasks", "ListTasks", R"({"status":"TASK_STATE_INPUT_REQUIRED","pageSize":100})",
       "CancelTask", R"("metadata":{})"},
  });
  connection one(to);
  const auto ask = [&](std::string_view method, const std::string& params) {
    return one.send(rpc_text(method, params)) && one.receive() ? one.reader().body()
                                                               : std::string{};
  };
  const auto until = steady::now() + 30s;
  for (const auto& each : kinds)
    for (bool goes_on = true; goes_on && one.is_open() && steady::now() < until;) {
      const auto live = ids_in(ask(each.method, std::string(each.filter)), each.list);
      for (const auto& id : live)
        ask(each.cancel, R"({"id":")" + id + "\"," + std::string(each.how) + '}');
      goes_on = !live.empty();
    }
  one.reset();
}

class attack_party {
public:
  attack_party(std::vector<attacker_kind> kinds, std::uint16_t port, std::uint64_t seed)
      : kinds_(std::move(kinds)), tallies_(kinds_.size()), port_(port), seed_(seed) {}

  void begin(const dose& how_much) {
    over_ = false;
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      threads_.emplace_back([this, i, how_much] {
        attacker self{{"127.0.1." + std::to_string(i + 1), port_},
                      how_much,
                      std::mt19937_64(seed_ * 1000 + i),
                      tallies_[i],
                      over_};
        while (!self.is_over())
          kinds_[i].run(self);
      });
  }

  void end() {
    over_ = true;
    for (auto& each : threads_)
      each.join();
    threads_.clear();
  }

  [[nodiscard]] std::string report() {
    json::array kinds;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      auto& done = tallies_[i];
      json::array faults;
      for (const auto& each : done.faults)
        faults.emplace_back(each);
      kinds.push_back({{"name", kinds_[i].name},
                       {"connections", done.connections.load()},
                       {"answers", done.answers.load()},
                       {"refusals", done.refusals.load()},
                       {"faults", std::move(faults)}});
    }
    return json::serialize(json::object{{"kinds", std::move(kinds)}});
  }

private:
  const std::vector<attacker_kind> kinds_;
  std::deque<tally> tallies_;
  const std::uint16_t port_;
  const std::uint64_t seed_;
  std::atomic<bool> over_{true};
  std::vector<std::thread> threads_;
};

} // namespace

void be_attackers(line_pipe& pipe, std::uint16_t port, std::uint64_t seed, const dose& whole,
                  const std::string& only) {
  auto kinds = all_attackers();
  std::erase_if(kinds, [&](const auto& each) { return each.name.find(only) == std::string::npos; });
  attack_party party(std::move(kinds), port, seed);
  while (!pipe.is_over()) {
    const auto told = pipe.read(1h);
    if (told && told->starts_with("begin ")) {
      auto part = whole;
      part.share *= std::stod(told->substr(6));
      party.begin(part);
    }
    if (told == "end") {
      party.end();
      cancel_all({"127.0.1.0", port});
      pipe.write(party.report());
    }
  }
}

} // namespace troupe::attack
