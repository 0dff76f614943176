#include "client/remote_agent/words.hpp"

#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

/// Members that hold one of the four, and its kind.
constexpr auto holders = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"task", "task"},
    {"message", "message"},
    {"msg", "message"}, // 0.3 over REST
    {"statusUpdate", "status-update"},
    {"artifactUpdate", "artifact-update"},
});

std::string_view name_of_member(const json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

/// `TASK_STATE_INPUT_REQUIRED` is `input-required`.
std::string common_state(std::string_view name) {
  constexpr std::string_view prefix = "TASK_STATE_";
  if (!name.starts_with(prefix))
    return std::string(name);
  auto out = ascii_lower(name.substr(prefix.size()));
  for (auto& c : out)
    if (c == '_')
      c = '-';
  if (out == "cancelled")
    return "canceled";
  return out == "unspecified" ? "unknown" : out;
}

std::string common_role(std::string_view name) {
  constexpr std::string_view prefix = "ROLE_";
  return name.starts_with(prefix) ? ascii_lower(name.substr(prefix.size())) : std::string(name);
}

json::object common_file(const json::object& from) {
  json::object out;
  const auto copy = [&](std::string_view name, std::string_view as) {
    if (const auto* found = from.if_contains(name); found != nullptr && !found->is_null())
      out[as] = *found;
  };
  copy("fileWithBytes", "bytes");
  copy("fileWithUri", "uri");
  copy("bytes", "bytes");
  copy("uri", "uri");
  copy("raw", "bytes");
  copy("url", "uri");
  copy("name", "name");
  copy("filename", "name");
  copy("mediaType", "mimeType");
  copy("mimeType", "mimeType");
  return out;
}

template<class Change>
json::value each_of(const json::value& from, Change change) {
  const auto* all = from.if_array();
  if (all == nullptr)
    return from;
  json::array out;
  for (const auto& each : *all)
    out.push_back(change(each));
  return out;
}

/// Out of the words of one format.
class translator {
public:
  /// `nests_data`: data are one level below `data`, as in 0.3 over REST.
  explicit translator(bool nests_data) : nests_data_(nests_data) {}

  [[nodiscard]] json::value common_part(const json::value& from) const {
    const auto* object = from.if_object();
    if (object == nullptr || object->contains("kind"))
      return from;
    json::object out;
    const auto* file = object->if_contains("file");
    if (const auto* text = object->if_contains("text")) {
      out["kind"] = "text";
      out["text"] = *text;
    } else if (file != nullptr && file->is_object()) {
      out["kind"] = "file";
      out["file"] = common_file(file->get_object());
    } else if (object->contains("raw") || object->contains("url")) {
      out["kind"] = "file";
      out["file"] = common_file(*object);
    } else if (const auto* data = object->if_contains("data")) {
      const auto* inner = data->if_object();
      const auto* nested = nests_data_ && inner != nullptr ? inner->if_contains("data") : nullptr;
      out["kind"] = "data";
      out["data"] = nested != nullptr && nested->is_object() ? *nested : *data;
    } else {
      return from;
    }
    if (const auto* found = object->if_contains("metadata"))
      out["metadata"] = *found;
    return out;
  }

  [[nodiscard]] json::value common_parts(const json::value& from) const {
    return each_of(from, [&](const json::value& one) { return common_part(one); });
  }

  [[nodiscard]] json::value common_message(const json::value& from) const {
    return common_value(from, "message", message_members);
  }
  [[nodiscard]] json::value common_messages(const json::value& from) const {
    return each_of(from, [&](const json::value& one) { return common_message(one); });
  }

  [[nodiscard]] json::value common_artifact(const json::value& from) const {
    return common_value(from, {}, artifact_members);
  }
  [[nodiscard]] json::value common_artifacts(const json::value& from) const {
    return each_of(from, [&](const json::value& one) { return common_artifact(one); });
  }

  [[nodiscard]] json::value common_status(const json::value& from) const {
    return common_value(from, {}, status_members);
  }

  [[nodiscard]] json::object common_task(const json::object& from) const {
    return common_object(from, "task", task_members);
  }

  [[nodiscard]] json::object common_status_update(const json::object& from) const {
    auto out = common_object(from, "status-update", update_members);
    if (!out.contains("final")) { // 1.0 has no such member: the state says it
      const auto* status = out.if_contains("status");
      const auto state = status != nullptr ? text_in(*status, "state") : std::string{};
      bool is_last = false;
      for (const auto* each :
           {"completed", "failed", "canceled", "rejected", "input-required", "auth-required"})
        is_last = is_last || state == each;
      out["final"] = is_last;
    }
    return out;
  }

  [[nodiscard]] json::object common_artifact_update(const json::object& from) const {
    return common_object(from, "artifact-update", update_members);
  }

private:
  /// What becomes of a member of that name. Others stay as they are.
  struct member_rule {
    std::string_view name;
    std::string_view as; ///< Empty: it is left out.
    json::value (translator::*change)(const json::value&) const = nullptr;
  };
  using member_rules = std::span<const member_rule>;

  static const std::array<member_rule, 5> message_members;
  static const std::array<member_rule, 1> artifact_members;
  static const std::array<member_rule, 3> status_members;
  static const std::array<member_rule, 6> task_members;
  static const std::array<member_rule, 3> update_members;

  [[nodiscard]] json::value common_state_value(const json::value& from) const {
    return from.is_string() ? json::value(common_state(from.get_string())) : from;
  }
  [[nodiscard]] json::value common_role_value(const json::value& from) const {
    return from.is_string() ? json::value(common_role(from.get_string())) : from;
  }

  /// `kind`: its member of this name; empty: it has none.
  [[nodiscard]] json::object common_object(const json::object& from, std::string_view kind,
                                           member_rules rules) const {
    json::object out;
    if (!kind.empty())
      out["kind"] = kind;
    for (const auto& each : from) {
      const auto name = name_of_member(each);
      const auto rule = std::ranges::find(rules, name, &member_rule::name);
      if (rule == rules.end())
        out[name] = each.value();
      else if (!rule->as.empty())
        out[rule->as] = (this->*rule->change)(each.value());
    }
    return out;
  }
  [[nodiscard]] json::value common_value(const json::value& from, std::string_view kind,
                                         member_rules rules) const {
    const auto* object = from.if_object();
    return object != nullptr ? json::value(common_object(*object, kind, rules)) : from;
  }

  const bool nests_data_;
};

const std::array<translator::member_rule, 5> translator::message_members{{
    {"kind", ""},
    {"message", ""},
    {"role", "role", &translator::common_role_value},
    {"parts", "parts", &translator::common_parts},
    {"content", "parts", &translator::common_parts}, // 0.3 over REST
}};
const std::array<translator::member_rule, 1> translator::artifact_members{{
    {"parts", "parts", &translator::common_parts},
}};
const std::array<translator::member_rule, 3> translator::status_members{{
    {"state", "state", &translator::common_state_value},
    {"message", "message", &translator::common_message},
    {"update", "message", &translator::common_message}, // 0.3 over REST
}};
const std::array<translator::member_rule, 6> translator::task_members{{
    {"kind", ""},
    {"task", ""},
    {"objective", ""},
    {"status", "status", &translator::common_status},
    {"history", "history", &translator::common_messages},
    {"artifacts", "artifacts", &translator::common_artifacts},
}};
const std::array<translator::member_rule, 3> translator::update_members{{
    {"kind", ""},
    {"status", "status", &translator::common_status},
    {"artifact", "artifact", &translator::common_artifact},
}};

std::string_view guessed_kind(const json::object& from) {
  if (from.contains("artifact"))
    return "artifact-update";
  if (from.contains("status"))
    return from.contains("taskId") ? "status-update" : "task";
  return from.contains("parts") || from.contains("content") ? "message" : "task";
}

} // namespace

json::object in_common_words(const json::value& from, wire::wire_format format) {
  const auto* object = from.if_object();
  if (object == nullptr)
    return {};
  std::string kind = text_in(*object, "kind");
  if (kind.empty())
    for (const auto& [holder, held] : holders)
      if (const auto* inner = object->if_contains(holder); inner != nullptr && inner->is_object()) {
        object = inner->if_object();
        kind = held;
        break;
      }
  if (kind.empty())
    kind = guessed_kind(*object);
  const translator to(format
                      == wire::wire_format{wire::a2a_version::v0_3, wire::a2a_binding::rest});
  if (kind == "message")
    return to.common_message(*object).as_object();
  if (kind == "status-update")
    return to.common_status_update(*object);
  if (kind == "artifact-update")
    return to.common_artifact_update(*object);
  return to.common_task(*object);
}

std::string_view state_word(task_state state) noexcept {
  return v0_3::state_name(state);
}

} // namespace troupe::remote_agent
