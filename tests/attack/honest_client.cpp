#include "tests/attack/honest_client.hpp"

#include "tests/attack/connection.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::attack {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto pause = 5ms;
constexpr std::size_t verified_newest = 300;
constexpr std::size_t verified_others = 100;
constexpr std::size_t problems_max = 20;
constexpr std::size_t problem_bytes_max = 2'000; // A stream is shown to its last event.

double at_share(const std::vector<double>& sorted, double share) {
  if (sorted.empty())
    return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

std::string message_params(const std::string& text) {
  return R"({"message":{"messageId":")" + text + R"(","role":"ROLE_USER","parts":[{"text":")" + text
         + R"("}]}})";
}

class honest_client {
public:
  honest_client(std::uint16_t port, std::uint64_t seed)
      : to_{"127.0.0.2", port}, dice_(seed), connection_(to_) {}

  void begin_phase() {
    for (auto* each : {&sends_, &streams_, &reads_})
      each->clear();
    refused_ = interrupted_ = 0;
  }

  /// One turn: send, read, and sometimes stream.
  void turn() {
    const auto text = "honest-" + std::to_string(number_++);
    const bool streams = number_ % 10 == 0;
    const auto id = streams ? stream(text) : send(text);
    if (!id.empty())
      acknowledged_.push_back({id, text});
    if (!id.empty())
      read(acknowledged_.back());
  }

  void verify(bool is_whole) {
    is_counted_ = false; // Many reads at once say nothing about a client that now and then asks.
    const auto count = acknowledged_.size();
    const auto newest = is_whole ? count : std::min(count, verified_newest);
    for (auto i = count - newest; i < count; ++i)
      read_until_answered(acknowledged_[i]);
    for (std::size_t i = 0; i < verified_others && newest < count; ++i)
      read_until_answered(acknowledged_[dice_() % (count - newest)]);
    is_counted_ = true;
  }

  [[nodiscard]] std::string report() {
    std::vector<double> all;
    json::object kinds;
    for (const auto& [name, delays] : {std::pair{"sends", &sends_}, std::pair{"streams", &streams_},
                                       std::pair{"reads", &reads_}}) {
      std::sort(delays->begin(), delays->end());
      kinds[name] = json::object{{"p50_ms", at_share(*delays, 0.5)},
                                 {"p99_ms", at_share(*delays, 0.99)},
                                 {"max_ms", at_share(*delays, 1)}};
      all.insert(all.end(), delays->begin(), delays->end());
    }
    std::sort(all.begin(), all.end());
    json::array problems;
    for (const auto& each : problems_)
      problems.emplace_back(each);
    return json::serialize(json::object{{"requests", all.size()},
                                        {"p50_ms", at_share(all, 0.5)},
                                        {"p99_ms", at_share(all, 0.99)},
                                        {"max_ms", at_share(all, 1)},
                                        {"kinds", std::move(kinds)},
                                        {"refused", refused_},
                                        {"interrupted", interrupted_},
                                        {"acknowledged", acknowledged_.size()},
                                        {"read_again", read_again_},
                                        {"problems", std::move(problems)}});
  }

private:
  struct acknowledgement {
    std::string id;
    std::string text; ///< Of its artifact.
  };

  void note(const std::string& problem) {
    if (problems_.size() < problems_max)
      problems_.push_back(problem.substr(0, problem_bytes_max));
  }

  bool connect() {
    if (!connection_.is_open())
      connection_ = connection(to_);
    if (!connection_.is_open())
      std::this_thread::sleep_for(20ms); // It is being started again.
    return connection_.is_open();
  }

  /// The body of the answer to a request; empty: there was none, or it was refused.
  std::string ask(const std::string& request, std::vector<double>& delays) {
    if (!connect())
      return {};
    const auto begin = steady::now();
    if (!connection_.send(request) || !connection_.receive()) {
      lose_connection();
      return {};
    }
    count(begin, delays);
    return checked(connection_.reader().status(), connection_.reader().body());
  }

  void count(steady::time_point begin, std::vector<double>& delays) {
    if (is_counted_)
      delays.push_back(std::chrono::duration<double, std::milli>(steady::now() - begin).count());
  }

  std::string checked(int status, const std::string& body) {
    if (status == 429 || status == 503) {
      ++refused_;
      std::this_thread::sleep_for(100ms); // It says when to come again; this client is impatient.
      return {};
    }
    if (status != 200 || body.find(R"("error")") != std::string::npos) {
      note("answer " + std::to_string(status) + ": " + body);
      return {};
    }
    return body;
  }

  void lose_connection() {
    ++interrupted_;
    if (const auto& fault = connection_.reader().fault(); !fault.empty())
      note("not HTTP: " + fault);
    connection_ = connection(to_);
  }

  /// The task's id; empty: it was not acknowledged.
  std::string send(const std::string& text) {
    const auto body = ask(rpc_text("SendMessage", message_params(text)), sends_);
    if (!body.empty() && body.find("TASK_STATE_COMPLETED") == std::string::npos)
      note("not done: " + body);
    return member_of(body, "id");
  }

  std::string stream(const std::string& text) {
    if (!connect())
      return {};
    const auto begin = steady::now();
    if (!connection_.send(rpc_text("SendStreamingMessage", message_params(text)))
        || !connection_.receive()) {
      lose_connection();
      return {};
    }
    count(begin, streams_);
    const auto body = checked(connection_.reader().status(), connection_.reader().body());
    if (!body.empty() && body.find("TASK_STATE_COMPLETED") == std::string::npos) {
      note("a stream that does not end with a completed task: " + body);
      return {};
    }
    return member_of(body, "id");
  }

  /// False: there was no answer.
  bool read(const acknowledgement& known) {
    const auto body = ask(rpc_text("GetTask", R"({"id":")" + known.id + "\"}"), reads_);
    if (body.empty())
      return false;
    ++read_again_;
    if (body.find(R"("text":")" + known.text + '"') == std::string::npos)
      note("task " + known.id + " is not what was acknowledged: " + body);
    return true;
  }

  void read_until_answered(const acknowledgement& known) {
    const auto before = problems_.size();
    const auto until = steady::now() + 60s;
    while (!read(known) && problems_.size() == before)
      if (steady::now() > until)
        return note("task " + known.id + " was not read for a minute");
    if (problems_.size() > before)
      note("this is what became of the acknowledged task " + known.id);
  }

  const route to_;
  std::mt19937_64 dice_;
  connection connection_;
  std::size_t number_ = 0;
  std::vector<acknowledgement> acknowledged_;
  /// How long answers took, in milliseconds.
  std::vector<double> sends_;
  std::vector<double> streams_;
  std::vector<double> reads_;
  std::size_t refused_ = 0;
  std::size_t interrupted_ = 0;
  std::size_t read_again_ = 0;
  bool is_counted_ = true; ///< How long an answer takes.
  std::vector<std::string> problems_;
};

} // namespace

void be_honest(line_pipe& pipe, std::uint16_t port, std::uint64_t seed) {
  honest_client client(port, seed);
  while (!pipe.is_over()) {
    const auto told = pipe.read(pause);
    if (!told)
      client.turn();
    else if (*told == "phase")
      client.begin_phase();
    else if (told->starts_with("verify"))
      client.verify(*told == "verify all");
    else if (*told == "report")
      pipe.write(client.report());
  }
}

} // namespace troupe::attack
