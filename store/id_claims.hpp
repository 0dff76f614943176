// Ids that clients chose and that a request is about to use: claimed from the check that they are
// free until their task or plan is committed, so that no two requests have one id. A request whose
// id another one has claimed waits for the end of that one: only then is known if the id is used.
// Sharded by id: a claim of many ids holds no lock for long. Thread-safe.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/store/limits.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Requests that wait for one id. Further ones are refused (errc::overloaded): each comes again
/// when the id is free, and only one of them may have it.
inline constexpr std::size_t id_waits_max = 1'000;

/// errc::duplicate_id.
[[nodiscard]] error id_is_taken(const std::string& id);

class id_claims {
public:
  using claimed_fn = std::function<void(const result<void>& claimed)>;

  /// All of them or none. `then` is called at once, or, if another request has claimed one of them,
  /// on the thread that releases it. errc::duplicate_id names one that stands twice in `ids`;
  /// errc::overloaded: id_waits_max wait for one of them.
  void claim(std::vector<std::string> ids, claimed_fn then);
  void release(const std::vector<std::string>& ids);

private:
  using retries = std::vector<std::function<void()>>; ///< Of the requests that wait for an id.

  struct alignas(64) shard {
    std::mutex guard;
    boost::unordered_flat_map<std::string, retries> claimed;
  };

  [[nodiscard]] shard& shard_of(std::string_view id) noexcept;
  void release(const std::vector<std::string>& ids, std::size_t count);

  std::array<shard, ledger_shards> shards_;
};

} // namespace troupe
