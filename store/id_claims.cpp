#include "store/id_claims.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace troupe {

error id_is_taken(const std::string& id) {
  return make_error(
      errc::duplicate_id,
      "the id " + troupe::quoted(id) + " is in use already; choose another or leave it out", id);
}

id_claims::shard& id_claims::shard_of(std::string_view id) noexcept {
  return shards_[std::hash<std::string_view>{}(id) >> 32 & (ledger_shards - 1)];
}

void id_claims::claim(std::vector<std::string> ids, claimed_fn then) {
  const auto shared = std::make_shared<const std::vector<std::string>>(std::move(ids));
  const auto& all = *shared;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_repeated = false;
    bool is_full = false;
    {
      auto& home = shard_of(all[i]);
      const std::lock_guard lock{home.guard};
      const auto [claim, is_free] = home.claimed.try_emplace(all[i]);
      if (is_free)
        continue;
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(i);
      is_repeated = std::find(all.begin(), end, all[i]) != end;
      is_full = claim->second.size() >= id_waits_max;
      if (!is_repeated && !is_full)
        claim->second.push_back([this, shared, then] { this->claim(*shared, then); });
    }
    release(all, i); // A request that waits holds nothing, so none waits for ever.
    if (is_repeated)
      then(id_is_taken(all[i]));
    else if (is_full)
      then(make_error(errc::overloaded,
                      std::to_string(id_waits_max) + " requests wait for the id "
                          + quoted(shown(all[i])) + " (id_waits_max); try again later",
                      shown(all[i])));
    return;
  }
  then({});
}

void id_claims::release(const std::vector<std::string>& ids) {
  release(ids, ids.size());
}

void id_claims::release(const std::vector<std::string>& ids, std::size_t count) {
  retries waiting;
  for (std::size_t i = 0; i < count; ++i) {
    auto& home = shard_of(ids[i]);
    const std::lock_guard lock{home.guard};
    const auto claim = home.claimed.find(ids[i]);
    if (claim == home.claimed.end())
      continue;
    std::move(claim->second.begin(), claim->second.end(), std::back_inserter(waiting));
    home.claimed.erase(claim);
  }
  for (const auto& again : waiting)
    again();
}

} // namespace troupe
