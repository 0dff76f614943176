// What calls of a model may cost: tokens, money and time, for each call, task, objective and day.
// A call that could exceed a limit is refused before it is made. Plain values; time is an argument.
#pragma once

#include "client/models/limits.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::models {

enum class budget_scope : std::uint8_t { call, task, objective, day };
inline constexpr std::size_t budget_scopes = 4;

/// `call`, `task`, `objective`, `day`.
[[nodiscard]] std::string_view to_string(budget_scope scope) noexcept;

/// Millionths of the unit in which prices are given.
using money = std::int64_t;

struct spending {
  std::uint64_t tokens = 0;
  money cost = 0;
  std::chrono::milliseconds time{0};

  spending& operator+=(const spending& more) noexcept {
    tokens += more.tokens;
    cost += more.cost;
    time += more.time;
    return *this;
  }
  spending& operator-=(const spending& less) noexcept {
    tokens -= less.tokens;
    cost -= less.cost;
    time -= less.time;
    return *this;
  }
  friend bool operator==(const spending&, const spending&) = default;
};

struct spending_limits {
  std::optional<std::uint64_t> tokens{};
  std::optional<money> cost{};
  std::optional<std::chrono::milliseconds> time{};
};

/// Of each scope.
using budget_limits = std::array<spending_limits, budget_scopes>;

[[nodiscard]] bool limits_tokens_or_money(const budget_limits& limits) noexcept;

struct price_list {
  money prompt_million = 0; ///< For a million tokens.
  money answer_million = 0;
};

[[nodiscard]] money price_of(const price_list& prices, std::uint64_t prompt_tokens,
                             std::uint64_t answer_tokens) noexcept;

/// For whom a call is made; empty: for none.
struct call_account {
  std::string task;
  std::string objective;
};

/// By ids of objectives; the one that was quiet for the longest time stands first.
using objective_spendings = std::vector<std::pair<std::string, spending>>;

/// What was spent with one model.
class budget_ledger {
public:
  explicit budget_ledger(budget_limits limits) : limits_(limits) {}

  /// A call that was admitted: its most is held back until it is settled.
  struct ticket {
    call_account account;
    std::int64_t day = 0;
    spending held;
    std::chrono::milliseconds time_max{0}; ///< How long the call may take.
  };

  /// `most`: what the call can cost; of its time what a budget leaves is in the ticket. Errors:
  /// budget_exceeded, with the name of the budget as field (`task-tokens`).
  [[nodiscard]] result<ticket> admit(call_account account, spending most, timestamp now);
  void settle(const ticket& admitted, const spending& spent, timestamp now);

  /// So much was spent for the task at least, by an earlier process: what is not counted yet is. It
  /// does not count again for a day or an objective that is kept.
  void add(const call_account& account, const spending& spent, timestamp now);

  /// The day is kept from now on, with what an earlier process has spent on it.
  void keep_day(std::int64_t day, const spending& spent);
  /// What was spent or promised on the last day on which there was a call, as a process that comes
  /// after this one is to count it.
  [[nodiscard]] std::pair<std::int64_t, spending> day_now() const;

  /// Objectives are kept from now on, with what an earlier process has spent for them.
  void keep_objectives(const objective_spendings& spent);
  /// What was spent or promised for them, at most of kept_objectives_max.
  [[nodiscard]] objective_spendings objectives_now() const;

  [[nodiscard]] bool limits_day() const noexcept { return limits(budget_scope::day); }
  [[nodiscard]] bool limits_objective() const noexcept { return limits(budget_scope::objective); }

  [[nodiscard]] spending of_task(const std::string& id) const;
  [[nodiscard]] spending of_objective(const std::string& id) const;
  [[nodiscard]] spending of_day(timestamp now) const;

private:
  struct entry {
    spending spent;
    spending held;
    timestamp last{};
  };
  using entries = std::map<std::string, entry>;

  [[nodiscard]] bool limits(budget_scope scope) const noexcept;
  [[nodiscard]] entry& day_of(std::int64_t day);
  [[nodiscard]] static entry& entry_of(entries& in, const std::string& id, timestamp now);
  template<class Function>
  void for_each(const call_account& account, std::int64_t day, timestamp now, Function function);

  budget_limits limits_;
  entries tasks_;
  entries objectives_;
  std::int64_t day_ = 0;
  entry of_day_;
  bool keeps_day_ = false;
  bool keeps_objectives_ = false;
};

} // namespace troupe::models
