// One HTTP/1.1 request as read from a socket: the few headers this server looks at, and the body.
// `request_parser` fills it; Beast's parser does the protocol (framing, chunks, limits), without
// building its table of all headers.
#pragma once

#include <troupe/net/limits.hpp>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/verb.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::net {

/// Reused from request to request: `clear` keeps the memory of a usual request.
struct http_request {
  boost::beast::http::verb method = boost::beast::http::verb::unknown;
  std::string target; ///< As received: origin or absolute form, with query.
  std::string host;   ///< The `Host` header: name or address, perhaps with a port.
  std::string content_type;
  std::string accept; ///< All `Accept` values, joined by commas.
  std::string a2a_version;
  std::string
      a2a_extensions; ///< All `A2A-Extensions` and `X-A2A-Extensions` values, joined by commas.
  std::string traceparent;
  std::string tracestate;    ///< All `tracestate` values, joined by commas.
  std::string stream_cursor; ///< `Troupe-Cursor`.
  std::string last_event_id; ///< `Last-Event-ID` (HTML, server-sent events).
  /// All `Idempotency-Key` values, joined by commas; `""` for an empty one.
  std::string idempotency_key;
  std::string if_match;
  std::string if_none_match;
  std::string if_modified_since;
  std::string authorization; ///< Never logged.
  std::string origin;
  std::string preflight_method; ///< `Access-Control-Request-Method`.
  std::string body;
  bool expects_continue = false;
  bool is_http_1_0 = false;

  void clear();
  /// Bytes that the target and the headers have room for, without what is inside the object itself.
  [[nodiscard]] std::size_t header_bytes() const noexcept;
  /// Gives their memory back, too.
  void clear_all();

  /// Without query and origin; `/` if empty.
  [[nodiscard]] std::string_view path() const noexcept;
  /// What follows the path and `?`, undecoded; may be empty.
  [[nodiscard]] std::string_view query() const noexcept;
  /// The undecoded value of the first query parameter of that name; empty if there is none.
  [[nodiscard]] std::string_view query(std::string_view name) const noexcept;
};

/// Beast's parser over an `http_request`. One per request.
class request_parser final : public boost::beast::http::basic_parser<true> {
public:
  explicit request_parser(http_request& out) : out_(out) {}

  /// Bytes of request line and headers; the same again for the extensions of all chunks and the
  /// trailer together, which Beast does not bound. Above: http::error::header_limit. A line that
  /// has not ended yet is the reader's to bound.
  void header_limit(std::uint32_t bytes) {
    basic_parser::header_limit(bytes);
    beside_bytes_max_ = bytes;
  }

  /// What is wrong, where Beast takes what must be refused; empty if `put` has failed for a reason
  /// of its own.
  [[nodiscard]] std::string_view fault() const noexcept { return fault_; }

private:
  using text = boost::beast::string_view;
  using error = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb method, text method_text, text target, int version,
                       error& ec) override;
  void on_response_impl(int code, text reason, int version, error& ec) override;
  void on_field_impl(boost::beast::http::field name, text name_text, text value,
                     error& ec) override;
  void on_header_impl(error& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error& ec) override;
  std::size_t on_body_impl(text body, error& ec) override;
  void on_chunk_header_impl(std::uint64_t size, text extensions, error& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, text body, error& ec) override;
  void on_finish_impl(error& ec) override;
  void refuse(error& ec, std::string_view why);
  void check_coding(std::string_view value, error& ec);
  void count_beside(std::size_t bytes, error& ec);
  void reserve(std::size_t bytes);

  http_request& out_;
  std::size_t beside_bytes_ = 0; ///< Of chunk extensions and trailer.
  std::size_t beside_bytes_max_ = header_bytes_max;
  std::size_t announced_ = 0; ///< Bytes of the body, as Content-Length has it; 0: there is none.
  std::string_view fault_;
  std::size_t hosts_ = 0;
  bool in_trailer_ = false;
};

/// Whether two header names or tokens are equal regardless of ASCII case.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;
/// Without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// Takes the first item off a comma separated list (RFC 9110 5.6.1) and returns it, trimmed; it may
/// be empty. At the end the list is.
[[nodiscard]] std::string_view take_list_item(std::string_view& list) noexcept;

} // namespace troupe::net
