// Records that have ended and were read from the disk, decoded, as many as their bytes allow; the
// one not asked for longest goes first. Thread-safe.
#pragma once

#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/limits.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

template<class Record>
class record_cache {
public:
  using record_ptr = std::shared_ptr<const Record>;

  /// Each of its four parts keeps a quarter of `bytes_max`; a record larger than that is not kept.
  /// A record counts among memory_account::archive_reads (byte_gauge); while it is kept, it counts
  /// as archive_cache instead.
  explicit record_cache(std::size_t bytes_max,
                        memory_budget_ptr memory = std::make_shared<memory_budget>())
      : memory_(std::move(memory)), part_bytes_max_(bytes_max / parts_count) {}

  record_cache(const record_cache&) = delete;
  record_cache& operator=(const record_cache&) = delete;
  ~record_cache() {
    memory_->force(memory_account::archive_reads, bytes());
    memory_->give_back(memory_account::archive_cache, bytes());
  }

  /// Null if it is not kept.
  [[nodiscard]] record_ptr find(const std::string& id) {
    auto& home = part_of(id);
    const std::lock_guard lock{home.guard};
    const auto found = home.by_id.find(id);
    if (found == home.by_id.end())
      return nullptr;
    home.by_use.splice(home.by_use.begin(), home.by_use, found->second);
    found->second->used_at = home.looks;
    return found->second->record;
  }

  /// A record that is being read. It lives from before the row is read until the record is kept, or
  /// is not.
  class reading {
  public:
    reading(record_cache& of, const std::string& id) : of_(of), id_(id) { of_.begin(id_); }
    reading(const reading&) = delete;
    reading& operator=(const reading&) = delete;
    ~reading() { of_.end(id_); }

    /// Keeps what was read, unless it has been replaced since.
    void keep(record_ptr record, std::size_t bytes) { of_.put(id_, std::move(record), bytes); }

  private:
    record_cache& of_;
    const std::string id_;
  };
  [[nodiscard]] reading begin_reading(const std::string& id) { return {*this, id}; }

  /// The record has been replaced.
  void erase(const std::string& id) {
    record_ptr gone;
    auto& home = part_of(id);
    const std::lock_guard lock{home.guard};
    if (const auto read = home.being_read.find(id); read != home.being_read.end())
      read->second.is_replaced = true;
    const auto found = home.by_id.find(id);
    if (found != home.by_id.end())
      gone = drop(home, found->second);
  }

  /// Drops records until the process holds no more than the share of the cache, and those for which
  /// nobody has asked since `cached_looks_max` calls.
  void shrink() {
    for (auto& home : parts_) {
      std::vector<record_ptr> gone; // Destroyed without the lock.
      const std::lock_guard lock{home.guard};
      ++home.looks;
      while (!home.by_use.empty() && home.looks - home.by_use.back().used_at > cached_looks_max)
        gone.push_back(drop(home, std::prev(home.by_use.end())));
      trim(home, gone);
    }
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t records() const noexcept {
    return records_.load(std::memory_order_relaxed);
  }

private:
  static constexpr std::size_t parts_count = 4;

  struct item {
    std::string id;
    record_ptr record;
    std::size_t bytes = 0;
    std::uint64_t used_at = 0; ///< When it was last asked for, as `part::looks`.
  };
  using items = std::list<item>;
  struct read_state {
    std::size_t readers = 0;
    bool is_replaced = false; ///< Since the first of them began.
  };
  struct alignas(64) part {
    std::mutex guard;
    items by_use; ///< Asked for last in front.
    std::unordered_map<std::string, typename items::iterator> by_id;
    std::unordered_map<std::string, read_state> being_read; ///< By id.
    std::size_t bytes = 0;
    std::uint64_t looks = 0; ///< Calls of `shrink`.
  };

  [[nodiscard]] part& part_of(const std::string& id) noexcept {
    return parts_[std::hash<std::string>{}(id) >> 32 & (parts_count - 1)];
  }

  void begin(const std::string& id) {
    auto& home = part_of(id);
    const std::lock_guard lock{home.guard};
    ++home.being_read[id].readers;
  }

  void end(const std::string& id) {
    auto& home = part_of(id);
    const std::lock_guard lock{home.guard};
    const auto mine = home.being_read.find(id);
    if (--mine->second.readers == 0)
      home.being_read.erase(mine);
  }

  void put(const std::string& id, record_ptr record, std::size_t bytes) {
    std::vector<record_ptr> gone; // Destroyed without the lock.
    if (bytes > part_bytes_max_)
      return;
    auto& home = part_of(id);
    const std::lock_guard lock{home.guard};
    if (home.being_read.at(id).is_replaced || home.by_id.contains(id))
      return;
    home.by_use.push_front({id, std::move(record), bytes, home.looks});
    home.by_id.emplace(id, home.by_use.begin());
    count(home, bytes, 1);
    memory_->force(memory_account::archive_cache, bytes);
    memory_->give_back(memory_account::archive_reads, bytes);
    trim(home, gone);
  }

  /// What goes is destroyed by the caller, without the lock; until then it is still counted.
  void trim(part& home, std::vector<record_ptr>& gone) {
    const auto share = memory_->share_of(memory_account::archive_cache);
    std::size_t going = 0;
    while (!home.by_use.empty()
           && (home.bytes > part_bytes_max_ || memory_->held() - going > share)) {
      going += home.by_use.back().bytes;
      gone.push_back(drop(home, std::prev(home.by_use.end())));
    }
  }

  void count(part& home, std::size_t bytes, std::size_t records) noexcept {
    home.bytes += bytes;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    records_.fetch_add(records, std::memory_order_relaxed);
  }

  record_ptr drop(part& home, typename items::iterator which) {
    auto out = std::move(which->record);
    home.bytes -= which->bytes;
    bytes_.fetch_sub(which->bytes, std::memory_order_relaxed);
    records_.fetch_sub(1, std::memory_order_relaxed);
    memory_->force(memory_account::archive_reads, which->bytes);
    memory_->give_back(memory_account::archive_cache, which->bytes);
    home.by_id.erase(which->id);
    home.by_use.erase(which);
    return out;
  }

  const memory_budget_ptr memory_;
  std::size_t part_bytes_max_;
  std::array<part, parts_count> parts_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> records_{0};
};

} // namespace troupe
