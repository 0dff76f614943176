#include "tests/attack/strays.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace troupe::attack {

namespace {

using namespace std::chrono_literals;

/// Processes one of whose words ends with `word`.
std::size_t processes_with(const std::string& word) {
  std::size_t out = 0;
  std::error_code gone;
  for (const auto& each : std::filesystem::directory_iterator("/proc", gone)) {
    std::ifstream file(each.path() / "cmdline");
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    out += words.find(word + '\0') != std::string::npos ? 1 : 0;
  }
  return out;
}

} // namespace

std::string stray_seconds(pid_t attack) {
  return "86400." + std::to_string(attack);
}

std::size_t strays_left(pid_t attack) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  auto left = processes_with(stray_seconds(attack));
  for (; left > 0 && std::chrono::steady_clock::now() < until;
       left = processes_with(stray_seconds(attack)))
    std::this_thread::sleep_for(20ms);
  return left;
}

} // namespace troupe::attack
