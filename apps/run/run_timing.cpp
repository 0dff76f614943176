#include "apps/run/run_timing.hpp"

#include "apps/draw/critical_path.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/span_reason.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/counted.hpp"
#include "protocol/text/xml.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t slowest_shown = 3;

// Sizes of the drawing in SVG user units (CSS pixels).
constexpr std::int64_t rows_max = 2000;
constexpr std::int64_t row_height = 18;
constexpr std::int64_t label_width = 240;
constexpr std::int64_t bar_width = 900;
constexpr std::int64_t head_height = 40;
constexpr std::size_t timing_label_columns = 34;

constexpr std::string_view completed_colour = "#4a9d5b";
constexpr std::string_view failed_colour = "#c94b4b";
constexpr std::string_view earlier_colour = "#e0913c";
constexpr std::string_view interrupted_colour = "#f0e0cc";
constexpr std::string_view question_colour = "#d9c04a";
constexpr std::string_view slot_colour = "#d0d4d9";
constexpr std::string_view backoff_colour = "#b9b2d6";
constexpr std::string_view pause_colour = "#8fb3cf";

/// It ended with its process, at a time that is not known.
bool is_lost(const task_span& span) {
  return span.phase == task_phase::running && span.reason == interrupted_reason;
}

std::string_view colour_of(const task_span& span, task_state state, bool is_last) {
  switch (span.phase) {
    case task_phase::running:
      if (is_lost(span))
        return interrupted_colour;
      if (!is_last)
        return earlier_colour;
      return state == task_state::completed ? completed_colour : failed_colour;
    case task_phase::question: return question_colour;
    case task_phase::slot: return slot_colour;
    case task_phase::backoff: return backoff_colour;
    case task_phase::pause: return pause_colour;
    case task_phase::ended: break;
  }
  return "#ffffff";
}

timestamp first_begin(const std::vector<timed_task>& tasks) {
  timestamp out = timestamp::max();
  for (const auto& task : tasks)
    for (const auto& span : task.spans)
      out = std::min(out, span.begin);
  return out;
}

timestamp last_end(const std::vector<timed_task>& tasks) {
  timestamp out{};
  for (const auto& task : tasks)
    for (const auto& span : task.spans)
      out = std::max(out, span.end);
  return out;
}

std::string timed_place(const timed_task& task) {
  return task.plan_name + " / " + task.name;
}

/// Rows of one plan that are taken until a point in time.
class row_chooser {
public:
  std::uint64_t row_for(timestamp begin, timestamp end) {
    const auto free = std::ranges::find_if(until_, [&](timestamp until) { return until <= begin; });
    const auto at = static_cast<std::uint64_t>(free - until_.begin());
    if (free == until_.end())
      until_.push_back(end);
    else
      *free = end;
    return at + 1;
  }

private:
  std::vector<timestamp> until_;
};

std::vector<const timed_task*> by_begin(const std::vector<timed_task>& tasks) {
  std::vector<const timed_task*> out;
  for (const auto& task : tasks)
    if (!task.spans.empty())
      out.push_back(&task);
  std::ranges::stable_sort(out, [](const timed_task* a, const timed_task* b) {
    return a->spans.front().begin < b->spans.front().begin;
  });
  return out;
}

} // namespace

milliseconds stopped_in(const std::vector<stopped_time>& all, timestamp begin, timestamp end) {
  milliseconds out{0};
  for (const auto& each : all)
    out += std::max(milliseconds{0}, std::min(each.end, end) - std::max(each.begin, begin));
  return out;
}

milliseconds timed_task::time_in(task_phase of) const {
  milliseconds out{0};
  for (const auto& span : spans)
    if (span.phase == of && !is_lost(span))
      out += std::max(milliseconds{0}, span.end - span.begin);
  return out;
}

std::vector<task_span> spans_of(const task& record) {
  std::vector<task_span> out;
  if (record.details)
    out = record.details->spans;
  // Of an ended task the last phase is told by its two times (task::since).
  if (is_terminal(record.status.state) && record.since != timestamp{}
      && record.status.at > record.since)
    out.push_back({task_phase::running, record.attempt, record.since, record.status.at, {}});
  // The wait for the first slot. Of a task that runs its first attempt, no other phase is over.
  const auto began = !out.empty()         ? out.front().begin
                     : record.attempt > 0 ? record.since
                                          : record.ready_at;
  const bool is_all = !record.details || record.details->spans_dropped == 0;
  if (is_all && record.ready_at != timestamp{} && record.ready_at < began)
    out.insert(out.begin(), {task_phase::slot, 1, record.ready_at, began, {}});
  return out;
}

task_span last_attempt_of(const task& record) {
  const auto spans = spans_of(record);
  const auto first = std::ranges::find_if(spans, [&](const task_span& span) {
    return span.phase == task_phase::running && span.attempt == spans.back().attempt;
  });
  if (first == spans.end()) // It took no time.
    return {task_phase::running, record.attempt, record.status.at, record.status.at, {}};
  return {task_phase::running, first->attempt, first->begin, record.status.at, {}};
}

namespace {

/// What ended, and when.
struct ended_at {
  timestamp at{};
  std::string name;

  void later(const ended_at& other) {
    if (other.at > at)
      *this = other;
  }
};

/// What is left of `spans` without these times.
std::vector<task_span> without_stops(const std::vector<task_span>& spans,
                                     const std::vector<stopped_time>& stopped) {
  std::vector<task_span> out;
  for (auto span : spans) {
    bool is_cut = false;
    for (const auto& each : stopped) {
      if (each.end <= span.begin || each.begin >= span.end)
        continue;
      auto before = span;
      before.end = each.begin;
      if (before.end > before.begin)
        out.push_back(std::move(before));
      span.begin = std::min(each.end, span.end);
      is_cut = true;
    }
    if (span.end > span.begin || !is_cut)
      out.push_back(std::move(span));
  }
  return out;
}

/// For each task which of those that it depends on was the last to complete, `began` the run.
void find_waits(std::vector<timed_task>& tasks, const objective_view& view, timestamp began,
                const std::vector<stopped_time>& stopped) {
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : view.plans)
    plans.push_back(plan.spec);
  const auto edges = resolve_accepted(plans);
  if (!edges)
    return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ended_at> of_tasks;
  std::map<std::uint32_t, ended_at> of_plans;
  for (const auto& task : tasks) {
    if (task.spans.empty() || task.state != task_state::completed)
      continue;
    const auto end = task.spans.back().end;
    of_tasks[{task.plan, task.index}] = {end, timed_place(task)};
    of_plans[task.plan].later({end, "plan " + task.plan_name});
  }
  for (auto& task : tasks) {
    const auto& plan = edges->plans[task.plan];
    ended_at last;
    for (auto i = plan.dependency_offsets[task.index]; i < plan.dependency_offsets[task.index + 1];
         ++i) {
      const auto& on = plan.dependency_positions[i];
      last.later(of_tasks[{on.plan, on.task}]);
    }
    for (const auto on : plan.dependencies)
      last.later(of_plans[on]);
    if (last.at <= began)
      continue;
    task.for_others = last.at - began - stopped_in(stopped, began, last.at);
    task.last_of_them = last.name;
  }
}

} // namespace

std::vector<timed_task> read_timing(const record_reader& records, const objective_view& view,
                                    timestamp since, const std::vector<stopped_time>& stopped) {
  std::vector<timed_task> out;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    for (std::uint32_t t = 0; t < view.plans[p].tasks.size() && out.size() < timed_tasks_max; ++t) {
      const auto& plan = view.plans[p];
      if (plan.tasks[t].attempt == 0)
        continue;
      const auto record = records(plan.task_at(t));
      if (!record)
        continue;
      auto spans = spans_of(**record);
      std::erase_if(spans, [&](const task_span& span) { return span.begin < since; });
      out.push_back({p,
                     t,
                     shown_name(*plan.spec, p),
                     shown_name(plan.spec->tasks[t], t),
                     (*record)->status.state,
                     without_stops(spans, stopped),
                     {},
                     {}});
    }
  find_waits(out, view, std::max(view.created, since), stopped);
  return out;
}

std::chrono::milliseconds measured_critical_path(const run_model& model) {
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : model.plans())
    plans.push_back(plan.spec);
  const auto edges = resolve_dependencies(plans);
  if (!edges)
    return std::chrono::milliseconds{0};
  return std::chrono::milliseconds{
      critical_path(plans, *edges, [&](std::uint32_t plan, std::uint32_t task) {
        // What an earlier run of the objective did is no part of the time of this one.
        const auto& row = model.plans()[plan].tasks[task];
        const bool counts = row.state == task_state::completed && row.began >= model.began();
        return counts ? std::int64_t{row.elapsed(row.ended).count()} : std::int64_t{0};
      })};
}

namespace {

/// `longest waits: Build / link 3.1s for Build / compile, ...`; empty if nothing waited a second.
std::string longest_waits(const std::vector<timed_task>& tasks) {
  std::vector<std::pair<milliseconds, std::string>> waits;
  const auto add = [&](const timed_task& task, milliseconds time, const std::string& cause) {
    if (time >= std::chrono::seconds{1})
      waits.emplace_back(time, clean_line(timed_place(task)) + " " + format_duration(time) + " for "
                                   + cause);
  };
  for (const auto& task : tasks) {
    add(task, task.for_others, clean_line(task.last_of_them));
    add(task, task.time_in(task_phase::slot), "a slot");
    add(task, task.time_in(task_phase::pause), "the end of a pause");
    add(task, task.time_in(task_phase::question), "an answer");
    add(task, task.time_in(task_phase::backoff), "another attempt");
  }
  std::ranges::stable_sort(waits, std::greater{}, &std::pair<milliseconds, std::string>::first);
  std::string out;
  for (std::size_t i = 0; i < std::min(waits.size(), slowest_shown); ++i)
    out += (i == 0 ? "longest waits: " : ", ") + waits[i].second;
  return out;
}

} // namespace

/// Less is shown as 0.00s.
constexpr milliseconds shown_wait_min{10};

std::string timing_text(const std::vector<timed_task>& tasks, milliseconds stopped) {
  const auto not_running = stopped < std::chrono::seconds{1}
                               ? std::string{}
                               : "not running " + format_duration(stopped) + "\n";
  std::vector<const timed_task*> slowest;
  std::map<task_phase, milliseconds> waited;
  for (const auto& task : tasks) {
    slowest.push_back(&task);
    for (const auto phase :
         {task_phase::slot, task_phase::pause, task_phase::question, task_phase::backoff})
      waited[phase] += task.time_in(phase);
  }
  const auto running = [](const timed_task* task) { return task->time_in(task_phase::running); };
  std::ranges::stable_sort(slowest, std::greater{}, running);
  if (slowest.size() < slowest_shown || running(slowest.front()) < std::chrono::seconds{1})
    return not_running;
  std::string out;
  const auto add = [&](task_phase phase, std::string_view words) {
    if (waited[phase] >= shown_wait_min)
      out += (out.empty() ? "waited " : ", ") + format_duration(waited[phase]) + " "
             + std::string(words);
  };
  add(task_phase::slot, "for a slot");
  add(task_phase::pause, "while paused");
  add(task_phase::question, "for answers");
  add(task_phase::backoff, "before another attempt");
  if (const auto waits = longest_waits(tasks); !waits.empty())
    out += (out.empty() ? "" : "\n") + waits;
  std::string names;
  for (std::size_t i = 0; i < slowest_shown; ++i)
    names += (i == 0 ? "" : ", ") + clean_line(timed_place(*slowest[i])) + " "
             + format_duration(running(slowest[i]));
  return not_running + out + (out.empty() ? "" : "\n") + "slowest: " + names + "\n";
}

std::string draw_trace(const std::vector<timed_task>& tasks) {
  std::string out;
  json_writer writer(out);
  writer.begin_object().member("displayTimeUnit", "ms").key("traceEvents").begin_array();
  std::map<std::uint32_t, row_chooser> rows;
  for (const auto* task : by_begin(tasks)) {
    const std::uint64_t process = task->plan + std::uint64_t{1};
    const auto [plan, is_new] = rows.try_emplace(task->plan);
    if (is_new) {
      writer.begin_object().member("name", "process_name").member("ph", "M").key("pid");
      writer.number(process).key("args").begin_object();
      writer.member("name", valid_utf8(task->plan_name)).end_object().end_object();
    }
    const auto row = plan->second.row_for(task->spans.front().begin, task->spans.back().end);
    for (const auto& span : task->spans) {
      const bool runs = span.phase == task_phase::running && !is_lost(span);
      writer.begin_object()
          .member("name", valid_utf8(task->name))
          .member("cat", to_string(span.phase))
          .member("ph", "X");
      if (!runs)
        writer.member("cname", "grey");
      writer.key("ts").number(std::int64_t{span.begin.time_since_epoch().count()} * 1000);
      writer.key("dur").number(std::int64_t{(span.end - span.begin).count()} * 1000);
      writer.key("pid").number(process).key("tid").number(row).key("args").begin_object();
      writer.member("phase", to_string(span.phase)).key("attempt").number(span.attempt);
      writer.optional_member("ended", valid_utf8(span.reason)).end_object().end_object();
    }
  }
  writer.end_array().end_object();
  return out + "\n";
}

std::string draw_timeline(const std::vector<timed_task>& tasks, const std::string& title) {
  const auto shown = by_begin(tasks);
  const auto rows = std::min<std::int64_t>(rows_max, static_cast<std::int64_t>(shown.size()));
  const auto begin = shown.empty() ? timestamp{} : first_begin(tasks);
  const auto whole = shown.empty() ? milliseconds{0} : last_end(tasks) - begin;
  const auto x_of = [&](timestamp at) {
    return label_width
           + (at - begin).count() * bar_width / std::max<std::int64_t>(1, whole.count());
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  std::string out = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")"
                    + number(label_width + bar_width + 20) + R"(" height=")"
                    + number(head_height + rows * row_height + 20)
                    + R"(" font-family="sans-serif" font-size="12">)" + "\n"
                    + R"(<rect width="100%" height="100%" fill="white"/>)" + "\n"
                    + R"(<text x="10" y="20" font-weight="bold">)" + xml_escaped(clean_line(title))
                    + ", " + format_duration(whole) + "</text>\n";
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto& task = *shown[static_cast<std::size_t>(row)];
    const auto y = head_height + row * row_height;
    out += R"(<text x="10" y=")" + number(y + 13) + R"(">)"
           + xml_escaped(cut_to(clean_line(timed_place(task)), timing_label_columns, "..."))
           + "</text>\n";
    for (const auto& span : task.spans) {
      const auto x = x_of(span.begin);
      out += R"(<rect x=")" + number(x) + R"(" y=")" + number(y + 2) + R"(" width=")"
             + number(std::max<std::int64_t>(1, x_of(span.end) - x)) + R"(" height=")"
             + number(row_height - 4) + R"(" fill=")"
             + std::string(colour_of(span, task.state, &span == &task.spans.back()))
             + R"("><title>)" + xml_escaped(clean_line(timed_place(task))) + ": "
             + std::string(to_string(span.phase)) + ", attempt " + std::to_string(span.attempt)
             + ", " + format_duration(span.end - span.begin) + "</title></rect>\n";
    }
  }
  if (rows < static_cast<std::int64_t>(shown.size()))
    out += R"(<text x="10" y=")" + number(head_height + rows * row_height + 13) + R"(">... )"
           + counted(shown.size() - static_cast<std::size_t>(rows), "more task") + "</text>\n";
  return out + "</svg>\n";
}

std::string draw_timeline_page(const std::vector<timed_task>& tasks, const std::string& title) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> legend{
      {{completed_colour, "ran and completed"},
       {failed_colour, "ran and did not complete"},
       {earlier_colour, "an earlier attempt"},
       {interrupted_colour, "was interrupted, until it began again"},
       {slot_colour, "waited for a slot"},
       {pause_colour, "was paused"},
       {question_colour, "waited for an answer"},
       {backoff_colour, "waited before another attempt"}}};
  const auto name = xml_escaped(clean_line(title));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
                    + name
                    + "</title>\n<style>body{font:14px sans-serif;margin:2em}"
                      "td,th{padding:2px 12px;text-align:right}"
                      "td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}"
                      "i{display:inline-block;width:1em;height:1em;margin:0 4px 0 14px}"
                      "</style></head><body>\n<p>";
  for (const auto& [colour, meaning] : legend)
    out += "<i style=\"background:" + std::string(colour) + "\"></i>" + std::string(meaning);
  out += "</p>\n" + draw_timeline(tasks, title)
         + "<table><tr><th>task</th><th>state</th><th>began</th><th>ran</th>"
           "<th>for others</th><th>for a slot</th><th>paused</th>"
           "<th>for answers</th><th>for another attempt</th><th>attempts</th></tr>\n";
  const auto shown = by_begin(tasks);
  const auto begin = shown.empty() ? timestamp{} : first_begin(tasks);
  for (const auto* task : shown) {
    const auto cell = [&](const std::string& text) { out += "<td>" + text + "</td>"; };
    const auto time_cell = [&](task_phase phase) {
      const auto time = task->time_in(phase);
      cell(time > milliseconds{0} ? format_duration(time) : "");
    };
    out += "<tr>";
    cell(xml_escaped(clean_line(timed_place(*task))));
    cell(std::string(to_string(task->state)));
    cell(format_duration(task->spans.front().begin - begin));
    time_cell(task_phase::running);
    cell(task->for_others > milliseconds{0} ? format_duration(task->for_others) : "");
    time_cell(task_phase::slot);
    time_cell(task_phase::pause);
    time_cell(task_phase::question);
    time_cell(task_phase::backoff);
    cell(std::to_string(task->spans.back().attempt));
    out += "</tr>\n";
  }
  return out + "</table></body></html>\n";
}

} // namespace troupe
