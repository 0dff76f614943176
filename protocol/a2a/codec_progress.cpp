#include "protocol/a2a/codec_progress.hpp"

#include "protocol/json/object_reader.hpp"

#include <boost/json/object.hpp>

#include <initializer_list>

namespace troupe {

namespace json = boost::json;
using wire::place;

namespace {

constexpr std::size_t schema_trackers_max = 100; // task-progress v1 section 8.

void write_amounts(json_writer& out, const std::optional<double>& progress,
                   const std::optional<double>& total) {
  if (progress)
    out.key("progress").number(*progress);
  if (total)
    out.key("total").number(*total);
}

void write_time(json_writer& out, std::string_view name, const std::optional<timestamp>& at) {
  if (at)
    out.member(name, to_rfc3339(*at));
}

/// Reads the way the schema does: exact names, no null, nothing unknown.
class schema_reader : public wire::object_reader {
public:
  schema_reader(const json::value& from, const place& where, wire::first_failure& failure,
                std::initializer_list<std::string_view> known)
      : object_reader(from, where, failure, {.is_lenient = false, .null_is_absent = false}) {
    refuse_unknown(known, "unknown member; the extension allows none but its own");
  }

  [[nodiscard]] std::optional<tracker_status> status(std::string_view name) const {
    if (!find(name))
      return std::nullopt;
    const auto status = tracker_status_from(text(name));
    if (!status)
      fail(name, R"(expected "running", "completed" or "failed")");
    return status;
  }
};

progress_tracker read_tracker(const json::value& from, const place& where,
                              wire::first_failure& failure) {
  const schema_reader in{
      from,
      where,
      failure,
      {"id", "progress", "total", "message", "status", "startedAt", "updatedAt"}};
  return {in.text("id"),       in.number("progress"), in.number("total"),  in.text("message"),
          in.status("status"), in.time("startedAt"),  in.time("updatedAt")};
}

} // namespace

void write_progress(json_writer& out, const progress_report& value) {
  out.begin_object().key("trackers").begin_array();
  for (const auto& tracker : value.trackers) {
    out.begin_object().member("id", tracker.id);
    write_amounts(out, tracker.progress, tracker.total);
    out.optional_member("message", tracker.message);
    if (tracker.status)
      out.member("status", to_string(*tracker.status));
    write_time(out, "startedAt", tracker.started_at);
    write_time(out, "updatedAt", tracker.updated_at);
    out.end_object();
  }
  out.end_array();
  if (const auto& aggregate = value.aggregate) {
    out.key("aggregate").begin_object();
    write_amounts(out, aggregate->progress, aggregate->total);
    out.optional_member("message", aggregate->message).end_object();
  }
  out.end_object();
}

result<progress_report> read_progress(const json::value& from) {
  progress_report report;
  wire::first_failure failure{"progress"};
  const place root{};
  const schema_reader in{from, root, failure, {"trackers", "aggregate"}};
  const auto list = root / "trackers";
  const auto* trackers = in.find("trackers");
  if (!trackers || !trackers->is_array()) {
    failure.set(list, "missing; an array is required");
  } else if (trackers->get_array().size() > schema_trackers_max) {
    failure.set(list, "more than " + std::to_string(schema_trackers_max) + " trackers");
  } else {
    for (const auto& item : trackers->get_array())
      report.trackers.push_back(read_tracker(item, list / report.trackers.size(), failure));
  }
  if (const auto* aggregate = in.find("aggregate")) {
    const auto where = root / "aggregate";
    const schema_reader amounts{*aggregate, where, failure, {"progress", "total", "message"}};
    report.aggregate = {amounts.number("progress"), amounts.number("total"),
                        amounts.text("message")};
  }
  if (failure)
    return failure.take();
  if (auto ok = validate(report); !ok)
    return ok.error();
  return report;
}

} // namespace troupe
