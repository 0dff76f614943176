// What may come once: a message, a command or a request that has a key of its client's. A change
// carries these as conditions. The store makes the change only if none of them came before, and
// remembers them with the change (docs/decisions/015-once.md).
#pragma once

#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

enum class once_kind : char {
  message = 'm',         ///< `messageId`, with context and task.
  request = 'r',         ///< `request_id` of a command.
  idempotency_key = 'k', ///< The header `Idempotency-Key`.
};

/// Owner, kind and key say what came; so one owner never hears of another's keys.
struct once {
  once_kind kind = once_kind::message;
  std::string owner; ///< owner_of.
  std::string key;
  std::uint64_t content = 0; ///< Hash of what was asked for: the same key is for the same content.
  timestamp until{};         ///< From then on it may come again.
  /// What the first led to, as JSON: see actors/commands/once_answer.hpp. Empty before that is
  /// known.
  std::string answer{};

  friend bool operator==(const once&, const once&) = default;
};

using once_ptr = std::shared_ptr<const once>;

/// Of a command: what it may come once for. While a copy lives, the command counts as under way,
/// and one that comes again waits (actors/commands/once_desk.hpp). Null: it may come as often as it
/// likes.
using once_conditions = std::shared_ptr<const std::vector<once>>;

} // namespace troupe
