// How the bytes of an answer become an answer: the parser of Beast, with our limits.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/optional/optional.hpp>

#include <cstdint>

namespace troupe::net {

/// Of the status line and the headers; a longer head is no answer.
inline constexpr std::uint32_t answer_header_bytes_max = 32 * 1024;

using answer_parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

/// `bytes_max`: of the body; none for any.
inline void set_limits(answer_parser& parser, boost::optional<std::uint64_t> bytes_max) {
  parser.header_limit(answer_header_bytes_max);
  parser.body_limit(bytes_max);
}

} // namespace troupe::net
