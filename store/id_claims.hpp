// Ids that clients chose and that a request is about to use: claimed from the check that they are
// free until their task or plan is committed, so that no two requests have one id. Sharded by id:
// a claim of many ids holds no lock for long. Thread-safe.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/store/limits.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// errc::duplicate_id.
[[nodiscard]] error id_is_taken(const std::string& id);

class id_claims {
public:
  /// All of them or none. errc::duplicate_id names one that is claimed already, or that stands
  /// twice in `ids`.
  [[nodiscard]] result<void> claim(const std::vector<std::string>& ids);
  void release(const std::vector<std::string>& ids);

private:
  struct alignas(64) shard {
    std::mutex guard;
    boost::unordered_flat_set<std::string> ids;
  };

  [[nodiscard]] shard& shard_of(std::string_view id) noexcept;
  void release(const std::vector<std::string>& ids, std::size_t count);

  std::array<shard, ledger_shards> shards_;
};

} // namespace troupe
