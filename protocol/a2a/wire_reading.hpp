// The objects and params of A2A as far as all its versions read them alike. What a version reads
// otherwise it hands in as functions. Internal to protocol/; errors and leniency as in
// object_reader.
#pragma once

#include "protocol/a2a/send_params.hpp"
#include "protocol/json/object_reader.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/push_config.hpp>

#include <boost/json/value.hpp>

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::wire {

inline constexpr std::uint32_t history_length_max =
    std::numeric_limits<std::int32_t>::max(); // int32 in the protos.

/// The root of `params`.
inline const place params_root{};

using part_reader = part (*)(const boost::json::value& from, const place& where,
                             first_failure& failure);
/// The state a version's spelling or number means; nothing if none.
using state_reader = std::optional<task_state> (*)(const boost::json::value& from);

/// The first failure, or else the value.
template<class T>
[[nodiscard]] result<T> finish(T&& value, first_failure& failure) {
  if (failure)
    return failure.take();
  return std::forward<T>(value);
}

/// `read(from, place of that name, failure)` as a result.
template<class Read>
[[nodiscard]] auto read_alone(const boost::json::value& from, const std::string& context,
                              const Read& read) {
  first_failure failure;
  return finish(read(from, place{nullptr, context, std::nullopt}, failure), failure);
}

[[nodiscard]] inline std::string_view view(const boost::json::string& text) noexcept {
  return {text.data(), text.size()};
}

/// `kind` and `type` may be absent or one of `known`; anything else is a mistake (docs/a2a.md,
/// "JSON").
void check_discriminator(const object_reader& in, std::initializer_list<std::string_view> known);

[[nodiscard]] std::vector<part> read_parts(const object_reader& in, std::string_view name,
                                           part_reader read_part, first_failure& failure);
/// Everything of a message but its id, role and parts.
void read_message_rest(const object_reader& in, message& out);
[[nodiscard]] artifact read_artifact(const boost::json::value& from, const place& where,
                                     part_reader read_part, first_failure& failure);

/// What `configuration` has in every version.
void read_configuration(const object_reader& in, send_params& out);
/// The tenant, where the params name one; who it is besides is not for them to say.
[[nodiscard]] principal read_principal(const object_reader& in);
/// Params of the calls about one task.
[[nodiscard]] get_task read_get_task(const object_reader& in);
[[nodiscard]] cancel_task read_cancel_task(const object_reader& in);
[[nodiscard]] subscribe_to_task read_subscribe(const object_reader& in);
[[nodiscard]] list_tasks read_list_tasks(const object_reader& in, state_reader state_from);

/// `id`, `url`, `token` and `authentication` of a push configuration (limits: protocol/limits.hpp).
/// `authentication` has one `scheme` or, in 0.3, `schemes`, of which the first counts (A2A 1.0
/// section 4.3.2, A2A 0.3 section 6.9). In 0.3, an `authentication` that says nothing counts as
/// absent; else it lacks its scheme.
void read_push_members(const object_reader& in, push_config& out, first_failure& failure,
                       bool is_v0_3 = false);
/// The page of a list of push configurations.
void read_page(const object_reader& in, list_push_configs& out);
/// An id that a client chose; "" if absent.
[[nodiscard]] std::string read_chosen_id(const object_reader& in, std::string_view name);

/// One of the calls, `read` being given the reader of `params`.
template<class Read>
[[nodiscard]] auto read_params(const boost::json::value& params, const Read& read) {
  first_failure failure;
  const object_reader in{params, params_root, failure};
  return finish(read(in, failure), failure);
}

} // namespace troupe::wire
