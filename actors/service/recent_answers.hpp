// What commands of the last while were answered with, so that one that comes again is not done
// twice but answered as the first. Bounded in time, in number and in bytes, over all owners and for
// each. In memory: the end of the process forgets them.
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

struct recent_bounds {
  std::chrono::seconds window = recent_answers_window;
  std::size_t answers_max = recent_answers_max;
  std::size_t bytes_max = recent_answers_bytes_max;
  std::size_t answers_per_owner_max = recent_answers_per_owner_max;
  std::size_t bytes_per_owner_max = recent_answers_bytes_per_owner_max;
};

/// Thread-safe. Outlives the replies it was handed.
template<class T>
class recent_answers {
public:
  /// `again` makes of the first answer what one that comes again gets; `bytes` says what an answer
  /// holds, roughly. Either may be empty.
  recent_answers(recent_bounds bounds, std::function<timestamp()> now,
                 std::function<T(T)> again = {}, std::function<std::size_t(const T&)> bytes = {})
      : bounds_(bounds), now_(std::move(now)), again_(std::move(again)), bytes_(std::move(bytes)) {}

  /// True: `owner` has sent a command of that `key` already, and `done` is taken care of. It is
  /// answered as the first was (at once, or when that is), or with `mismatch` if the command is
  /// another one now (`fingerprint`). False: it is new. `done` then also notes its answer; an error
  /// is forgotten at once.
  [[nodiscard]] bool answer(const std::string& owner, std::string key, std::uint64_t fingerprint,
                            const error& mismatch, reply<T>& done) {
    std::optional<result<T>> known_answer;
    {
      const std::lock_guard guard(lock_);
      forget_old();
      key.insert(0, std::to_string(owner.size()) + ":" + owner);
      const auto [at, is_new] = by_key_.try_emplace(key);
      if (is_new) {
        begin(owner, at, fingerprint);
        done = [this, key = std::move(key), number = last_number_,
                done = std::move(done)](result<T> outcome) {
          note(key, number, outcome);
          done(std::move(outcome));
        };
        return false;
      }
      auto& known = *at->second;
      if (known.fingerprint != fingerprint) {
        known_answer = mismatch;
      } else if (known.outcome) {
        known_answer = *known.outcome;
      } else {
        known.waiting.push_back(std::move(done));
        return true;
      }
    }
    done(std::move(*known_answer));
    return true;
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard guard(lock_);
    return by_age_.size();
  }

private:
  struct entry {
    std::string key;
    std::string owner;
    timestamp since;
    std::uint64_t fingerprint = 0;
    std::uint64_t number = 0; ///< A key that comes again after it was forgotten is another entry.
    std::size_t bytes = 0;
    std::optional<T> outcome;
    std::vector<reply<T>> waiting;
  };
  using place = typename std::list<entry>::iterator;

  struct share {
    std::deque<std::uint64_t> numbers; ///< Oldest first; of entries that may be forgotten already.
    std::size_t answers = 0;
    std::size_t bytes = 0;
  };

  void begin(const std::string& owner, typename std::unordered_map<std::string, place>::iterator at,
             std::uint64_t fingerprint) {
    entry fresh;
    fresh.key = at->first;
    fresh.owner = owner;
    fresh.since = now_();
    fresh.fingerprint = fingerprint;
    fresh.number = ++last_number_;
    fresh.bytes = sizeof(entry) + 2 * at->first.size() + owner.size();
    at->second = by_age_.insert(by_age_.end(), std::move(fresh));
    by_number_.emplace(last_number_, at->second);
    auto& mine = by_owner_[owner];
    mine.numbers.push_back(last_number_);
    ++mine.answers;
    add_bytes(*at->second, mine, at->second->bytes);
    keep_to_bounds(owner, last_number_);
  }

  void add_bytes(entry&, share& mine, std::size_t bytes) {
    mine.bytes += bytes;
    total_bytes_ += bytes;
  }

  void note(const std::string& key, std::uint64_t number, const result<T>& outcome) {
    std::vector<reply<T>> waiting;
    auto told = outcome;
    if (told && again_)
      told = again_(*told);
    {
      const std::lock_guard guard(lock_);
      const auto at = by_key_.find(key);
      if (at == by_key_.end() || at->second->number != number)
        return;
      auto& known = *at->second;
      waiting = std::exchange(known.waiting, {});
      if (told) {
        known.outcome = *told;
        if (bytes_) {
          const auto bytes = bytes_(*told);
          known.bytes += bytes;
          const auto owner = known.owner;
          add_bytes(known, by_owner_[owner], bytes);
          keep_to_bounds(owner, number);
        }
      } else {
        forget(at->second);
      }
    }
    for (const auto& one : waiting)
      one(told);
  }

  void forget(place which) {
    const auto owner = by_owner_.find(which->owner);
    --owner->second.answers;
    owner->second.bytes -= which->bytes;
    total_bytes_ -= which->bytes;
    if (owner->second.answers == 0)
      by_owner_.erase(owner);
    by_number_.erase(which->number);
    by_key_.erase(which->key);
    by_age_.erase(which);
  }

  /// One that others wait for stays until it is answered: `note` ends it.
  [[nodiscard]] static bool is_needed(const entry& one) { return !one.waiting.empty(); }

  void forget_old() {
    const auto now = now_();
    for (auto it = by_age_.begin(); it != by_age_.end() && now - it->since >= bounds_.window;) {
      const auto which = it++;
      if (!is_needed(*which))
        forget(which);
    }
  }

  /// Forgets the oldest, of the owner and of all; never `newest`.
  void keep_to_bounds(const std::string& owner, std::uint64_t newest) {
    for (auto mine = by_owner_.find(owner); mine != by_owner_.end()
                                            && (mine->second.answers > bounds_.answers_per_owner_max
                                                || mine->second.bytes > bounds_.bytes_per_owner_max)
                                            && !mine->second.numbers.empty();
         mine = by_owner_.find(owner)) {
      const auto oldest = mine->second.numbers.front();
      if (oldest == newest)
        break;
      mine->second.numbers.pop_front();
      if (const auto at = by_number_.find(oldest);
          at != by_number_.end() && !is_needed(*at->second))
        forget(at->second);
    }
    for (auto it = by_age_.begin();
         it != by_age_.end()
         && (by_age_.size() > bounds_.answers_max || total_bytes_ > bounds_.bytes_max);) {
      const auto which = it++;
      if (which->number != newest && !is_needed(*which))
        forget(which);
    }
  }

  const recent_bounds bounds_;
  const std::function<timestamp()> now_;
  const std::function<T(T)> again_;
  const std::function<std::size_t(const T&)> bytes_;
  mutable std::mutex lock_;
  std::list<entry> by_age_; ///< Oldest first.
  std::unordered_map<std::string, place> by_key_;
  std::unordered_map<std::uint64_t, place> by_number_;
  std::unordered_map<std::string, share> by_owner_;
  std::size_t total_bytes_ = 0;
  std::uint64_t last_number_ = 0;
};

} // namespace troupe
