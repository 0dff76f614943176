// The recipes of docs/recipes.md, and the delegation of docs/delegation.md, run as they stand
// there.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string_view>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace troupe::testing;

namespace {

struct recipe {
  std::string name;
  std::string script;
  std::vector<std::string> shown; ///< Lines that must come, in this order.
};

/// The text of the next block that is fenced with ``` and `kind`; empty if there is none.
std::string block_of(std::string_view section, std::string_view kind) {
  const auto fence = "```" + std::string(kind) + "\n";
  const auto begin = section.find(fence);
  if (begin == std::string_view::npos)
    return {};
  const auto from = begin + fence.size();
  return std::string(section.substr(from, section.find("```\n", from) - from));
}

std::vector<recipe> recipes_of(const std::string& name) {
  std::ifstream file(source_dir() + "/docs/" + name);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::vector<recipe> out;
  for (auto at = page.find("\n## "); at != std::string::npos;) {
    const auto end = page.find("\n## ", at + 1);
    const auto section = std::string_view(page).substr(at + 1, end - at);
    auto script = block_of(section, "sh");
    if (!script.empty())
      out.push_back({std::string(section.substr(3, section.find('\n') - 3)), std::move(script),
                     lines_of(block_of(section, "text"))});
    at = end;
  }
  return out;
}

/// A port that is free now, below those that the system gives to a program that asks for any
/// (from 32768 on): another test could get one of them before it is used.
std::string free_port() {
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    const auto port = static_cast<std::uint16_t>(20'000 + random() % 10'000);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free =
        ::bind(probe, static_cast<sockaddr*>(static_cast<void*>(&at)), sizeof at) == 0;
    ::close(probe);
    if (is_free)
      return std::to_string(port);
  }
  throw std::runtime_error("no port is free");
}

/// Runs it, and looks for what is shown.
void check_recipe(const recipe& one) {
  CAPTURE(one.name);
  const desk me;
  std::filesystem::create_directories(me.path("work"));
  auto environment = me.environment();
  environment.push_back("PATH=" + std::filesystem::path(troupe_binary()).parent_path().string()
                        + ":/usr/local/bin:/usr/bin:/bin");
  const auto port = free_port();
  auto other_port = free_port();
  while (other_port == port)
    other_port = free_port();
  environment.push_back("PORT=" + port);
  environment.push_back("PORT2=" + other_port);
  const auto script = "cd '" + me.path("work")
                      + "'; trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n" + one.script;
  const auto done = run_program({"/usr/bin/env", "bash", "-eu", "-c", script}, {}, environment);
  INFO(done.out << "\n--- standard error\n" << done.err);
  CHECK(done.code == 0);
  REQUIRE_FALSE(one.shown.empty());
  std::size_t from = 0;
  for (const auto& line : one.shown) {
    CAPTURE(line);
    const auto at = done.out.find(line, from);
    CHECK(at != std::string::npos);
    from = at == std::string::npos ? from : at + line.size();
  }
}

} // namespace

TEST_CASE("every recipe does what its page says", "[binary][recipes]") {
  const auto recipes = recipes_of("recipes.md");
  CHECK(recipes.size() >= 4);
  for (const auto& each : recipes)
    check_recipe(each);
}

TEST_CASE("one delegation goes from its plan to the leaf and back, as its page says",
          "[binary][recipes][delegation]") {
  const auto recipes = recipes_of("delegation.md");
  REQUIRE(recipes.size() == 1);
  check_recipe(recipes.front());
}
