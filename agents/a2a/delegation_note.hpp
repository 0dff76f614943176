// What an attempt keeps about the task that another agent does for it: enough to find that task
// again after the process was killed (agent_run's note). A plain value.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

struct delegation_note {
  std::string target;       ///< The alias or the URL.
  std::string endpoint;     ///< Version, binding and URL, for people.
  std::string message;      ///< The id of the message that asks for the task.
  std::string context;      ///< Made for this attempt: nothing else has it. Then the agent's.
  std::string key;          ///< `Idempotency-Key`.
  timestamp at{};           ///< When it was first sent.
  timestamp deadline{};     ///< That was sent with it; the epoch: none.
  std::string task;         ///< The id of the remote task; empty: not known yet.
  std::uint32_t inputs = 0; ///< Messages to our task that were handed over.
  std::string answer;       ///< The id of the message that is being handed over; empty: none.
  std::string question;     ///< The key of the question that it answers; empty: none.
  std::string input;        ///< The id of that question among all of its server; empty: not known.
  std::string our_task;     ///< The id of our task; only in a cancel (cancel_outbox).

  friend bool operator==(const delegation_note&, const delegation_note&) = default;
};

/// The member of an artifact's metadata that says which remote task made it: `target` and `task`.
inline constexpr std::string_view made_by_key = "troupe/v1/remote";

/// The member of a question's data that says who asks: a list of `target` and `taskId`, our remote
/// task first, then those behind it.
inline constexpr std::string_view asker_key = "troupe/v1/asker";

/// Whether a note was written by write_note.
[[nodiscard]] bool is_delegation_note(std::string_view text) noexcept;
[[nodiscard]] std::string write_note(const delegation_note& note);
/// Errors: invalid_params.
[[nodiscard]] result<delegation_note> read_note(std::string_view text);

} // namespace troupe
