// What an attack has shown, as text or JSON, and whether that is good.
#pragma once

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::attack {

/// The honest client's p99 under attack, in multiples of its p99 without.
inline constexpr double slower_max = 5;
/// The server's memory after the attack, in multiples of that before.
inline constexpr double memory_growth_max = 1.2;

struct findings {
  std::uint64_t seed = 0;
  std::size_t seconds = 0;
  std::size_t address_space = 0;                   ///< Bytes; 0: unbounded.
  boost::json::object quiet;                       ///< As the honest client reports.
  boost::json::object under_attack;                ///< The same.
  boost::json::object attackers;                   ///< As they report.
  std::vector<std::chrono::milliseconds> restarts; ///< How long each took, after a kill.
  std::size_t resident_before = 0;                 ///< Bytes.
  std::size_t resident_after = 0;                  ///< Bytes.
  std::size_t reserved_max = 0;    ///< Bytes of address space of the last process of the server.
  std::vector<std::string> deaths; ///< Of the server, that nobody wanted.
  std::size_t strays = 0;          ///< Programs that have outlived the server.

  [[nodiscard]] double slower() const;
  [[nodiscard]] double memory_growth() const;
  /// What must never be: a death, a lost task, an answer that is not HTTP, a program that is left.
  /// `strict`: also times and memory beyond their bounds.
  [[nodiscard]] std::vector<std::string> problems(bool strict) const;
};

[[nodiscard]] std::string as_text(const findings& all, bool strict);
[[nodiscard]] std::string as_json(const findings& all, bool strict);

} // namespace troupe::attack
