// How many bytes a process may hold in all (`limits.memory`), and how many each of its parts holds.
// Each part has an account. An account may grow only while all accounts together are below its
// share of the budget: what harms least when it is refused has the smallest share, so it is refused
// first. docs/decisions/014-memory.md has the reasons.
//
// A process has one budget, and everything in it gets the same one (executor_options::memory,
// server_options::memory, rocksdb_options::memory, memory_bounds::memory). Thread-safe.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

enum class memory_account : std::uint8_t {
  archive_cache,    ///< Ended records that were read from the disk and are kept for the next read.
  ended_tasks,      ///< Ended tasks of a store without a disk.
  ended_objectives, ///< Settled objectives with their plans, while they are in memory.
  remembered_requests, ///< Ids and keys of messages and requests that may come once.
  remote_exchanges,    ///< Requests to other servers on their way, and answers being read.
  feeds,               ///< What waits for readers of streams and receivers of notifications.
  bodies,              ///< Long bodies of requests that are being read, and what is made of them.
  answers,             ///< Long answers that wait for their readers.
  archive_reads,       ///< Records that were read from the disk and are in use.
  push_configs,        ///< Configurations of notifications.
  live_work,           ///< What live work was given: plans, messages, artifacts of other tasks.
  connections,         ///< Connections, with the buffers that they keep.
  programs,            ///< What programs have written, until it is handed to their tasks.
  large_output,        ///< What live tasks have made: artifacts and messages of more than 64 KiB.
  small_output,        ///< The same up to 64 KiB, texts of statuses, and notes.
  backlog,             ///< Changes on their way to the disk.
};

/// How far an account may go, and what happens there.
struct memory_share {
  memory_account account;
  std::string_view name;  ///< As errors, logs and `/readyz` have it.
  std::size_t percent;    ///< Of the budget. Above it the account does not grow.
  std::string_view above; ///< What happens then.
};

/// By account, in the order of the enumeration. docs/a2a.md has the same table.
inline constexpr std::array memory_shares{
    memory_share{memory_account::archive_cache, "archive-cache", 70,
                 "nothing more is kept, and what is kept is dropped"},
    memory_share{memory_account::ended_tasks, "ended-tasks", 75, "the oldest are dropped"},
    memory_share{memory_account::ended_objectives, "ended-objectives", 75,
                 "they are dropped: all that a disk has, else the oldest"},
    memory_share{memory_account::remembered_requests, "remembered-requests", 75,
                 "the oldest are forgotten, and may come again"},
    memory_share{memory_account::remote_exchanges, "remote-exchanges", 75,
                 "the exchange fails; what is asked again is asked later"},
    memory_share{memory_account::feeds, "feeds", 80,
                 "slow readers read from the history what they missed; the slowest is cut; new "
                 "streams: 429 with `Retry-After`"},
    memory_share{memory_account::bodies, "bodies", 85, "429 with `Retry-After`"},
    memory_share{memory_account::answers, "answers", 85,
                 "reads: 429 with `Retry-After`; what is done already: 500"},
    memory_share{memory_account::archive_reads, "archive-reads", 85, "429 with `Retry-After`"},
    memory_share{memory_account::push_configs, "push-configs", 85,
                 "new ones: 429 with `Retry-After`"},
    memory_share{memory_account::live_work, "live-work", 90,
                 "new work is refused: 429 with `Retry-After`"},
    memory_share{memory_account::connections, "connections", 95,
                 "new ones: 503 with `Retry-After`; others keep no buffers"},
    memory_share{memory_account::programs, "programs", 95,
                 "the program that wrote is ended, and its task fails and is not tried again"},
    memory_share{memory_account::large_output, "large-output", 95,
                 "the task that made it fails, and is not tried again"},
    memory_share{memory_account::small_output, "small-output", 100, "the same"},
    memory_share{memory_account::backlog, "backlog", 100,
                 "it grows by what runs; commands are refused before"},
};

class memory_budget {
public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  explicit memory_budget(std::size_t bytes_max = unlimited) noexcept : bytes_max_(bytes_max) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  /// Counts `bytes`. False, and counts nothing, if the account would then hold more than
  /// `account_max`, or all accounts together more than its share.
  [[nodiscard]] bool charge(memory_account to, std::size_t bytes,
                            std::size_t account_max = unlimited) noexcept {
    auto& mine = counter(to);
    if (mine.fetch_add(bytes, std::memory_order_relaxed) + bytes <= account_max && is_within(to))
      return true;
    give_back(to, bytes);
    return false;
  }
  /// Counts what is there already, or cannot be refused.
  void force(memory_account to, std::size_t bytes) noexcept {
    counter(to).fetch_add(bytes, std::memory_order_relaxed);
  }
  void give_back(memory_account from, std::size_t bytes) noexcept {
    counter(from).fetch_sub(bytes, std::memory_order_relaxed);
  }

  /// Whether `charge` would take so many bytes, of an account without a bound of its own.
  [[nodiscard]] bool has_room(memory_account of, std::size_t bytes) const noexcept {
    const auto share = share_of(of);
    return bytes <= share && held() <= share - bytes;
  }
  /// Why `charge` refuses: names the account and `limits.memory` (errc::overloaded).
  [[nodiscard]] error refusal(memory_account of, std::size_t bytes) const;

  [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_; }
  /// Bytes that all accounts together may have for this one to grow.
  [[nodiscard]] std::size_t share_of(memory_account of) const noexcept;
  [[nodiscard]] std::size_t held(memory_account of) const noexcept {
    return accounts_[static_cast<std::size_t>(of)].bytes.load(std::memory_order_relaxed);
  }
  /// Of all accounts.
  [[nodiscard]] std::size_t held() const noexcept {
    std::size_t sum = 0;
    for (const auto& each : accounts_)
      sum += each.bytes.load(std::memory_order_relaxed);
    return sum;
  }

private:
  /// Alone on its cache line: threads that count in different accounts do not wait for each other.
  struct alignas(64) account {
    std::atomic<std::size_t> bytes{0};
  };

  [[nodiscard]] std::atomic<std::size_t>& counter(memory_account of) noexcept {
    return accounts_[static_cast<std::size_t>(of)].bytes;
  }
  [[nodiscard]] bool is_within(memory_account of) const noexcept {
    return bytes_max_ == unlimited || held() <= share_of(of);
  }

  const std::size_t bytes_max_;
  std::array<account, memory_shares.size()> accounts_{};
};

using memory_budget_ptr = std::shared_ptr<memory_budget>;

/// A budget to use: `given`, or one of its own without a limit.
[[nodiscard]] inline memory_budget_ptr budget_or_own(memory_budget_ptr given) {
  return given ? std::move(given) : std::make_shared<memory_budget>();
}

/// Bytes of an account; the destructor gives them back.
class memory_charge {
public:
  memory_charge() = default;
  memory_charge(memory_charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), account_(other.account_),
        bytes_(other.bytes_) {}
  memory_charge& operator=(memory_charge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory_charge() {
    if (budget_ != nullptr)
      budget_->give_back(account_, bytes_);
  }

  /// Holds nothing (converts to false) if memory_budget::charge refuses. `of` outlives it.
  [[nodiscard]] static memory_charge take(memory_budget& of, memory_account to, std::size_t bytes,
                                          std::size_t account_max = memory_budget::unlimited) {
    return of.charge(to, bytes, account_max) ? memory_charge{of, to, bytes} : memory_charge{};
  }
  /// As memory_budget::force.
  [[nodiscard]] static memory_charge force(memory_budget& of, memory_account to,
                                           std::size_t bytes) {
    of.force(to, bytes);
    return {of, to, bytes};
  }

  /// Holds `bytes` from now on. False, and holds what it held, if memory_budget::charge refuses
  /// what is more. It was taken or forced before.
  [[nodiscard]] bool resize(std::size_t bytes) noexcept {
    if (bytes > bytes_ && !budget_->charge(account_, bytes - bytes_))
      return false;
    if (bytes < bytes_)
      budget_->give_back(account_, bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return budget_ == nullptr ? 0 : bytes_; }
  explicit operator bool() const noexcept { return budget_ != nullptr; }

private:
  memory_charge(memory_budget& of, memory_account to, std::size_t bytes) noexcept
      : budget_(&of), account_(to), bytes_(bytes) {}

  memory_budget* budget_ = nullptr;
  memory_account account_ = memory_account::backlog;
  std::size_t bytes_ = 0;
};

/// What a budget holds, in words: `812 of 900 MiB (live-work 512 MiB, backlog 300 MiB)`.
[[nodiscard]] std::string describe(const memory_budget& budget);

/// Says when a budget fills, and when it has room again; each once. Not thread-safe.
class memory_watch {
public:
  /// A line for the log, or nothing.
  [[nodiscard]] std::string look(const memory_budget& budget);

  /// Above this share of the budget it is full enough to say so, and below the other it has room.
  static constexpr std::size_t full_percent = 80;
  static constexpr std::size_t roomy_percent = 70;

private:
  bool is_full_ = false;
};

/// Whether the accounts hold more than memory_watch::full_percent of the budget.
[[nodiscard]] bool is_nearly_full(const memory_budget& budget) noexcept;

} // namespace troupe
