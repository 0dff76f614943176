// What may come once, in memory: all of it, with what is staged. Bounded in number and bytes, for
// each kind. At a bound the owner that holds most loses its oldest, so that nobody's many keys push
// out the few of another. A durable store has a row for each. Thread-safe.
#pragma once

#include "store/text_hash.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/store/limits.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

struct once_bounds {
  std::size_t entries = once_max; ///< Of each kind, as are all of these.
  std::size_t bytes = once_bytes_max;
};

class once_table {
public:
  /// `memory`: where entries are counted (memory_account::remembered_requests). While that has no
  /// room, the oldest of who holds most make room for the new ones.
  explicit once_table(const once_bounds& bounds = {},
                      memory_budget_ptr memory = std::make_shared<memory_budget>())
      : bounds_(bounds), memory_(std::move(memory)) {}
  once_table(const once_table&) = delete;
  once_table& operator=(const once_table&) = delete;
  ~once_table();

  /// What came with the kind, owner and key of `wanted`, and is published. Null: it may come.
  [[nodiscard]] once_ptr find(const once& wanted, timestamp now) const;
  /// Whether `forget_expired` has something to do.
  [[nodiscard]] bool has_expired(timestamp now) const;
  /// How many were forgotten before their time was over, to make room.
  [[nodiscard]] std::uint64_t forgotten_early() const;

  // -- for who commits changes, one at a time -----------------------------------------------------

  /// The first of them that came before, published or not. Null: none. A condition is no conflict
  /// to itself: several changes of one command may have the same one.
  [[nodiscard]] once_ptr conflict_of(const std::vector<once_ptr>& conditions, timestamp at) const;
  /// Takes it in as the newest. It is not found before `publish`, and not forgotten either. `at`:
  /// of its change; what makes room for it and is over then is not forgotten early.
  void stage(const once_ptr& entry, timestamp at);
  void publish(const once_ptr& entry);
  /// As many as once_expired_at_once_max.
  void forget_expired(timestamp now);
  /// The keys (once_key) of those that were forgotten since the last call.
  [[nodiscard]] std::vector<std::string> take_forgotten();

private:
  struct entry;
  using by_age = std::list<entry*>; ///< Oldest first.
  struct share {
    by_age entries;
    std::size_t bytes = 0;
  };
  using owner_shares = std::unordered_map<std::string, share>; ///< By kind and owner.
  struct kind_share : share {
    /// The owners, by what they hold. With their keys in `owners_`: the same order in each run.
    std::set<std::pair<std::size_t, std::string_view>> owners;
  };
  struct entry {
    once_ptr value;
    std::string_view key; ///< Of the map.
    std::size_t bytes = 0;
    bool is_published = false;
    by_age::iterator in_kind;
    by_age::iterator in_owner;
  };

  [[nodiscard]] kind_share& kind_of(const once& value);
  [[nodiscard]] const entry* look_up(const once& wanted, timestamp at) const;
  void forget(entry& which);
  /// Forgets while there is too much.
  void keep_to_bounds(kind_share& all, timestamp at);
  void keep_to_memory(kind_share& all, std::size_t added_bytes, timestamp at);
  /// The oldest of who holds most goes. False if it is not published: then it stays.
  bool make_room(kind_share& all, timestamp at);
  static void set_bytes(kind_share& all, owner_shares::value_type& owner, std::size_t bytes);

  const once_bounds bounds_;
  const memory_budget_ptr memory_;
  mutable std::mutex guard_;
  std::unordered_map<std::string, entry> entries_; ///< By once_key.
  std::array<kind_share, 3> kinds_;
  owner_shares owners_;
  std::vector<std::string> forgotten_;
  std::uint64_t forgotten_early_ = 0;
};

// -- rows -----------------------------------------------------------------------------------------

/// Kind, length of the owner, owner, key.
[[nodiscard]] std::string once_key(const once& value);
/// Content, end of its time, answer.
[[nodiscard]] std::string write_once_row(const once& value);
/// errc::store_failed for a damaged one.
[[nodiscard]] result<once> read_once_row(std::string_view key, std::string_view row);
/// Puts back what was durable when the last process ended.
void restore_once(once_table& into, once value, timestamp now);

} // namespace troupe
