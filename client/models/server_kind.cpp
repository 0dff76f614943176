#include "client/models/server_kind.hpp"

#include <algorithm>
#include <array>

namespace troupe::models {

namespace {

// clang-format off
constexpr auto server_table = std::to_array<server_row>({
    // kind                    name          key header       bounds the answer         usage  format strict seed
    {server_kind::generic,    "generic",    "Authorization", "max_tokens",             false, true,  false, true },
    {server_kind::openai,     "openai",     "Authorization", "max_completion_tokens",  true,  true,  true,  true },
    {server_kind::azure,      "azure",      "api-key",       "max_completion_tokens",  true,  true,  true,  true },
    {server_kind::ollama,     "ollama",     "Authorization", "max_tokens",             true,  true,  false, true },
    {server_kind::vllm,       "vllm",       "Authorization", "max_tokens",             true,  true,  false, true },
    {server_kind::llama_cpp,  "llama.cpp",  "Authorization", "max_tokens",             true,  true,  false, true },
    {server_kind::lm_studio,  "lm-studio",  "Authorization", "max_tokens",             true,  true,  false, true },
    {server_kind::anthropic,  "anthropic",  "Authorization", "max_tokens",             true,  false, false, false},
    {server_kind::gemini,     "gemini",     "Authorization", "max_tokens",             true,  true,  false, false},
    {server_kind::openrouter, "openrouter", "Authorization", "max_tokens",             true,  true,  false, true },
});
// clang-format on

} // namespace

std::span<const server_row> server_rows() noexcept {
  return server_table;
}

const server_row& row_of(server_kind kind) noexcept {
  return server_table[static_cast<std::size_t>(kind)];
}

const server_row* find_server_kind(std::string_view name) noexcept {
  const auto* found = std::ranges::find(server_table, name, &server_row::name);
  return found == server_table.end() ? nullptr : found;
}

static_assert([] {
  for (std::size_t i = 0; i < server_table.size(); ++i)
    if (static_cast<std::size_t>(server_table[i].kind) != i)
      return false;
  return true;
}());

} // namespace troupe::models
