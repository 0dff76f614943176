// What all requests of one server share: the gateway, the agent card as it is served,
// notifications, the texts of events. Built once by the server.
#pragma once

#include "actors/service/service.hpp"
#include "net/a2a/answer_maker.hpp"
#include "net/a2a/event_texts.hpp"
#include "net/a2a/shown_snapshots.hpp"
#include "net/card/agent_card.hpp"
#include "net/card/card_documents.hpp"
#include "net/http/http_service.hpp"
#include "net/http/own_hosts.hpp"
#include "net/push/push_service.hpp"
#include <troupe/actors/gateway.hpp>

#include <memory>
#include <utility>

namespace troupe::net {

class server_state final : public http_service {
public:
  server_state(gateway& to, server_options how);
  /// With a network of the caller's for notifications.
  server_state(gateway& to, server_options how, push_seams network);

  /// By the table of paths (net/routes.cpp).
  [[nodiscard]] awaitable<void> serve(http_exchange& exchange) override;

  gateway& main_gateway;
  served_card cards;                        ///< Set before anything is served.
  const std::shared_ptr<push_service> push; ///< A reply that is under way may outlive the server.
  const service operations;                 ///< What can be asked for.
  const own_hosts hosts;                    ///< Under which it is asked.
  event_texts texts;                        ///< Of the events that streams show.
  shown_snapshots snapshots{stream_bytes};  ///< That streams are showing.
  answer_maker answers;                     ///< Writes long answers.

private:
  static server_options with_memory_of(const gateway& main_gateway, server_options how) {
    if (!how.memory)
      how.memory = main_gateway.memory();
    return how;
  }
};

} // namespace troupe::net
