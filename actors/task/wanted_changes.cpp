#include "actors/task/wanted_changes.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

bool wanted_changes::has(const std::string& key) const noexcept {
  return std::ranges::any_of(all_, [&](const wanted& each) { return each.key == key; });
}

void wanted_changes::add(std::string key, bool waits) {
  all_.push_back({std::move(key), waits});
}

void wanted_changes::on_answered(const std::string& key, result<change_report> outcome) {
  for (auto& each : all_)
    if (each.key == key)
      each.answer = std::move(outcome);
}

void wanted_changes::on_ended(const task_id& called, task_state state) {
  ended_[called] = state;
}

void wanted_changes::on_read(const task_id& called, const task* record) {
  const auto ended = ended_.find(called);
  for (auto& each : all_) {
    if (!each.waits || !each.answer || !*each.answer || ended == ended_.end()
        || std::ranges::find((*each.answer)->added, called) == (*each.answer)->added.end())
      continue;
    called_task told{called, ended->second, {}, {}};
    if (record != nullptr && is_terminal(record->status.state)) {
      told.artifacts = {record->artifacts.begin(), record->artifacts.end()};
      if (record->status.message)
        told.reason = text_of(record->status.message->parts);
    }
    each.read.insert_or_assign(called, std::move(told));
  }
}

std::vector<task_id> wanted_changes::unread() const {
  std::vector<task_id> out;
  for (const auto& each : all_)
    if (each.waits && each.answer && *each.answer)
      for (const auto& called : (*each.answer)->added)
        if (ended_.contains(called) && !each.read.contains(called))
          out.push_back(called);
  return out;
}

bool wanted_changes::is_open(const wanted& each) noexcept {
  return !each.answer
         || (*each.answer && each.waits && each.read.size() < (*each.answer)->added.size());
}

bool wanted_changes::are_calls_open() const noexcept {
  return std::ranges::any_of(all_, [](const wanted& each) { return each.waits && is_open(each); });
}

std::vector<change_outcome> wanted_changes::take() {
  std::vector<change_outcome> out;
  if (are_calls_open())
    return out;
  for (auto& each : all_) {
    if (is_open(each))
      continue;
    change_outcome told{each.key, std::move(*each.answer), {}};
    if (told.report)
      for (const auto& called : told.report->added)
        if (const auto read = each.read.find(called); read != each.read.end())
          told.called.push_back(std::move(read->second));
    out.push_back(std::move(told));
  }
  std::erase_if(all_, [&](const wanted& each) {
    return std::ranges::any_of(out,
                               [&](const change_outcome& told) { return told.key == each.key; });
  });
  return out;
}

} // namespace troupe
