#include "protocol/fold/shown_progress.hpp"
#include "tests/support/catch.hpp"

#include <utility>

using namespace troupe;

namespace {

progress_tracker tracker(std::string id, double progress, std::optional<double> total,
                         std::string message = {}) {
  progress_tracker out;
  out.id = std::move(id);
  out.progress = progress;
  out.total = total;
  out.message = std::move(message);
  return out;
}

} // namespace

TEST_CASE("a report without a total has no known fraction", "[fold]") {
  progress_report report;
  CHECK_FALSE(known_fraction(report));
  report.aggregate = progress_aggregate{9.0, std::nullopt, ""};
  CHECK_FALSE(known_fraction(report));
  report.trackers = {tracker("a", 1, 4.0), tracker("b", 3, 4.0)};
  CHECK(*known_fraction(report) == Approx(0.5));
  report.aggregate->total = 10.0;
  CHECK(*known_fraction(report) == Approx(0.9));
}

TEST_CASE("a report says the words of its aggregate, or of its only tracker", "[fold]") {
  progress_report report;
  CHECK(words_of(report).empty());
  report.trackers = {tracker("a", 1, std::nullopt, "page 1")};
  CHECK(words_of(report) == "page 1");
  report.trackers.push_back(tracker("b", 1, std::nullopt, "page 2"));
  CHECK(words_of(report).empty());
  report.aggregate = progress_aggregate{std::nullopt, std::nullopt, "reading"};
  CHECK(words_of(report) == "reading");
}
