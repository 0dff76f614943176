// An answer out of bytes, with a length, in chunks, or up to the end of the connection: it is the
// same wherever the bytes are cut, and its body keeps the limit. The first byte says where.
#include "client/answer_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>

using namespace troupe;

namespace {

constexpr std::size_t body_bytes_max = 512;

struct outcome {
  bool is_done = false;
  unsigned status = 0;
  std::string body;
};

outcome read_in_pieces(std::string_view text, std::size_t piece) {
  net::answer_parser parser;
  net::set_limits(parser, body_bytes_max);
  parser.eager(true);
  std::string held;
  boost::system::error_code failed;
  while (!text.empty() && !parser.is_done()) {
    held.append(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
    const auto used = parser.put(boost::asio::buffer(held), failed);
    held.erase(0, used);
    if (failed && failed != boost::beast::http::error::need_more)
      return {};
  }
  failed = {};
  if (!parser.is_done() && parser.got_some())
    parser.put_eof(failed);
  if (failed || !parser.is_done())
    return {};
  return {true, parser.get().result_int(), parser.get().body()};
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::text_of(data, size);
  if (text.empty())
    return 0;
  const std::size_t piece = 1 + static_cast<unsigned char>(text.front()) % 16U;
  text.remove_prefix(1);
  const auto whole = read_in_pieces(text, text.size() + 1);
  const auto cut = read_in_pieces(text, piece);
  fuzz::demand(whole.is_done == cut.is_done, "an answer, or none", text);
  fuzz::demand(whole.status == cut.status && whole.body == cut.body, "another answer", whole.body,
               cut.body);
  fuzz::demand(whole.body.size() <= body_bytes_max, "a body above its limit", text);
  return 0;
}
