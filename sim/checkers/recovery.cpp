#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

verdict compare(const std::map<std::string, task_view>& before,
                const std::map<std::string, task_view>& after, const std::string& step) {
  for (const auto& [id, shown] : before) {
    const auto found = after.find(id);
    if (found == after.end())
      return "task " + id + " is gone after " + step;
    const auto& now = found->second;
    if (now.state != shown.state)
      return "task " + id + " was " + shown.state + " and is " + now.state + " after " + step;
    if (now.artifacts != shown.artifacts || now.messages != shown.messages)
      return "task " + id + " has other artifacts or messages after " + step;
  }
  for (const auto& [id, shown] : after)
    if (!before.contains(id))
      return "task " + id + " is there only after " + step;
  return std::nullopt;
}

/// The first line in which they differ.
std::string difference(const std::string& one, const std::string& other) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < one.size() && at < other.size() && one[at] == other[at]; ++at)
    if (one[at] == '\n')
      begin = at + 1;
  const auto line = [&](const std::string& in) {
    return begin >= in.size() ? std::string("nothing")
                              : in.substr(begin, in.find('\n', begin) - begin);
  };
  return '"' + line(one) + "\", and then \"" + line(other) + '"';
}

} // namespace

verdict check_recovery(const history& seen) {
  for (std::size_t i = 1; i < seen.recoveries.size(); ++i)
    if (seen.recoveries[i].is_second && seen.recoveries[i].found != seen.recoveries[i - 1].found)
      return "two starts, one right after the other, find different things: "
             + difference(seen.recoveries[i - 1].found, seen.recoveries[i].found);
  const auto before = seen.restarts.find("before");
  if (before == seen.restarts.end())
    return std::nullopt;
  for (const auto& [step, shown] : seen.restarts)
    if (auto wrong = compare(before->second, shown, step))
      return wrong;
  return std::nullopt;
}

} // namespace troupe::sim
