#include "store/id_claims.hpp"

#include <functional>

namespace troupe {

error id_is_taken(const std::string& id) {
  return make_error(errc::duplicate_id,
                    "the id \"" + id + "\" is in use already; choose another or leave it out", id);
}

id_claims::shard& id_claims::shard_of(std::string_view id) noexcept {
  return shards_[std::hash<std::string_view>{}(id) >> 32 & (ledger_shards - 1)];
}

result<void> id_claims::claim(const std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bool is_free = false;
    {
      auto& home = shard_of(ids[i]);
      const std::lock_guard lock{home.guard};
      is_free = home.ids.insert(ids[i]).second;
    }
    if (is_free)
      continue;
    release(ids, i);
    return id_is_taken(ids[i]);
  }
  return {};
}

void id_claims::release(const std::vector<std::string>& ids) {
  release(ids, ids.size());
}

void id_claims::release(const std::vector<std::string>& ids, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    auto& home = shard_of(ids[i]);
    const std::lock_guard lock{home.guard};
    home.ids.erase(ids[i]);
  }
}

} // namespace troupe
