#include "client/remote_agent/words.hpp"

#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>

#include <array>
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
struct translator {
  bool nests_data; ///< Data are one level below `data`, as in 0.3 over REST.

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
      const auto* nested = nests_data && inner != nullptr ? inner->if_contains("data") : nullptr;
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
    const auto* all = from.if_array();
    if (all == nullptr)
      return from;
    json::array out;
    for (const auto& each : *all)
      out.push_back(common_part(each));
    return out;
  }

  [[nodiscard]] json::value common_message(const json::value& from) const {
    const auto* object = from.if_object();
    if (object == nullptr)
      return from;
    json::object out;
    out["kind"] = "message";
    for (const auto& each : *object) {
      const auto name = name_of_member(each);
      if (name == "role" && each.value().is_string())
        out["role"] = common_role(each.value().get_string());
      else if (name == "parts" || name == "content")
        out["parts"] = common_parts(each.value());
      else if (name != "kind" && !(name == "message" && each.value().is_object()))
        out[name] = each.value();
    }
    return out;
  }

  [[nodiscard]] json::value common_status(const json::value& from) const {
    const auto* object = from.if_object();
    if (object == nullptr)
      return from;
    json::object out;
    for (const auto& each : *object) {
      const auto name = name_of_member(each);
      if (name == "state" && each.value().is_string())
        out["state"] = common_state(each.value().get_string());
      else if ((name == "message" || name == "update") && each.value().is_object())
        out["message"] = common_message(each.value());
      else
        out[name] = each.value();
    }
    return out;
  }

  [[nodiscard]] json::value common_artifact(const json::value& from) const {
    const auto* object = from.if_object();
    if (object == nullptr)
      return from;
    json::object out;
    for (const auto& each : *object) {
      const auto name = name_of_member(each);
      out[name] = name == "parts" ? common_parts(each.value()) : each.value();
    }
    return out;
  }

  [[nodiscard]] json::object common_task(const json::object& from) const {
    json::object out;
    out["kind"] = "task";
    for (const auto& each : from) {
      const auto name = name_of_member(each);
      if (name == "status")
        out[name] = common_status(each.value());
      else if (name == "history")
        out[name] =
            each_of(each.value(), [&](const json::value& one) { return common_message(one); });
      else if (name == "artifacts")
        out[name] =
            each_of(each.value(), [&](const json::value& one) { return common_artifact(one); });
      else if (name != "kind" && name != "task" && name != "objective")
        out[name] = each.value();
    }
    return out;
  }

  [[nodiscard]] json::object common_status_update(const json::object& from) const {
    json::object out;
    out["kind"] = "status-update";
    for (const auto& each : from) {
      const auto name = name_of_member(each);
      if (name == "status")
        out[name] = common_status(each.value());
      else if (name != "kind")
        out[name] = each.value();
    }
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
    json::object out;
    out["kind"] = "artifact-update";
    for (const auto& each : from) {
      const auto name = name_of_member(each);
      if (name == "artifact")
        out[name] = common_artifact(each.value());
      else if (name != "kind")
        out[name] = each.value();
    }
    return out;
  }
};

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
  const translator to{format
                      == wire::wire_format{wire::a2a_version::v0_3, wire::a2a_binding::rest}};
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
