#include "apps/runs/run_entry.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace troupe {

namespace {

namespace json = boost::json;

std::uint64_t number_in(const json::object& from, std::string_view name) {
  const auto* value = from.if_contains(name);
  boost::system::error_code failed;
  const auto number = value == nullptr ? 0 : value->to_number<std::uint64_t>(failed);
  return failed ? 0 : number;
}

/// Not for scripts: how the plan was read, and where its programs run.
void write_choices(json_writer& writer, const run_entry& entry) {
  if (!entry.begun_in.empty())
    writer.member("begunIn", valid_utf8(entry.begun_in));
  if (!entry.params.empty()) {
    writer.key("params").begin_array();
    for (const auto& [name, value] : entry.params)
      writer.begin_object()
          .member("name", valid_utf8(name))
          .member("value", valid_utf8(value))
          .end_object();
    writer.end_array();
  }
  if (!entry.only.empty()) {
    writer.key("only").begin_array();
    for (const auto& each : entry.only)
      writer.string(valid_utf8(each));
    writer.end_array();
  }
}

void read_choices(const json::object& from, run_entry& to) {
  to.begun_in = text_in(from, "begunIn");
  const auto each_of = [&](std::string_view name, const auto& take) {
    const auto* list = from.if_contains(name);
    if (list != nullptr && list->is_array())
      for (const auto& each : list->get_array())
        take(each);
  };
  each_of("params", [&](const json::value& each) {
    if (const auto* pair = each.if_object())
      to.params.emplace_back(text_in(*pair, "name"), text_in(*pair, "value"));
  });
  each_of("only", [&](const json::value& each) {
    if (each.is_string())
      to.only.emplace_back(each.get_string());
  });
}

std::string write(const run_entry& entry, std::string_view state, std::string_view directory) {
  std::string out;
  json_writer writer(out);
  writer.begin_object()
      .member("id", entry.id)
      .member("name", valid_utf8(entry.name))
      .member("file", valid_utf8(entry.file))
      .member("text", entry.text)
      .member("state", state)
      .member("started", to_rfc3339(entry.started));
  if (entry.ended != timestamp{})
    writer.member("ended", to_rfc3339(entry.ended));
  if (entry.tried != timestamp{})
    writer.member("tried", to_rfc3339(entry.tried));
  if (!entry.stopped.empty()) {
    writer.key("stopped").begin_array();
    for (const auto& each : entry.stopped)
      writer.begin_object()
          .member("from", to_rfc3339(each.begin))
          .member("to", to_rfc3339(each.end))
          .end_object();
    writer.end_array();
  }
  writer.key("tasks").number(entry.tasks);
  writer.key("completed").number(entry.completed);
  writer.key("failed").number(entry.failed);
  writer.optional_member("directory", valid_utf8(directory));
  if (directory.empty())
    write_choices(writer, entry);
  writer.end_object();
  return out + "\n";
}

} // namespace

std::string_view state_word(const run_entry& entry) {
  if (entry.is_running)
    return "running";
  if (entry.is_damaged)
    return "damaged";
  if (is_settled(entry.state))
    return to_string(entry.state);
  return waits_for_answer(entry) ? "waiting" : "interrupted";
}

bool waits_for_answer(const run_entry& entry) {
  return is_unfinished(entry) && entry.state == objective_state::blocked;
}

bool is_unfinished(const run_entry& entry) {
  return !entry.is_running && !entry.is_damaged && !is_settled(entry.state);
}

bool can_be_retried(const run_entry& entry) {
  return !entry.is_running && !entry.is_damaged
         && (entry.state == objective_state::failed || entry.state == objective_state::canceled);
}

void bring_up_to_date(run_entry& entry, const run_model& model) {
  entry.name = model.name();
  entry.state = model.state();
  entry.tasks = model.counts().total();
  entry.completed = model.counts().completed;
  entry.failed = model.counts().failed;
}

bool note_stopped(run_entry& entry, timestamp last_change, timestamp now) {
  const stopped_time stopped{std::max(last_change, entry.ended), now};
  if (stopped.begin == timestamp{} || stopped.end <= stopped.begin)
    return false;
  auto& all = entry.stopped;
  if (all.size() == stopped_times_max)
    all.erase(all.begin());
  all.push_back(stopped);
  return true;
}

std::string hash_of_text(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::array<char, 17> out{};
  std::snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(hash));
  return out.data();
}

std::string write_entry(const run_entry& entry) {
  return write(entry, to_string(entry.state), {});
}

std::string shown_entry(const run_entry& entry) {
  return write(entry, state_word(entry), entry.directory);
}

result<run_entry> read_entry(std::string_view text) {
  boost::system::error_code failed;
  const auto parsed = json::parse(text, failed);
  const auto* from = failed ? nullptr : parsed.if_object();
  const auto state = from == nullptr ? std::nullopt : objective_state_from(text_in(*from, "state"));
  const auto started = from == nullptr ? std::nullopt : parse_rfc3339(text_in(*from, "started"));
  if (!state || !started || text_in(*from, "id").empty())
    return make_error(errc::parse_error, "not the entry of a run");
  run_entry out;
  out.id = text_in(*from, "id");
  out.name = text_in(*from, "name");
  out.file = text_in(*from, "file");
  out.text = text_in(*from, "text");
  out.state = *state;
  out.started = *started;
  out.ended = parse_rfc3339(text_in(*from, "ended")).value_or(timestamp{});
  out.tried = parse_rfc3339(text_in(*from, "tried")).value_or(timestamp{});
  out.tasks = number_in(*from, "tasks");
  out.completed = number_in(*from, "completed");
  out.failed = number_in(*from, "failed");
  const auto* stopped = from->if_contains("stopped");
  if (stopped != nullptr && stopped->is_array())
    for (const auto& each : stopped->get_array())
      out.stopped.push_back({parse_rfc3339(text_in(each, "from")).value_or(timestamp{}),
                             parse_rfc3339(text_in(each, "to")).value_or(timestamp{})});
  read_choices(*from, out);
  return out;
}

} // namespace troupe
