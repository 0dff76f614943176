#include "agents/a2a/delegation_lines.hpp"

#include "agents/a2a/limits.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// The task that was renewed (renewed_id), or itself.
std::string base_of(const std::string& our_task) {
  const auto dot = our_task.rfind(".r");
  const bool is_renewed = dot != std::string::npos && dot + 2 < our_task.size()
                          && std::all_of(our_task.begin() + static_cast<std::ptrdiff_t>(dot) + 2,
                                         our_task.end(), is_digit);
  return is_renewed ? our_task.substr(0, dot) : our_task;
}

} // namespace

std::shared_ptr<target_queue> delegation_lines::queue(a2a::call_loop& on, const std::string& name,
                                                      target_limits limits) {
  auto& kept = queues_[name];
  auto out = kept.lock();
  if (out == nullptr) {
    std::erase_if(queues_,
                  [&](const auto& each) { return each.first != name && each.second.expired(); });
    out = std::make_shared<target_queue>(on, limits, open_);
    queues_[name] = out;
  }
  return out;
}

result<std::shared_ptr<a2a::agent_line>> delegation_lines::open(a2a::call_loop& on,
                                                                const std::string& name,
                                                                const a2a::line_options& options) {
  const auto now = on.now();
  if (const auto found = lines_.find(name); found != lines_.end()) {
    found->second.used_at = now;
    return found->second.line;
  }
  auto made = on.open(options);
  if (!made)
    return made.error();
  if (lines_.size() >= lines_max) // URLs of plans
    std::erase_if(lines_, [&](const auto& each) { return each.second.used_at + line_kept <= now; });
  if (lines_.size() >= lines_max) // so many within minutes: what is learned of the agents is lost
    std::erase_if(lines_, [](const auto& each) { return each.second.line.use_count() == 1; });
  lines_[name] = {*made, now};
  return std::move(*made);
}

void delegation_lines::keep(const delegation_note& note, std::shared_ptr<void> one) {
  background_[{base_of(note.our_task), note.message}] = std::move(one);
}

void delegation_lines::let_go(const delegation_note& note) {
  const auto base = base_of(note.our_task);
  background_.erase({base, note.message});
  const auto waited = waiting_.extract(base);
  if (!waited.empty())
    for (const auto& go : waited.mapped())
      go();
}

bool delegation_lines::is_canceling(const std::string& our_task) const {
  const auto base = base_of(our_task);
  const auto found = background_.lower_bound({base, {}});
  return found != background_.end() && found->first.first == base;
}

void delegation_lines::wait_for_cancel(const std::string& our_task, std::function<void()> go) {
  waiting_[base_of(our_task)].push_back(std::move(go));
}

void delegation_lines::note_refusal(const std::string& our_task, std::string_view words) {
  if (our_task.empty())
    return;
  if (refusals_.size() >= refused_cancels_max)
    refusals_.pop_front();
  refusals_.emplace_back(our_task, shown(words));
}

const std::string* delegation_lines::refusal_of(const std::string& our_task) const {
  const auto found =
      std::ranges::find(refusals_, our_task, &std::pair<std::string, std::string>::first);
  return found == refusals_.end() ? nullptr : &found->second;
}

} // namespace troupe
