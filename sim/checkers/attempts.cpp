#include <algorithm>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

verdict check_attempts(const history& seen) {
  std::map<std::string, const attempt*> last;
  for (const auto& each : seen.attempts) {
    const auto*& before = last[each.task];
    const auto name = "attempt " + std::to_string(each.number) + " of task " + each.task;
    if (before != nullptr && (before->ended == 0 || before->ended > each.began))
      return name + " began while attempt " + std::to_string(before->number) + " ran";
    const auto number = before == nullptr ? 0 : before->number;
    // Attempts shortly before a crash may not have been written.
    const bool has_died = std::ranges::any_of(seen.crashes, [&](moment at) {
      return before != nullptr && before->began < at && at < each.began;
    });
    if (each.number != number + 1 && !(has_died && each.number != 0 && each.number <= number))
      return name + " followed attempt " + std::to_string(number);
    before = &each;
  }
  return std::nullopt;
}

} // namespace troupe::sim
