// Streams of objectives: the objective as it was, then each state that the journal has, once and in
// its order, also over resumes; folded ones have the latest.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr double rounding = 1e-6;

/// What has a state: a plan and its task; a plan alone; or neither, the objective itself.
using holder = std::pair<std::uint32_t, std::uint32_t>;
constexpr holder objective_itself{none, none};

struct move {
  std::uint64_t change = 0; ///< Its sequence.
  holder of = objective_itself;
  std::string state;
};

using states = std::map<holder, std::string>;

/// An objective as the journal has it.
struct kept_objective {
  std::map<std::string, std::uint32_t> plans; ///< Places by ids.
  std::vector<move> moves;                    ///< In their order.
};

kept_objective kept_in(const std::vector<objective_fact>& facts) {
  kept_objective out;
  for (const auto& each : facts) {
    const auto add = [&](holder of, std::string state) {
      out.moves.push_back({each.change, of, std::move(state)});
    };
    switch (each.kind) {
      case fact_kind::plan_added: out.plans[each.id] = each.plan; break;
      case fact_kind::moved: add(objective_itself, each.text); break;
      case fact_kind::plan_moved: add({each.plan, none}, each.text); break;
      case fact_kind::task_begun:
      case fact_kind::task_asks:
      case fact_kind::task_ended: add({each.plan, each.task}, each.text); break;
      case fact_kind::task_renewed: add({each.plan, each.task}, "pending"); break;
      default: break;
    }
  }
  return out;
}

std::string holder_name(const holder& of) {
  if (of == objective_itself)
    return "the objective";
  const auto plan = "plan " + std::to_string(of.first);
  return of.second == none ? plan : "task " + std::to_string(of.second) + " of " + plan;
}

struct position {
  std::uint64_t change = 0;
  std::uint64_t revision = 0;
};

position position_of(const std::string& cursor) {
  position out;
  const auto* const end = cursor.data() + cursor.size();
  const auto [dash, wrong] = std::from_chars(cursor.data(), end, out.change);
  if (wrong == std::errc{} && dash != end)
    std::from_chars(dash + 1, end, out.revision);
  return out;
}

bool asks(const std::string& state) {
  return state == "input-required" || state == "auth-required";
}

bool has_settled(const std::string& state) {
  return state == "completed" || state == "failed" || state == "canceled";
}

/// One stream against the journal, event by event.
class comparison {
public:
  comparison(const objective_stream& read, const kept_objective& journal)
      : read_(read), journal_(journal) {
    go_on_to(position_of(read.after));
  }

  verdict go() {
    bool is_first = true;
    for (const auto& event : read_.events) {
      const auto next = position_of(event.cursor);
      if (auto wrong = event.whole ? look_at_whole(event, next, is_first)
                                   : look_at_change(event, next, is_first))
        return wrong;
      if (auto wrong = look_at_progress(event))
        return wrong;
      is_first = false;
    }
    if (read_.is_complete && !read_.events.empty() && !has_settled(state_of(objective_itself, "")))
      return name() + " ends, and its objective has not";
    return std::nullopt;
  }

private:
  [[nodiscard]] std::string name() const {
    return "the stream of objective " + read_.objective + " to " + read_.client;
  }

  [[nodiscard]] std::string state_of(const holder& of, const std::string& first) const {
    const auto found = now_.find(of);
    return found == now_.end() ? first : found->second;
  }

  /// The moves on the way there.
  std::vector<move> go_on_to(const position& next) {
    std::vector<move> out;
    for (; passed_ < journal_.moves.size() && journal_.moves[passed_].change <= next.change;
         ++passed_) {
      const auto& each = journal_.moves[passed_];
      now_[each.of] = each.state;
      out.push_back(each);
    }
    at_ = next;
    return out;
  }

  verdict look_at_whole(const objective_event& event, const position& next, bool is_first) {
    if (!is_first)
      return name() + " begins anew at " + event.cursor;
    if (next.change < at_.change)
      return name() + " begins anew before " + read_.after;
    const bool was_behind =
        std::ranges::any_of(go_on_to(next), [&](const move& each) { return is_shown(each); });
    // Of an objective that has ended, what nothing follows is how it ended.
    const bool is_end = !was_behind && has_settled(state_of(objective_itself, ""));
    if (!read_.after.empty() && !event.has_gap && !is_end)
      return name() + " was to go on behind " + read_.after
             + ", and begins anew without saying that something is missing";
    const auto begins_wrongly = [&](const std::string& with, const std::string& shown) {
      return name() + " begins at " + event.cursor + " with " + with + " as " + shown
             + ", and the journal has another state there";
    };
    if (const auto& shown = event.whole->state; shown != state_of(objective_itself, "submitted"))
      return begins_wrongly("its objective", shown);
    for (const auto& plan : event.whole->plans) {
      const auto place = journal_.plans.find(plan.id);
      if (place == journal_.plans.end())
        return begins_wrongly("plan " + plan.id, plan.state);
      const auto kept = state_of({place->second, none}, "pending");
      // One that has not begun is shown as blocked while it waits for a blocked one.
      if (plan.state != kept && !(kept == "pending" && plan.state == "blocked"))
        return begins_wrongly("plan " + plan.id, plan.state);
    }
    return std::nullopt;
  }

  verdict look_at_change(const objective_event& event, const position& next, bool is_first) {
    if (is_first && read_.after.empty())
      return name() + " does not begin with the objective";
    if (next.change <= at_.change)
      return name() + " has cursor " + event.cursor + " behind a later one";
    if (next.revision < at_.revision || next.revision != event.revision)
      return name() + " has revision " + std::to_string(event.revision) + " at " + event.cursor
             + ", after " + std::to_string(at_.revision);
    std::vector<move> shown;
    for (const auto& each : event.moves) {
      holder of = objective_itself;
      if (!each.plan.empty()) {
        const auto place = journal_.plans.find(each.plan);
        if (place == journal_.plans.end())
          return name() + " shows plan " + each.plan + ", which the journal does not have";
        of = {place->second, each.task.value_or(none)};
      }
      shown.push_back({next.change, of, each.state});
    }
    auto kept = go_on_to(next);
    std::erase_if(kept, [&](const move& each) { return !is_shown(each); });
    return read_.is_folded ? compare_latest(shown, kept) : compare_all(shown, kept);
  }

  /// Whether a stream of this detail shows the move.
  [[nodiscard]] bool is_shown(const move& each) const {
    const bool is_of_task = each.of.second != none;
    // Folded, a question may be gone before it is shown.
    return !is_of_task || read_.shows_tasks || (asks(each.state) && !read_.is_folded);
  }

  [[nodiscard]] verdict compare_all(const std::vector<move>& shown,
                                    const std::vector<move>& kept) const {
    const auto same = [](const move& a, const move& b) {
      return a.change == b.change && a.of == b.of && a.state == b.state;
    };
    const auto [left, right] = std::ranges::mismatch(shown, kept, same);
    if (right != kept.end() && (left == shown.end() || right->change < at_.change))
      return name() + " misses that " + holder_name(right->of) + " is " + right->state
             + " with change " + std::to_string(right->change);
    if (left != shown.end())
      return name() + " shows at " + std::to_string(at_.change) + " that " + holder_name(left->of)
             + " is " + left->state + ", and the journal does not have that there";
    return std::nullopt;
  }

  [[nodiscard]] verdict compare_latest(const std::vector<move>& shown,
                                       const std::vector<move>& kept) const {
    states of_stream;
    states of_journal;
    for (const auto& each : shown)
      if (is_shown(each))
        of_stream[each.of] = each.state;
    for (const auto& each : kept)
      of_journal[each.of] = each.state;
    const auto [left, right] = std::ranges::mismatch(of_stream, of_journal);
    if (left == of_stream.end() && right == of_journal.end())
      return std::nullopt;
    const auto& of = left == of_stream.end() ? right->first : left->first;
    return name() + " is folded, and does not show at " + std::to_string(at_.change)
           + " the last state that the journal has of " + holder_name(of);
  }

  verdict look_at_progress(const objective_event& event) {
    if (!event.fraction)
      return std::nullopt;
    const bool is_completed = state_of(objective_itself, "") == "completed";
    if ((*event.fraction >= 1) != is_completed)
      return name() + " shows progress " + std::to_string(*event.fraction) + " at " + event.cursor
             + (is_completed ? ", and has completed" : ", and has not completed");
    if (event.revision == revision_ && *event.fraction + rounding < fraction_)
      return name() + " goes back from " + std::to_string(fraction_) + " to "
             + std::to_string(*event.fraction) + " at " + event.cursor;
    revision_ = event.revision;
    fraction_ = *event.fraction;
    return std::nullopt;
  }

  const objective_stream& read_;
  const kept_objective& journal_;
  position at_;
  std::size_t passed_ = 0; ///< Moves of the journal.
  states now_;             ///< After them.
  std::uint64_t revision_ = 0;
  double fraction_ = 0;
};

} // namespace

verdict check_subscriptions(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  std::map<std::string, kept_objective> journals;
  for (const auto& read : seen.objective_streams) {
    const auto facts = seen.facts.find(read.objective);
    if (facts == seen.facts.end())
      continue; // It was never seen to have a task.
    auto journal = journals.find(read.objective);
    if (journal == journals.end())
      journal = journals.emplace(read.objective, kept_in(facts->second)).first;
    if (auto wrong = comparison(read, journal->second).go())
      return wrong;
  }
  return std::nullopt;
}

} // namespace troupe::sim
