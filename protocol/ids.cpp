#include "protocol/text/control_characters.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace troupe {

namespace {

constexpr std::string_view id_chars =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// Milliseconds since 2020, until the year 2131. So rows of things made one after another lie side
// by side, and a place for a new one is found at once.
constexpr std::size_t time_chars = 7;
constexpr std::int64_t time_begin_ms = 1'577'836'800'000;
constexpr std::size_t random_chars = 10;

std::uint64_t split_mix(std::uint64_t& seed) noexcept {
  seed += 0x9e3779b97f4a7c15ULL;
  auto z = seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

} // namespace

id_source::id_source() = default;

id_source::id_source(std::uint64_t seed) : state_(std::in_place) {
  for (auto& word : *state_)
    word = split_mix(seed);
}

// xoroshiro128+ (Blackman and Vigna): two words of state. A few of its numbers give them away.
std::uint64_t id_source::next_random() {
  if (!state_)
    return next_of_system();
  const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  auto& state = *state_;
  const auto s0 = state[0];
  auto s1 = state[1];
  const auto result = s0 + s1;
  s1 ^= s0;
  state[0] = rotl(s0, 24) ^ s1 ^ (s1 << 16);
  state[1] = rotl(s1, 37);
  return result;
}

// Several at once, for the system call costs more than the numbers. It never fails (arc4random(3),
// glibc 2.36).
std::uint64_t id_source::next_of_system() {
  if (left_ == 0) {
    ::arc4random_buf(taken_.data(), sizeof taken_);
    left_ = taken_.size();
  }
  return std::exchange(taken_[--left_], 0);
}

std::string id_source::next(std::string_view prefix) {
  std::array<char, time_chars + random_chars> text;
  const auto write = [&](std::size_t begin, std::size_t chars, std::uint64_t bits) {
    for (auto i = begin + chars; i-- > begin;) {
      text[i] = id_chars[bits % id_chars.size()];
      bits /= id_chars.size();
    }
  };
  const auto time = state_ ? next_random()
                           : static_cast<std::uint64_t>(
                               system_time().now().time_since_epoch().count() - time_begin_ms);
  write(0, time_chars, time);
  write(time_chars, random_chars, next_random());
  std::string out;
  out.reserve(prefix.size() + 1 + text.size());
  return out.append(prefix).append(1, '-').append(text.data(), text.size());
}

id_source& thread_id_source() {
  thread_local id_source source;
  return source;
}

bool is_acceptable_id(std::string_view text) noexcept {
  if (text.empty() || text.size() > id_bytes_max)
    return false;
  return !has_control(text) && text.find('/') == std::string_view::npos;
}

namespace {

/// What an id has behind that of its parent: an infix of two characters and a number.
class id_ending {
public:
  id_ending(std::string_view infix, std::size_t number) noexcept {
    const auto end = std::copy(infix.begin(), infix.end(), text_.begin());
    const auto last = std::to_chars(end, text_.data() + text_.size(), number).ptr;
    size_ = static_cast<std::size_t>(last - text_.data());
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
  std::array<char, 24> text_;
  std::size_t size_;
};

// As long as it must be: a plan of a million tasks keeps a million of these.
std::string joined(std::string_view base, std::string_view infix, std::size_t number) {
  const id_ending ending{infix, number};
  std::string text;
  text.reserve(base.size() + ending.text().size());
  return text.append(base).append(ending.text());
}

bool is_joined(std::string_view id, std::string_view base, std::string_view infix,
               std::size_t number) noexcept {
  return id.starts_with(base) && id.substr(base.size()) == id_ending{infix, number}.text();
}

} // namespace

task_id make_task_id(const plan_id& plan, std::size_t index) {
  return task_id{joined(plan.str(), ".t", index)};
}

task_id renewed_id(const task_id& base, std::uint32_t generation) {
  return generation == 0 ? base : task_id{joined(base.str(), ".r", generation)};
}

plan_id make_plan_id(const objective_id& objective, std::size_t index) {
  return plan_id{joined(objective.str(), ".p", index)};
}

bool is_generated(const task_id& id, const plan_id& plan, std::size_t index) noexcept {
  return is_joined(id.str(), plan.str(), ".t", index);
}

bool is_generated(const plan_id& id, const objective_id& objective, std::size_t index) noexcept {
  return is_joined(id.str(), objective.str(), ".p", index);
}

bool has_generated_form(std::string_view id) noexcept {
  const auto dot = id.rfind('.');
  if (dot == std::string_view::npos || id.size() < dot + 3)
    return false;
  const auto digits = id.substr(dot + 2);
  return std::string_view{"ptr"}.find(id[dot + 1]) != std::string_view::npos
         && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace troupe
