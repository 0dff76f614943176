#include "sim/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "sim/situations.hpp"

namespace troupe::sim {

namespace {

/// Of a line that is kept for the story of a failure; a list of tasks may have many megabytes.
constexpr std::size_t line_bytes_kept = 300;

} // namespace

void trace::mix(std::string_view bytes) {
  // FNV-1a, eight bytes at a time, in an order that is the same on every machine.
  constexpr std::uint64_t fnv_prime = 1099511628211U;
  constexpr std::size_t word = 8;
  while (!bytes.empty()) {
    const auto count = std::min(bytes.size(), word);
    std::uint64_t next = count;
    for (std::size_t i = 0; i < count; ++i)
      next ^= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (word * i);
    hash_ = (hash_ ^ next) * fnv_prime;
    bytes.remove_prefix(count);
  }
}

void trace::add(std::string_view line) {
  if (const auto now = now_(); time_text_.empty() || now != line_at_) {
    char text[32];
    const auto length =
        std::snprintf(text, sizeof text, "%12.6f ", std::chrono::duration<double>(now).count());
    time_text_.assign(text, static_cast<std::size_t>(length));
    line_at_ = now;
  }
  std::string whole;
  whole.reserve(time_text_.size() + line.size());
  whole.append(time_text_).append(line);
  if (!hidden_.empty())
    for (auto at = whole.find(hidden_); at != std::string::npos; at = whole.find(hidden_, at))
      whole.erase(at, hidden_.size());
  mix(whole);
  if (on_line)
    on_line(whole);
  begins_.push_back(all_.size());
  all_.append(whole, 0, line_bytes_kept);
  all_ += whole.size() > line_bytes_kept ? " ...\n" : "\n";
}

trace::counts::iterator trace::count(std::string_view situation) {
  auto at = situations_.find(situation);
  if (at == situations_.end()) {
    if (!is_situation(situation))
      throw std::logic_error("there is no situation \"" + std::string(situation) + '"');
    at = situations_.emplace(std::string(situation), 0).first;
  }
  ++at->second;
  return at;
}

void trace::reached(std::string_view situation) {
  add("reached: " + count(situation)->first);
}

void trace::reached_without_line(std::string_view situation) {
  count(situation);
}

std::vector<std::string> trace::last(std::size_t count, std::string_view word,
                                     std::uint64_t of) const {
  std::vector<std::string> out;
  const std::string_view all = all_;
  for (auto number = std::min<std::size_t>(of, begins_.size()); number > 0 && out.size() < count;
       --number) {
    const auto begin = begins_[number - 1];
    const auto line = all.substr(begin, all.find('\n', begin) - begin);
    if (line.find(word) == std::string_view::npos)
      continue;
    out.emplace_back(line);
  }
  std::ranges::reverse(out);
  return out;
}

} // namespace troupe::sim
