// SendMessage's params as the service takes them, with the objective that the metadata may bring
// (OPT).
#pragma once

#include "actors/service/send_request.hpp"
#include "net/a2a/operation.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace troupe::net {

struct send_params {
  send_request request;
  std::optional<std::uint32_t> history_length; ///< As in task_view_options.
};

/// On the heap, because it is large and is handed from one to the next. Never null.
/// Errors: those of the codec; a tenant that is not there; limit_exceeded and those of the plan
/// document, with `field` a JSON pointer below the metadata.
[[nodiscard]] result<std::unique_ptr<send_params>> read_send(const operation_call& call);

} // namespace troupe::net
