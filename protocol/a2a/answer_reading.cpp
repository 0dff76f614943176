#include "protocol/a2a/answer_reading.hpp"

#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "protocol/a2a/wire_0_3.hpp"
#include "protocol/json/object_reader.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::wire {

namespace json = boost::json;

namespace {

first_failure failing() {
  return first_failure{where_style::path, errc::invalid_agent_response};
}

/// Reads one answer in the words of one format.
class answer_reader {
public:
  explicit answer_reader(wire_format format) : format_(format) {}

  [[nodiscard]] part part_of(const json::value& from, const place& where) {
    if (format_.version == a2a_version::v0_3)
      return format_.binding == a2a_binding::rest
                 ? wire_0_3::part_from_rest(from, where, failure)
                 : wire_0_3::part_from_json_rpc(from, where, failure);
    auto read = v1_0::read_part(from, where.path());
    if (!read) {
      failure.set(where, read.error().message);
      return {};
    }
    return std::move(*read);
  }

  [[nodiscard]] message message_of(const json::value& from, const place& where) {
    message out;
    const object_reader in{from, where, failure};
    out.message_id = in.text("messageId");
    const auto* said_by = in.find("role");
    const auto* name = said_by ? said_by->if_string() : nullptr;
    const bool is_user = name && (*name == "user" || *name == "ROLE_USER");
    out.from = is_user ? role::user : role::agent;
    // REST of 0.3 has `content`.
    out.parts = parts_of(in, in.find("parts") ? "parts" : "content");
    out.context_id = in.text("contextId");
    out.task_id = in.text("taskId");
    out.metadata = in.object("metadata");
    return out;
  }

  [[nodiscard]] artifact artifact_of(const json::value& from, const place& where) {
    artifact out;
    const object_reader in{from, where, failure};
    out.artifact_id = in.text("artifactId");
    out.name = in.text("name");
    out.description = in.text("description");
    out.parts = parts_of(in, "parts");
    out.metadata = in.object("metadata");
    return out;
  }

  [[nodiscard]] task_status status_of(const object_reader& owner) {
    task_status out;
    const auto* found = owner.find("status");
    if (!found) {
      owner.fail("status", "missing");
      return out;
    }
    const auto where = owner.where() / "status";
    const object_reader in{*found, where, failure};
    const auto* state = in.find("state");
    const auto read = state ? wire_0_3::state_from(*state) : std::nullopt; // 1.0's names, too
    if (!read)
      in.fail("state", state ? "is no state of a task" : "missing");
    out.state = read.value_or(task_state::unspecified);
    const auto message_place = where / "message";
    // REST of 0.3 has `update`.
    for (const auto* member : {"message", "update"})
      if (const auto* said = in.find(member); said && !out.message)
        out.message = std::make_shared<const message>(message_of(*said, message_place));
    if (const auto* at = in.find("timestamp"); at && at->is_string())
      out.at = parse_rfc3339(wire_text(*at)).value_or(timestamp{});
    return out;
  }

  [[nodiscard]] task task_of(const json::value& from, const place& where) {
    task out;
    const object_reader in{from, where, failure};
    out.id = task_id{in.required_id("id")};
    out.context = in.text("contextId");
    out.status = status_of(in);
    if (const auto* all = in.array("artifacts")) {
      const auto list = where / "artifacts";
      for (const auto& each : *all)
        out.artifacts.push_back(
            std::make_shared<const artifact>(artifact_of(each, list / out.artifacts.size())));
    }
    if (const auto* all = in.array("history")) {
      const auto list = where / "history";
      for (const auto& each : *all)
        out.history.push_back(
            std::make_shared<const message>(message_of(each, list / out.history.size())));
    }
    out.metadata = in.object("metadata");
    if (const auto* ready = out.metadata.if_contains("troupe/v1/readyAt");
        ready && ready->is_string())
      out.created = out.ready_at = parse_rfc3339(wire_text(*ready)).value_or(timestamp{});
    if (const auto* spans = out.metadata.if_contains("troupe/v1/spans"); spans && spans->is_array())
      read_spans(spans->get_array(), out);
    return out;
  }

  /// What is none is passed over: metadata is anybody's.
  static void read_spans(const json::array& from, task& to) {
    std::vector<task_span> out;
    for (const auto& each : from) {
      const auto* one = each.if_object();
      if (!one || out.size() == task_spans_max)
        continue;
      const auto phase = task_phase_from(text_in(*one, "phase"));
      const auto begin = parse_rfc3339(text_in(*one, "startedAt"));
      const auto end = parse_rfc3339(text_in(*one, "endedAt"));
      const auto* attempt = one->if_contains("attempt");
      const auto number = attempt ? wire::whole_number_from(*attempt) : std::nullopt;
      if (phase && begin && end && number && *number > 0 && *number <= UINT32_MAX)
        out.push_back(
            {*phase, static_cast<std::uint32_t>(*number), *begin, *end, text_in(*one, "reason")});
    }
    if (!out.empty())
      to.details.edit().spans = std::move(out);
  }

  [[nodiscard]] status_update status_update_of(const json::value& from, const place& where) {
    const object_reader in{from, where, failure};
    status_update out;
    out.task = task_id{in.required_id("taskId")};
    out.context = in.text("contextId");
    out.status = status_of(in);
    out.is_last = in.boolean("final", false);
    out.metadata = in.object("metadata");
    return out;
  }

  [[nodiscard]] artifact_update artifact_update_of(const json::value& from, const place& where) {
    const object_reader in{from, where, failure};
    artifact_update out;
    out.task = task_id{in.required_id("taskId")};
    out.context = in.text("contextId");
    const auto at = where / "artifact";
    if (const auto* found = in.find("artifact"))
      out.artifact = artifact_of(*found, at);
    else
      in.fail("artifact", "missing");
    out.append = in.boolean("append", false);
    out.is_last = in.boolean("lastChunk", false);
    out.metadata = in.object("metadata");
    return out;
  }

  [[nodiscard]] answer answer_of(const json::value& from, const place& where) {
    const object_reader in{from, where, failure};
    const auto kind = in ? kind_of(in) : std::string_view{};
    // A member that is named after its kind, or the object itself with its kind in it.
    const auto pick = [&](std::initializer_list<std::string_view> names)
        -> std::pair<const json::value*, std::string_view> {
      for (const auto name : names)
        if (const auto* found = in.find(name); found && found->is_object())
          return {found, name};
      return {&from, {}};
    };
    const auto read = [&](std::initializer_list<std::string_view> names, auto how) -> answer {
      const auto [found, name] = pick(names);
      const auto below = where / name;
      return (this->*how)(*found, name.empty() ? where : below);
    };
    if (kind == "task")
      return read({"task"}, &answer_reader::task_of);
    if (kind == "message")
      return in.find("parts") ? answer{message_of(from, where)}
                              : read({"message", "msg"}, &answer_reader::message_of);
    if (kind == "status-update")
      return read({"statusUpdate"}, &answer_reader::status_update_of);
    if (kind == "artifact-update")
      return read({"artifactUpdate"}, &answer_reader::artifact_update_of);
    if (!failure)
      failure.set(where, "expected a task, a message, a status update or an artifact update");
    return task{};
  }

  [[nodiscard]] task_page page_of(const json::value& from, const place& where) {
    const object_reader in{from, where, failure};
    task_page out;
    if (const auto* all = in.array("tasks")) {
      const auto list = where / "tasks";
      for (const auto& each : *all)
        out.tasks.push_back(task_of(each, list / out.tasks.size()));
    }
    out.next_page_token = in.text("nextPageToken");
    out.total =
        in.whole_number_64("totalSize", 0, (std::uint64_t{1} << 53) - 1).value_or(out.tasks.size());
    return out;
  }

  [[nodiscard]] push_config push_of(const json::value& from, const place& where) {
    const object_reader in{from, where, failure};
    push_config out;
    out.task = task_id{in.id("taskId")};
    const auto name = in.text("name"); // REST of 0.3: tasks/TASK/pushNotificationConfigs/ID
    constexpr std::string_view tasks = "tasks/";
    if (out.task.empty() && name.starts_with(tasks))
      out.task = task_id{name.substr(tasks.size(), name.find('/', tasks.size()) - tasks.size())};
    const auto below = where / "pushNotificationConfig";
    if (const auto* inner = in.find("pushNotificationConfig"))
      take_push_members(object_reader{*inner, below, failure}, out);
    else
      take_push_members(in, out);
    return out;
  }

  [[nodiscard]] push_page push_page_of(const json::value& from, const place& where) {
    push_page out;
    const auto take = [&](const json::array& all, const place& list) {
      for (const auto& each : all)
        out.configs.push_back(push_of(each, list / out.configs.size()));
    };
    if (const auto* all = from.if_array()) {
      take(*all, where);
      return out;
    }
    const object_reader in{from, where, failure};
    const auto list = where / "configs";
    if (const auto* all = in.array("configs"))
      take(*all, list);
    out.next_page_token = in.text("nextPageToken");
    return out;
  }

  first_failure failure = failing();

private:
  static void take_push_members(const object_reader& in, push_config& out) {
    out.id = in.id("id");
    out.url = in.text("url");
    if (out.url.empty())
      in.fail("url", "missing");
    out.token = in.text("token");
    const auto* found = in.find("authentication");
    const auto* proof = found ? found->if_object() : nullptr;
    if (proof == nullptr)
      return;
    push_authentication read{text_in(*proof, "scheme"), text_in(*proof, "credentials")};
    const auto* schemes = proof->if_contains("schemes");
    const auto* all = schemes ? schemes->if_array() : nullptr;
    if (read.scheme.empty() && all && !all->empty() && all->front().is_string())
      read.scheme = wire_text(all->front());
    if (read != push_authentication{})
      out.authentication = std::move(read);
  }

  static std::string_view wire_text(const json::value& from) { return view(from.get_string()); }

  [[nodiscard]] std::vector<part> parts_of(const object_reader& in, std::string_view name) {
    std::vector<part> out;
    const auto* all = in.array(name);
    if (!all)
      return out;
    const auto list = in.where() / name;
    for (const auto& each : *all)
      out.push_back(part_of(each, list / out.size()));
    return out;
  }

  /// As the object says it, if it says one of these; else as its members show.
  static std::string_view kind_of(const object_reader& in) {
    if (const auto* said = in.find("kind"); said && said->is_string())
      for (const std::string_view kind : {"task", "message", "status-update", "artifact-update"})
        if (wire_text(*said) == kind)
          return kind;
    constexpr auto members = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"task", "task"},
        {"statusUpdate", "status-update"},
        {"artifactUpdate", "artifact-update"},
        {"message", "message"},
        {"msg", "message"},
    });
    for (const auto& [member, kind] : members)
      if (const auto* found = in.find(member); found && found->is_object())
        return kind;
    if (in.find("messageId"))
      return "message";
    if (in.find("taskId") && in.find("artifact"))
      return "artifact-update";
    if (!in.find("status"))
      return {};
    return in.find("taskId") && !in.find("id") ? "status-update" : "task";
  }

  const wire_format format_;
};

/// `read` as a result; the root is called `answer`.
template<class Read>
auto read_all(wire_format format, const Read& read)
    -> result<decltype(read(std::declval<answer_reader&>(), std::declval<const place&>()))> {
  answer_reader reader(format);
  const place root{nullptr, "answer", std::nullopt};
  auto out = read(reader, root);
  if (reader.failure)
    return reader.failure.take();
  return out;
}

const json::object* object_in(const json::value& from, std::string_view name) {
  const auto* object = from.if_object();
  const auto* found = object ? object->if_contains(name) : nullptr;
  return found ? found->if_object() : nullptr;
}

/// The code of an `ErrorInfo` among `details`, and where it says the error is.
errc code_in(const json::object& error, std::string_view details, std::string& field) {
  const auto* all = error.if_contains(details);
  const auto* items = all ? all->if_array() : nullptr;
  if (!items)
    return errc::none;
  for (const auto& each : *items) {
    const auto* info = each.if_object();
    const auto reason = info ? text_in(*info, "reason") : std::string{};
    if (reason.empty())
      continue;
    if (const auto* metadata = object_in(each, "metadata"))
      field = text_in(*metadata, "field");
    for (std::uint8_t i = 1; i < errc_end; ++i)
      if (wire_of(static_cast<errc>(i)).reason == reason)
        return static_cast<errc>(i);
  }
  return errc::none;
}

} // namespace

result<task> read_task(const json::value& from, wire_format format) {
  return read_all(format, [&](auto& in, const place& root) { return in.task_of(from, root); });
}

result<answer> read_answer(const json::value& from, wire_format format) {
  return read_all(format, [&](auto& in, const place& root) { return in.answer_of(from, root); });
}

result<task_page> read_task_page(const json::value& from, wire_format format) {
  return read_all(format, [&](auto& in, const place& root) { return in.page_of(from, root); });
}

result<push_config> read_push_config(const json::value& from, wire_format format) {
  return read_all(format, [&](auto& in, const place& root) { return in.push_of(from, root); });
}

result<push_page> read_push_page(const json::value& from, wire_format format) {
  return read_all(format, [&](auto& in, const place& root) { return in.push_page_of(from, root); });
}

error read_rpc_error(const json::value& from) {
  error out{errc::internal, {}, {}, {}};
  const auto* object = from.if_object();
  if (!object) {
    out.message = "the server refused the request and does not say why";
    return out;
  }
  out.message = text_in(*object, "message");
  if (out.message.empty())
    out.message = "the server refused the request and does not say why";
  out.code = code_in(*object, "data", out.field);
  if (out.code != errc::none)
    return out;
  out.code = errc::internal;
  const auto* number = object->if_contains("code");
  if (!number || !number->is_int64())
    return out;
  for (std::uint8_t i = 1; i < errc_end; ++i) {
    const auto& row = wire_of(static_cast<errc>(i));
    if (row.jsonrpc == number->get_int64()) { // the first of several is the general one
      out.code = row.code;
      break;
    }
  }
  return out;
}

errc errc_of_status(unsigned status) noexcept {
  switch (status) {
    case 400: return errc::invalid_params;
    case 401: return errc::unauthenticated;
    case 403: return errc::forbidden;
    case 404: return errc::method_not_found;
    case 405: return errc::verb_not_allowed;
    case 413: return errc::too_large;
    case 429: return errc::overloaded;
    case 502:
    case 503: return errc::unavailable;
    case 504: return errc::timed_out;
    default: return errc::internal;
  }
}

error read_rest_error(unsigned status, const json::value& from) {
  error out{errc_of_status(status), {}, {}, {}};
  // 1.0 section 11.6: below `error`; 0.3 defines none, and most have `code` and `message`.
  const auto* inner = object_in(from, "error");
  const auto* object = inner ? inner : from.if_object();
  if (object) {
    out.message = text_in(*object, "message");
    if (const auto code = code_in(*object, "details", out.field); code != errc::none)
      out.code = code;
    else if (const auto* number = object->if_contains("code");
             number && number->is_int64() && number->get_int64() < 0)
      out.code = read_rpc_error(*object).code;
  }
  if (out.message.empty())
    out.message = "the server answered with HTTP status " + std::to_string(status);
  return out;
}

} // namespace troupe::wire
