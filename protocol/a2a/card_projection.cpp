#include "protocol/a2a/card_projection.hpp"

#include "protocol/json/canonical_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// When a field that holds its type's default is there all the same (A2A 1.0 section 5.7). A
/// message field that is neither required nor empty is decided by its content.
enum class presence : std::uint8_t { implicit, kept };

enum class arity : std::uint8_t { one, list, map };

struct message_shape;

struct field {
  std::string_view name;
  presence when_default =
      presence::implicit; ///< kept: REQUIRED, `optional`, or a member of a oneof.
  arity how_many = arity::one;
  const message_shape* type =
      nullptr; ///< Null: a text, a number, a truth value, or any JSON (Struct).
};

struct message_shape {
  std::span<const field> fields;
};

constexpr auto kept = presence::kept;
constexpr auto implicit = presence::implicit;

// The messages of A2A 1.0 section 4.4 and 4.5, as the proto declares them; `signatures` is left out
// on purpose.
// clang-format off

constexpr std::array interface_fields{field{"url", kept}, field{"protocolBinding", kept}, field{"tenant"},
                                      field{"protocolVersion", kept}};
constexpr message_shape interface_message{interface_fields};

constexpr std::array provider_fields{field{"url", kept}, field{"organization", kept}};
constexpr message_shape provider_message{provider_fields};

constexpr std::array extension_fields{field{"uri"}, field{"description"}, field{"required"}, field{"params"}};
constexpr message_shape extension_message{extension_fields};

constexpr std::array capabilities_fields{field{"streaming", kept}, field{"pushNotifications", kept},
                                         field{"extensions", implicit, arity::list, &extension_message},
                                         field{"extendedAgentCard", kept}};
constexpr message_shape capabilities_message{capabilities_fields};

constexpr std::array scopes_fields{field{"list"}};
constexpr message_shape scopes_message{scopes_fields};
constexpr std::array requirement_fields{field{"schemes", implicit, arity::map, &scopes_message}};
constexpr message_shape requirement_message{requirement_fields};

constexpr std::array api_key_fields{field{"description"}, field{"location", kept}, field{"name", kept}};
constexpr message_shape api_key_message{api_key_fields};
constexpr std::array http_auth_fields{field{"description"}, field{"scheme", kept}, field{"bearerFormat"}};
constexpr message_shape http_auth_message{http_auth_fields};

constexpr std::array code_flow_fields{field{"authorizationUrl", kept}, field{"tokenUrl", kept}, field{"refreshUrl"},
                                      field{"scopes", kept}, field{"pkceRequired"}};
constexpr message_shape code_flow_message{code_flow_fields};
constexpr std::array credentials_flow_fields{field{"tokenUrl", kept}, field{"refreshUrl"}, field{"scopes", kept}};
constexpr message_shape credentials_flow_message{credentials_flow_fields};
constexpr std::array device_flow_fields{field{"deviceAuthorizationUrl", kept}, field{"tokenUrl", kept},
                                        field{"refreshUrl"}, field{"scopes", kept}};
constexpr message_shape device_flow_message{device_flow_fields};
constexpr std::array implicit_flow_fields{field{"authorizationUrl"}, field{"refreshUrl"}, field{"scopes"}};
constexpr message_shape implicit_flow_message{implicit_flow_fields};
constexpr std::array password_flow_fields{field{"tokenUrl"}, field{"refreshUrl"}, field{"scopes"}};
constexpr message_shape password_flow_message{password_flow_fields};
constexpr std::array flows_fields{field{"authorizationCode", kept, arity::one, &code_flow_message},
                                  field{"clientCredentials", kept, arity::one, &credentials_flow_message},
                                  field{"deviceCode", kept, arity::one, &device_flow_message},
                                  field{"implicit", kept, arity::one, &implicit_flow_message},
                                  field{"password", kept, arity::one, &password_flow_message}};
constexpr message_shape flows_message{flows_fields};
constexpr std::array oauth2_fields{field{"description"}, field{"flows", kept, arity::one, &flows_message},
                                   field{"oauth2MetadataUrl"}};
constexpr message_shape oauth2_message{oauth2_fields};
constexpr std::array open_id_fields{field{"description"}, field{"openIdConnectUrl", kept}};
constexpr message_shape open_id_message{open_id_fields};
constexpr std::array mutual_tls_fields{field{"description"}};
constexpr message_shape mutual_tls_message{mutual_tls_fields};
constexpr std::array scheme_fields{field{"apiKeySecurityScheme", kept, arity::one, &api_key_message},
                                   field{"httpAuthSecurityScheme", kept, arity::one, &http_auth_message},
                                   field{"oauth2SecurityScheme", kept, arity::one, &oauth2_message},
                                   field{"openIdConnectSecurityScheme", kept, arity::one, &open_id_message},
                                   field{"mtlsSecurityScheme", kept, arity::one, &mutual_tls_message}};
constexpr message_shape scheme_message{scheme_fields};

constexpr std::array skill_fields{field{"id", kept}, field{"name", kept}, field{"description", kept}, field{"tags", kept},
                                  field{"examples"}, field{"inputModes"}, field{"outputModes"},
                                  field{"securityRequirements", implicit, arity::list, &requirement_message}};
constexpr message_shape skill_message{skill_fields};

constexpr std::array card_fields{field{"name", kept}, field{"description", kept},
                                 field{"supportedInterfaces", kept, arity::list, &interface_message},
                                 field{"provider", implicit, arity::one, &provider_message}, field{"version", kept},
                                 field{"documentationUrl", kept},
                                 field{"capabilities", kept, arity::one, &capabilities_message},
                                 field{"securitySchemes", implicit, arity::map, &scheme_message},
                                 field{"securityRequirements", implicit, arity::list, &requirement_message},
                                 field{"defaultInputModes", kept}, field{"defaultOutputModes", kept},
                                 field{"skills", kept, arity::list, &skill_message}, field{"iconUrl", kept}};
constexpr message_shape card_message{card_fields};
// clang-format on

// -- projecting -----------------------------------------------------------------------------------

bool is_empty(const json::value& found) noexcept {
  switch (found.kind()) {
    case json::kind::null: return true;
    case json::kind::string: return found.get_string().empty();
    case json::kind::array: return found.get_array().empty();
    case json::kind::object: return found.get_object().empty();
    default: return false;
  }
}

bool is_default(const json::value& found) noexcept {
  switch (found.kind()) {
    case json::kind::bool_: return !found.get_bool();
    case json::kind::int64: return found.get_int64() == 0;
    case json::kind::uint64: return found.get_uint64() == 0;
    case json::kind::double_: return found.get_double() == 0;
    default: return is_empty(found);
  }
}

json::object project(const json::object& from, const message_shape& type);

json::value project(const json::value& from, const field& as) {
  if (as.type == nullptr)
    return from;
  if (as.how_many == arity::one && from.is_object())
    return project(from.get_object(), *as.type);
  const field element{as.name, as.when_default, arity::one, as.type};
  if (as.how_many == arity::list && from.is_array()) {
    json::array out;
    for (const auto& item : from.get_array())
      out.push_back(project(item, element));
    return out;
  }
  if (as.how_many == arity::map && from.is_object()) {
    json::object out;
    for (const auto& member : from.get_object())
      out[member.key()] = project(member.value(), element);
    return out;
  }
  return from;
}

json::object project(const json::object& from, const message_shape& type) {
  json::object out;
  for (const auto& one : type.fields) {
    const auto* found = from.if_contains(one.name);
    if (found == nullptr || found->is_null())
      continue;
    auto projected = project(*found, one);
    if (one.when_default == presence::kept || !is_default(projected))
      out[one.name] = std::move(projected);
  }
  return out;
}

/// Without empty texts, arrays and objects, and without those that are empty then.
json::value stripped(const json::value& from) {
  if (from.is_object()) {
    json::object out;
    for (const auto& member : from.get_object())
      if (auto value = stripped(member.value()); !is_empty(value))
        out[member.key()] = std::move(value);
    return out;
  }
  if (from.is_array()) {
    json::array out;
    for (const auto& item : from.get_array())
      if (auto value = stripped(item); !is_empty(value))
        out.push_back(std::move(value));
    return out;
  }
  return from;
}

} // namespace

json::object project_card(const json::object& card) {
  return project(card, card_message);
}

result<std::string> signed_form(const json::object& card, card_form form) {
  const json::value projected = project_card(card);
  switch (form) {
    case card_form::standard: break;
    case card_form::stripped: return canonical_json(stripped(projected));
    case card_form::python: return python_json(stripped(projected));
  }
  return canonical_json(projected);
}

} // namespace troupe
