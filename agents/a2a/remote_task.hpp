// What the agent of another server says about a task that it does for us, and what that means for
// our task: one table of states, and one function that takes each frame. Plain values, no sockets.
#pragma once

#include "protocol/a2a/answer_reading.hpp"
#include "protocol/opt/hitl.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/task_state.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The longest id of a remote task or context; frames with a longer one are dropped. Ids of
/// messages and artifacts that are longer get a short one in their place.
inline constexpr std::size_t remote_id_bytes_max = 1024;

/// Artifacts of one remote task. One more fails the attempt: their marks are kept as long as the
/// task is followed, and no other limit counts them.
inline constexpr std::size_t remote_artifacts_max = 10'000;

inline constexpr std::uint64_t hash_of_nothing = 0xcbf29ce484222325U; ///< FNV-1a, 64 bits.

enum class remote_meaning : std::uint8_t {
  works,     ///< Our task works.
  asks,      ///< Our task asks the same; the answer goes back.
  completes, ///< Our task completes.
  fails,     ///< Our attempt fails; another one may follow.
  refuses,   ///< Our attempt fails; there is no other.
};

struct remote_meaning_row {
  task_state state;
  remote_meaning means;
};

/// In the order of the states; docs/delegation.md has it in words.
inline constexpr auto remote_meanings = std::to_array<remote_meaning_row>({
    {task_state::unspecified, remote_meaning::works},
    {task_state::submitted, remote_meaning::works},
    {task_state::working, remote_meaning::works},
    {task_state::completed, remote_meaning::completes},
    {task_state::failed, remote_meaning::fails},
    {task_state::canceled, remote_meaning::fails},
    {task_state::input_required, remote_meaning::asks},
    {task_state::rejected, remote_meaning::refuses},
    {task_state::auth_required, remote_meaning::asks},
});

[[nodiscard]] remote_meaning meaning_of(task_state state) noexcept;

/// What one frame says.
struct remote_news {
  enum class verdict : std::uint8_t {
    taken,
    foreign, ///< Of another task: dropped.
    late,    ///< After the end: dropped.
  };
  verdict taken = verdict::taken;
  std::vector<agent_report> reports;   ///< Progress, messages and artifacts, in their order.
  std::optional<remote_meaning> means; ///< If the frame says the state.
  /// If it asks. Its key is the same for the same question, also after a restart.
  std::optional<report_question> question;
  std::string words;      ///< Of the end.
  bool is_whole = false;  ///< The frame has all artifacts of the task.
  bool is_reply = false;  ///< A message in place of a task: `reports` has it as an artifact.
  bool has_moved = false; ///< It has another state, or asks something else.
  bool has_news = false;  ///< Something happened since the frame before.
  /// More artifacts than are followed (remote_artifacts_max); those above are left out.
  bool has_too_many = false;
};

/// What is known of the remote task. Of its artifacts only sizes and hashes are kept.
class remote_task {
public:
  remote_task() = default;
  /// One that is known from earlier.
  remote_task(std::string id, std::string context)
      : id_(std::move(id)), context_(std::move(context)) {}

  [[nodiscard]] remote_news take(const wire::answer& frame);

  [[nodiscard]] const std::string& id() const noexcept { return id_; } ///< Empty: not known yet.
  [[nodiscard]] const std::string& context() const noexcept { return context_; }
  [[nodiscard]] task_state state() const noexcept { return state_; }
  [[nodiscard]] bool has_ended() const noexcept { return is_terminal(state_); }
  /// What it asks in the words of the extension "Human in the Loop" (protocol/opt/hitl.hpp);
  /// nothing: it asks nothing, or in other words.
  [[nodiscard]] const std::optional<hitl::request>& request() const noexcept { return request_; }
  /// The objective for which it stands, if it is the root task of one (OPT); empty: it is none.
  [[nodiscard]] const std::string& objective() const noexcept { return objective_; }

private:
  /// Tells contents apart. Chunks of a text have the mark of the text that they become.
  struct content_mark {
    std::size_t bytes = 0;  ///< Of text and files.
    std::size_t others = 0; ///< Parts that are neither.
    std::uint64_t bytes_hash = hash_of_nothing;
    std::uint64_t others_hash = hash_of_nothing;
    void add(const std::vector<part>& parts);
    friend bool operator==(const content_mark&, const content_mark&) = default;
  };

  [[nodiscard]] bool is_own(const task_id& id, const std::string& context);
  void take_status(const task_status& status, const boost::json::object& metadata,
                   remote_news& out);
  [[nodiscard]] bool has_place(const std::string& artifact_id, remote_news& out) const;
  void take_whole(const artifact& made, bool is_last, remote_news& out);
  void take_chunk(const wire::artifact_update& made, remote_news& out);
  void take_message(const message& said, remote_news& out);

  std::string id_;
  std::string context_;
  task_state state_ = task_state::unspecified;
  std::string last_message_; ///< Which status message was shown last (name_of).
  std::optional<progress_report> last_progress_;
  std::string last_question_;
  std::optional<hitl::request> request_;
  std::string objective_;
  std::uint32_t asked_ = 0; ///< How often it began to ask.
  std::map<std::string, content_mark, std::less<>> artifacts_;
  std::set<std::string, std::less<>> ended_; ///< Artifacts whose last chunk was shown.
};

} // namespace troupe
