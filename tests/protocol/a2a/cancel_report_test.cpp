// Entries of other servers about a cancel, and how long its answer may take.
#include "protocol/a2a/cancel_report.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;

namespace {

boost::json::object parsed(const std::string& text) {
  return boost::json::parse(text).as_object();
}

} // namespace

TEST_CASE("entries of another server are read as far as they are entries", "[protocol][cancel]") {
  const auto [given, expected] = GENERATE(table<std::string, std::string>({
      {"{}", "[]"},
      {R"({"troupe/v1/cancel":"all"})", "[]"},
      {R"({"troupe/v1/cancel":[1,{"path":"a","outcome":"refused"},{"path":["a"]}]})", "[]"},
      {R"({"troupe/v1/cancel":[{"path":["b",1],"target":"C","outcome":"refused","reason":"no","x":1}]})",
       R"([{"path":["a","b"],"target":"C","outcome":"refused","reason":"no"}])"},
  }));
  CHECK(boost::json::serialize(entries_below("a", cancel_entries_in(parsed(given)))) == expected);
}

TEST_CASE("entries of another server are bounded", "[protocol][cancel]") {
  boost::json::array given;
  for (std::size_t i = 0; i <= cancel_entries_max; ++i)
    given.push_back(cancel_entry("b", std::string(5000, 'x'), "refused", {}));
  boost::json::array far(cancel_path_max, boost::json::value("b"));
  given[0].as_object()["path"] = std::move(far);
  boost::json::object metadata;
  metadata[cancel_report_key] = std::move(given);
  const auto read = cancel_entries_in(metadata);
  CHECK(read.size() == cancel_entries_max);
  CHECK(read[0].at("target").as_string().size() <= cancel_text_bytes_max);
}

TEST_CASE("how long an answer may take is taken out of the metadata", "[protocol][cancel]") {
  const auto [given, wait] = GENERATE(table<std::string, std::optional<long>>({
      {"{}", std::nullopt},
      {R"({"troupe/v1/cancel-wait":4375})", 4375},
      {R"({"troupe/v1/cancel-wait":0})", 0},
      {R"({"troupe/v1/cancel-wait":-1})", std::nullopt},
      {R"({"troupe/v1/cancel-wait":"soon"})", std::nullopt},
      {R"({"troupe/v1/cancel-wait":1e300})", std::nullopt},
      {R"({"troupe/v1/cancel-wait":999999999999})", 86'400'000},
  }));
  auto metadata = parsed(given);
  const auto read = take_cancel_wait(metadata);
  CHECK(read.has_value() == wait.has_value());
  if (read && wait)
    CHECK(read->count() == *wait);
  CHECK(metadata.empty());
  CHECK(cancel_wait_beyond(std::chrono::milliseconds{800}) == std::chrono::milliseconds{700});
}
