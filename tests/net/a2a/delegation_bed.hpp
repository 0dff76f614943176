// Servers of one process whose tasks may be done by one another, for tests of delegation.
#pragma once

#include "agents/a2a/a2a_agent.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/array.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::testing {

inline std::string url_of_bed(const net_bed& bed) {
  return "http://127.0.0.1:" + std::to_string(bed.port);
}

/// The tasks that a server has.
inline boost::json::array tasks_of(const net_bed& bed) {
  return bed.result_of("ListTasks", "{}").at("tasks").as_array();
}

/// A task of the agent `a2a` in a document; `input` is JSON.
inline std::string a2a_task(std::string_view name, std::string_view input) {
  return R"({"name":")" + std::string(name) + R"(","agent":"a2a","input":)" + std::string(input)
         + "}";
}

/// A server whose tasks may be done by others, and its name in paths.
struct hop {
  explicit hop(std::string name, const std::string& default_agent = "echo")
      : id(std::move(name)), bed({}, default_agent) {}

  /// Before any request.
  void may_ask(const std::vector<const hop*>& others, std::size_t hops_max = 8) {
    delegation_options how;
    for (const auto* each : others) {
      a2a::target to;
      to.url = url_of_bed(each->bed);
      how.targets.push_back({each->id, to});
    }
    how.hops_max = hops_max;
    may_ask(std::move(how));
  }
  void may_ask(delegation_options how) {
    how.server_id = [own = id] { return own; };
    bed.agents.add("a2a", std::make_shared<a2a_agent>(std::move(how)));
  }

  /// Begins the objective `trip` with these tasks.
  void begin(const std::string& tasks) const {
    static_cast<void>(
        bed.result_of("objectives/create",
                      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[)"
                          + tasks + "]}]}"));
  }
  [[nodiscard]] boost::json::value task(const std::string& name = "trip.p0.t0") const {
    return bed.result_of("GetTask", R"({"id":")" + name + R"("})");
  }
  /// Waits; false if it never was.
  [[nodiscard]] bool reaches(std::string_view state, const std::string& name = "trip.p0.t0") const {
    return comes_true([&] { return at(task(name), "/status/state") == state; });
  }
  /// Begins a task that `input` describes; the words with which it failed.
  [[nodiscard]] std::string refusal_of(const std::string& input) const {
    begin(a2a_task("T", input));
    REQUIRE(reaches("TASK_STATE_FAILED"));
    return at(task(), "/status/message/parts/0/text");
  }

  std::string id;
  net_bed bed;
};

/// Input of the agent for a task at `target`, which has a plan with these tasks.
inline std::string through_tasks(const std::string& target, const std::string& tasks) {
  return R"({"target":")" + target
         + R"(","text":"go","metadata":{"opt/v1/plan":{"name":"p","tasks":[)" + tasks + "]}}}";
}
/// The same with one task: the agent again.
inline std::string through(const std::string& target, const std::string& inner) {
  return through_tasks(target, a2a_task("w", inner));
}

} // namespace troupe::testing
