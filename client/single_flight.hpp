// Many want the same thing at the same time: one fetches it, and the others wait for what becomes
// of that. For one loop.
#pragma once

#include "client/io.hpp"
#include "client/timers.hpp"
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::net {

class single_flight {
public:
  /// What `fetch()`, which makes a coroutine, ends with; if one is under way, what that ends with.
  /// Errors besides: timed_out, if it does not end in `longest`.
  template<class Fetch>
  [[nodiscard]] awaitable<result<void>> run(timers_ptr clock, std::chrono::milliseconds longest,
                                            Fetch fetch) {
    if (const auto other = under_way_) {
      const auto mine = std::make_shared<timer>(clock);
      other->waiting.push_back(mine);
      co_await mine->wait_until(clock->now() + longest);
      if (other->out)
        co_return *other->out;
      co_return make_error(errc::timed_out, "what another request has begun does not end");
    }
    const auto mine = std::make_shared<flight>();
    under_way_ = mine;
    result<void> out{make_error(errc::internal, "the request failed inside this program")};
    try {
      out = co_await fetch();
    } catch (...) {
      end(*mine, out);
      throw;
    }
    end(*mine, out);
    co_return out;
  }

private:
  struct flight {
    std::optional<result<void>> out;
    std::vector<std::shared_ptr<timer>> waiting;
  };
  void end(flight& of, const result<void>& out) {
    of.out = out;
    under_way_ = nullptr;
    for (const auto& each : of.waiting)
      each->wake();
  }

  std::shared_ptr<flight> under_way_;
};

} // namespace troupe::net
