#include "protocol/codec_progress.hpp"

#include "protocol/object_reader.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <initializer_list>

namespace troupe {

namespace json = boost::json;
using wire::place;

namespace {

constexpr std::size_t schema_trackers_max = 100; // task-progress v1 section 8.

void write_amounts(json_writer& out, const std::optional<double>& progress, const std::optional<double>& total) {
  if (progress)
    out.key("progress").number(*progress);
  if (total)
    out.key("total").number(*total);
}

void write_time(json_writer& out, std::string_view name, const std::optional<timestamp>& at) {
  if (at)
    out.member(name, to_rfc3339(*at));
}

// Reads the way the schema does: exact names, no null, nothing unknown.
class strict_reader {
public:
  strict_reader(const json::value& from, const place& where, wire::first_failure& failure,
                std::initializer_list<std::string_view> known)
      : object_(from.if_object()), where_(where), failure_(failure) {
    if (!object_) {
      failure_.set(where_, std::string{"expected an object, found "}.append(wire::describe(from)));
      return;
    }
    for (const auto& member : *object_) {
      const std::string_view name{member.key().data(), member.key().size()};
      if (std::find(known.begin(), known.end(), name) == known.end())
        failure_.set(where_ / name, "unknown member; the extension allows none but its own");
    }
  }

  [[nodiscard]] const json::value* find(std::string_view name) const {
    return object_ ? object_->if_contains({name.data(), name.size()}) : nullptr;
  }

  [[nodiscard]] std::string text(std::string_view name) const {
    const auto* found = find(name);
    if (!found)
      return {};
    if (const auto* text = found->if_string())
      return {text->data(), text->size()};
    fail_type(name, "a string", *found);
    return {};
  }

  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const auto* found = find(name);
    if (!found)
      return std::nullopt;
    if (found->is_number())
      return found->to_number<double>();
    fail_type(name, "a number", *found);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<timestamp> time(std::string_view name) const {
    if (!find(name))
      return std::nullopt;
    const auto at = parse_rfc3339(text(name));
    if (!at)
      failure_.set(where_ / name, "expected an RFC 3339 timestamp");
    return at;
  }

  [[nodiscard]] std::optional<tracker_status> status(std::string_view name) const {
    if (!find(name))
      return std::nullopt;
    const auto status = tracker_status_from(text(name));
    if (!status)
      failure_.set(where_ / name, R"(expected "running", "completed" or "failed")");
    return status;
  }

private:
  void fail_type(std::string_view name, std::string_view expected, const json::value& found) const {
    failure_.set(where_ / name,
                 std::string{"expected "}.append(expected).append(", found ").append(wire::describe(found)));
  }

  const json::object* object_;
  const place& where_;
  wire::first_failure& failure_;
};

progress_tracker read_tracker(const json::value& from, const place& where, wire::first_failure& failure) {
  const strict_reader in{
      from, where, failure, {"id", "progress", "total", "message", "status", "startedAt", "updatedAt"}
  };
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
  const strict_reader in{
      from, root, failure, {"trackers", "aggregate"}
  };
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
    const strict_reader amounts{
        *aggregate, where, failure, {"progress", "total", "message"}
    };
    report.aggregate = {amounts.number("progress"), amounts.number("total"), amounts.text("message")};
  }
  if (failure)
    return failure.take();
  if (auto ok = validate(report); !ok)
    return ok.error();
  return report;
}

} // namespace troupe
