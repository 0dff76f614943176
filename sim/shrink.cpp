#include "sim/shrink.hpp"

#include "protocol/text/control_characters.hpp"
#include "protocol/text/counted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/run.hpp"
#include "sim/settings_text.hpp"
#include "sim/simpler.hpp"

namespace troupe::sim {

namespace {

std::string client_of(const std::string& operation) {
  return operation.substr(0, operation.find('.'));
}

class shrinking {
public:
  shrinking(settings failing, std::string checker, std::size_t runs_max)
      : checker_(std::move(checker)), runs_max_(runs_max) {
    out_.how = std::move(failing);
  }

  shrunk go() {
    if (!try_out(out_.how))
      return out_;
    for (bool is_smaller = true; is_smaller && has_runs();) {
      is_smaller = leave_out_kinds();
      is_smaller = leave_out_clients() || is_smaller;
      is_smaller = leave_out_operations() || is_smaller;
    }
    std::set<std::string> clients;
    for (const auto& each : operations_)
      clients.insert(client_of(each));
    out_.clients = clients.size();
    out_.operations = operations_.size();
    out_.faults = kinds_of_faults(out_.how);
    return out_;
  }

private:
  [[nodiscard]] bool has_runs() const { return out_.runs < runs_max_; }

  /// Keeps the settings if the same checker still fails.
  bool try_out(const settings& smaller) {
    if (!has_runs())
      return false;
    ++out_.runs;
    auto got = run(smaller);
    const auto found = got.found.find(checker_);
    if (found == got.found.end())
      return false;
    out_.how = smaller;
    out_.sentence = found->second;
    operations_ = std::move(got.operations);
    return true;
  }

  bool leave_out_kinds() {
    bool is_smaller = false;
    // Each of them once, by its place in the list, which does not get longer.
    for (std::size_t at = 0; has_runs();) {
      const auto ways = simpler(out_.how);
      if (at >= ways.size())
        return is_smaller;
      if (try_out(ways[at]))
        is_smaller = true;
      else
        ++at;
    }
    return is_smaller;
  }

  bool leave_out_clients() {
    bool is_smaller = false;
    std::set<std::string> clients;
    for (const auto& each : operations_)
      clients.insert(client_of(each));
    for (const auto& each : clients) {
      auto left = operations_;
      std::erase_if(left, [&](const auto& one) { return client_of(one) == each; });
      is_smaller = keep(left) || is_smaller;
    }
    return is_smaller;
  }

  /// Halves, quarters and so on, down to single ones.
  bool leave_out_operations() {
    bool is_smaller = false;
    for (auto size = operations_.size() / 2; size > 0 && has_runs(); size /= 2)
      for (std::size_t at = 0; at < operations_.size() && has_runs();) {
        auto left = operations_;
        const auto begin = left.begin() + static_cast<std::ptrdiff_t>(at);
        left.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, left.size() - at)));
        if (keep(left))
          is_smaller = true;
        else
          at += size;
      }
    return is_smaller;
  }

  bool keep(const std::vector<std::string>& operations) {
    if (operations.empty() || operations.size() == operations_.size())
      return false;
    auto smaller = out_.how;
    smaller.only = {operations.begin(), operations.end()};
    return try_out(smaller);
  }

  const std::string checker_;
  const std::size_t runs_max_;
  shrunk out_;
  std::vector<std::string> operations_; ///< Of the last failure.
};

} // namespace

shrunk shrink(const settings& failing, const std::string& checker, std::size_t runs_max) {
  return shrinking(failing, checker, runs_max).go();
}

std::string text_of(const shrunk& small, const std::string& checker) {
  const auto sentence = without_controls(small.sentence);
  // A comment of TOML is one line of UTF-8.
  return "# " + checker + ": " + (is_utf8(sentence) ? sentence : shown(sentence)) + "\n"
         + write_settings(small.how);
}

std::string sizes_of(const shrunk& small) {
  return "after " + counted(small.runs, "run") + ", these are left: "
         + counted(small.clients, "client") + ", " + counted(small.operations, "operation")
         + " and " + counted(small.faults, "kind of faults", "kinds of faults") + ":\n";
}

} // namespace troupe::sim
