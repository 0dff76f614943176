// What language models have used for a task or an objective. The agent says it of each call, in the
// metadata of a message of its task; sums are made of these messages.
#pragma once

#include <troupe/protocol/message.hpp>

#include <cstdint>
#include <string_view>

namespace troupe {

/// In the metadata of the message about a call of a model (docs/models.md).
inline constexpr std::string_view model_usage_key = "troupe/v1/model";

struct model_usage {
  std::uint32_t calls = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t answer_tokens = 0;
  std::uint64_t milliseconds = 0;
  std::uint64_t cost_millionths = 0; ///< Of the money of the operator's prices.
  bool is_estimated = false;         ///< Of some call the server did not say it.

  model_usage& operator+=(const model_usage& more) noexcept;
  friend bool operator==(const model_usage&, const model_usage&) = default;
};

/// What a message of an agent says about a call; nothing used if it says nothing.
[[nodiscard]] model_usage usage_in(const message& said) noexcept;

} // namespace troupe
