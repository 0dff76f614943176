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
    // A process that dies may not have written that an attempt began, or have written it before its
    // agent was asked.
    const auto since = before == nullptr ? 0 : before->began;
    const auto crashes = static_cast<std::uint32_t>(std::ranges::count_if(
        seen.crashes, [&](moment at) { return since < at && at < each.began; }));
    const bool goes_on = before != nullptr && before->asks && each.goes_on && each.number == number;
    const auto least = goes_on ? number : crashes == 0 ? number + 1 : 1;
    if (each.number < least || each.number > number + 1 + crashes)
      return name + " followed attempt " + std::to_string(number);
    before = &each;
  }
  return std::nullopt;
}

} // namespace troupe::sim
