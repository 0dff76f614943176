// One `troupe serve` of a chain, behind a relay: its address stays when it is killed and starts
// again. Its records are in a directory of its own.
#pragma once

#include "tests/apps/served.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>

namespace troupe::testing {

/// A `[[targets]]` of a configuration file.
struct chain_target {
  std::string alias;
  std::string url;
  std::string version{}; ///< `1.0` or `0.3`; empty: as its card says.
};

class chain_link {
public:
  [[nodiscard]] relay& door() noexcept { return door_; }
  [[nodiscard]] std::string url() const { return door_.url(); }
  [[nodiscard]] const served& server() const { return *server_; }
  [[nodiscard]] served& server() { return *server_; }
  [[nodiscard]] std::filesystem::path data() const { return where_.path() / "data"; }

  /// `more`: TOML before the targets.
  void start(const std::vector<chain_target>& targets, const std::string& more = {}) {
    std::ofstream config(where_.path() / "serve.toml");
    config << "agent = \"scripted\"\n" << more << "[card]\nurl = \"" << url() << "/\"\n";
    for (const auto& each : targets) {
      config << "[[targets]]\nalias = \"" << each.alias << "\"\nurl = \"" << each.url << "\"\n";
      if (!each.version.empty())
        config << "version = \"" << each.version << "\"\n";
    }
    config.close();
    start_again();
  }
  void start_again() {
    server_ = std::make_unique<served>(std::vector<std::string>{
        "--data", data().string(), "--config", (where_.path() / "serve.toml").string()});
    door_.lead_to(server_->port());
  }
  /// `kill -9`.
  void kill() {
    server_->program().signal(SIGKILL);
    if (server_->program().wait() != 128 + SIGKILL)
      throw std::runtime_error("the server ended by itself: " + server_->program().err());
  }

  /// Begins an objective with these tasks.
  void begin(const std::string& id, const std::string& tasks) const {
    static_cast<void>(server().ask("objectives/create",
                                   R"({"id":")" + id + R"(","name":"Trip","start":true,"plans":[)"
                                       + R"({"name":"P","tasks":[)" + tasks + "]}]}"));
  }
  [[nodiscard]] boost::json::value task(const std::string& id) const {
    return server().ask("GetTask", R"({"id":")" + id + R"("})");
  }
  [[nodiscard]] std::string words(const std::string& id) const {
    return at(task(id), "/status/message/parts/0/text");
  }
  [[nodiscard]] std::int64_t task_count() const {
    return server().ask("ListTasks", "{}").at("totalSize").as_int64();
  }
  [[nodiscard]] std::int64_t question_count() const {
    return server().ask("inputs/list", R"({"pageSize":1})").at("totalSize").as_int64();
  }
  void answer(const std::string& task, const std::string& text,
              const std::string& id = "a1") const {
    static_cast<void>(server().ask(
        "SendMessage", R"({"message":{"messageId":")" + id + R"(","role":"ROLE_USER","taskId":")"
                           + task + R"(","parts":[{"text":")" + text
                           + R"("}]},"configuration":{"returnImmediately":true}})"));
  }

private:
  temporary_directory where_;
  relay door_;
  std::unique_ptr<served> server_;
};

/// A task of the agent `a2a` in a document; `more`: further members of its input, with a comma
/// before each.
inline std::string delegated(const std::string& name, const std::string& target,
                             const std::string& more) {
  return R"({"name":")" + name + R"(","agent":"a2a","input":{"target":")" + target + "\"" + more
         + "}}";
}
/// Further members: what the agent `scripted` does.
inline std::string scripted(const std::string& steps) {
  return R"(,"data":{"steps":)" + steps + "}";
}
/// Further members: a plan with these tasks.
inline std::string planned(const std::string& tasks) {
  return R"(,"text":"go","metadata":{"opt/v1/plan":{"name":"p","tasks":[)" + tasks + "]}}";
}

} // namespace troupe::testing
