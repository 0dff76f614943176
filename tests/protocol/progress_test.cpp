#include "protocol/a2a/codec_progress.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/progress.hpp>

#include <boost/json/parse.hpp>

#include <limits>

using namespace troupe;

namespace {

result<progress_report> read(std::string_view json) {
  return read_progress(boost::json::parse({json.data(), json.size()}));
}

std::string written(const progress_report& report) {
  std::string out;
  json_writer json{out};
  write_progress(json, report);
  return out;
}

std::string tracker(std::string_view members) {
  return R"({"trackers":[{"id":"a",)" + std::string{members} + "}]}";
}

} // namespace

TEST_CASE("P3_vectors: the extension's valid vectors are read", "[protocol][progress]") {
  for (const auto* progress : {"0", "10", "10"})
    CHECK(read(tracker(R"("total":10,"progress":)" + std::string{progress})).has_value());
  for (const auto* progress : {"0", "1", "1000000"})
    CHECK(read(tracker(R"("progress":)" + std::string{progress})).has_value());
  CHECK(
      read(
          R"({"trackers":[{"id":"a","progress":1,"total":2}],"aggregate":{"progress":99,"total":1}})")
          .has_value());
}

TEST_CASE("P5_status: the extension's invalid vectors are refused with the field",
          "[protocol][progress]") {
  struct row {
    const char* json;
    const char* field;
  };
  const auto [json, field] = GENERATE(values<row>({
      {R"({"trackers":[{"id":"a","progress":11,"total":10}]})", "trackers[0].progress"},
      {R"({"trackers":[{"id":"a","status":"canceled"}]})", "trackers[0].status"},
      {R"({"trackers":[{"id":"a","status":1}]})", "trackers[0].status"},
      {R"({"trackers":[{"id":"a","status":null}]})", "trackers[0].status"},
      {R"({"trackers":[{"id":"a","progress":1,"total":0}]})", "trackers[0].progress"},
      {R"({"trackers":[{"id":"a","progress":-1}]})", "trackers[0].progress"},
      {R"({"trackers":[{"id":"a","total":-0.5}]})", "trackers[0].total"},
      {R"({"trackers":[{"id":"a","progress":"5"}]})", "trackers[0].progress"},
      {R"({"trackers":[{"id":"a"},{"progress":1}]})", "trackers[1].id"},
      {R"({"trackers":[{"id":""}]})", "trackers[0].id"},
      {R"({"trackers":[{"id":7}]})", "trackers[0].id"},
      {R"({"trackers":[{"id":"a"},{"id":"a"}]})", "trackers[1].id"},
      {R"({"trackers":[{"id":"a","eta":5}]})", "trackers[0].eta"},
      {R"({"trackers":[{"id":"a","started_at":"2026-01-02T03:04:05Z"}]})",
       "trackers[0].started_at"},
      {R"({"trackers":[{"id":"a","startedAt":"yesterday"}]})", "trackers[0].startedAt"},
      {R"({"trackers":[{"id":"a","updatedAt":1}]})", "trackers[0].updatedAt"},
      {R"({"trackers":[7]})", "trackers[0]"},
      {R"({"trackers":{}})", "trackers"},
      {R"({"trackers":null})", "trackers"},
      {R"({})", "trackers"},
      {R"({"trackers":[],"aggregate":{"done":1}})", "aggregate.done"},
      {R"({"trackers":[],"aggregate":null})", "aggregate"},
      {R"({"trackers":[],"aggregate":{"message":5}})", "aggregate.message"},
      {R"({"trackers":[],"extra":1})", "extra"},
      {R"([])", ""},
      {R"(null)", ""},
  }));
  CAPTURE(json);
  const auto report = read(json);
  REQUIRE(report.has_error());
  CHECK(report.error().code == errc::invalid_params);
  CHECK(report.error().field == field);
  CHECK_THAT(report.error().message, ContainsSubstring(field));
}

TEST_CASE("limits count characters, not bytes", "[protocol][progress]") {
  const auto repeat = [](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
      text += "ä";
    return text;
  };
  progress_report report;
  report.trackers.push_back({.id = repeat(128),
                             .progress = {},
                             .total = {},
                             .message = repeat(512),
                             .status = {},
                             .started_at = {},
                             .updated_at = {}});
  report.aggregate = progress_aggregate{{}, {}, repeat(512)};
  CHECK(read(written(report)).value() == report);
  auto longer = report;
  longer.trackers[0].id += "x";
  CHECK(read(written(longer)).error().field == "trackers[0].id");
  longer = report;
  longer.trackers[0].message += "x";
  CHECK(read(written(longer)).error().field == "trackers[0].message");
  longer = report;
  longer.aggregate->message += "x";
  CHECK(read(written(longer)).error().field == "aggregate.message");
}

TEST_CASE("20 trackers are accepted, 21 and 101 are not", "[protocol][progress]") {
  const auto with = [](std::size_t count) {
    progress_report report;
    for (std::size_t i = 0; i < count; ++i)
      report.trackers.push_back({.id = "t" + std::to_string(i),
                                 .progress = {},
                                 .total = {},
                                 .message = {},
                                 .status = {},
                                 .started_at = {},
                                 .updated_at = {}});
    return written(report);
  };
  CHECK(read(with(0)).has_value());
  CHECK(read(with(20)).has_value());
  CHECK(read(with(21)).error().field == "trackers");
  CHECK(read(with(101)).error().field == "trackers");
}

TEST_CASE("numbers that are not finite are not valid progress", "[protocol][progress]") {
  progress_report report;
  report.trackers.push_back({.id = "a",
                             .progress = std::numeric_limits<double>::quiet_NaN(),
                             .total = {},
                             .message = {},
                             .status = {},
                             .started_at = {},
                             .updated_at = {}});
  CHECK(validate(report).error().field == "trackers[0].progress");
  report.trackers[0].progress = std::numeric_limits<double>::infinity();
  CHECK(validate(report).error().field == "trackers[0].progress");
}

TEST_CASE("a report is written without what is not given", "[protocol][progress]") {
  progress_report report;
  report.trackers.push_back({.id = "tool-call-1",
                             .progress = 50,
                             .total = 100,
                             .message = "Processing image 50/100",
                             .status = tracker_status::running,
                             .started_at = timestamp{},
                             .updated_at = {}});
  report.trackers.push_back({.id = "index",
                             .progress = 2.5,
                             .total = {},
                             .message = {},
                             .status = {},
                             .started_at = {},
                             .updated_at = {}});
  report.aggregate = progress_aggregate{50.0, {}, {}};
  CHECK(
      written(report)
      == R"({"trackers":[{"id":"tool-call-1","progress":50,"total":100,"message":"Processing image 50/100",)"
         R"("status":"running","startedAt":"1970-01-01T00:00:00.000Z"},{"id":"index","progress":2.5}],)"
         R"("aggregate":{"progress":50}})");
  CHECK(written({}) == R"({"trackers":[]})");
}

TEST_CASE("random valid reports read back as they were", "[protocol][progress]") {
  test::random_values random{12};
  std::size_t valid = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto report = random.any_progress();
    const auto back = read(written(report));
    REQUIRE(back.has_value() == validate(report).has_value());
    if (back) {
      REQUIRE(*back == report);
      ++valid;
    }
  }
  CHECK(valid > 200);
}

TEST_CASE("a tracker's states have the extension's spelling", "[protocol][progress]") {
  for (const auto status :
       {tracker_status::running, tracker_status::completed, tracker_status::failed})
    CHECK(tracker_status_from(to_string(status)) == status);
  CHECK_FALSE(tracker_status_from("done").has_value());
}
