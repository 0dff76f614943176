#include "apps/run/tree_view.hpp"

#include "apps/run/run_report.hpp"
#include "apps/run/tree_layout.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/fold/shown_progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace troupe {

namespace {

struct mark {
  std::string_view unicode;
  std::string_view ascii;
  style look;
};

constexpr mark mark_pending{"○", ".", style::dim};
constexpr mark mark_asking{"?", "?", style::yellow};
constexpr mark mark_done{"✔", "+", style::green};
constexpr mark mark_failed{"✘", "x", style::red};
constexpr mark mark_canceled{"⊘", "-", style::dim};
constexpr mark mark_blocked{"◌", "!", style::yellow};

constexpr std::array<std::string_view, 10> spinner{"⠋", "⠙", "⠹", "⠸", "⠼",
                                                   "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::int64_t spinner_ms = 100;

mark mark_working(timestamp now) {
  const auto frame = static_cast<std::size_t>(
      std::max<std::int64_t>(0, now.time_since_epoch().count()) / spinner_ms);
  return {spinner[frame % spinner.size()], "*", style::cyan};
}

mark mark_at(task_state state, timestamp now) {
  switch (state) {
    case task_state::unspecified:
    case task_state::submitted: return mark_pending;
    case task_state::working: return mark_working(now);
    case task_state::input_required:
    case task_state::auth_required: return mark_asking;
    case task_state::completed: return mark_done;
    case task_state::failed:
    case task_state::rejected: return mark_failed;
    case task_state::canceled: return mark_canceled;
  }
  return mark_pending;
}

mark mark_at(plan_state state, timestamp now) {
  switch (state) {
    case plan_state::pending: return mark_pending;
    case plan_state::working: return mark_working(now);
    case plan_state::blocked: return mark_blocked;
    case plan_state::completed: return mark_done;
    case plan_state::failed: return mark_failed;
    case plan_state::skipped: return mark_canceled;
  }
  return mark_pending;
}

style style_of(objective_state state) {
  switch (state) {
    case objective_state::completed: return style::green;
    case objective_state::failed: return style::red;
    case objective_state::blocked:
    case objective_state::canceled: return style::yellow;
    case objective_state::submitted:
    case objective_state::planning:
    case objective_state::working: return style::cyan;
  }
  return style::plain;
}

std::string number(double value) {
  if (std::isfinite(value) && std::abs(value) < 1e15 && value == std::floor(value))
    return std::to_string(static_cast<long long>(value));
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
  return buffer.data();
}

std::string percent(double fraction) {
  return std::to_string(static_cast<int>(std::floor(std::clamp(fraction, 0.0, 1.0) * 100.0))) + "%";
}

/// Draws line after line; holds what all of them share.
class painter {
public:
  painter(const run_model& model, const view_options& options, timestamp now)
      : model_(model), options_(options), now_(now), ellipsis_(options.unicode ? "…" : "~") {}

  std::vector<std::string> paint() {
    std::vector<std::string> out;
    if (options_.height == 0 || options_.width == 0)
      return out;
    out.push_back(line(heading()));
    if (options_.height >= 2)
      out.push_back(line(overall()));
    if (options_.height <= 2)
      return out;
    const auto tree = lay_out(model_, options_.height - 2);
    measure(tree);
    for (const auto& each : tree)
      out.push_back(line(spans_of(each)));
    return out;
  }

private:
  using spans = std::vector<span>;

  std::string line(const spans& shown) const {
    return render_line(shown, options_.width, options_.colour, ellipsis_);
  }

  std::string text(std::string_view raw) const {
    std::string clean = clean_line(raw);
    return options_.unicode ? clean : to_ascii(clean);
  }

  std::string brief(std::string_view raw) const {
    const std::string line = first_line(raw);
    return options_.unicode ? line : to_ascii(line);
  }

  /// What was left while it worked does not turn.
  [[nodiscard]] mark mark_of(task_state state) const {
    return state == task_state::working && model_.is_left() ? mark_blocked : mark_at(state, now_);
  }
  [[nodiscard]] mark mark_of(plan_state state) const {
    return state == plan_state::working && model_.is_left() ? mark_blocked : mark_at(state, now_);
  }

  span glyph(const mark& of) const {
    return {std::string(options_.unicode ? of.unicode : of.ascii), of.look};
  }

  std::string_view dots() const { return options_.unicode ? "…" : "..."; }

  spans heading() const {
    const std::string state(model_.state_word());
    const std::string time = format_duration(model_.elapsed(now_));
    const std::string revision =
        model_.revision() > 0 ? "  revision " + std::to_string(model_.revision()) : "";
    const std::size_t right = state.size() + time.size() + revision.size() + 4;
    const std::size_t room = options_.width > right + 8 ? options_.width - right : 8;
    const std::string name = text(model_.name().empty() ? model_.id().str() : model_.name());
    return {{fit_to(name, room, ellipsis_), style::bold},
            {"  " + state, look()},
            {"  " + time, style::plain},
            {revision, style::plain}};
  }

  [[nodiscard]] style look() const {
    return model_.is_left() ? style::yellow : style_of(model_.state());
  }

  /// Of what has ended without completing only what has completed.
  [[nodiscard]] double share_done() const {
    const auto& counts = model_.counts();
    if (!is_settled(model_.state()) || model_.state() == objective_state::completed)
      return model_.progress();
    return static_cast<double>(counts.completed)
           / static_cast<double>(std::max<std::size_t>(1, counts.total()));
  }

  spans overall() const {
    const double done = share_done();
    const std::string counts = describe(model_.counts(), model_.is_left());
    const std::size_t columns = std::clamp<std::size_t>(options_.width / 3, 4, 40);
    spans out = bar(done, columns, look());
    const std::string share = percent(done);
    out.push_back(
        {" " + std::string(share.size() < 4 ? 4 - share.size() : 0, ' ') + share, style::bold});
    out.push_back({"  " + counts, style::plain});
    return out;
  }

  spans bar(double fraction, std::size_t columns, style look) const {
    if (columns == 0)
      return {};
    return {{draw_bar(fraction, columns, options_.unicode), look}};
  }

  spans bar(double fraction, std::size_t columns) const {
    return bar(fraction, columns, fraction >= 1.0 ? style::green : style::cyan);
  }

  /// Fixes the columns that all lines of the tree share.
  void measure(const std::vector<tree_line>& tree) {
    std::size_t longest = 10;
    for (const auto& each : tree) {
      const auto& plan = model_.plans()[each.plan];
      if (each.kind == tree_line::row_kind::plan)
        longest = std::max(longest, display_width(text(shown_name(*plan.spec, each.plan))));
      else if (each.kind == tree_line::row_kind::task)
        longest = std::max(
            longest, 2 + display_width(text(shown_name(plan.spec->tasks[each.task], each.task))));
    }
    name_columns_ = std::min(longest, std::max<std::size_t>(10, options_.width * 45 / 100));
    bar_columns_ = options_.width >= 70 ? 12 : options_.width >= 46 ? 8 : 0;
  }

  spans spans_of(const tree_line& each) const {
    switch (each.kind) {
      case tree_line::row_kind::plan: return plan_line(each);
      case tree_line::row_kind::task: return task_line(each);
      case tree_line::row_kind::tracker: return tracker_line(each);
      case tree_line::row_kind::folded_tasks:
        return {{"  " + std::string(dots()) + " " + describe(each.hidden, model_.is_left()),
                 style::dim}};
      case tree_line::row_kind::folded_plans:
        return {{std::string(dots()) + " " + std::to_string(each.hidden.total())
                     + " more plans: " + describe(each.hidden, model_.is_left()),
                 style::dim}};
    }
    return {};
  }

  spans plan_line(const tree_line& each) const {
    const auto& plan = model_.plans()[each.plan];
    const double total = static_cast<double>(std::max<std::size_t>(1, plan.counts.total()));
    const bool is_canceled = model_.is_canceled(plan);
    const auto mark = is_canceled ? mark_canceled : mark_of(plan.state);
    spans out{glyph(mark), {" ", style::plain}};
    out.push_back(
        {fit_to(text(shown_name(*plan.spec, each.plan)), name_columns_, ellipsis_), style::bold});
    out.push_back({" ", style::plain});
    const double done = plan.state == plan_state::completed
                            ? 1.0
                            : static_cast<double>(plan.counts.completed) / total;
    for (auto& part : bar(done, bar_columns_, mark.look))
      out.push_back(std::move(part));
    const auto share =
        std::to_string(plan.counts.completed) + "/" + std::to_string(plan.counts.total());
    out.push_back({" " + pad_left(share, 7), style::plain});
    out.push_back(
        {pad_left(plan.began == timestamp{} ? "" : format_duration(plan.elapsed(now_)), 8),
         style::dim});
    if (plan.state == plan_state::skipped || !plan.reason.empty())
      out.push_back({"  " + words_on(plan, is_canceled), mark.look});
    return out;
  }

  /// `failed: no route`; a reason that begins with the state stands alone.
  std::string words_on(const plan_row& plan, bool is_canceled) const {
    const std::string state(is_canceled ? "canceled" : to_string(plan.state));
    const std::string reason(own_reason(plan.reason));
    if (reason.empty() || reason.starts_with(state))
      return reason.empty() ? state : brief(reason);
    return state + ": " + brief(reason);
  }

  spans task_line(const tree_line& each) const {
    const auto& plan = model_.plans()[each.plan];
    const auto& row = plan.tasks[each.task];
    const bool quiet = row.state == task_state::unspecified || row.state == task_state::submitted
                       || row.state == task_state::canceled;
    spans out{{"  ", style::plain}, glyph(mark_of(row.state)), {" ", style::plain}};
    const std::string name = text(shown_name(plan.spec->tasks[each.task], each.task));
    out.push_back({fit_to(name, name_columns_ - 2, ellipsis_), quiet ? style::dim : style::plain});
    out.push_back({" ", style::plain});
    std::string words;
    std::optional<double> fraction;
    if (const auto found = plan.progress.find(each.task); found != plan.progress.end()) {
      fraction = known_fraction(*found->second);
      words = text(words_of(*found->second));
    }
    if (fraction && bar_columns_ > 0) {
      for (auto& part : bar(*fraction, bar_columns_))
        out.push_back(std::move(part));
      out.push_back({pad_left(percent(*fraction), 8), style::plain});
    } else {
      out.push_back({pad_left(fraction ? percent(*fraction) : "", bar_columns_ + 8), style::plain});
    }
    out.push_back({pad_left(row.began == timestamp{} ? "" : format_duration(row.elapsed(now_)), 8),
                   style::dim});
    if (row.attempt > 1)
      out.push_back({"  attempt " + std::to_string(row.attempt), style::yellow});
    if (is_interrupted(row.state))
      out.push_back({"  waits for an answer", style::yellow});
    if (const auto found = plan.reasons.find(each.task); found != plan.reasons.end())
      words = brief(found->second);
    if (!words.empty())
      out.push_back({"  " + words, is_terminal(row.state) ? style::red : style::dim});
    return out;
  }

  spans tracker_line(const tree_line& each) const {
    const auto& report = *model_.plans()[each.plan].progress.at(each.task);
    const auto& tracker = report.trackers[each.tracker];
    spans out{{"      ", style::plain}};
    out.push_back({fit_to(text(tracker.id), name_columns_ > 4 ? name_columns_ - 4 : 1, ellipsis_),
                   style::dim});
    out.push_back({" ", style::plain});
    const bool known = tracker.progress && tracker.total && *tracker.total > 0;
    for (auto& part :
         bar(known ? *tracker.progress / *tracker.total : 0.0, known ? bar_columns_ : 0))
      out.push_back(std::move(part));
    if (!known)
      out.push_back({std::string(bar_columns_, ' '), style::plain});
    std::string amount;
    if (known)
      amount = number(*tracker.progress) + "/" + number(*tracker.total);
    else if (tracker.progress)
      amount = number(*tracker.progress);
    out.push_back({" " + pad_left(amount, 7), style::plain});
    if (!tracker.message.empty())
      out.push_back({"  " + text(tracker.message), style::dim});
    if (tracker.status == tracker_status::failed)
      out.push_back({"  failed", style::red});
    return out;
  }

  static std::string pad_left(const std::string& text, std::size_t columns) {
    return std::string(text.size() < columns ? columns - text.size() : 0, ' ') + text;
  }

  const run_model& model_;
  const view_options& options_;
  timestamp now_;
  std::string_view ellipsis_;
  std::size_t name_columns_ = 10;
  std::size_t bar_columns_ = 0;
};

} // namespace

std::string draw_bar(double fraction, std::size_t columns, bool unicode) {
  if (std::isnan(fraction))
    fraction = 0;
  const auto filled = static_cast<std::size_t>(
      std::floor(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(columns)));
  std::string out;
  for (std::size_t i = 0; i < columns; ++i)
    out += unicode ? (i < filled ? "█" : "░") : (i < filled ? "#" : "-");
  return out;
}

std::string describe(const state_counts& counts, bool is_left) {
  std::string out;
  const auto add = [&](std::size_t n, std::string_view word) {
    if (n == 0)
      return;
    out += (out.empty() ? "" : ", ") + std::to_string(n) + " ";
    out += word;
  };
  add(counts.working, is_left ? "interrupted" : "running");
  add(counts.waiting, "asking");
  add(counts.pending, "waiting");
  add(counts.completed, "done");
  add(counts.failed, "failed");
  add(counts.canceled, "canceled");
  add(counts.skipped, "skipped");
  return out.empty() ? "0 done" : out;
}

std::vector<std::string> draw_tree(const run_model& model, const view_options& options,
                                   timestamp now) {
  return painter(model, options, now).paint();
}

} // namespace troupe
