// What an attempt of the agent `llm` keeps of its conversation (report_note): after a restart of
// the process a call that was answered is not made again. A plain value.
#pragma once

#include "client/models/budget.hpp"
#include "client/models/chat.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A call of a tool, and what became of it.
struct llm_call {
  models::tool_call call;
  /// What the model is told of it. None: it is under way.
  std::optional<std::string> result{};
  bool is_approved = false; ///< By a person, if its tool needs that.
  /// The result is what a called task has made. It is not part of the written note: that task is
  /// found again, and its record has it.
  bool is_of_task = false;

  friend bool operator==(const llm_call&, const llm_call&) = default;
};

/// An answer of the model, and what it was told about it.
struct llm_turn {
  std::string content;
  std::vector<llm_call> calls{};
  std::string told{}; ///< What it was told behind it; empty: nothing.

  friend bool operator==(const llm_turn&, const llm_turn&) = default;
};

struct llm_note {
  std::uint32_t begun_with = 0; ///< Messages of the task with which the conversation began.
  std::uint32_t inputs = 0;     ///< Messages of the task that the model knows.
  std::uint32_t wrong_calls = 0;
  std::uint32_t repairs = 0; ///< Answers that did not fit the schema.
  models::spending spent;
  std::vector<llm_turn> turns;

  friend bool operator==(const llm_note&, const llm_note&) = default;
};

/// Whether a note was written by write_llm_note.
[[nodiscard]] bool is_llm_note(std::string_view text) noexcept;
/// At most note_bytes_max bytes. Of a longer conversation what the model and others have said is
/// cut in the middle, as short as need be; calls stay whole. If even that is too long, only the
/// counts are kept, and the conversation begins anew after a restart.
[[nodiscard]] std::string write_llm_note(const llm_note& note);
/// Errors: invalid_params.
[[nodiscard]] result<llm_note> read_llm_note(std::string_view text);

} // namespace troupe
