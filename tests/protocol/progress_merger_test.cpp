// The rules of the Task Progress extension between reports (v1 sections 5.2, 5.3 and 10).
#include "protocol/progress_merger.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

using namespace troupe;

namespace {

progress_tracker tracker(std::string id, std::optional<double> progress,
                         std::optional<double> total = {},
                         std::optional<tracker_status> status = {}) {
  progress_tracker out;
  out.id = std::move(id);
  out.progress = progress;
  out.total = total;
  out.status = status;
  return out;
}

progress_report report(std::vector<progress_tracker> trackers) {
  progress_report out;
  out.trackers = std::move(trackers);
  return out;
}

/// "a:1 b:2", of what is shown next; "(nothing)" without news.
std::string shown(progress_merger& of) {
  const auto next = of.show();
  if (!next)
    return "(nothing)";
  std::string out;
  for (const auto& one : next->trackers)
    out += (out.empty() ? "" : " ") + one.id + ":"
           + std::to_string(static_cast<int>(one.progress.value_or(-1)));
  return out;
}

} // namespace

TEST_CASE("progress with a total may stay or grow, but not go back", "[protocol][progress]") {
  progress_merger all;
  for (const double value : {0.0, 10.0, 10.0})
    CHECK(all.take(report({tracker("a", value, 10)})));
  CHECK(shown(all) == "a:10");
  const auto back = all.take(report({tracker("b", 1, 2), tracker("a", 9, 10)}));
  REQUIRE(back.has_error());
  CHECK(back.error().code == errc::invalid_params);
  CHECK(back.error().field == "trackers[1].progress");
  CHECK(shown(all) == "(nothing)"); // refused as a whole
}

TEST_CASE("progress without a total has no direction", "[protocol][progress]") {
  progress_merger all;
  CHECK(all.take(report({tracker("a", 5)})));
  CHECK(all.take(report({tracker("a", 3)})));
  CHECK(shown(all) == "a:3");
}

TEST_CASE("a report that breaks a rule changes nothing", "[protocol][progress]") {
  progress_merger all;
  CHECK(all.take(report({tracker("a", 1, 2)})));
  CHECK_FALSE(all.take(report({tracker("a", 3, 2)})));
  CHECK_FALSE(all.take(report({tracker("a", 1, 0)})));
  CHECK_FALSE(all.take(report({tracker("", 1, 2)})));
  CHECK(shown(all) == "a:1");
}

TEST_CASE("a report is a snapshot: the last one is shown, once", "[protocol][progress]") {
  progress_merger all;
  CHECK_FALSE(all.has_news());
  CHECK(all.take(report({tracker("a", 1), tracker("b", 1)})));
  CHECK(all.take(report({tracker("b", 2)})));
  CHECK(all.has_news());
  CHECK(shown(all) == "b:2");
  CHECK(all.take(report({tracker("b", 2)})));
  CHECK(shown(all) == "(nothing)");
}

TEST_CASE("the end of a tracker is shown even if the next report has it no more",
          "[protocol][progress]") {
  progress_merger all;
  CHECK(all.take(report({tracker("a", 2, 2, tracker_status::completed), tracker("b", 1)})));
  CHECK(all.take(report({tracker("b", 2)})));
  CHECK(shown(all) == "b:2 a:2");
}

TEST_CASE("a tracker that was shown as ended is left out from then on", "[protocol][progress]") {
  progress_merger all;
  const auto failed = tracker("a", 1, 2, tracker_status::failed);
  CHECK(all.take(report({failed, tracker("b", 1)})));
  CHECK(shown(all) == "a:1 b:1");
  CHECK(all.take(report({failed, tracker("b", 2)})));
  CHECK(shown(all) == "b:2");
  CHECK(all.take(report({tracker("a", 0, 2)})));
  CHECK(shown(all).empty());
}

TEST_CASE("ended trackers that wait do not push a snapshot over the limit",
          "[protocol][progress]") {
  progress_merger all;
  CHECK(all.take(report({tracker("over", 1, 1, tracker_status::completed)})));
  std::vector<progress_tracker> full;
  for (std::size_t i = 0; i < progress_trackers_max; ++i)
    full.push_back(tracker("t" + std::to_string(i), 1));
  CHECK(all.take(report(full)));
  CHECK(all.show()->trackers.size() == progress_trackers_max);
}

TEST_CASE("a further attempt does not take back what was reached", "[protocol][progress]") {
  progress_merger all;
  CHECK(all.take(report({tracker("a", 6, 10), tracker("b", 1, 1, tracker_status::completed)})));
  CHECK(shown(all) == "a:6 b:1");
  all.begin_attempt();
  CHECK(all.take(report({tracker("a", 0, 10), tracker("b", 0, 1)})));
  CHECK(shown(all) == "a:6 b:1");
  CHECK(all.take(report({tracker("a", 7, 10)})));
  CHECK(shown(all) == "a:7");
  all.begin_attempt();
  CHECK(all.take(report({tracker("a", 1, 5)})));
  CHECK(shown(all) == "a:5"); // never above its total
}

TEST_CASE("P3_vectors: an advisory aggregate is taken as it comes", "[protocol][progress]") {
  progress_merger all;
  auto odd = report({tracker("a", 1, 2)});
  odd.aggregate = progress_aggregate{99.0, 1.0, ""};
  CHECK(all.take(odd));
  CHECK(all.show()->aggregate == odd.aggregate);
}

TEST_CASE("a task with ever new trackers costs no more than their limit", "[protocol][progress]") {
  progress_merger all;
  for (std::size_t i = 0; i <= progress_known_max; ++i)
    CHECK(all.take(report({tracker("t" + std::to_string(i), 1, 2)})));
  CHECK(all.take(report({tracker("t0", 0, 2)}))); // forgotten, so it may begin anew
}
