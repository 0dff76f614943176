#include "store/rocksdb/rocksdb_rows.hpp"

#include "protocol/record/record.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

namespace troupe::rows {

namespace {

constexpr std::size_t word_bytes = 8;

template<class Number>
void append_big_endian(std::string& out, Number value) {
  for (auto shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>((value >> shift) & 0xff));
}

/// Reads a number off the front of `text`.
template<class Number>
bool take_big_endian(std::string_view& text, Number& out) noexcept {
  if (text.size() < sizeof(Number))
    return false;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value = (value << 8) | static_cast<unsigned char>(text[i]);
  text.remove_prefix(sizeof(Number));
  out = static_cast<Number>(value);
  return true;
}

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// Later times give smaller words.
std::uint64_t inverted(timestamp at) noexcept {
  return ~(static_cast<std::uint64_t>(at.time_since_epoch().count()) ^ sign_bit);
}

timestamp reverted(std::uint64_t word) noexcept {
  return timestamp{std::chrono::milliseconds{static_cast<std::int64_t>(~word ^ sign_bit)}};
}

std::string& begin_index(std::string& out, std::string_view owner) {
  out.clear();
  if (owner.empty())
    return out;
  out.push_back('y');
  append_big_endian(out, static_cast<std::uint32_t>(owner.size()));
  return out.append(owner);
}

error damaged(const objective_id& id) {
  return make_error(errc::store_failed,
                    "The stored record of objective " + id.str() + " is damaged.", id.str());
}

/// Cuts the first line off `text`, without its newline.
std::string_view take_line(std::string_view& text) noexcept {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

} // namespace

void history_prefix(std::string& out, stream_kind kind, std::string_view stream) {
  out.assign("e/").push_back(static_cast<char>(kind));
  out.append(stream).push_back('/');
}

void history_key(std::string& out, stream_kind kind, std::string_view stream,
                 std::uint64_t sequence) {
  history_prefix(out, kind, stream);
  append_big_endian(out, sequence);
}

std::string_view stream_prefix_of(std::string_view key) noexcept {
  constexpr std::size_t head_bytes = 3; // e/, and the kind
  if (key.size() <= head_bytes + word_bytes || !key.starts_with("e/"))
    return {};
  key.remove_suffix(word_bytes);
  return key.back() == '/' ? key : std::string_view{};
}

std::optional<std::uint64_t> history_sequence(std::string_view key,
                                              std::string_view prefix) noexcept {
  std::uint64_t sequence = 0;
  if (key.size() != prefix.size() + word_bytes || !key.starts_with(prefix))
    return std::nullopt;
  key.remove_prefix(prefix.size());
  take_big_endian(key, sequence);
  return sequence;
}

void live_prefix(std::string& out, stream_kind kind) {
  out.assign("l/").push_back(static_cast<char>(kind));
}

void live_key(std::string& out, stream_kind kind, std::string_view stream) {
  live_prefix(out, kind);
  out.append(stream);
}

void task_key(std::string& out, std::string_view task) {
  out.assign("t/").append(task);
}

void objective_key(std::string& out, std::string_view objective) {
  out.assign("o/").append(objective);
}

void task_place_key(std::string& out, std::string_view task) {
  out.assign("i/t").append(task);
}

void plan_place_key(std::string& out, std::string_view plan) {
  out.assign("i/p").append(plan);
}

void task_placement_key(std::string& out, std::string_view task) {
  out.assign("w/t").append(task);
}

void objective_placement_key(std::string& out, std::string_view objective) {
  out.assign("w/o").append(objective);
}

void push_key(std::string& out, std::string_view task, std::string_view config) {
  out.assign(push_prefix).append(task).append("/").append(config);
}

void once_row_key(std::string& out, std::string_view key) {
  out.assign(once_prefix).append(key);
}

std::optional<std::pair<std::string_view, std::string_view>>
push_key_parts(std::string_view key) noexcept {
  key.remove_prefix(push_prefix.size());
  const auto slash = key.rfind('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  return std::pair{key.substr(0, slash), key.substr(slash + 1)};
}

void context_index_prefix(std::string& out, std::string_view owner, std::string_view context) {
  begin_index(out, owner).append("xc");
  append_big_endian(out, static_cast<std::uint32_t>(context.size()));
  out.append(context);
}

void task_state_index_prefix(std::string& out, std::string_view owner, task_state state) {
  begin_index(out, owner).append("xs").push_back(static_cast<char>('0' + static_cast<int>(state)));
}

void objective_state_index_prefix(std::string& out, std::string_view owner, objective_state state) {
  begin_index(out, owner).append("xo").push_back(static_cast<char>('0' + static_cast<int>(state)));
}

void append_position(std::string& key, timestamp at, std::string_view id) {
  append_big_endian(key, inverted(at));
  key.append(id);
}

std::optional<position> position_of(std::string_view key, std::size_t prefix_bytes) {
  std::uint64_t word = 0;
  if (key.size() < prefix_bytes)
    return std::nullopt;
  key.remove_prefix(prefix_bytes);
  if (!take_big_endian(key, word))
    return std::nullopt;
  return position{reverted(word), std::string{key}};
}

std::string_view group_of(std::string_view key) noexcept {
  constexpr std::size_t kind_bytes = 3;
  // A lone task has few changes, and its id begins with its time: the next stream is the next task.
  if (key.starts_with("e/o") && key.size() > word_bytes)
    return key.substr(0, key.size() - word_bytes);
  const auto dot = key.rfind(
      '.'); // In the id of a plan's task the number of the task follows it; a lone one has none.
  if (dot != std::string_view::npos && key.starts_with("t/"))
    return key.substr(0, dot);
  if (dot != std::string_view::npos && key.starts_with("xc")) {
    auto rest = key.substr(2);
    std::uint32_t context_bytes = 0;
    if (take_big_endian(rest, context_bytes) && context_bytes < rest.size())
      return key.substr(0, key.size() - rest.size() + context_bytes);
  }
  return key.substr(0, kind_bytes);
}

void write_mark(std::string& out, const journal::follower_mark& mark) {
  out.clear();
  append_big_endian(out, mark.journal_id);
  append_big_endian(out, mark.at);
  append_big_endian(out, mark.safe);
}

std::optional<journal::follower_mark> read_mark(std::string_view row) noexcept {
  journal::follower_mark out;
  if (!take_big_endian(row, out.journal_id) || !take_big_endian(row, out.at)
      || !take_big_endian(row, out.safe))
    return std::nullopt;
  return out;
}

counts operator+(counts to, const counts& added) noexcept {
  std::ranges::transform(to.tasks, added.tasks, to.tasks.begin(), std::plus{});
  std::ranges::transform(to.objectives, added.objectives, to.objectives.begin(), std::plus{});
  return to;
}

counts operator-(counts from, const counts& removed) noexcept {
  std::ranges::transform(from.tasks, removed.tasks, from.tasks.begin(), std::minus{});
  std::ranges::transform(from.objectives, removed.objectives, from.objectives.begin(),
                         std::minus{});
  return from;
}

void write_counts(std::string& out, const counts& counts) {
  out.clear();
  for (const auto count : counts.tasks)
    append_big_endian(out, count);
  for (const auto count : counts.objectives)
    append_big_endian(out, count);
}

std::optional<counts> read_counts(std::string_view row) noexcept {
  counts out;
  for (auto& count : out.tasks)
    if (!take_big_endian(row, count))
      return std::nullopt;
  for (auto& count : out.objectives)
    if (!take_big_endian(row, count))
      return std::nullopt;
  return out;
}

void write_place(std::string& out, const task_place& task_place) {
  out.clear();
  append_big_endian(out, task_place.plan);
  append_big_endian(out, task_place.task);
  out.append(task_place.objective.str());
}

void write_place(std::string& out, const plan_place& plan_place) {
  out.clear();
  append_big_endian(out, plan_place.plan);
  out.append(plan_place.objective.str());
}

std::optional<task_place> read_task_place(std::string_view row) {
  task_place out;
  if (!take_big_endian(row, out.plan) || !take_big_endian(row, out.task))
    return std::nullopt;
  out.objective = objective_id{row};
  return out;
}

std::optional<plan_place> read_plan_place(std::string_view row) {
  plan_place out;
  if (!take_big_endian(row, out.plan))
    return std::nullopt;
  out.objective = objective_id{row};
  return out;
}

void write_placement(std::string& out, const placement& placement) {
  out.assign(1, static_cast<char>('0' + static_cast<int>(placement.kind)));
  append_big_endian(out, placement.plan);
  append_big_endian(out, placement.task);
  append_big_endian(out, static_cast<std::uint32_t>(placement.objective.str().size()));
  out.append(placement.objective.str()).append(placement.owner);
}

std::optional<placement> read_placement(std::string_view row) {
  placement out;
  std::uint32_t objective_bytes = 0;
  if (row.empty() || row.front() < '0' || row.front() > '2')
    return std::nullopt;
  out.kind = static_cast<placement::id_kind>(row.front() - '0');
  row.remove_prefix(1);
  if (!take_big_endian(row, out.plan) || !take_big_endian(row, out.task)
      || !take_big_endian(row, objective_bytes) || objective_bytes > row.size())
    return std::nullopt;
  out.objective = objective_id{row.substr(0, objective_bytes)};
  out.owner = row.substr(objective_bytes);
  return out;
}

void write_objective_row(std::string& out,
                         const objective_state_of_record& objective_state_of_record) {
  out.assign(std::to_string(objective_state_of_record.sequence)).push_back('\n');
  record::write(out, *objective_state_of_record.view);
  for (const auto& each : objective_state_of_record.withdrawn) {
    out.push_back('\n');
    change row;
    row.context = objective_state_of_record.view->id.str();
    row.at = each.at;
    row.events.emplace_back(tasks_withdrawn{each.plan, each.tasks, each.to, each.reason,
                                            each.metadata, each.artifacts});
    record::write(out, row);
  }
}

result<objective_state_of_record> read_objective_row(std::string_view row, const objective_id& id) {
  objective_state_of_record out;
  const auto digits = take_line(row);
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.sequence);
  if (failure != std::errc{} || end != digits.data() + digits.size())
    return damaged(id);
  auto view = record::read_objective(take_line(row));
  if (!view)
    return view.error();
  out.view = std::make_shared<objective_view>(std::move(*view));
  out.at = last_changed(*out.view);
  while (!row.empty()) {
    const auto line = record::read_change(take_line(row), id.str(), 0);
    if (!line)
      return line.error();
    for (const auto& fact : line->events)
      if (const auto* each = std::get_if<tasks_withdrawn>(&fact))
        out.withdrawn.push_back({each->plan, each->tasks, each->to, each->reason, each->metadata,
                                 line->at, each->artifacts});
  }
  return out;
}

} // namespace troupe::rows
