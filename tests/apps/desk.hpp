// A person who uses the commands for servers, for tests of the binary: a home of their own, the
// servers that they know, and how to read what they are told.
#pragma once

#include "tests/apps/process.hpp"
#include "tests/apps/served.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

/// A person with a home of their own.
class desk {
public:
  explicit desk(std::string server = {}) : server_(std::move(server)) {}

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (home_.path() / name).string();
  }
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"HOME=" + home_.path().string(),
            "XDG_STATE_HOME=" + path("state"),
            "XDG_CONFIG_HOME=",
            "TROUPE_CONFIG=" + config_,
            "TROUPE_SERVER=" + server_,
            "HOOK_TOKEN=words-for-the-receiver",
            "HOOK_BEARER=secret"};
  }
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> words) const {
    words.insert(words.begin(), troupe_binary());
    return words;
  }
  [[nodiscard]] outcome run(std::vector<std::string> with, const std::string& input = {}) const {
    return run_program(words(std::move(with)), input, environment());
  }
  void configure(const std::string& text) {
    write("config.toml", text);
    config_ = path("config.toml");
  }
  void use(std::string server) { server_ = std::move(server); }

private:
  const temporary_directory home_;
  std::string server_;
  std::string config_;
};

inline std::string url_of(const served& of) {
  return "http://127.0.0.1:" + std::to_string(of.port());
}

/// Targets `1.0jsonrpc`, `1.0rest`, `0.3jsonrpc` and `0.3rest`, all this server.
inline std::string targets_in_all_formats(const served& server) {
  std::string out;
  for (const auto* version : {"1.0", "0.3"})
    for (const auto* binding : {"jsonrpc", "rest"})
      out += "[[targets]]\nalias = \"" + std::string(version) + binding + "\"\nurl = \""
             + url_of(server) + "\"\nversion = \"" + version + "\"\nbinding = \"" + binding
             + "\"\n";
  return out;
}

/// The task that `send` says how to answer.
inline std::string asking_task(const std::string& said) {
  const auto begin = said.find("--task ") + 7;
  return said.substr(begin, said.find(' ', begin) - begin);
}

} // namespace troupe::testing
