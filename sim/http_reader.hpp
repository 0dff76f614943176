// Reads the answers of an HTTP/1.1 server, as far as the simulated clients need it: status,
// headers, a body of known length or in chunks. Knows nothing of the product.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::sim {

class http_reader {
public:
  /// Takes what has arrived. What follows the answer is kept for the next one.
  void add(std::string_view bytes);

  [[nodiscard]] bool has_head() const noexcept { return status_ != 0; }
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  [[nodiscard]] int status() const noexcept { return status_; }
  /// Names are in lower case. Empty: it is not there.
  [[nodiscard]] const std::string& header(std::string_view name) const;
  [[nodiscard]] const std::string& body() const noexcept { return body_; }
  /// The `data` of the server-sent events that have arrived since the last call.
  [[nodiscard]] std::vector<std::string> take_events();
  /// What it read makes no sense.
  [[nodiscard]] bool is_wrong() const noexcept { return is_wrong_; }
  /// For the next answer on this connection.
  void begin_next();

private:
  void read_head();
  void read_chunks();

  std::string unread_;
  std::string body_;
  std::map<std::string, std::string, std::less<>> headers_;
  int status_ = 0;
  bool is_chunked_ = false;
  std::size_t length_ = 0; ///< Of a body that is not in chunks.
  bool is_complete_ = false;
  bool is_wrong_ = false;
  std::size_t events_at_ = 0; ///< In the body.
};

} // namespace troupe::sim
