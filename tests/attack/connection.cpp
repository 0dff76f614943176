#include "tests/attack/connection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::attack {

namespace {

constexpr std::size_t head_bytes_max = 64 * 1024;

bool equals(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a))
           == std::tolower(static_cast<unsigned char>(b));
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

} // namespace

// -- answer_reader --------------------------------------------------------------------------------

bool answer_reader::feed(std::string_view bytes) {
  if (!fault_.empty())
    return false;
  input_ += bytes;
  for (bool goes_on = true; goes_on;)
    if (!step(goes_on))
      return false;
  return true;
}

bool answer_reader::fail(const std::string& why) {
  fault_ = why + ": " + input_.substr(0, 200);
  return false;
}

void answer_reader::finish() {
  body_ = std::move(reading_);
  reading_.clear();
  phase_ = phase::head;
  if (head_status_ >= 200) { // An interim answer is none.
    status_ = head_status_;
    ++answers_;
  }
}

/// Takes one piece off the input; `goes_on` becomes false when more bytes are needed.
bool answer_reader::step(bool& goes_on) {
  goes_on = false;
  if (phase_ == phase::head) {
    const auto end = input_.find("\r\n\r\n");
    if (end == std::string::npos)
      return (input_.size() <= head_bytes_max
              && (input_.size() < 9 || input_.starts_with("HTTP/1.1 ")))
             || fail("no answer");
    if (!read_head(std::string_view{input_}.substr(0, end + 2)))
      return false;
    input_.erase(0, end + 4);
    goes_on = true;
    return true;
  }
  if (phase_ == phase::sized || phase_ == phase::chunk) {
    const auto count = std::min(left_, input_.size());
    reading_.append(input_, 0, count);
    input_.erase(0, count);
    left_ -= count;
    if (left_ > 0)
      return true;
    if (phase_ == phase::chunk) {
      if (input_.size() < 2)
        return true;
      if (!input_.starts_with("\r\n"))
        return fail("a chunk does not end");
      input_.erase(0, 2);
      phase_ = phase::chunk_size;
    } else {
      finish();
    }
    goes_on = true;
    return true;
  }
  const auto end = input_.find("\r\n");
  if (end == std::string::npos)
    return input_.size() < 100 || fail("no line of a chunk");
  const auto line = std::string_view{input_}.substr(0, end);
  if (phase_ == phase::trailer) {
    if (!line.empty())
      return fail("a trailer");
    input_.erase(0, 2);
    finish();
    goes_on = true;
    return true;
  }
  const auto [last, ec] = std::from_chars(line.data(), line.data() + line.size(), left_, 16);
  if (ec != std::errc{} || last != line.data() + line.size())
    return fail("no size of a chunk");
  input_.erase(0, end + 2);
  phase_ = left_ == 0 ? phase::trailer : phase::chunk;
  goes_on = true;
  return true;
}

/// `head` ends with the line end of the last header.
bool answer_reader::read_head(std::string_view head) {
  if (head.size() < 14 || !head.starts_with("HTTP/1.1 ") || head[12] != ' ')
    return fail("no status line");
  const auto [status_end, ec] = std::from_chars(head.data() + 9, head.data() + 12, head_status_);
  if (ec != std::errc{} || status_end != head.data() + 12 || head_status_ < 100
      || head_status_ > 599)
    return fail("no status");
  left_ = 0;
  phase_ = phase::sized;
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const auto line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.find('\n') != std::string_view::npos)
      return fail("no header line");
    const auto name = line.substr(0, colon);
    const auto value = trimmed(line.substr(colon + 1));
    if (equals(name, "content-length")) {
      const auto [end, bad] = std::from_chars(value.data(), value.data() + value.size(), left_);
      if (bad != std::errc{} || end != value.data() + value.size())
        return fail("no length");
    }
    if (equals(name, "transfer-encoding") && equals(value, "chunked"))
      phase_ = phase::chunk_size;
  }
  return true;
}

// -- connection -----------------------------------------------------------------------------------

connection::connection(const route& to, int receive_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_ < 0)
    return;
  if (receive_bytes > 0)
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The port is chosen when it connects: one may lead to many servers.
  ::setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, to.from.c_str(), &address.sin_addr);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close();
    return;
  }
  address.sin_port = htons(to.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return;
  int why = errno;
  socklen_t size = sizeof why;
  if (why != EINPROGRESS || !wait(POLLOUT, steady::now() + std::chrono::seconds(5))
      || ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &why, &size) != 0 || why != 0)
    close();
}

void connection::close() {
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
}

void connection::reset() {
  if (socket_ < 0)
    return;
  const linger none{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close();
}

bool connection::wait(short events, steady::time_point until) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady::now());
  if (left.count() <= 0)
    return false;
  pollfd one{socket_, events, 0};
  return ::poll(&one, 1, static_cast<int>(left.count())) > 0;
}

bool connection::send(std::string_view bytes, std::chrono::milliseconds bound) {
  const auto until = steady::now() + bound;
  while (!bytes.empty() && is_open()) {
    const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if ((errno != EAGAIN && errno != EINTR) || !wait(POLLOUT, until))
      close();
  }
  return is_open();
}

bool connection::has_input() const {
  char first = 0;
  return is_open() && ::recv(socket_, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool connection::take() {
  std::array<char, 64 * 1024> buffer;
  while (is_open()) {
    const auto count = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EAGAIN)
      return true;
    if (count <= 0) {
      close();
      return false;
    }
    if (!reader_.feed({buffer.data(), static_cast<std::size_t>(count)}))
      return false;
  }
  return false;
}

bool connection::receive(std::chrono::milliseconds bound) {
  const auto until = steady::now() + bound;
  const auto before = reader_.answers();
  while (is_open()) {
    const bool is_alive = take();
    if (reader_.answers() > before)
      return true;
    if (!is_alive)
      return false;
    if (!wait(POLLIN, until))
      close();
  }
  return false;
}

// -- requests -------------------------------------------------------------------------------------

std::string request_text(std::string_view verb, std::string_view path, std::string_view body,
                         std::string_view more) {
  std::string out(verb);
  out.append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n");
  out.append(more);
  if (!body.empty())
    out.append("Content-Type: application/json\r\nContent-Length: ")
        .append(std::to_string(body.size()))
        .append("\r\n");
  return out.append("\r\n").append(body);
}

std::string rpc_text(std::string_view method, std::string_view params) {
  std::string body = R"({"jsonrpc":"2.0","id":1,"method":")";
  body.append(method).append(R"(","params":)").append(params).append("}");
  return request_text("POST", "/", body);
}

std::string member_of(std::string_view text, std::string_view name) {
  const auto key = '"' + std::string(name) + "\":\"";
  const auto at = text.find(key);
  if (at == std::string_view::npos)
    return {};
  text.remove_prefix(at + key.size());
  return std::string(text.substr(0, text.find('"')));
}

} // namespace troupe::attack
