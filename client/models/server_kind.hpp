// How the servers of models differ, as rows of data: what is written for which, and how a key is
// shown to it. Plain values; docs/models.md has the same table with its tests.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace troupe::models {

enum class server_kind : std::uint8_t {
  generic, ///< The subset that every server takes, and nothing else.
  openai,
  azure,
  ollama,
  vllm,
  llama_cpp,
  lm_studio,
  anthropic, ///< Its layer for clients of OpenAI.
  gemini,    ///< The same.
  openrouter,
};

struct server_row {
  server_kind kind;
  std::string_view name;       ///< In settings: `lm-studio`.
  std::string_view key_header; ///< `Authorization`: as `Bearer`.
  /// The member that bounds the answer.
  std::string_view answer_limit_member;
  /// `stream_options.include_usage` is taken: else the last chunk has no usage.
  bool takes_usage_option;
  /// `response_format` means something. Else the schema is only in the prompt.
  bool takes_response_format;
  /// `strict` in a schema is taken, if the schema is strict itself: every property required, no
  /// others allowed.
  bool takes_strict;
  /// `temperature` and `seed` are taken, if they are set.
  bool takes_seed;
};

[[nodiscard]] std::span<const server_row> server_rows() noexcept;
[[nodiscard]] const server_row& row_of(server_kind kind) noexcept;
/// Null if there is none of that name.
[[nodiscard]] const server_row* find_server_kind(std::string_view name) noexcept;

} // namespace troupe::models
