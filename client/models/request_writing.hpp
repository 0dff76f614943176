// A chat request as the body of an HTTP request, for one server. Plain functions.
#pragma once

#include "client/models/chat.hpp"
#include "client/models/server_kind.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::models {

/// What an operator has set, and what the server has refused.
struct writing_terms {
  std::string model;
  server_kind kind = server_kind::generic;
  std::optional<std::uint32_t> answer_tokens_max{};
  std::optional<double> temperature{};
  std::optional<std::int64_t> seed{};
  boost::json::object extra{}; ///< Further members, as they are.
  /// Members that the server has refused (refusable_members).
  std::vector<std::string> dropped{};
};

/// What a request can do without: members that are left out once a server has refused them. `tools`
/// is none of them: without its tools a task would do something else than it says.
[[nodiscard]] std::span<const std::string_view> refusable_members() noexcept;

/// The most tokens of the answer; nothing: as the server likes.
[[nodiscard]] std::optional<std::uint32_t> answer_tokens_of(const chat_request& request,
                                                            const writing_terms& terms) noexcept;

/// System messages are joined and put first: some servers take no other order, or do the same.
[[nodiscard]] boost::json::object write_request(const chat_request& request,
                                                const writing_terms& terms);

/// Whether every object in it wants all its properties and no others: what `strict` needs.
[[nodiscard]] bool is_strict_schema(const boost::json::object& schema);

/// Whether another request may be made without `member`, or with another one in its place; then it
/// is in `terms.dropped`. False if it was dropped before, is not of the kind, or was not written.
[[nodiscard]] bool drop_member(writing_terms& terms, const boost::json::object& written,
                               std::string_view member);

} // namespace troupe::models
