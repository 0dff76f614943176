// What all delegations of a process share: the connections to the agents, the queues of the
// targets, and the cancels that go on in the background.
#pragma once

#include "agents/a2a/delegation_note.hpp"
#include "agents/a2a/target_queue.hpp"
#include "client/a2a/call_loop.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// The agents that are spoken to, by name. For the loop's thread.
class delegation_lines {
public:
  explicit delegation_lines(std::size_t open_max)
      : open_(std::make_shared<open_delegations>(open_delegations{0, open_max})) {}

  std::shared_ptr<target_queue> queue(a2a::call_loop& on, const std::string& name,
                                      target_limits limits);

  result<std::shared_ptr<a2a::agent_line>> open(a2a::call_loop& on, const std::string& name,
                                                const a2a::line_options& options);

  // -- cancels in the background, by the note of what they cancel

  /// Keeps what delivers it, until `let_go`.
  void keep(const delegation_note& note, std::shared_ptr<void> one);
  void let_go(const delegation_note& note);
  /// All of it: it has these lines, too.
  void forget() { background_.clear(); }
  /// Whether what an earlier attempt at this task of ours has given up is still to be canceled.
  [[nodiscard]] bool is_canceling(const std::string& our_task) const;
  /// `go` is called when one of them is settled.
  void wait_for_cancel(const std::string& our_task, std::function<void()> go);

  /// The agent goes on with what this task of ours has given up; `words`: the agent's.
  void note_refusal(const std::string& our_task, std::string_view words);
  /// Null: there is none.
  [[nodiscard]] const std::string* refusal_of(const std::string& our_task) const;

  [[nodiscard]] std::size_t kept_lines() const noexcept { return lines_.size(); }

private:
  /// With more, those that were not used for `line_kept` are closed, and if that is not enough all
  /// that nobody uses now.
  static constexpr std::size_t lines_max = 256;
  static constexpr std::chrono::minutes line_kept{5};
  struct kept_line {
    std::shared_ptr<a2a::agent_line> line; ///< With all that was learned of the agent.
    time_source::steady_point used_at{};
  };
  std::map<std::string, kept_line> lines_;
  /// As long as there are delegations; a target that refused much is asked slowly only by them.
  std::map<std::string, std::weak_ptr<target_queue>> queues_;
  /// By our task (the first, if it was renewed), and the id of the message.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<void>> background_;
  std::map<std::string, std::vector<std::function<void()>>> waiting_; ///< By our task.
  std::deque<std::pair<std::string, std::string>> refusals_; ///< Our task, and the agent's words.
  const std::shared_ptr<open_delegations> open_;
};

} // namespace troupe
