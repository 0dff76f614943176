// What happened in a world, as lines with their virtual times, and a hash of all of it: two runs of
// one seed have the same hash, or something that is not the seed has decided.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::sim {

class trace {
public:
  /// `now`: the virtual time since the start.
  explicit trace(std::function<std::chrono::nanoseconds()> now) : now_(std::move(now)) {}

  /// From now on lines are without this text: a directory has another name in each process.
  void hide(std::string text) { hidden_ = std::move(text); }
  void add(std::string_view line);
  /// Counts a situation (situations.hpp), and adds it as a line. Throws if it is not one of them.
  void reached(std::string_view situation);
  /// The same without a line, for what happens with nearly each step.
  void reached_without_line(std::string_view situation);

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] std::uint64_t lines() const noexcept { return begins_.size(); }
  /// How often each situation was met.
  [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& situations() const {
    return situations_;
  }
  /// The last lines that contain `word`, at most `count`, of the first `of` lines.
  [[nodiscard]] std::vector<std::string> last(std::size_t count, std::string_view word,
                                              std::uint64_t of) const;

  /// Called with each line, if set.
  std::function<void(const std::string&)> on_line;

private:
  using counts = std::map<std::string, std::uint64_t, std::less<>>;
  counts::iterator count(std::string_view situation);
  void mix(std::string_view bytes);

  std::function<std::chrono::nanoseconds()> now_;
  std::chrono::nanoseconds line_at_{}; ///< The time of the last line, and the begin of that line.
  std::string time_text_;
  std::string hidden_;
  std::uint64_t hash_ = 14695981039346656037U;
  std::string all_;                 ///< The begin of each line.
  std::vector<std::size_t> begins_; ///< Of the lines in `all_`.
  counts situations_;
};

} // namespace troupe::sim
