// What the two JSON forms of A2A 0.3 share: that of JSON-RPC, whose objects say their `kind`, and
// that of REST, which is the ProtoJSON of the 0.3 proto (docs/a2a.md, "JSON"). Both read the
// other's shapes too, so there is one reader. Internal to protocol/.
#pragma once

#include "protocol/a2a/wire_reading.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/ids.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace troupe::wire_0_3 {

enum class binding : bool { json_rpc, rest };

/// `read_part` of each binding. They differ in two doubtful cases: what `{"data":{"data":{}}}`
/// holds, and whether `fileWithBytes` was encoded twice, as the Go and Python SDKs do.
[[nodiscard]] part part_from_json_rpc(const boost::json::value& from, const wire::place& where,
                                      wire::first_failure& failure);
[[nodiscard]] part part_from_rest(const boost::json::value& from, const wire::place& where,
                                  wire::first_failure& failure);

/// What becomes of a message without `messageId`. 0.3 section 6.4 requires one; the examples of OPT
/// have none.
enum class missing_id : bool { refused, made };

/// A message without an id is given `spare_id` or, if that is empty and `rule` allows it, one from
/// `ids`.
[[nodiscard]] message message_from(const boost::json::value& from, const wire::place& where,
                                   wire::first_failure& failure, binding how, id_source& ids,
                                   missing_id rule, const std::string& spare_id = {});

/// `input-required`, `INPUT_REQUIRED`, `TASK_STATE_INPUT_REQUIRED`, 6, "6".
[[nodiscard]] std::optional<task_state> state_from(const boost::json::value& from);

/// Params of message/send in either binding. A key of OPT in the metadata of the message or of the
/// request also makes the id of a message that has none.
[[nodiscard]] wire::send_params send_params_from(const wire::object_reader& in,
                                                 wire::first_failure& failure, binding how,
                                                 id_source& ids, missing_id rule);

/// The id of a configuration that has none: in 0.3 a client that sets a second one means the same
/// one again.
inline constexpr std::string_view default_push_id = "default";

/// A configuration as a member of something: `id`, `url`, `token`,
/// `authentication{schemes,credentials}`. Without an `id` it is the default one. Clients of 0.3
/// send
/// `{}` or `{"schemes":[]}` for no authentication.
[[nodiscard]] push_config push_config_from(const boost::json::value& from, const wire::place& where,
                                           wire::first_failure& failure);
/// The same, with no id if it has none: REST may have it elsewhere.
[[nodiscard]] push_config unnamed_push_config_from(const wire::object_reader& in,
                                                   wire::first_failure& failure);
void write_push_members(json_writer& out, const push_config& value);

/// What a data part of 0.3 holds for `data`, which must be an object there: other values are
/// wrapped, and the part's metadata says so (docs/a2a.md, "JSON").
void write_data_object(json_writer& out, const boost::json::value& data);
void write_data_metadata(json_writer& out, const part& value);

} // namespace troupe::wire_0_3
