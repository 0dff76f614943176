#include "apps/run/run_report.hpp"

#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/counted.hpp"

#include <boost/json/array.hpp>

namespace troupe {

namespace {

/// One line per event that changes a state.
class line_writer {
public:
  line_writer(std::string& out, const change& where, const run_model& model)
      : out_(out), where_(where), model_(model), time_(format_duration(model.elapsed(where.at))) {}

  void operator()(const objective_moved& moved) {
    const std::string name = clean_line(model_.name().empty() ? model_.id().str() : model_.name());
    line(name + ": " + std::string(to_string(moved.to())), own_reason(moved.reason));
  }

  void operator()(const plan_moved& moved) {
    const bool is_canceled =
        moved.plan < model_.plans().size() && model_.is_canceled(model_.plans()[moved.plan]);
    line("plan " + plan_name(moved.plan) + ": "
             + std::string(is_canceled ? "canceled" : to_string(moved.to())),
         own_reason(moved.reason));
  }

  void operator()(const plan_added& added) {
    line("plan " + clean_line(shown_name(*added.spec, model_.plans().size() - 1)) + ": added"
             + revision(),
         {});
  }

  void operator()(const plan_changed& changed) {
    line("plan " + plan_name(changed.plan) + ": changed" + revision(), changed.reason);
  }

  void operator()(const objective_changed& changed) {
    const std::string name = clean_line(model_.name().empty() ? model_.id().str() : model_.name());
    line(name + ": changed" + revision(), changed.reason);
  }

  void operator()(const tasks_withdrawn& withdrawn) {
    const auto n = withdrawn.tasks.size();
    line("plan " + plan_name(withdrawn.plan) + ": " + std::to_string(n)
             + (n == 1 ? " task " : " tasks ") + std::string(to_string(withdrawn.to)),
         own_reason(withdrawn.reason));
  }

  void operator()(const tasks_renewed& renewed) {
    const auto n = renewed.tasks.size();
    line("plan " + plan_name(renewed.plan) + ": " + std::to_string(n)
             + (n == 1 ? " task" : " tasks") + " again",
         {});
  }

  void operator()(const task_moved& moved) {
    if (where_.task.lone)
      return;
    std::string text = place_of(model_, where_.task.plan_index, where_.task.task_index) + ": "
                       + std::string(to_string(moved.to));
    if (moved.attempt > 1)
      text += " (attempt " + std::to_string(moved.attempt) + ")";
    std::string words = moved.message && moved.to != task_state::completed
                            ? text_of(moved.message->parts)
                            : std::string{};
    line(text, is_interrupted(moved.to) ? clean_line(words) : words); // a question is shown whole
  }

  template<class Other>
  void operator()(const Other&) {}

private:
  /// After a change of structure: which one it is.
  [[nodiscard]] std::string revision() const {
    return model_.revision() > 0 ? " (revision " + std::to_string(model_.revision()) + ")" : "";
  }

  std::string plan_name(std::uint32_t index) const {
    return index < model_.plans().size()
               ? clean_line(shown_name(*model_.plans()[index].spec, index))
               : std::to_string(index);
  }

  void line(const std::string& text, std::string_view reason) {
    out_.append(time_.size() < 8 ? 8 - time_.size() : 0, ' ')
        .append(time_)
        .append("  ")
        .append(text);
    if (!reason.empty())
      out_.append(": ").append(first_line(reason));
    out_ += '\n';
  }

  std::string& out_;
  const change& where_;
  const run_model& model_;
  std::string time_;
};

/// `0.0001`: up to six places, without zeros at the end.
std::string shown_cost(std::uint64_t millionths) {
  auto places = std::to_string(millionths % 1'000'000);
  places.insert(0, 6 - places.size(), '0');
  places.erase(places.find_last_not_of('0') + 1);
  return std::to_string(millionths / 1'000'000) + (places.empty() ? "" : "." + places);
}

} // namespace

std::string_view own_reason(std::string_view reason) noexcept {
  const auto task = reason.find("task \"");
  if (task == std::string_view::npos)
    return reason;
  for (const std::string_view how : {"\" failed: ", "\" rejected: "})
    if (const auto at = reason.find(how, task); at != std::string_view::npos)
      return reason.substr(0, at + how.size() - std::string_view(": ").size());
  return reason;
}

std::string place_of(const run_model& model, std::uint32_t plan, std::uint32_t task) {
  if (plan >= model.plans().size() || task >= model.plans()[plan].spec->tasks.size())
    return "plan-" + std::to_string(plan) + "/task-" + std::to_string(task);
  return place_of(*model.plans()[plan].spec, plan, task);
}

std::string place_of(const plan_spec& plan, std::uint32_t index, std::uint32_t task) {
  return clean_line(shown_name(plan, index) + " / " + shown_name(plan.tasks[task], task));
}

void append_state_lines(std::string& out, const change& change, const run_model& model) {
  for (const auto& each : change.events)
    std::visit(line_writer(out, change, model), each);
}

std::vector<leaf_line> leaf_lines(const boost::json::object& metadata) {
  std::vector<leaf_line> out;
  for (const auto& each : cancel_entries_in(metadata)) {
    const auto outcome = text_in(each, "outcome");
    if (outcome == "acknowledged" || outcome == "already ended")
      continue;
    std::string path;
    for (const auto& id : each.at("path").as_array())
      path += (path.empty() ? "" : " > ") + std::string(id.as_string());
    const auto reason = text_in(each, "reason");
    out.push_back({clean_line(path) + ": " + clean_line(text_in(each, "target")) + ": "
                       + clean_line(outcome + (reason.empty() ? "" : ", " + reason)),
                   outcome == "refused"});
  }
  return out;
}

std::string usage_text(const model_usage& used) {
  if (used.calls == 0)
    return {};
  return "models: " + counted(used.calls, "call") + ", " + std::to_string(used.prompt_tokens)
         + " + " + std::to_string(used.answer_tokens) + " tokens"
         + (used.is_estimated ? " (estimated)" : "") + ", "
         + format_duration(std::chrono::milliseconds{used.milliseconds})
         + (used.cost_millionths > 0 ? ", cost " + shown_cost(used.cost_millionths) : "") + "\n";
}

std::string summary_text(const run_model& model, timestamp now,
                         std::chrono::milliseconds critical_path) {
  const auto& counts = model.counts();
  std::string tasks = std::to_string(counts.completed) + " of " + counted(counts.total(), "task");
  if (counts.completed < counts.total()) {
    tasks += " completed";
    const auto add = [&](std::size_t number, std::string_view word) {
      if (number > 0)
        tasks += ", " + std::to_string(number) + " " + std::string(word);
    };
    add(counts.failed, "failed");
    add(counts.canceled, "canceled");
    add(counts.skipped, "skipped");
    add(counts.waiting, counts.waiting == 1 ? "waits for an answer" : "wait for an answer");
    add(counts.working, model.is_left() ? "interrupted" : "running");
    add(counts.pending, "not begun");
    tasks += ",";
  }
  std::string out = std::string(model.state_word()) + ": " + tasks + " in "
                    + format_duration(model.elapsed(now)) + " (critical path "
                    + format_duration(critical_path) + ", "
                    + (model.parallel_seen_max() == 0 // Nothing took any time that was seen.
                           ? ""
                           : "at most " + std::to_string(model.parallel_seen_max()) + " at once, ")
                    + counted(model.attempts(), "attempt") + ")\n";
  if (!model.reason().empty() && model.state() != objective_state::completed && counts.failed == 0)
    out += "reason: " + first_line(model.reason()) + "\n";
  return out;
}

} // namespace troupe
