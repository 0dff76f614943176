#include "protocol/progress_merger.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

bool has_ended(const progress_tracker& tracker) noexcept {
  return tracker.status && *tracker.status != tracker_status::running;
}

const progress_tracker* find_tracker(const progress_report& report,
                                     const std::string& id) noexcept {
  const auto found =
      std::find_if(report.trackers.begin(), report.trackers.end(),
                   [&](const progress_tracker& tracker) { return tracker.id == id; });
  return found == report.trackers.end() ? nullptr : &*found;
}

} // namespace

progress_merger::course* progress_merger::find(const std::string& id) noexcept {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const course& one) { return one.id == id; });
  return found == known_.end() ? nullptr : &*found;
}

result<void> progress_merger::check_course(const progress_report& report) {
  for (std::size_t i = 0; i < report.trackers.size(); ++i) {
    const auto& tracker = report.trackers[i];
    const auto* before = find(tracker.id);
    if (!before || before->ended || before->attempt != attempt_ || !before->reached
        || !tracker.total)
      continue;
    if (tracker.progress && *tracker.progress < *before->reached) {
      const auto field = "trackers[" + std::to_string(i) + "].progress";
      return make_error(errc::invalid_params,
                        field + ": " + quoted(tracker.id)
                            + " went back; progress with a total never does",
                        field);
    }
  }
  return {};
}

void progress_merger::follow(progress_tracker& tracker) {
  auto* before = find(tracker.id);
  if (!before) {
    if (known_.size() >= progress_known_max)
      known_.erase(known_.begin());
    before = &known_.emplace_back(course{tracker.id, std::nullopt, attempt_, false});
  }
  before->attempt = attempt_;
  if (!tracker.progress || !tracker.total)
    return;
  if (before->reached)
    tracker.progress = std::min(*tracker.total, std::max(*tracker.progress, *before->reached));
  before->reached = tracker.progress;
}

result<void> progress_merger::take(progress_report report) {
  if (auto ok = validate(report); !ok)
    return ok;
  if (auto ok = check_course(report); !ok)
    return ok;
  std::erase_if(report.trackers, [&](const progress_tracker& tracker) {
    const auto* before = find(tracker.id);
    return before && before->ended;
  });
  for (auto& tracker : report.trackers)
    follow(tracker);
  if (waiting_)
    for (auto& tracker : waiting_->trackers)
      if (has_ended(tracker) && !find_tracker(report, tracker.id)
          && report.trackers.size() < progress_trackers_max)
        report.trackers.push_back(std::move(tracker));
  if (shown_ && *shown_ == report)
    waiting_.reset();
  else
    waiting_ = std::move(report);
  return {};
}

progress_ptr progress_merger::show() {
  if (!waiting_)
    return nullptr;
  for (const auto& tracker : waiting_->trackers)
    if (auto* known = find(tracker.id); known && has_ended(tracker))
      known->ended = true;
  shown_ = std::make_shared<const progress_report>(*std::exchange(waiting_, std::nullopt));
  return shown_;
}

void progress_merger::begin_attempt() {
  ++attempt_;
  for (auto& one : known_)
    one.ended = false;
}

} // namespace troupe
