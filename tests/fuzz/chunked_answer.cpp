// An answer in chunks that is read while it comes, as the streams of http_client are: its head,
// then its body piece by piece, each taken out of the parser at once. The input is the chunked body
// behind a head of ours; its first byte says in which pieces it comes. What was read is the same
// wherever the bytes are cut, and a body that is written in chunks reads back.
#include "client/answer_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

using namespace troupe;

namespace {

namespace http = boost::beast::http;

constexpr std::string_view head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A connection whose bytes come in pieces of a size, up to its end (a SyncReadStream).
class connection {
public:
  connection(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}

  template<class Buffers>
  std::size_t read_some(const Buffers& to, boost::system::error_code& ec) {
    ec = {};
    if (text_.empty())
      ec = boost::asio::error::eof;
    const auto count =
        boost::asio::buffer_copy(to, boost::asio::buffer(text_.data(), text_.size()), piece_);
    text_.remove_prefix(count);
    return count;
  }
  template<class Buffers>
  std::size_t read_some(const Buffers& to) {
    boost::system::error_code ignored;
    return read_some(to, ignored);
  }

  [[nodiscard]] std::size_t left() const { return text_.size(); }

private:
  std::string_view text_;
  std::size_t piece_;
};

struct outcome {
  bool is_whole = false;
  std::string body;
  std::size_t behind = 0; ///< Bytes that come after its end.
};

outcome read_in_pieces(std::string_view text, std::size_t piece) {
  outcome out;
  connection from(text, piece);
  boost::beast::flat_buffer input;
  net::answer_parser parser;
  net::set_limits(parser, boost::none);
  boost::system::error_code failed;
  http::read_header(from, input, parser, failed);
  while (!failed && !parser.is_done()) {
    http::read_some(from, input, parser, failed);
    out.body += std::exchange(parser.get().body(), std::string{});
  }
  out.is_whole = !failed && parser.is_done();
  out.behind = input.size() + from.left();
  return out;
}

/// `body` in chunks, each as long as the next of its own bytes says.
std::string in_chunks(std::string_view body) {
  std::string out(head);
  while (!body.empty()) {
    const auto size =
        std::min<std::size_t>(1 + static_cast<unsigned char>(body.front()) % 40U, body.size());
    char digits[8];
    const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
    out.append(digits, end).append("\r\n").append(body.substr(0, size)).append("\r\n");
    body.remove_prefix(size);
  }
  return out += "0\r\n\r\n";
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::text_of(data, size);
  if (text.empty())
    return 0;
  const std::size_t piece = 1 + static_cast<unsigned char>(text.front()) % 16U;
  text.remove_prefix(1);
  const auto bytes = std::string(head) + std::string(text);
  const auto whole = read_in_pieces(bytes, bytes.size());
  const auto cut = read_in_pieces(bytes, piece);
  fuzz::demand(whole.is_whole == cut.is_whole, "an answer, or none", text);
  fuzz::demand(whole.body == cut.body, "another body", whole.body, cut.body);
  fuzz::demand(!whole.is_whole || whole.behind == cut.behind, "it ends elsewhere", text);
  fuzz::demand(whole.body.size() <= text.size(), "more than was sent", whole.body);

  const auto chunks = in_chunks(text);
  const auto again = read_in_pieces(chunks + "HTTP/1.1", piece);
  fuzz::demand(again.is_whole && again.behind == 8, "chunks that were written are not read", text);
  fuzz::demand(again.body == text, "a body that was written in chunks is another", text,
               again.body);
  return 0;
}
