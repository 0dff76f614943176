#include "client/remote_agent/request.hpp"

#include "client/remote_agent/limits.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/http_url.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

// -- the fields -----------------------------------------------------------------------------------

/// Which actions take a field; a bit for each.
using action_set = std::uint8_t;
constexpr action_set only(action which) {
  return static_cast<action_set>(1U << static_cast<unsigned>(which));
}
constexpr action_set to_send = only(action::send);
constexpr action_set to_task = only(action::watch) | only(action::status) | only(action::cancel);
constexpr action_set to_peer = to_send | to_task;

struct field_row {
  std::string_view name;
  action_set taken_by;
};
constexpr auto fields = std::to_array<field_row>({
    {"action", to_peer | only(action::list_targets)},
    {"target_alias", to_peer},
    {"target_url", to_peer},
    {"task_handle", to_peer},
    {"task_id", to_peer},
    {"continuation", to_peer},
    {"timeout_ms", to_peer},
    {"service_parameters", to_peer},
    {"history_length", to_send | only(action::status)},
    {"context_id", to_send},
    {"parts", to_send},
    {"message_id", to_send},
    {"reference_task_ids", to_send},
    {"task_requirement", to_send},
    {"follow_updates", to_send},
    {"accepted_output_modes", to_send},
    {"blocking", to_send},
    {"push_notification_config", to_send},
    {"metadata", to_send},
});

constexpr std::array<std::string_view, 5> action_names{"list_targets", "send", "watch", "status",
                                                       "cancel"};

/// What a continuation says already.
constexpr std::array<std::string_view, 5> said_by_continuation{
    "task_handle", "task_id", "context_id", "target_alias", "target_url"};

std::string key_text(const json::key_value_pair& member) {
  return std::string{std::string_view(member.key().data(), member.key().size())};
}

/// A step of a JSON pointer.
std::string step_of(std::string_view name) {
  std::string out;
  append_pointer(out, name);
  return out;
}

bool is_handle_form(std::string_view text) {
  constexpr std::string_view begins = "rah_";
  return text.starts_with(begins) && text.size() > begins.size()
         && std::ranges::all_of(text.substr(begins.size()), [](char c) {
              const char lower = ascii_lower(c);
              return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-';
            });
}

/// Collects what is wrong while a request is read. `schema`: where the rule stands, as a path.
class request_checker {
public:
  std::vector<invalid_item> found;

  void add(std::string_view keyword, std::string path, std::string message, json::object params,
           std::string_view schema_path = {}) {
    invalid_item one;
    one.keyword = keyword;
    one.schema_path = schema_path.empty() ? "#/properties" + path + "/" + std::string(keyword)
                                          : std::string(schema_path);
    one.instance_path = std::move(path);
    one.message = std::move(message);
    one.params = std::move(params);
    found.push_back(std::move(one));
  }
  void add_type(std::string path, std::string_view type) {
    json::object params;
    params["type"] = type;
    add("type", std::move(path), "must be " + std::string(type), std::move(params));
  }
  void add_missing(const std::string& path, std::string_view name) {
    json::object params;
    params["missingProperty"] = name;
    add("required", path, "must have required property '" + std::string(name) + "'",
        std::move(params));
  }
  /// Members of an object beside those that it may have.
  void refuse_others(const json::object& from, const std::string& path,
                     std::initializer_list<std::string_view> names) {
    for (const auto& each : from)
      if (std::ranges::find(names, std::string_view(key_text(each))) == names.end())
        add_unknown(path, key_text(each));
  }
  void add_unknown(const std::string& path, std::string name) {
    json::object params;
    params["additionalProperty"] = name;
    add("additionalProperties", path,
        "must NOT have additional properties (" + quoted(shown(name)) + ")", std::move(params));
  }
  void add_bound(std::string_view keyword, std::string path, std::int64_t limit,
                 std::string message) {
    json::object params;
    params["limit"] = limit;
    add(keyword, std::move(path), std::move(message), std::move(params));
  }

  /// Not empty.
  void text(const json::value& from, const std::string& path, std::string& to) {
    const auto* text = from.if_string();
    if (text == nullptr)
      return add_type(path, "string");
    if (text->empty())
      return add_bound("minLength", path, 1, "must NOT have fewer than 1 characters");
    to = *text;
  }
  void any_text(const json::value& from, const std::string& path, std::string& to) {
    if (const auto* text = from.if_string())
      to = *text;
    else
      add_type(path, "string");
  }
  void url(const json::value& from, const std::string& path, std::string& to) {
    std::string read;
    const auto before = found.size();
    text(from, path, read);
    if (found.size() != before)
      return;
    const auto lower = ascii_lower(std::string_view(read).substr(0, 8));
    if (!lower.starts_with("http://") && !lower.starts_with("https://")) {
      json::object params;
      params["pattern"] = "^https?://";
      return add("pattern", path, "must match pattern \"^https?://\"", std::move(params));
    }
    if (const auto parsed = parse_http_url(read); !parsed) {
      json::object params;
      params["format"] = "uri";
      return add("format", path, "must match format \"uri\": " + parsed.error().message,
                 std::move(params));
    }
    to = std::move(read);
  }
  std::optional<bool> truth(const json::value& from, const std::string& path) {
    if (const auto* read = from.if_bool())
      return *read;
    add_type(path, "boolean");
    return std::nullopt;
  }
  std::optional<std::int64_t> integer(const json::value& from, const std::string& path,
                                      std::int64_t least, std::int64_t most) {
    const double number = from.is_number() ? from.to_number<double>() : std::nan("");
    if (!std::isfinite(number) || std::floor(number) != number) {
      add_type(path, "integer");
      return std::nullopt;
    }
    const bool is_low = number < static_cast<double>(least);
    if (is_low || number > static_cast<double>(most)) {
      const auto limit = is_low ? least : most;
      const std::string comparison = is_low ? ">=" : "<=";
      json::object params;
      params["comparison"] = comparison;
      params["limit"] = limit;
      add(is_low ? "minimum" : "maximum", path,
          "must be " + comparison + " " + std::to_string(limit), std::move(params));
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  void object(const json::value& from, const std::string& path, json::object& to) {
    if (const auto* read = from.if_object())
      to = *read;
    else
      add_type(path, "object");
  }
  void texts(const json::value& from, const std::string& path, std::size_t least,
             std::vector<std::string>& to) {
    const auto* all = from.if_array();
    if (all == nullptr)
      return add_type(path, "array");
    if (all->size() < least)
      add_bound("minItems", path, static_cast<std::int64_t>(least),
                "must NOT have fewer than " + std::to_string(least) + " items");
    for (std::size_t i = 0; i < all->size(); ++i)
      text((*all)[i], path + "/" + std::to_string(i), to.emplace_back());
  }
  void one_of(const json::value& from, const std::string& path,
              std::initializer_list<std::string_view> values, std::string& to) {
    const auto* text = from.if_string();
    if (text != nullptr && std::ranges::find(values, std::string_view(*text)) != values.end()) {
      to = *text;
      return;
    }
    json::array allowed;
    for (const auto each : values)
      allowed.emplace_back(each);
    add_enum(path, std::move(allowed));
  }
  void add_enum(const std::string& path, json::array allowed) {
    json::object params;
    params["allowedValues"] = std::move(allowed);
    add("enum", path, "must be equal to one of the allowed values", std::move(params));
  }
};

// -- parts ----------------------------------------------------------------------------------------

/// The members of a file, below `file` or beside `kind`.
void read_file(request_checker& check, const json::object& from, const std::string& path,
               part& to) {
  std::string uri;
  std::string encoded;
  const auto* location = from.if_contains("uri");
  const auto* bytes = from.if_contains("bytes");
  if (location != nullptr)
    check.text(*location, path + "/uri", uri);
  if (bytes != nullptr)
    check.any_text(*bytes, path + "/bytes", encoded);
  if (const auto* name = from.if_contains("name"))
    check.any_text(*name, path + "/name", to.filename);
  if (const auto* type = from.if_contains("mime_type"))
    check.any_text(*type, path + "/mime_type", to.media_type);
  if (location != nullptr) { // it wins
    to.content = url_content{std::move(uri)};
    return;
  }
  if (bytes == nullptr) {
    json::object params;
    params["missingProperty"] = "uri";
    return check.add("anyOf", path, "a file needs \"uri\" or \"bytes\"", std::move(params));
  }
  auto read = from_base64(encoded);
  if (!read && bytes->is_string()) {
    json::object params;
    params["format"] = "byte";
    check.add("format", path + "/bytes", "must match format \"byte\" (base64)", std::move(params));
  }
  to.content = raw_content{read ? std::move(*read) : std::string{}};
}

void read_part(request_checker& check, const json::value& from, const std::string& path, part& to) {
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  const auto* kind = object->if_contains("kind");
  if (kind == nullptr)
    return check.add_missing(path, "kind");
  std::string name;
  check.one_of(*kind, path + "/kind", {"text", "file", "data"}, name);
  if (name.empty())
    return;
  if (const auto* metadata = object->if_contains("metadata"))
    check.object(*metadata, path + "/metadata", to.metadata);
  if (name == "text") {
    check.refuse_others(*object, path, {"kind", "text", "metadata"});
    std::string text;
    if (const auto* found = object->if_contains("text"))
      check.any_text(*found, path + "/text", text);
    else
      check.add_missing(path, "text");
    to.content = text_content{std::move(text)};
  } else if (name == "data") {
    check.refuse_others(*object, path, {"kind", "data", "metadata"});
    json::object data;
    if (const auto* found = object->if_contains("data"))
      check.object(*found, path + "/data", data);
    else
      check.add_missing(path, "data");
    to.content = data_content{std::move(data)};
  } else if (const auto* file = object->if_contains("file")) { // as A2A 0.3 nests it
    check.refuse_others(*object, path, {"kind", "file", "metadata"});
    const auto* inner = file->if_object();
    if (inner == nullptr)
      return check.add_type(path + "/file", "object");
    check.refuse_others(*inner, path + "/file", {"uri", "bytes", "name", "mime_type"});
    read_file(check, *inner, path + "/file", to);
  } else {
    check.refuse_others(*object, path, {"kind", "uri", "bytes", "name", "mime_type", "metadata"});
    read_file(check, *object, path, to);
  }
}

void read_parts(request_checker& check, const json::value& from, std::vector<part>& to) {
  const auto* all = from.if_array();
  if (all == nullptr)
    return check.add_type("/parts", "array");
  if (all->empty())
    return check.add_bound("minItems", "/parts", 1, "must NOT have fewer than 1 items");
  for (std::size_t i = 0; i < all->size(); ++i)
    read_part(check, (*all)[i], "/parts/" + std::to_string(i), to.emplace_back());
}

// -- other members --------------------------------------------------------------------------------

void read_push(request_checker& check, const json::value& from, push_wish& to) {
  const std::string path = "/push_notification_config";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  check.refuse_others(*object, path, {"url", "id", "token", "authentication"});
  if (const auto* url = object->if_contains("url"))
    check.url(*url, path + "/url", to.url);
  else
    check.add_missing(path, "url");
  if (const auto* id = object->if_contains("id"))
    check.text(*id, path + "/id", to.id);
  if (const auto* token = object->if_contains("token"))
    check.text(*token, path + "/token", to.token);
  const auto* proof = object->if_contains("authentication");
  if (proof == nullptr)
    return;
  const auto* members = proof->if_object();
  if (members == nullptr)
    return check.add_type(path + "/authentication", "object");
  check.refuse_others(*members, path + "/authentication", {"schemes", "credentials"});
  if (const auto* schemes = members->if_contains("schemes"))
    check.texts(*schemes, path + "/authentication/schemes", 1, to.schemes);
  else
    check.add_missing(path + "/authentication", "schemes");
  if (const auto* credentials = members->if_contains("credentials"))
    check.any_text(*credentials, path + "/authentication/credentials", to.credentials);
}

void read_parameters(request_checker& check, const json::value& from,
                     std::vector<std::pair<std::string, std::string>>& to) {
  const std::string path = "/service_parameters";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  for (const auto& each : *object) {
    const auto name = key_text(each);
    const auto at = path + step_of(name);
    std::string value;
    check.any_text(each.value(), at, value);
    json::object params;
    params["propertyName"] = name;
    if (!may_be_parameter(name))
      check.add("propertyNames", at,
                quoted(shown(name)) + " may not be set by a request; leave it out",
                std::move(params), "#/properties/service_parameters/propertyNames");
    else if (!may_be_parameter_value(value))
      check.add("pattern", at, "must be the value of a header: no control characters",
                std::move(params), "#/properties/service_parameters/pattern");
    else
      to.emplace_back(name, std::move(value));
  }
}

void read_handle(request_checker& check, const json::value& from, const std::string& path,
                 std::string& to) {
  std::string read;
  check.text(from, path, read);
  if (!read.empty() && !is_handle_form(read)) {
    json::object params;
    params["pattern"] = "^rah_[A-Za-z0-9-]+$";
    return check.add("pattern", path, "must match pattern \"^rah_[A-Za-z0-9-]+$\"",
                     std::move(params));
  }
  to = std::move(read);
}

void read_continued_target(request_checker& check, const json::value& from, continuation& to) {
  const std::string path = "/continuation/target";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  check.refuse_others(*object, path,
                      {"target_url", "card_path", "preferred_transports", "target_alias"});
  if (const auto* url = object->if_contains("target_url"))
    check.url(*url, path + "/target_url", to.target_url);
  else
    check.add_missing(path, "target_url");
  if (const auto* card = object->if_contains("card_path"))
    check.text(*card, path + "/card_path", to.card_path);
  else
    check.add_missing(path, "card_path");
  if (const auto* transports = object->if_contains("preferred_transports"))
    check.texts(*transports, path + "/preferred_transports", 1, to.preferred_transports);
  else
    check.add_missing(path, "preferred_transports");
  if (const auto* alias = object->if_contains("target_alias"))
    check.text(*alias, path + "/target_alias", to.target_alias);
}

void read_continued_task(request_checker& check, const json::value& from, continuation& to) {
  const std::string path = "/continuation/task";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  check.refuse_others(*object, path,
                      {"task_id", "task_handle", "status", "can_resume_send", "can_send",
                       "can_status", "can_cancel", "can_watch"});
  if (const auto* id = object->if_contains("task_id"))
    check.text(*id, path + "/task_id", to.task_id);
  else
    check.add_missing(path, "task_id");
  if (const auto* handle = object->if_contains("task_handle"))
    read_handle(check, *handle, path + "/task_handle", to.task_handle);
  if (const auto* status = object->if_contains("status")) {
    std::string ignored;
    check.any_text(*status, path + "/status", ignored);
  }
  for (const auto* name : {"can_resume_send", "can_send", "can_status", "can_cancel", "can_watch"})
    if (const auto* can = object->if_contains(name))
      check.truth(*can, path + "/" + name);
}

void read_conversation(request_checker& check, const json::value& from, continuation& to) {
  const std::string path = "/continuation/conversation";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  check.refuse_others(*object, path, {"context_id", "can_send"});
  if (const auto* id = object->if_contains("context_id"))
    check.text(*id, path + "/context_id", to.context_id);
  else
    check.add_missing(path, "context_id");
  const auto* can = object->if_contains("can_send");
  if (can != nullptr && *can != json::value(true)) {
    json::object params;
    params["allowedValue"] = true;
    check.add("const", path + "/can_send", "must be equal to constant (true)", std::move(params));
  }
}

void read_continuation(request_checker& check, const json::value& from, continuation& to) {
  const std::string path = "/continuation";
  const auto* object = from.if_object();
  if (object == nullptr)
    return check.add_type(path, "object");
  check.refuse_others(*object, path, {"target", "task", "conversation"});
  if (const auto* target = object->if_contains("target"))
    read_continued_target(check, *target, to);
  else
    check.add_missing(path, "target");
  if (const auto* task = object->if_contains("task"))
    read_continued_task(check, *task, to);
  if (const auto* conversation = object->if_contains("conversation"))
    read_conversation(check, *conversation, to);
}

void read_alias(request_checker& check, const json::value& from, const settings& known,
                std::string& to) {
  std::string read;
  check.text(from, "/target_alias", read);
  if (read.empty())
    return;
  if (std::ranges::find(known.targets, read, &peer::alias) == known.targets.end()) {
    json::array aliases;
    for (const auto& each : known.targets)
      aliases.emplace_back(each.alias);
    return check.add_enum("/target_alias", std::move(aliases));
  }
  to = std::move(read);
}

/// One field that the request has, of the right action.
void read_field(request_checker& check, std::string_view name, const json::value& from,
                const settings& known, request& to) {
  const auto path = step_of(name);
  const auto is = [&](std::string_view other) { return name == other; };
  if (is("target_alias")) {
    read_alias(check, from, known, to.target_alias);
  } else if (is("target_url")) {
    check.url(from, path, to.target_url);
  } else if (is("task_handle")) {
    read_handle(check, from, path, to.task_handle);
  } else if (is("task_id")) {
    check.text(from, path, to.task_id);
  } else if (is("context_id")) {
    check.text(from, path, to.context_id);
  } else if (is("message_id")) {
    check.text(from, path, to.message_id);
  } else if (is("continuation")) {
    read_continuation(check, from, to.continued.emplace());
  } else if (is("parts")) {
    read_parts(check, from, to.parts);
  } else if (is("reference_task_ids")) {
    check.texts(from, path, 1, to.reference_task_ids);
  } else if (is("task_requirement")) {
    std::string read;
    check.one_of(from, path, {"optional", "required"}, read);
    to.needs_task = read == "required";
  } else if (is("follow_updates")) {
    to.follows = check.truth(from, path).value_or(false);
  } else if (is("accepted_output_modes")) {
    check.texts(from, path, 0, to.accepted_output_modes.emplace());
  } else if (is("blocking")) {
    to.blocking = check.truth(from, path);
  } else if (is("history_length")) {
    to.history_length = check.integer(from, path, 0, history_length_max);
  } else if (is("push_notification_config")) {
    read_push(check, from, to.push.emplace());
  } else if (is("timeout_ms")) {
    if (const auto read = check.integer(from, path, 1, timeout_ms_max))
      to.timeout = std::chrono::milliseconds{*read};
  } else if (is("service_parameters")) {
    read_parameters(check, from, to.service_parameters);
  } else if (is("metadata")) {
    check.object(from, path, to.metadata);
  }
}

// -- rules about several fields -------------------------------------------------------------------

void refuse_beside_continuation(request_checker& check, const json::object& from) {
  for (const auto name : said_by_continuation)
    if (from.contains(name)) {
      json::object params;
      params["property"] = name;
      params["excludedBy"] = "continuation";
      check.add("not", step_of(name),
                quoted(name) + " must not stand beside \"continuation\", which says it already",
                std::move(params), "#/properties/continuation/not");
    }
}

void check_send(request_checker& check, const json::object& from, const request& read,
                bool has_default) {
  if (!from.contains("parts"))
    check.add_missing("", "parts");
  if (from.contains("blocking") && read.follows) {
    json::object params;
    params["property"] = "blocking";
    params["action"] = "send";
    check.add("not", "/blocking", "\"blocking\" must not be set with follow_updates=true",
              std::move(params), "#/properties/blocking/not");
  }
  if (const auto* said = from.if_contains("continuation")) {
    const auto* object = said->if_object();
    if (object != nullptr && !object->contains("task") && !object->contains("conversation"))
      check.add("anyOf", "/continuation",
                "send requires continuation.task or continuation.conversation", {},
                "#/properties/continuation/anyOf");
    return;
  }
  const bool is_routed = from.contains("task_handle") || from.contains("target_alias")
                         || from.contains("target_url") || has_default;
  if (!is_routed)
    check.add("anyOf", "",
              "send requires task_handle, target_alias, target_url, or a configured default target",
              {}, "#/anyOf");
}

void check_follow_up(request_checker& check, const json::object& from, const request& read,
                     bool has_default) {
  const std::string name(to_string(read.which));
  if (const auto* said = from.if_contains("continuation")) {
    const auto* object = said->if_object();
    if (object != nullptr && !object->contains("task"))
      check.add("required", "/continuation",
                name + " requires continuation.task; a conversation alone takes only send",
                {{"missingProperty", "task"}}, "#/properties/continuation/required");
    return;
  }
  const bool has_target =
      from.contains("target_alias") || from.contains("target_url") || has_default;
  if (from.contains("task_handle") || (from.contains("task_id") && has_target))
    return;
  check.add("anyOf", "",
            name
                + " requires continuation.task, task_handle, or task_id with target_alias, "
                  "target_url, or a configured default target",
            {}, "#/anyOf");
}

std::optional<action> action_in(request_checker& check, const json::object& from) {
  const auto* found = from.if_contains("action");
  if (found == nullptr) {
    check.add_missing("", "action");
    return std::nullopt;
  }
  const auto* text = found->if_string();
  if (text == nullptr) {
    check.add_type("/action", "string");
    return std::nullopt;
  }
  const auto at = std::ranges::find(action_names, std::string_view(*text));
  if (at == action_names.end()) {
    check.add_enum("/action", json::array(action_names.begin(), action_names.end()));
    return std::nullopt;
  }
  return static_cast<action>(at - action_names.begin());
}

} // namespace

std::string_view to_string(action which) noexcept {
  return action_names.at(static_cast<std::size_t>(which));
}

std::string action_text(const json::value& from) {
  const auto* object = from.if_object();
  const auto* found = object != nullptr ? object->if_contains("action") : nullptr;
  const auto* text = found != nullptr ? found->if_string() : nullptr;
  return text == nullptr || text->empty() ? std::string(unknown_action) : shown(*text);
}

outcome<request> read_request(const json::value& from, const settings& known) {
  request_checker check;
  const auto* object = from.if_object();
  if (object == nullptr) {
    check.add_type("", "object");
    return validation_fault(check.found);
  }
  request out;
  const auto which = action_in(check, *object);
  out.which = which.value_or(action::list_targets);
  for (const auto& each : *object) {
    const auto name = key_text(each);
    const auto row = std::ranges::find(fields, std::string_view(name), &field_row::name);
    if (row == fields.end()) {
      check.add_unknown("", name);
    } else if (which && (row->taken_by & only(*which)) == 0) {
      json::object params;
      params["property"] = name;
      params["action"] = to_string(*which);
      check.add("not", step_of(name),
                quoted(name) + " is not taken by the action " + quoted(to_string(*which)),
                std::move(params), "#/properties/" + name + "/not");
    } else {
      read_field(check, name, each.value(), known, out);
    }
  }
  if (object->contains("continuation"))
    refuse_beside_continuation(check, *object);
  const bool has_default =
      std::ranges::any_of(known.targets, [](const peer& one) { return one.is_default; });
  if (which == action::send)
    check_send(check, *object, out, has_default);
  else if (which && which != action::list_targets)
    check_follow_up(check, *object, out, has_default);
  if (!check.found.empty())
    return validation_fault(check.found);
  return out;
}

} // namespace troupe::remote_agent
