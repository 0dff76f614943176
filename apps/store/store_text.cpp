#include "apps/store/store_text.hpp"

#include "apps/terminal/json_line.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/counted.hpp"
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/task_state.hpp>

#include <cstdint>
#include <numeric>
#include <string_view>

namespace troupe {

namespace {

/// Tasks that are named in one line of text; JSON has all.
constexpr std::size_t tasks_shown_max = 8;
constexpr std::size_t label_columns = 22;

std::string row(std::string_view label, const std::string& value) {
  return fit_to(label, label_columns, "") + value + "\n";
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// `5 completed, 1 failed`; `none`.
template<class State, class Numbers>
std::string by_state(const Numbers& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 0)
      out += (out.empty() ? "" : ", ") + number(numbers[i]) + " "
             + std::string{to_string(static_cast<State>(i))};
  return out.empty() ? "none" : out;
}

template<class State, class Numbers>
void write_by_state(json_writer& out, std::string_view name, const Numbers& numbers) {
  out.key(name).begin_object();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 0)
      out.key(to_string(static_cast<State>(i))).number(std::uint64_t{numbers[i]});
  out.end_object();
}

std::string stream_name(const lost_stream& lost) {
  return (lost.is_lone ? "task " : "objective ") + clean_line(lost.id);
}

std::string text_of_lost(const lost_stream& lost) {
  auto out =
      "  " + stream_name(lost) + ": "
      + (lost.first == lost.last ? "change " + number(lost.first)
                                 : "changes " + number(lost.first) + " to " + number(lost.last));
  if (lost.is_lone || lost.tasks.empty())
    return out + "\n";
  out += "; " + counted(lost.tasks.size(), "task") + ":";
  std::size_t shown = 0;
  for (const auto& task : lost.tasks) {
    if (shown++ == tasks_shown_max) {
      out += " ...";
      break;
    }
    out += " " + clean_line(task);
  }
  return out + "\n";
}

std::uint64_t changes_in(const std::vector<lost_stream>& lost) {
  return std::accumulate(lost.begin(), lost.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& each) { return sum + each.changes; });
}

} // namespace

// -- text ----------------------------------------------------------------------------------------

std::string text_of(const store_finding& finding) {
  return clean_line(finding.place) + ": " + clean_line(finding.problem) + "\n";
}

std::string text_of(const check_report& report) {
  const auto& read = report.counts;
  auto out = "read " + counted(read.groups, "group") + " of the journal with "
             + counted(read.group_changes, "change") + "; " + counted(read.rows, "row")
             + " of the tables: " + counted(read.changes, "change") + " of "
             + counted(read.objectives, "objective") + " and "
             + counted(read.lone_tasks, "lone task") + ", " + number(read.live_streams)
             + " of them live" + "; " + counted(read.ended_tasks, "ended task") + ", "
             + counted(read.sealed_objectives, "sealed objective") + ", "
             + counted(read.push_configs, "push configuration") + "\n";
  return out
         + (report.findings == 0 ? "everything fits together\n"
                                 : counted(report.findings, "finding") + "\n");
}

std::string text_of(const store_stat& stat) {
  auto out = row("format", number(stat.format));
  if (stat.format > 1) {
    out += row("tables", "have the groups up to " + number(stat.mark) + "; "
                             + counted(stat.table_files, "file") + ", " + number(stat.table_bytes)
                             + " bytes");
    out += row("journal", stat.first > stat.last
                              ? "no groups; next is " + number(stat.last + 1)
                              : "groups " + number(stat.first) + " to " + number(stat.last)
                                    + ", safe up to " + number(stat.safe));
    out += row("segments", number(stat.segments) + ", " + number(stat.journal_bytes) + " bytes");
    if (stat.last > stat.mark && stat.journal_problem.empty())
      out += row("to be added", counted(stat.last - stat.mark, "group") + " at the next start");
  } else {
    out += row("tables",
               counted(stat.table_files, "file") + ", " + number(stat.table_bytes) + " bytes");
  }
  if (!stat.journal_problem.empty())
    out += row("problem", clean_line(stat.journal_problem));
  out += row("live objectives", number(stat.live_objectives));
  out += row("live tasks", number(stat.live_tasks) + " (" + number(stat.lone_tasks) + " lone)");
  out += row("ended tasks", by_state<task_state>(stat.ended_tasks));
  out += row("sealed objectives", by_state<objective_state>(stat.sealed_objectives));
  out += row("push configurations", number(stat.push_configs));
  return out;
}

std::string text_of(const repair_report& report, const std::string& directory) {
  if (!report.is_needed)
    return "the journal is whole; there is nothing to repair\n";
  auto out = clean_line(report.damage) + "\n";
  out += "The tables have the groups up to " + number(report.mark) + ", and keep them.";
  if (report.last > report.mark)
    out += " The groups " + number(report.mark + 1) + " to " + number(report.last)
           + " of the journal are kept.";
  out += "\n";
  const bool is_done = !report.copy.empty();
  const std::string verb = is_done ? "Lost: " : "Would be lost: ";
  if (report.lost_groups == 0 && report.unreadable_groups == 0)
    out += verb + "nothing that is known.\n";
  else
    out += verb + counted(report.lost_groups, "group") + " that can be read, with "
           + counted(changes_in(report.lost), "change") + " and "
           + counted(report.lost_pushes, "change of a push configuration",
                     "changes of push configurations")
           + "; " + counted(report.unreadable_groups, "group") + " that cannot be read.\n";
  for (const auto& each : report.lost)
    out += text_of_lost(each);
  return out
         + (is_done ? "Repaired. The directory as it was before: " + report.copy + "\n"
                    : "Nothing was changed. To do this: `troupe store repair --lose-after --data "
                          + directory + "`\n");
}

std::string text_of(const migration& done) {
  if (done.from == done.to)
    return "nothing to do: the directory has format " + number(done.to) + "\n";
  if (done.from == 0)
    return "the tables were empty; they have format " + number(done.to) + " now\n";
  auto out = "converted from format " + number(done.from) + " to format " + number(done.to) + "\n";
  return done.repaired.empty() ? out : out + clean_line(done.repaired) + "\n";
}

// -- JSON ----------------------------------------------------------------------------------------

std::string json_of(const store_finding& finding) {
  return json_line([&](json_writer& to) {
    to.key("finding").begin_object().member("place", valid_utf8(finding.place));
    to.member("problem", valid_utf8(finding.problem)).end_object();
  });
}

std::string json_of_note(const std::string& note) {
  return json_line([&](json_writer& to) { to.member("note", valid_utf8(note)); });
}

std::string json_of(const check_report& report) {
  return json_line([&](json_writer& to) {
    const auto& read = report.counts;
    to.key("format").number(report.format).key("mark").number(report.mark);
    to.key("findings").number(report.findings).key("read").begin_object();
    to.key("groups").number(read.groups).key("groupChanges").number(read.group_changes);
    to.key("groupPushes").number(read.group_pushes).key("rows").number(read.rows);
    to.key("changes").number(read.changes).key("objectives").number(read.objectives);
    to.key("loneTasks").number(read.lone_tasks).key("liveStreams").number(read.live_streams);
    to.key("endedTasks").number(read.ended_tasks);
    to.key("sealedObjectives").number(read.sealed_objectives);
    to.key("pushConfigurations").number(read.push_configs).end_object();
  });
}

std::string json_of(const store_stat& stat) {
  return json_line([&](json_writer& to) {
    to.key("format").number(stat.format).key("mark").number(stat.mark);
    to.key("journal").begin_object().key("first").number(stat.first);
    to.key("last").number(stat.last).key("safe").number(stat.safe);
    to.key("segments").number(stat.segments).key("bytes").number(stat.journal_bytes);
    to.optional_member("problem", valid_utf8(stat.journal_problem)).end_object();
    to.key("tables").begin_object().key("files").number(stat.table_files);
    to.key("bytes").number(stat.table_bytes).end_object();
    to.key("liveObjectives").number(stat.live_objectives);
    to.key("liveTasks").number(stat.live_tasks).key("loneTasks").number(stat.lone_tasks);
    write_by_state<task_state>(to, "endedTasks", stat.ended_tasks);
    write_by_state<objective_state>(to, "sealedObjectives", stat.sealed_objectives);
    to.key("pushConfigurations").number(stat.push_configs);
  });
}

std::string json_of(const repair_report& report) {
  return json_line([&](json_writer& to) {
    to.key("isNeeded").boolean(report.is_needed);
    to.optional_member("damage", valid_utf8(report.damage));
    to.key("mark").number(report.mark).key("last").number(report.last);
    to.key("lostGroups").number(report.lost_groups);
    to.key("unreadableGroups").number(report.unreadable_groups);
    to.key("lostPushes").number(report.lost_pushes).key("lost").begin_array();
    for (const auto& each : report.lost) {
      to.begin_object().member(each.is_lone ? "task" : "objective", valid_utf8(each.id));
      to.key("first").number(each.first).key("last").number(each.last);
      to.key("changes").number(each.changes).key("tasks").begin_array();
      for (const auto& task : each.tasks)
        to.string(valid_utf8(task));
      to.end_array().end_object();
    }
    to.end_array().optional_member("copy", valid_utf8(report.copy));
  });
}

std::string json_of(const migration& done) {
  return json_line([&](json_writer& to) {
    to.key("from").number(done.from).key("to").number(done.to);
    to.optional_member("repaired", valid_utf8(done.repaired));
  });
}

} // namespace troupe
