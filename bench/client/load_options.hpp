// What the programs of bench/client are told: `--name VALUE` pairs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace troupe::bench {

/// Prints the text and ends the program with exit code 1.
[[noreturn]] inline void fail(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

class load_options {
public:
  load_options(int argc, char** argv) {
    if (argc % 2 == 0)
      fail("every option has a value");
    for (int i = 1; i + 1 < argc; i += 2)
      values_[argv[i]] = argv[i + 1];
  }

  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  [[nodiscard]] double number(const std::string& name, double otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
  }
  [[nodiscard]] std::size_t count(const std::string& name, std::size_t otherwise) const {
    return static_cast<std::size_t>(number(name, static_cast<double>(otherwise)));
  }

private:
  std::map<std::string, std::string> values_;
};

} // namespace troupe::bench
