// The only source of chance in a simulated world. Each stream of dice has a name: what one part of
// the world draws does not change what another part draws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::sim {

using std::chrono::nanoseconds;

class dice {
public:
  /// The same seed and name give the same numbers, on every machine and with every compiler.
  dice(std::uint64_t seed, std::string_view name) : state_(seed) {
    constexpr std::uint64_t fnv_prime = 1099511628211U;
    for (const char c : name)
      state_ = (state_ ^ static_cast<unsigned char>(c)) * fnv_prime;
    next();
  }

  /// SplitMix64.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    auto out = state_;
    out = (out ^ (out >> 30U)) * 0xbf58476d1ce4e5b9U;
    out = (out ^ (out >> 27U)) * 0x94d049bb133111ebU;
    return out ^ (out >> 31U);
  }
  /// 0 to `count` - 1; `count` is at least 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// Both included.
  std::size_t between(std::size_t least, std::size_t most) {
    return least + below(most - least + 1);
  }
  nanoseconds between(nanoseconds least, nanoseconds most) {
    const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + nanoseconds{static_cast<std::int64_t>(next() % span)};
  }
  /// True in `rate` of all cases; `rate` is 0 to 1.
  bool chance(double rate) { return static_cast<double>(next() >> 11U) * 0x1.0p-53 < rate; }
  template<class List>
  [[nodiscard]] typename List::value_type one_of(const List& list) {
    return list[below(list.size())];
  }

private:
  std::uint64_t state_;
};

} // namespace troupe::sim
