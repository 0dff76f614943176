// The Agent Card as it goes out: every representation rendered, signed and hashed once, when the
// server starts, and again when what it says changes (server::renew_card).
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/text_planner.hpp>
#include <troupe/net/keys.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

struct card_document {
  std::string body;
  std::string etag;    ///< Strong, with its quotes (RFC 9110 8.8.3).
  std::string headers; ///< Lines for every answer with it, 304 too.
};

struct card_documents {
  card_document pure_1_0;
  card_document superset;
  card_shape unasked =
      card_shape::superset;           ///< Which of the two goes to a client that names no version.
  std::chrono::sys_seconds made_at{}; ///< `Last-Modified`.

  std::string extended_1_0; ///< Empty: no extended card is offered.
  std::string extended_0_3;
  std::string extended_0_3_rest;
  std::vector<digest> tokens; ///< Of those who may read it.
};

/// Whether the options make a card: a key that can be read and has a name, an extended card with
/// tokens. Errors: invalid_params (names the option), unavailable (a file cannot be read).
[[nodiscard]] result<void> check_card(const card_options& options);

/// Errors: those of check_card, and of signing.
[[nodiscard]] result<card_documents>
make_card_documents(const server_options& options, std::string_view url,
                    const agent_registry& agents, std::span<const template_summary> templates = {});

/// The card that is served now. Thread-safe: who has got it keeps it.
class served_card {
public:
  void set(card_documents documents) {
    const std::lock_guard lock{guard_};
    now_ = std::make_shared<const card_documents>(std::move(documents));
  }
  /// Not null, once it was set.
  [[nodiscard]] std::shared_ptr<const card_documents> get() const {
    const std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const card_documents> now_;
};

} // namespace troupe::net
