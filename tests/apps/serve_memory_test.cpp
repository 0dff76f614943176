// A small plan that makes much: 18 doublings of a text, and 150 tasks that copy the last one, would
// be 4 GB. The server has 1.5 GB of address space. It lives, also after a restart; the objective
// ends with the name of the limit, and another one beside it is not touched.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

using namespace troupe::testing;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_shadow_memory = true; // It needs more address space than there is here.
#else
constexpr bool has_shadow_memory = false;
#endif

constexpr const char* address_space = "1572864"; // kB

std::string task(const std::string& name, const std::string& after, const std::string& text) {
  return R"({"name":")" + name + R"(","agent":"echo",)"
         + (after.empty() ? "" : R"("dependencies":[")" + after + R"("],)") + R"("input":{"text":")"
         + text + R"("}})";
}

/// Params of objectives/create: tasks that double a text and tasks that copy the last one.
std::string growing(const std::string& id, int doublings, int copies) {
  std::string tasks = task("d0", "", std::string(100, 'x'));
  for (int i = 1; i <= doublings; ++i) {
    const auto before = "d" + std::to_string(i - 1);
    const auto text = "${tasks." + before + ".artifacts[0].text}";
    tasks += "," + task("d" + std::to_string(i), before, text + text);
  }
  const auto last = "d" + std::to_string(doublings);
  for (int i = 0; i < copies; ++i)
    tasks += "," + task("c" + std::to_string(i), last, "${tasks." + last + ".artifacts[0].text}");
  return R"({"id":")" + id + R"(","name":"o","start":true,"plans":[{"name":"p","tasks":[)" + tasks
         + "]}]}";
}

boost::json::value shown(const served& server, const std::string& id) {
  return server.ask("objectives/get", R"({"id":")" + id + R"("})");
}

bool reaches(const served& server, const std::string& id, const std::string& state) {
  return comes_true([&] { return at(shown(server, id), "/objective/status") == state; },
                    std::chrono::seconds{120});
}

/// Address space that a process has now, in bytes.
rlim_t addresses_of(pid_t pid) {
  std::ifstream pages("/proc/" + std::to_string(pid) + "/statm");
  rlim_t count = 0;
  pages >> count;
  return count * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// A request with so many numbers in it.
std::string request_of_numbers(std::size_t count) {
  std::string numbers = "0";
  for (std::size_t i = 1; i < count; ++i)
    numbers += ",0";
  return request_of("GetTask", R"({"id":"x","n":[)" + numbers + "]}");
}

/// What the first task that failed says.
std::string failure(const served& server, const std::string& id) {
  const auto whole = shown(server, id);
  for (const auto& each : whole.at_pointer("/objective/plans/0/tasks").as_array())
    if (at(each, "/status") == "failed") {
      const auto found =
          server.ask("GetTask", R"({"historyLength":0,"id":")" + at(each, "/id") + R"("})");
      return at(found, "/status/message/parts/0/text");
    }
  return "none failed";
}

} // namespace

TEST_CASE("a small plan that makes gigabytes fails with the limit's name, and nobody else does",
          "[apps][binary][memory]") {
  if (has_shadow_memory) {
    WARN("skipped: sanitizers need more address space than this test gives");
    return;
  }
  const temporary_directory place;
  const bool is_durable = GENERATE(false, true);
  CAPTURE(is_durable);
  const auto words = is_durable ? std::vector<std::string>{"--data", place / "data"}
                                : std::vector<std::string>{"--store", "memory"};
  {
    served server(words, address_space);
    server.ask("objectives/create", growing("large", 18, 150));
    server.ask("objectives/create", growing("small", 5, 10));
    CHECK(reaches(server, "small", "completed"));
    REQUIRE(reaches(server, "large", "failed"));
    CHECK_THAT(failure(server, "large"), ContainsSubstring("limits.objective-bytes"));
    CHECK(server.client().get("/readyz").status == 200);
    if (is_durable) { // In the middle of another one.
      server.ask("objectives/create", growing("again", 18, 150));
      REQUIRE(comes_true([&] {
        return at(shown(server, "again"), "/objective/plans/0/tasks/18/status") == "completed";
      }));
      server.program().signal(SIGKILL);
      static_cast<void>(server.program().wait());
    } else {
      CHECK(server.stop() == 0);
    }
  }
  if (!is_durable)
    return;
  served server(words, address_space);
  server.ask("objectives/create", growing("later", 5, 10));
  CHECK(reaches(server, "later", "completed"));
  REQUIRE(reaches(server, "again", "failed"));
  CHECK_THAT(failure(server, "again"), ContainsSubstring("limits.objective-bytes"));
  CHECK(server.client().get("/readyz").status == 200);
}

TEST_CASE("a server that gets no memory from the system refuses the request, and goes on",
          "[apps][binary][memory]") {
  if (has_shadow_memory) {
    WARN("skipped: sanitizers have an allocator of their own");
    return;
  }
  const temporary_directory place;
  served server({"--data", place / "data", "--config",
                 place.file("config", "[limits]\nmemory = 4000000000\n")});
  const auto give = [&](rlim_t addresses) {
    const rlimit bound{addresses, RLIM_INFINITY};
    return ::prlimit(server.program().id(), RLIMIT_AS, &bound, nullptr) == 0;
  };
  auto known = server.client();
  CHECK(known.get("/healthz").status == 200);
  REQUIRE(give(addresses_of(server.program().id()) + (1 << 20)));
  const auto refused = known.post(request_of_numbers(4'000'000));
  CHECK(refused.status == 503);
  CHECK_THAT(refused.body, ContainsSubstring("limits.memory"));
  CHECK(refused.header("retry-after") == "1");
  // Small ones find room, or are refused as well, or their connection is closed if there is none
  // for an answer: the next attempt may find it.
  const auto post = [&](const std::string& body) -> std::optional<http_answer> {
    try {
      return server.client().post(body);
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  };
  for (int i = 0; i < 20; ++i)
    CHECK(comes_true([&] {
      const auto answered = post(
          request_of("SendMessage", R"({"message":{"messageId":"m)" + std::to_string(i)
                                        + R"(","role":"ROLE_USER","parts":[{"text":"go"}]}})"));
      if (!answered)
        return false;
      const auto& sent = *answered;
      CHECK((sent.status == 200 || sent.status == 503));
      return sent.status == 200
             && at(boost::json::parse(sent.body), "/result/task/status/state")
                    == "TASK_STATE_COMPLETED";
    }));
  REQUIRE(give(RLIM_INFINITY));
  CHECK(server.client().post(request_of_numbers(1'000'000)).status == 200);
  CHECK(server.stop() == 0);
}
