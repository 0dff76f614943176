// One notification as an HTTP request: the headers receivers know it by, and a signature over it
// (docs/a2a.md, D13).
#pragma once

#include "client/http_client.hpp"
#include "net/push/push_items.hpp"
#include <troupe/net/push_options.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_row.hpp>
#include <troupe/protocol/time.hpp>

#include <memory>
#include <string>

namespace troupe::net {

class push_signer;

/// Writes requests; made once.
class push_requests {
public:
  /// Errors of signing_key::from_file.
  [[nodiscard]] static result<push_requests> make(const push_options& options);

  /// `body`: of `item`. The same notification has the same id, however often it is sent. Errors:
  /// internal (it cannot be signed).
  [[nodiscard]] result<outbound_request> write(const push_row& row, const push_item& item,
                                               std::string body, const http_url& to,
                                               timestamp now) const;

private:
  push_requests() = default;

  std::string content_type_;
  std::string user_agent_;
  std::shared_ptr<const push_signer> signer_; ///< Null: unsigned.
};

} // namespace troupe::net
