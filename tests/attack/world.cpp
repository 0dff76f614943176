#include "tests/attack/world.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::attack {

using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

std::string end_of(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit code " + std::to_string(WEXITSTATUS(status));
}

std::string text_of(const std::string& path, std::size_t from = 0) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(from));
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

world::world(std::string binary, std::string directory, std::size_t address_space,
             std::vector<std::string> further_words)
    : binary_(std::move(binary)), directory_(std::move(directory)), address_space_(address_space),
      further_words_(std::move(further_words)) {
  start();
}

world::~world() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
}

bool world::is_ready() const {
  return text_of(directory_ + "/log", log_begin_).find("replayed)") != std::string::npos;
}

void world::start() {
  const auto log = directory_ + "/log";
  log_begin_ = text_of(log).size();
  std::vector<std::string> words{binary_,    "serve",
                                 "--listen", "127.0.0.1:" + std::to_string(port_),
                                 "--data",   directory_ + "/data"};
  words.insert(words.end(), further_words_.begin(), further_words_.end());
  std::vector<char*> argv;
  for (auto& each : words)
    argv.push_back(each.data());
  argv.push_back(nullptr);
  id_ = ::fork();
  if (id_ < 0)
    throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // Nothing is left of an attack that is killed.
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, STDERR_FILENO);
    ::dup2(out, STDOUT_FILENO);
    const rlimit bound{address_space_, address_space_};
    if (address_space_ > 0) {
      ::setrlimit(RLIMIT_AS, &bound);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  const auto until = steady::now() + 60s;
  while (!is_ready()) {
    if (const auto how = death(); how || steady::now() > until)
      throw std::runtime_error("the server does not start: " + how.value_or("it does not serve")
                               + "\n" + last_words());
    std::this_thread::sleep_for(20ms);
  }
  const std::string lead = "http://127.0.0.1:";
  const auto said = text_of(log, log_begin_);
  port_ = static_cast<std::uint16_t>(std::stoi(said.substr(said.find(lead) + lead.size())));
}

std::optional<std::string> world::death() {
  int status = 0;
  if (id_ < 0 || ::waitpid(id_, &status, WNOHANG) != id_)
    return std::nullopt;
  id_ = -1;
  return end_of(status);
}

std::chrono::milliseconds world::restart() {
  const auto before = steady::now();
  start();
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - before);
}

std::chrono::milliseconds world::kill_and_restart() {
  ::kill(id_, SIGKILL);
  ::waitpid(std::exchange(id_, -1), nullptr, 0);
  return restart();
}

std::string world::stop() {
  ::kill(id_, SIGTERM);
  for (const auto until = steady::now() + 30s; steady::now() < until;
       std::this_thread::sleep_for(20ms))
    if (const auto how = death())
      return *how == "exit code 0" ? "" : *how;
  ::kill(id_, SIGKILL);
  ::waitpid(std::exchange(id_, -1), nullptr, 0);
  return "it did not end";
}

std::size_t world::figure(const std::string& name) const {
  std::ifstream figures("/proc/" + std::to_string(id_) + "/status");
  for (std::string word; figures >> word;)
    if (word == name + ":") {
      std::size_t kilobytes = 0;
      figures >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

std::size_t world::resident_bytes() const {
  return figure("VmRSS");
}

std::size_t world::reserved_bytes_max() const {
  return figure("VmPeak");
}

std::string world::last_words() const {
  auto said = text_of(directory_ + "/log", log_begin_);
  constexpr std::size_t shown = 3000;
  return said.size() > shown ? said.substr(said.size() - shown) : said;
}

} // namespace troupe::attack
