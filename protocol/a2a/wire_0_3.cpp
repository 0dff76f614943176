#include "protocol/a2a/wire_0_3.hpp"

#include "protocol/a2a/wire_writing.hpp"
#include "protocol/json/base64.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>

namespace troupe::wire_0_3 {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

// As the SDKs' own conversions between 1.0 and 0.3 do (docs/a2a.md, "JSON").
constexpr std::string_view wrapped_mark = "data_part_compat";
constexpr std::string_view wrapped_member = "value";

constexpr std::array<std::string_view, 3> part_kinds{"text", "file", "data"};

// -- parts ----------------------------------------------------------------------------------------

// What a part says it is, or else what its members say; "" after a failure. `said`: it was said.
std::string_view kind_of(const object_reader& in, bool& said) {
  for (const auto* name : {"kind", "type"})
    if (const auto* found = in.find(name)) {
      said = true;
      const auto* text = found->if_string();
      for (const auto kind : part_kinds)
        if (text && wire::view(*text) == kind)
          return kind;
      in.fail(name, "expected text, file or data");
      return {};
    }
  std::string_view only;
  std::size_t given = 0;
  for (const auto kind : part_kinds)
    if (in.find(kind)) {
      only = kind;
      ++given;
    }
  if (given == 1)
    return only;
  in.fail("", given == 0 ? "expected one of text, file, data"
                         : "expected only one of text, file, data, or a kind");
  return {};
}

// The first of `names` that is there; "" if none is.
std::string_view first_of(const object_reader& in, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (in.find(name))
      return name;
  return {};
}

bool says_binary(std::string_view media_type) {
  return !media_type.empty() && !media_type.starts_with("text/")
         && media_type.find("json") == std::string_view::npos
         && media_type.find("xml") == std::string_view::npos;
}

// Some clients encode twice; no member says so, but decoded bytes that are again base64 to the
// letter give it away.
void undo_second_encoding(std::string& bytes, std::string_view media_type) {
  constexpr std::size_t convincing_bytes_min = 8;
  if (bytes.size() < convincing_bytes_min || !says_binary(media_type))
    return;
  if (auto inner = from_base64(bytes); inner && to_base64(*inner) == bytes)
    bytes = std::move(*inner);
}

void read_file(const object_reader& part_in, const place& where, first_failure& failure,
               binding how, part& out) {
  const auto* found = part_in.find("file");
  if (!found) {
    part_in.fail("file", "missing; a file part needs it");
    return;
  }
  const auto file_place = where / "file";
  const object_reader in{*found, file_place, failure};
  out.media_type = in.text("mimeType");
  out.filename = in.text("name");
  const auto bytes =
      first_of(in, {"bytes", "fileWithBytes", "data"}); // `data`: the examples of 0.3 section 9.3.
  const auto uri = first_of(in, {"uri", "fileWithUri", "url"});
  if (bytes.empty() == uri.empty()) {
    in.fail("", uri.empty() ? "expected bytes or uri" : "expected only one of bytes and uri");
  } else if (!uri.empty()) {
    out.content = url_content{in.text(uri)};
  } else if (auto decoded = from_base64(in.text(bytes))) {
    if (how == binding::rest && bytes == "fileWithBytes")
      undo_second_encoding(*decoded, out.media_type);
    out.content = raw_content{std::move(*decoded)};
  } else {
    in.fail(bytes, "expected base64");
  }
}

// `{"data":{...}}`, of which the proto's form, `{"data":{"data":{...}}}`, is opened.
void read_data(const object_reader& in, bool may_be_proto, part& out) {
  const auto* found = in.find("data");
  if (!found || !found->is_object()) {
    in.fail("data", "expected an object");
    return;
  }
  auto data = in.tree("data");
  if (auto* object = data.if_object(); may_be_proto && object && object->size() == 1)
    if (auto* inner = object->if_contains("data"); inner && inner->is_object())
      data = json::value(std::move(*inner));
  const auto* mark = out.metadata.if_contains({wrapped_mark.data(), wrapped_mark.size()});
  if (auto* object = data.if_object();
      mark && *mark == json::value(true) && object && object->size() == 1)
    if (auto* inner = object->if_contains({wrapped_member.data(), wrapped_member.size()})) {
      data = json::value(std::move(*inner));
      out.metadata.erase({wrapped_mark.data(), wrapped_mark.size()});
    }
  out.content = data_content{std::move(data)};
}

part part_from(const json::value& from, const place& where, first_failure& failure, binding how) {
  part out;
  const object_reader in{from, where, failure};
  bool said = false;
  const auto kind = kind_of(in, said);
  out.metadata = in.object("metadata");
  if (kind == "text") {
    if (!in.find("text"))
      in.fail("text", "missing; a text part needs it");
    out.content = text_content{in.text("text")};
  } else if (kind == "file") {
    read_file(in, where, failure, how, out);
  } else if (kind == "data") {
    read_data(in, how == binding::rest && !said, out);
  }
  return out;
}

// -- enumerations ---------------------------------------------------------------------------------

// "TASK_STATE_INPUT_REQUIRED" and "INPUT_REQUIRED" to "input-required".
std::string plain_name(std::string_view text, std::string_view prefix) {
  std::string name{text.starts_with(prefix) ? text.substr(prefix.size()) : text};
  for (auto& c : name)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : (c == '_' ? '-' : c);
  return name;
}

role role_from(const object_reader& in) {
  const auto* found = in.find("role");
  if (!found) {
    in.fail("role", "missing; user or agent is required");
    return role::unspecified;
  }
  const auto* text = found->if_string();
  const auto name = text ? plain_name(wire::view(*text), "ROLE_") : std::string{};
  const auto number = wire::whole_number_from(*found);
  if (name == "user" || number == 1)
    return role::user;
  if (name == "agent" || number == 2)
    return role::agent;
  in.fail("role", "expected user or agent");
  return role::unspecified;
}

} // namespace

part part_from_json_rpc(const json::value& from, const place& where, first_failure& failure) {
  return part_from(from, where, failure, binding::json_rpc);
}

part part_from_rest(const json::value& from, const place& where, first_failure& failure) {
  return part_from(from, where, failure, binding::rest);
}

message message_from(const json::value& from, const place& where, first_failure& failure,
                     binding how, id_source& ids, missing_id rule, const std::string& spare_id) {
  message out;
  const object_reader in{from, where, failure};
  wire::check_discriminator(in, {"message"});
  out.message_id = in.id("messageId");
  if (out.message_id.empty())
    out.message_id = spare_id;
  if (out.message_id.empty() && rule == missing_id::made)
    out.message_id = ids.next("msg");
  out.from = role_from(in);
  const bool rest = how == binding::rest;
  const std::string_view usual = rest ? "content" : "parts";
  const std::string_view other = rest ? "parts" : "content";
  out.parts = wire::read_parts(in, !in.find(usual) && in.find(other) ? other : usual,
                               rest ? part_from_rest : part_from_json_rpc, failure);
  wire::read_message_rest(in, out);
  if (out.message_id.empty()) // last: what else is wrong says more
    in.fail("messageId", "missing or empty; give each message an id of its own");
  return out;
}

std::optional<task_state> state_from(const json::value& from) {
  if (const auto* text = from.if_string()) {
    const auto name = plain_name(wire::view(*text), "TASK_STATE_");
    if (name == "unspecified" || name == "unknown")
      return task_state::unspecified;
    if (const auto state = task_state_from(name == "cancelled" ? "canceled" : name))
      return state;
  }
  const auto number = wire::whole_number_from(from);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(task_state_count))
    return static_cast<task_state>(*number);
  return std::nullopt;
}

namespace {

bool has_key_of_opt(const json::value* metadata) {
  const auto* members = metadata ? metadata->if_object() : nullptr;
  return members && std::any_of(members->begin(), members->end(), [](const auto& member) {
           return std::string_view{member.key()}.starts_with("opt/v1/");
         });
}

} // namespace

wire::send_params send_params_from(const object_reader& in, first_failure& failure, binding how,
                                   id_source& ids, missing_id rule) {
  wire::send_params out;
  out.command.who = wire::read_principal(in);
  out.tenant = out.command.who.tenant;
  const auto name =
      in.find("message") || how == binding::json_rpc ? std::string_view{"message"} : "request";
  const auto message_place = in.where() / name;
  out.command.metadata = in.object("metadata");
  if (const auto* found = in.find(name)) {
    const auto* message = found->if_object();
    if (has_key_of_opt(in.find("metadata"))
        || (message && has_key_of_opt(message->if_contains("metadata"))))
      rule = missing_id::made;
    // An example of 0.3 section 9.4 has the message's id beside the message.
    out.command.message =
        message_from(*found, message_place, failure, how, ids, rule, in.id("messageId"));
  } else {
    in.fail("message", "missing; a message is required");
  }
  const auto* found = in.find("configuration");
  if (!found) {
    out.leaves_waiting_open = true;
    return out;
  }
  const auto where = in.where() / "configuration";
  const object_reader configuration{*found, where, failure};
  wire::read_configuration(configuration, out);
  // REST carries ProtoJSON, which leaves out what is false: there a configuration that does not say
  // `blocking` says no.
  out.return_immediately = !configuration.boolean("blocking", how == binding::json_rpc);
  out.leaves_waiting_open = configuration.find("blocking") == nullptr;
  if (const auto push = first_of(configuration, {"pushNotificationConfig", "pushNotification"});
      !push.empty()) {
    const auto push_place = where / push;
    out.push = push_config_from(*configuration.find(push), push_place, failure);
  }
  return out;
}

push_config push_config_from(const json::value& from, const place& where, first_failure& failure) {
  auto out = unnamed_push_config_from(object_reader{from, where, failure}, failure);
  if (out.id.empty())
    out.id = default_push_id;
  return out;
}

push_config unnamed_push_config_from(const object_reader& in, first_failure& failure) {
  push_config out;
  wire::read_push_members(in, out, failure, true);
  out.payload = push_payload::v0_3;
  return out;
}

void write_push_members(json_writer& out, const push_config& value) {
  out.begin_object()
      .member("id", value.id)
      .member("url", value.url)
      .optional_member("token", value.token);
  if (value.authentication) {
    out.key("authentication").begin_object().key("schemes").begin_array();
    out.string(value.authentication->scheme).end_array();
    out.optional_member("credentials", value.authentication->credentials).end_object();
  }
  out.end_object();
}

void write_data_object(json_writer& out, const json::value& data) {
  if (data.is_object())
    out.long_value(data);
  else
    out.begin_object().key(wrapped_member).long_value(data).end_object();
}

void write_data_metadata(json_writer& out, const part& value) {
  const auto* content = std::get_if<data_content>(&value.content);
  if (!content || content->data.is_object()) {
    wire::write_metadata(out, value.metadata);
    return;
  }
  const auto metadata = std::make_shared<json::object>(value.metadata);
  (*metadata)[json::string_view{wrapped_mark.data(), wrapped_mark.size()}] = true;
  out.keep(metadata);
  wire::write_metadata(out, *metadata);
}

} // namespace troupe::wire_0_3
