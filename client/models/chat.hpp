// What is said to a model and what it answers: chat completions in the subset that every server
// takes (docs/models.md). Plain values.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::models {

enum class speaker : std::uint8_t { system, user, assistant, tool };

/// A model asks for a function of ours.
struct tool_call {
  std::string id;
  std::string name;
  std::string arguments; ///< JSON as text, as the model wrote it: maybe broken.

  friend bool operator==(const tool_call&, const tool_call&) = default;
};

struct chat_message {
  speaker from = speaker::user;
  std::string content;
  std::vector<tool_call> calls{}; ///< Of an assistant.
  std::string call_id{};          ///< Of a tool: which call it answers.

  friend bool operator==(const chat_message&, const chat_message&) = default;
};

/// A function that the model may ask for.
struct tool_spec {
  std::string name;
  std::string description;
  boost::json::object parameters; ///< JSON Schema.
};

/// What one request sets in place of what the operator has set for its model.
struct chat_settings {
  std::optional<std::uint32_t> answer_tokens_max{}; ///< Never above the operator's.
  std::optional<double> temperature{};
  std::optional<std::int64_t> seed{};

  friend bool operator==(const chat_settings&, const chat_settings&) = default;
};

struct chat_request {
  std::vector<chat_message> messages;
  std::vector<tool_spec> tools{};
  boost::json::object schema{}; ///< JSON Schema of the answer; empty: any text.
  bool streams = true;
  chat_settings settings{};
};

struct chat_usage {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t answer_tokens = 0;
  bool is_estimated = false; ///< The server did not say it.

  friend bool operator==(const chat_usage&, const chat_usage&) = default;
};

/// Why the model stopped.
enum class finish_reason : std::uint8_t {
  none, ///< It did not say: the answer was cut off.
  stop,
  length,
  tool_calls,
  content_filter,
  other, ///< A word that is not known here.
};

[[nodiscard]] std::string_view to_string(finish_reason reason) noexcept;

struct chat_answer {
  std::string content;
  std::string reasoning; ///< In a member of its own; it is no part of the answer.
  std::string refusal;
  std::vector<tool_call> calls;
  finish_reason finish = finish_reason::none;
  std::optional<chat_usage> usage;
};

/// What an answer is good for.
enum class answer_kind : std::uint8_t {
  text,     ///< Its content is the answer.
  calls,    ///< It asks for tools.
  too_long, ///< Cut off at the limit of tokens.
  refused,  ///< The model does not want to.
  filtered, ///< A filter of the server took it away.
};

/// Some servers say `stop` with tool calls: that there are any decides.
[[nodiscard]] answer_kind kind_of(const chat_answer& answer) noexcept;

/// Above the true number for most texts, for budgets: a token for each three bytes.
[[nodiscard]] std::uint64_t estimated_tokens(std::size_t bytes) noexcept;
/// Of all messages and tools.
[[nodiscard]] std::uint64_t estimated_tokens(const chat_request& request) noexcept;

/// The content without thoughts (`<think>...</think>`) before it, and without a fence
/// (three backticks) around it, as models wrap JSON. What stands outside of the only fence is
/// dropped with it.
[[nodiscard]] std::string plain_content(std::string_view content);

} // namespace troupe::models
