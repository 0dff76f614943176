// What large tasks cost others, seen from outside.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

using namespace troupe::testing;

namespace {

constexpr const char* completed = "TASK_STATE_COMPLETED";

/// A task that ends with this file as its text.
std::string large(const std::string& name, const std::string& file) {
  return R"({"name":")" + name + R"(","agent":"command","input":{"argv":["cat",")" + file
         + R"("],"outputLimit":100000000}})";
}

std::string started(const std::string& tasks) {
  return R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":[)" + tasks + "]}]}";
}

std::string get(const std::string& task) {
  return http_client::post_text(request_of("GetTask", R"({"id":")" + task + R"("})"));
}

std::size_t tasks_in(const served& server, const std::string& state) {
  const auto shown = server.ask("objectives/get", R"({"id":"o"})");
  std::size_t out = 0;
  for (const auto& task : shown.at_pointer("/objective/plans/0/tasks").as_array())
    out += at(task, "/status") == state ? 1 : 0;
  return out;
}

} // namespace

TEST_CASE("a request is answered before large tasks that were asked for first are read",
          "[apps][binary][reads]") {
  const temporary_directory place;
  constexpr std::size_t rounds = 6; // At most.
  constexpr std::size_t readers = 4;
  const std::vector<std::string> words{"--data", place / "data", "--allow-commands", "--config",
                                       place.file("c.toml", "http-threads = 1\n")};
  const auto file = place.file("text", std::string(9'000'000, 'x'));
  {
    served server(words);
    std::string tasks;
    for (std::size_t i = 0; i < rounds; ++i)
      tasks += (i > 0 ? "," : "") + large("t" + std::to_string(i), file);
    server.ask("objectives/create", started(tasks));
    REQUIRE(comes_true([&] { return tasks_in(server, "completed") == rounds; }));
    REQUIRE(server.stop() == 0);
  }
  // Nothing of it is in memory now.
  const served server(words);
  const auto made = server.ask(
      "SendMessage", R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}})");
  const auto small = at(made, "/task/id");
  std::size_t before_all = 0;
  for (std::size_t round = 0; round < rounds && before_all == 0; ++round) {
    std::vector<http_client> many;
    for (std::size_t i = 0; i < readers; ++i)
      many.push_back(server.client());
    auto other = server.client();
    for (auto& reader : many)
      reader.send(get("o.p0.t" + std::to_string(round)));
    other.send(get(small));
    CHECK(at(result_of(other.receive()), "/status/state") == completed);
    bool is_first = true;
    for (const auto& reader : many)
      is_first = is_first && !reader.has_input();
    before_all += is_first ? 1 : 0;
    for (auto& reader : many)
      CHECK(reader.receive().body.size() > 9'000'000);
  }
  // The first of the four may be answered before the last request has arrived, but not each time.
  CHECK(before_all > 0);
}

TEST_CASE("an artifact of 3 MB is in memory once, however many running tasks depend on it",
          "[apps][binary][reads]") {
  const temporary_directory place;
  const served server({"--allow-commands", "--data", place / "data"});
  constexpr std::size_t dependents = 100;
  std::string tasks = large("big", place.file("text", std::string(3'000'000, 'x')));
  for (std::size_t i = 0; i < dependents; ++i)
    tasks +=
        R"(,{"name":"t)" + std::to_string(i)
        + R"(","agent":"scripted","dependencies":["big"],"input":{"steps":[{"ask":"go on?"}]}})";
  const auto before = server.resident_bytes();
  server.ask("objectives/create", started(tasks));
  REQUIRE(comes_true([&] { return tasks_in(server, "input-required") == dependents; }));
  const auto more = server.resident_bytes() - before;
  CHECK(more < std::size_t{100'000'000});
}

TEST_CASE("a request is answered before most of the large objectives that were asked for first",
          "[apps][binary][reads]") {
  const temporary_directory place;
  constexpr std::size_t rounds = 10; // At most.
  constexpr std::size_t readers = 20;
  const served server(
      {"--store", "memory", "--config", place.file("c.toml", "http-threads = 1\n")});
  std::string tasks;
  for (std::size_t i = 0; i < 10'000; ++i)
    tasks += (i > 0 ? "," : "") + (R"({"name":"t)" + std::to_string(i) + R"(","agent":"noop"})");
  server.ask("objectives/create", started(tasks));
  const auto made = server.ask(
      "SendMessage", R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}})");
  const auto small = at(made, "/task/id");
  std::size_t before_most = 0;
  for (std::size_t round = 0; round < rounds && before_most == 0; ++round) {
    std::vector<http_client> many;
    for (std::size_t i = 0; i < readers; ++i)
      many.push_back(server.client());
    auto other = server.client();
    for (auto& reader : many)
      reader.send(http_client::post_text(request_of("objectives/get", R"({"id":"o"})")));
    other.send(get(small));
    CHECK(at(result_of(other.receive()), "/status/state") == completed);
    const auto answered =
        std::ranges::count_if(many, [](const http_client& reader) { return reader.has_input(); });
    before_most += answered < std::ptrdiff_t{readers / 2} ? 1 : 0;
    for (auto& reader : many)
      CHECK(reader.receive().body.size() > 500'000);
  }
  CHECK(before_most > 0);
}

TEST_CASE("a request with a chosen id is answered before 60,000 chosen ids that came first",
          "[apps][binary][reads]") {
  const temporary_directory place;
  constexpr int rounds = 10; // At most.
  const auto config = place.file("c.toml", "http-threads = 1\n");
  const auto data = place / "data";
  const auto words = GENERATE_COPY(std::vector<std::string>{"--store", "memory"},
                                   std::vector<std::string>{"--data", data});
  auto all = words;
  all.insert(all.end(), {"--config", config});
  const served server(all);
  const auto create = [](const std::string& id, std::size_t tasks) {
    std::string text;
    for (std::size_t i = 0; i < tasks; ++i)
      text += (i > 0 ? "," : "")
              + (R"({"id":")" + id + "-" + std::to_string(i) + R"(","name":"t","agent":"noop"})");
    return http_client::post_text(
        request_of("objectives/create", R"({"id":")" + id + R"(","name":"o","plans":[{"name":"p",)"
                                            + R"("tasks":[)" + text + "]}]}"));
  };
  int before = 0;
  for (int round = 0; round < rounds && before == 0; ++round) {
    auto many = server.client();
    auto other = server.client();
    many.send(create("many" + std::to_string(round), 60'000));
    other.send(create("one" + std::to_string(round), 1));
    CHECK(at(result_of(other.receive()), "/objective/status") == "submitted");
    before += many.has_input() ? 0 : 1;
    CHECK(at(result_of(many.receive()), "/objective/status") == "submitted");
  }
  CHECK(before > 0);
}

TEST_CASE("a text of 3 MB is in memory once, however many running tasks refer to it",
          "[apps][binary][reads]") {
  const temporary_directory place;
  const served server({"--allow-commands", "--data", place / "data"});
  constexpr std::size_t dependents = 100;
  std::string tasks = large("big", place.file("text", std::string(3'000'000, 'x')));
  for (std::size_t i = 0; i < dependents; ++i)
    tasks += R"(,{"name":"t)" + std::to_string(i)
             + R"(","agent":"scripted","dependencies":["big"],"input":{"steps":[{"ask":"go on?"},)"
               R"({"complete":"${tasks.big.artifacts[0].text}"}]}})";
  const auto before = server.resident_bytes();
  server.ask("objectives/create", started(tasks));
  REQUIRE(comes_true([&] { return tasks_in(server, "input-required") == dependents; }));
  const auto more = server.resident_bytes() - before;
  CHECK(more < std::size_t{100'000'000});
}
