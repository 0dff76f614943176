#include "agents/work_reports.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 7> tracker_members{
    "id", "progress", "total", "message", "status", "startedAt", "updatedAt"};
constexpr std::array<std::string_view, 2> snapshot_members{"trackers", "aggregate"};
constexpr std::array<std::string_view, 3> aggregate_members{"progress", "total", "message"};
constexpr std::array<std::string_view, 9> artifact_members{
    "name", "text", "data", "raw", "url", "mediaType", "filename", "append", "lastChunk"};
constexpr std::array<std::string_view, 5> question_members{"prompt", "schema", "data",
                                                           "expiresAfter", "remindAfter"};
/// A year, in seconds.
constexpr double question_seconds_max = 366.0 * 24 * 3600;
constexpr std::array<std::string_view, 4> content_members{"text", "data", "raw", "url"};

result<std::optional<double>> read_number(const json::object& from, std::string_view name,
                                          const std::string& pointer) {
  const auto* value = from.if_contains(name);
  if (value == nullptr)
    return std::optional<double>{};
  if (!value->is_number())
    return input_error(below(pointer, name), "must be a number");
  return std::optional<double>{value->to_number<double>()};
}

result<std::optional<timestamp>> read_time(const json::object& from, std::string_view name,
                                           const std::string& pointer) {
  const auto* value = from.if_contains(name);
  if (value == nullptr)
    return std::optional<timestamp>{};
  auto at = value->is_string() ? parse_rfc3339(value->get_string()) : std::optional<timestamp>{};
  if (!at)
    return input_error(below(pointer, name), "must be a time as in RFC 3339");
  return at;
}

result<bool> read_flag(const json::object& from, std::string_view name, bool fallback,
                       const std::string& pointer, input_stage stage) {
  const auto* value = from.if_contains(name);
  if (value == nullptr || is_pending(*value, stage))
    return fallback;
  if (!value->is_bool())
    return input_error(below(pointer, name), "must be true or false");
  return value->get_bool();
}

// `progress`, `total` and `message`, which a tracker and the aggregate have in common.
template<class T>
result<void> read_amounts(const json::object& from, T& into, const std::string& pointer) {
  const auto progress = read_number(from, "progress", pointer);
  if (!progress)
    return progress.error();
  const auto total = read_number(from, "total", pointer);
  if (!total)
    return total.error();
  auto message = read_string(from, "message", pointer);
  if (!message)
    return message.error();
  into.progress = *progress;
  into.total = *total;
  into.message = std::move(*message);
  return {};
}

result<progress_tracker> read_tracker(const json::value& from, const std::string& pointer) {
  const auto* object = from.if_object();
  if (object == nullptr)
    return input_error(pointer, "must be an object");
  if (auto known = refuse_unknown(*object, tracker_members, pointer); !known)
    return known.error();
  progress_tracker out;
  auto id = read_string(*object, "id", pointer);
  if (!id)
    return id.error();
  if (id->empty())
    return input_error(below(pointer, "id"), "must be a string that is not empty");
  out.id = std::move(*id);
  if (auto done = read_amounts(*object, out, pointer); !done)
    return done.error();
  auto status = read_string(*object, "status", pointer);
  if (!status)
    return status.error();
  if (!status->empty()) {
    out.status = tracker_status_from(*status);
    if (!out.status)
      return input_error(below(pointer, "status"), "must be running, completed or failed");
  }
  auto started = read_time(*object, "startedAt", pointer);
  if (!started)
    return started.error();
  auto updated = read_time(*object, "updatedAt", pointer);
  if (!updated)
    return updated.error();
  out.started_at = *started;
  out.updated_at = *updated;
  return out;
}

result<progress_step> read_snapshot(const json::object& from, const std::string& pointer) {
  if (auto known = refuse_unknown(from, snapshot_members, pointer); !known)
    return known.error();
  progress_step out;
  out.whole = true;
  const auto* trackers = from.at("trackers").if_array();
  if (trackers == nullptr)
    return input_error(below(pointer, "trackers"), "must be a list");
  for (std::size_t i = 0; i < trackers->size(); ++i) {
    auto one = read_tracker((*trackers)[i], below(below(pointer, "trackers"), i));
    if (!one)
      return one.error();
    out.trackers.push_back(std::move(*one));
  }
  if (const auto* aggregate = from.if_contains("aggregate")) {
    const auto where = below(pointer, "aggregate");
    const auto* object = aggregate->if_object();
    if (object == nullptr)
      return input_error(where, "must be an object");
    if (auto known = refuse_unknown(*object, aggregate_members, where); !known)
      return known.error();
    out.aggregate.emplace();
    if (auto done = read_amounts(*object, *out.aggregate, where); !done)
      return done.error();
  }
  return out;
}

// The part of an artifact step: exactly one of `text`, `data`, `raw` and `url`.
result<part> read_content(const json::object& from, const std::string& pointer, input_stage stage) {
  const auto is_given = [&](std::string_view name) { return from.contains(name); };
  if (std::count_if(content_members.begin(), content_members.end(), is_given) != 1)
    return input_error(pointer, "must have exactly one of text, data, raw and url");
  const std::string_view name =
      *std::find_if(content_members.begin(), content_members.end(), is_given);
  const auto& value = from.at(name);
  part out;
  if (name == "data") {
    out = data_part(value);
  } else if (!value.is_string() && (name != "text" || stage != input_stage::resolved)) {
    return input_error(below(pointer, name), "must be a string");
  } else if (name == "text") {
    out = text_part(text_of_value(value));
  } else if (name == "url") {
    out.content = url_content{std::string(value.get_string())};
  } else if (is_pending(value, stage)) {
    out.content = raw_content{};
  } else if (auto bytes = from_base64(value.get_string())) {
    out.content = raw_content{std::move(*bytes)};
  } else {
    return input_error(below(pointer, name), "must be base64");
  }
  auto media_type = read_string(from, "mediaType", pointer);
  if (!media_type)
    return media_type.error();
  auto filename = read_string(from, "filename", pointer);
  if (!filename)
    return filename.error();
  out.media_type = std::move(*media_type);
  out.filename = std::move(*filename);
  return out;
}

/// A time of a question, in seconds.
result<std::optional<std::chrono::milliseconds>> question_time(const json::object& from,
                                                               std::string_view name,
                                                               const std::string& pointer,
                                                               input_stage stage) {
  std::optional<std::chrono::milliseconds> out;
  const auto* value = from.if_contains(name);
  if (value == nullptr || is_pending(*value, stage))
    return out;
  const auto seconds = read_amount(*value, below(pointer, name), question_seconds_max);
  if (!seconds)
    return seconds.error();
  constexpr double ms = 1000;
  out = std::chrono::milliseconds{static_cast<std::int64_t>(*seconds * ms)};
  return out;
}

/// A member that is an object; empty if it is absent, or a reference that is not replaced yet.
result<json::object> read_object(const json::object& from, std::string_view name,
                                 const std::string& pointer, input_stage stage) {
  const auto* value = from.if_contains(name);
  if (value == nullptr || is_pending(*value, stage))
    return json::object{};
  if (!value->is_object())
    return input_error(below(pointer, name), "must be an object");
  return value->get_object();
}

bool is_finished(const progress_tracker& tracker) {
  return tracker.status == tracker_status::completed || tracker.status == tracker_status::failed;
}

} // namespace

result<progress_step> read_progress(const json::value& from, const std::string& pointer) {
  if (from.is_object() && from.get_object().contains("trackers"))
    return read_snapshot(from.get_object(), pointer);
  auto tracker = read_tracker(from, pointer);
  if (!tracker)
    return tracker.error();
  progress_step out;
  out.trackers.push_back(std::move(*tracker));
  return out;
}

result<report_question> read_question(const json::value& from, const std::string& pointer,
                                      bool auth, input_stage stage) {
  report_question out;
  out.auth = auth;
  const auto* object = from.if_object();
  const bool is_data = stage == input_stage::resolved // a reference to data, written out
                       && !from.is_string() && (object == nullptr || !object->contains("prompt"));
  if (from.is_string() || is_data) {
    out.prompt = text_of_value(from);
    return out;
  }
  if (object == nullptr)
    return input_error(pointer, "must be a string, or an object with a \"prompt\"");
  if (auto known = refuse_unknown(*object, question_members, pointer); !known)
    return known.error();
  auto prompt = read_string(*object, "prompt", pointer);
  if (!prompt)
    return prompt.error();
  if (prompt->empty())
    return input_error(below(pointer, "prompt"), "must be a string that is not empty");
  out.prompt = std::move(*prompt);
  auto schema = read_object(*object, "schema", pointer, stage);
  if (!schema)
    return schema.error();
  out.form = std::move(*schema);
  auto data = read_object(*object, "data", pointer, stage);
  if (!data)
    return data.error();
  out.data = std::move(*data);
  const auto expires = question_time(*object, "expiresAfter", pointer, stage);
  if (!expires)
    return expires.error();
  out.open_for = *expires;
  const auto reminds = question_time(*object, "remindAfter", pointer, stage);
  if (!reminds)
    return reminds.error();
  out.remind_after = *reminds;
  return out;
}

progress_report tracker_set::apply(const progress_step& step) {
  progress_report report{step.trackers, step.aggregate};
  if (!step.whole) {
    report.trackers = active_;
    for (const auto& changed : step.trackers) {
      const auto same = std::find_if(report.trackers.begin(), report.trackers.end(),
                                     [&](const auto& have) { return have.id == changed.id; });
      if (same != report.trackers.end())
        *same = changed;
      else
        report.trackers.push_back(changed);
    }
  }
  if (validate(report)) {
    active_ = report.trackers;
    std::erase_if(active_, is_finished);
  }
  return report;
}

result<report_artifact> read_artifact_step(const json::value& from, const std::string& pointer,
                                           input_stage stage) {
  const auto* object = from.if_object();
  if (object == nullptr)
    return input_error(pointer, "must be an object");
  if (auto known = refuse_unknown(*object, artifact_members, pointer); !known)
    return known.error();
  report_artifact out;
  auto name = read_string(*object, "name", pointer);
  if (!name)
    return name.error();
  if (name->empty())
    return input_error(below(pointer, "name"), "must be a string that is not empty");
  out.artifact.name = std::move(*name);
  auto content = read_content(*object, pointer, stage);
  if (!content)
    return content.error();
  out.artifact.parts.push_back(std::move(*content));
  const auto append = read_flag(*object, "append", false, pointer, stage);
  if (!append)
    return append.error();
  const auto last = read_flag(*object, "lastChunk", true, pointer, stage);
  if (!last)
    return last.error();
  out.append = *append;
  out.last_chunk = *last;
  return out;
}

report_artifact artifact_namer::name(report_artifact report) {
  auto& count = count_[report.artifact.name];
  if (count == 0)
    report.append = false; // there is nothing to append to yet: the first chunk
  if (!report.append)
    ++count;
  report.artifact.artifact_id =
      count == 1 ? report.artifact.name : report.artifact.name + "-" + std::to_string(count);
  return report;
}

report_message agent_message(std::string text) {
  report_message out;
  out.message.from = role::agent;
  out.message.parts.push_back(text_part(std::move(text)));
  return out;
}

} // namespace troupe
