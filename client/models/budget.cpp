#include "client/models/budget.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace troupe::models {

namespace {

/// A call that could take no longer is not begun.
constexpr std::chrono::milliseconds time_least{1'000};

std::int64_t day_at(timestamp now) {
  return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
}

std::string shown_money(money amount) {
  std::string cents = std::to_string(amount % 1'000'000);
  cents.insert(0, 6 - std::min<std::size_t>(cents.size(), 6), '0');
  while (cents.size() > 2 && cents.ends_with('0'))
    cents.pop_back();
  return std::to_string(amount / 1'000'000) + "." + cents;
}

error exceeded(budget_scope scope, std::string_view unit, const std::string& limit,
               const std::string& spent, const std::string& needed) {
  auto name = std::string(to_string(scope)) + "-" + std::string(unit);
  return make_error(errc::budget_exceeded,
                    "the budget " + name + " is " + limit + "; " + spent
                        + " of it are spent or promised, and the call may need " + needed,
                    name);
}

/// `most.time` becomes what the limit leaves.
result<void> check(budget_scope scope, const spending_limits& limits, const spending& before,
                   spending& most) {
  if (limits.tokens && before.tokens + most.tokens > *limits.tokens)
    return exceeded(scope, "tokens", std::to_string(*limits.tokens), std::to_string(before.tokens),
                    std::to_string(most.tokens));
  if (limits.cost && before.cost + most.cost > *limits.cost)
    return exceeded(scope, "money", shown_money(*limits.cost), shown_money(before.cost),
                    shown_money(most.cost));
  if (limits.time) {
    const auto left = *limits.time - before.time;
    if (left < time_least)
      return exceeded(scope, "seconds", std::to_string(limits.time->count() / 1000),
                      std::to_string(before.time.count() / 1000), "1");
    most.time = std::min(most.time, left);
  }
  return {};
}

} // namespace

std::string_view to_string(budget_scope scope) noexcept {
  switch (scope) {
    case budget_scope::call: return "call";
    case budget_scope::task: return "task";
    case budget_scope::objective: return "objective";
    case budget_scope::day: break;
  }
  return "day";
}

bool limits_tokens_or_money(const budget_limits& limits) noexcept {
  return std::ranges::any_of(limits,
                             [](const spending_limits& each) { return each.tokens || each.cost; });
}

money price_of(const price_list& prices, std::uint64_t prompt_tokens,
               std::uint64_t answer_tokens) noexcept {
  constexpr double million = 1e6;
  const auto exact =
      static_cast<double>(prompt_tokens) / million * static_cast<double>(prices.prompt_million)
      + static_cast<double>(answer_tokens) / million * static_cast<double>(prices.answer_million);
  constexpr double most = 9e18;
  return static_cast<money>(std::min(exact + 0.999999, most)); // rounded up
}

budget_ledger::entry& budget_ledger::day_of(std::int64_t day) {
  if (day > day_) { // what is held back for a call of yesterday is settled with yesterday
    day_ = day;
    of_day_ = {};
  }
  return of_day_;
}

budget_ledger::entry& budget_ledger::entry_of(entries& in, const std::string& id, timestamp now) {
  if (in.size() >= accounts_max && !in.contains(id)) {
    std::vector<timestamp> times;
    times.reserve(in.size());
    for (const auto& each : in)
      times.push_back(each.second.last);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::ranges::nth_element(times, middle);
    std::erase_if(in, [until = *middle](const auto& each) {
      return each.second.last <= until && each.second.held == spending{};
    });
  }
  auto& out = in[id];
  out.last = now;
  return out;
}

template<class Function>
void budget_ledger::for_each(const call_account& account, std::int64_t day, timestamp now,
                             Function function) {
  if (!account.task.empty())
    function(budget_scope::task, entry_of(tasks_, account.task, now));
  if (!account.objective.empty())
    function(budget_scope::objective, entry_of(objectives_, account.objective, now));
  auto& today = day_of(day);
  if (day == day_)
    function(budget_scope::day, today);
}

result<budget_ledger::ticket> budget_ledger::admit(call_account account, spending most,
                                                   timestamp now) {
  const auto limits_of = [&](budget_scope scope) -> const spending_limits& {
    return limits_[static_cast<std::size_t>(scope)];
  };
  if (auto fine = check(budget_scope::call, limits_of(budget_scope::call), {}, most); !fine)
    return fine.error();
  const auto day = day_at(now);
  result<void> fine;
  for_each(account, day, now, [&](budget_scope scope, const entry& of) {
    if (!fine)
      return;
    auto before = of.spent;
    before += of.held;
    fine = check(scope, limits_of(scope), before, most);
  });
  if (!fine) {
    auto why = fine.error();
    if (why.field.starts_with(to_string(budget_scope::day)))
      why.message += "; it begins anew at " + to_rfc3339(timestamp{std::chrono::days{day + 1}});
    return why;
  }
  ticket out{std::move(account), day, most, most.time};
  for_each(out.account, day, now, [&](budget_scope, entry& of) { of.held += out.held; });
  return out;
}

void budget_ledger::settle(const ticket& admitted, const spending& spent, timestamp now) {
  for_each(admitted.account, admitted.day, now, [&](budget_scope, entry& of) {
    of.held -= admitted.held;
    of.spent += spent;
  });
}

void budget_ledger::add(const call_account& account, const spending& spent, timestamp now) {
  auto more = spent;
  if (!account.task.empty()) {
    const auto& known = entry_of(tasks_, account.task, now).spent;
    more -= {std::min(more.tokens, known.tokens), std::min(more.cost, known.cost),
             std::min(more.time, known.time)};
  }
  for_each(account, day_at(now), now, [&](budget_scope scope, entry& of) {
    const bool is_kept = (scope == budget_scope::day && keeps_day_)
                         || (scope == budget_scope::objective && keeps_objectives_);
    if (!is_kept)
      of.spent += more;
  });
}

void budget_ledger::keep_day(std::int64_t day, const spending& spent) {
  keeps_day_ = true;
  if (day >= day_)
    day_of(day).spent += spent;
}

std::pair<std::int64_t, spending> budget_ledger::day_now() const {
  auto out = of_day_.spent;
  out += of_day_.held;
  return {day_, out};
}

void budget_ledger::keep_objectives(const objective_spendings& spent) {
  keeps_objectives_ = true;
  timestamp order{}; // all of them before the first call of this process
  for (const auto& [id, of] : spent)
    entry_of(objectives_, id, order += std::chrono::milliseconds{1}).spent += of;
}

objective_spendings budget_ledger::objectives_now() const {
  std::vector<entries::const_iterator> all;
  all.reserve(objectives_.size());
  for (auto each = objectives_.begin(); each != objectives_.end(); ++each)
    all.push_back(each);
  std::ranges::sort(all, {}, [](const auto& each) { return each->second.last; });
  const auto left_out = all.size() - std::min(all.size(), kept_objectives_max);
  objective_spendings out;
  for (auto at = left_out; at < all.size(); ++at) {
    const auto& [id, of] = *all[at];
    auto spent = of.spent;
    spent += of.held;
    if (spent != spending{})
      out.emplace_back(id, spent);
  }
  return out;
}

bool budget_ledger::limits(budget_scope scope) const noexcept {
  const auto& of = limits_[static_cast<std::size_t>(scope)];
  return of.tokens || of.cost || of.time;
}

spending budget_ledger::of_task(const std::string& id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? spending{} : found->second.spent;
}

spending budget_ledger::of_objective(const std::string& id) const {
  const auto found = objectives_.find(id);
  return found == objectives_.end() ? spending{} : found->second.spent;
}

spending budget_ledger::of_day(timestamp now) const {
  return day_at(now) == day_ ? of_day_.spent : spending{};
}

} // namespace troupe::models
