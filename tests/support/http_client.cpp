#include "tests/support/http_client.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace troupe::testing {

namespace {

[[noreturn]] void give_up(const std::string& text) {
  throw std::runtime_error("http_client: " + text + ": " + std::strerror(errno));
}

int status_in(const std::string& line) {
  if (!line.starts_with("HTTP/1.1 ") || line.size() < 12)
    throw std::runtime_error("http_client: not a status line: " + line);
  return std::stoi(line.substr(9, 3));
}

} // namespace

http_client::http_client(std::uint16_t port, int receive_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  if (socket_ < 0)
    give_up("socket");
  if (receive_bytes > 0)
    set_receive_bytes(receive_bytes);
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("connect");
}

http_client::~http_client() {
  close();
}

http_client::http_client(http_client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), input_(std::move(other.input_)),
      stream_(std::move(other.stream_)), stream_over_(other.stream_over_),
      chunked_(other.chunked_) {}

void http_client::set_receive_bytes(int bytes) {
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void http_client::close() {
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
}

void http_client::reset() {
  const linger none{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close();
}

// -- raw ------------------------------------------------------------------------------------------

bool http_client::try_send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
      return false;
    if (sent < 0)
      give_up("send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void http_client::send(std::string_view bytes) {
  if (!try_send(bytes))
    give_up("send");
}

void http_client::finish_sending() {
  ::shutdown(socket_, SHUT_WR);
}

bool http_client::read_more() {
  char buffer[16384];
  const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
  if (count < 0 && errno != ECONNRESET)
    give_up("receive");
  if (count <= 0)
    return false;
  input_.append({buffer, static_cast<std::size_t>(count)});
  return true;
}

bool http_client::is_closed() {
  return input_.rest().empty() && !read_more();
}

bool http_client::has_input() const {
  pollfd input{.fd = socket_, .events = POLLIN, .revents = 0};
  return !input_.rest().empty() || ::poll(&input, 1, 0) > 0;
}

std::size_t http_client::find_line_end() {
  for (;;) {
    if (const auto end = input_.rest().find("\r\n"); end != std::string::npos)
      return end;
    if (!read_more())
      throw std::runtime_error("http_client: the server closed in the middle of a line");
  }
}

std::string http_client::read_line() {
  auto line = input_.take(find_line_end() + 2);
  line.resize(line.size() - 2);
  return line;
}

std::string http_client::read_bytes(std::size_t count) {
  while (input_.rest().size() < count)
    if (!read_more())
      throw std::runtime_error("http_client: the server closed in the middle of a body");
  return input_.take(count);
}

// -- requests -------------------------------------------------------------------------------------

http_answer http_client::get(std::string_view path, std::string_view headers) {
  send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers)
       + "\r\n");
  return receive();
}

std::string http_client::request_text(std::string_view verb, std::string_view path,
                                      std::string_view body, std::string_view headers) {
  std::string out(verb);
  out.append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(headers);
  if (!body.empty()) {
    if (headers.find("Content-Type:") == std::string_view::npos)
      out += "Content-Type: application/json\r\n";
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  return out.append("\r\n").append(body);
}

http_answer http_client::request(std::string_view verb, std::string_view path,
                                 std::string_view body, std::string_view headers) {
  send(request_text(verb, path, body, headers));
  return receive(verb != "HEAD");
}

std::string http_client::post_text(std::string_view body, std::string_view headers) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

http_answer http_client::post(std::string_view body, std::string_view headers) {
  send(post_text(body, headers));
  return receive();
}

// -- answers --------------------------------------------------------------------------------------

int http_client::next_status() {
  const auto end = find_line_end();
  return status_in(std::string{input_.rest().substr(0, end)});
}

http_answer http_client::receive_head() {
  http_answer out;
  do { // an interim 100 is passed over
    out.headers.clear();
    out.status = status_in(read_line());
    for (auto line = read_line(); !line.empty(); line = read_line()) {
      const auto colon = line.find(':');
      auto name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      out.headers[name] = line.substr(std::min(line.size(), colon + 2));
    }
  } while (out.status == 100);
  chunked_ = out.header("transfer-encoding") == "chunked";
  stream_ = {};
  stream_over_ = false;
  return out;
}

http_answer http_client::receive(bool has_body) {
  auto out = receive_head();
  if (!has_body || out.status == 204 || out.status == 304)
    return out;
  if (chunked_) {
    while (read_chunk())
      ;
    out.body = stream_.take_all();
  } else {
    const auto length = out.header("content-length");
    if (length.empty())
      throw std::runtime_error("http_client: an answer without length");
    out.body = read_bytes(std::stoul(length));
  }
  return out;
}

bool http_client::read_chunk() {
  if (stream_over_)
    return false;
  if (!chunked_) {
    stream_over_ = input_.rest().empty() && !read_more();
    stream_.append(input_.take_all());
    return !stream_over_;
  }
  const auto size = std::stoul(read_line(), nullptr, 16);
  stream_.append(read_bytes(size));
  static_cast<void>(read_line());
  stream_over_ = size == 0;
  return !stream_over_;
}

std::optional<std::string> http_client::next_piece() {
  for (;;) {
    if (const auto end = stream_.rest().find("\n\n"); end != std::string::npos) {
      auto piece = stream_.take(end + 2);
      piece.resize(end);
      return piece;
    }
    if (!read_chunk())
      return std::nullopt;
  }
}

std::optional<std::string> http_client::next_event() {
  auto event = next_piece();
  while (event && event->starts_with(':'))
    event = next_piece();
  if (!event)
    return std::nullopt;
  if (!event->starts_with("data: ") || event->find('\n') != std::string::npos)
    throw std::runtime_error("http_client: not one data line: " + *event);
  return event->substr(6);
}

} // namespace troupe::testing
