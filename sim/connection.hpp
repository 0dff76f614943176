// A connection between a client of the world and the server: two directions, each with a latency,
// in pieces, in order. It may stall and break. The server has its end as a byte stream
// (net/http/byte_stream.hpp).
#pragma once

#include "net/http/byte_stream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/world.hpp"

namespace troupe::sim {

class connection : public std::enable_shared_from_this<connection> {
public:
  /// `chance`: what happens to its bytes.
  connection(world& in, dice chance) : in_(in), chance_(chance) {}

  // -- the client's end ---------------------------------------------------------------------------

  void send(std::string bytes);
  /// Takes at most `bytes_max` of what has arrived.
  [[nodiscard]] std::string receive(std::size_t bytes_max);
  [[nodiscard]] std::size_t arrived() const noexcept { return to_client_.arrived.size(); }
  /// Nothing more will arrive.
  [[nodiscard]] bool is_over() const noexcept {
    return is_broken_ || (to_client_.has_ended && to_client_.arrived.empty());
  }
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }
  /// The server has all that the client has sent.
  [[nodiscard]] bool is_taken() const noexcept {
    return context_ != nullptr && to_server_.under_way == 0 && to_server_.arrived.empty();
  }
  /// The client sends nothing more, and still reads.
  void end_sending() { deliver_end(to_server_); }
  /// The client neither sends nor reads any more.
  void close();
  /// The server has made it: at the other end is a remote agent.
  bool is_outbound = false;
  /// Called when something has arrived or the connection is over.
  std::function<void()> on_news;

  // -- the server's end ---------------------------------------------------------------------------

  /// Its end, for a loop with this context.
  [[nodiscard]] std::unique_ptr<net::byte_stream> accept(net::asio::io_context& context);
  /// The server's process has died.
  void cut();

private:
  class stream;

  struct direction {
    std::string arrived;
    std::size_t under_way = 0;   ///< Bytes.
    std::size_t arrived_all = 0; ///< Bytes, since it began.
    nanoseconds last{};          ///< When the last piece arrives: pieces keep their order.
    bool is_closed = false;      ///< Nothing more is sent.
    bool has_ended = false;      ///< And all of it has arrived.
  };

  void deliver(direction& to, std::string bytes);
  void deliver_end(direction& to);
  [[nodiscard]] nanoseconds arrival(direction& to);
  void tell_server();
  void tell_client();
  void break_off();
  [[nodiscard]] std::size_t room() const;

  world& in_;
  dice chance_;
  direction to_server_;
  direction to_client_;
  bool is_broken_ = false;
  bool is_client_gone_ = false;
  net::asio::io_context* context_ = nullptr; ///< Null: the server is gone.
  std::optional<net::byte_stream::ready_handler> reader_;
  std::optional<net::byte_stream::ready_handler> writer_;
};

/// Keeps a connection that the server has made, with what belongs to it, until it is over. `read`
/// is called with it when something has arrived.
template<class Line, class Read>
void keep_line(std::vector<std::shared_ptr<Line>>& lines, const std::shared_ptr<connection>& from,
               Read read) {
  std::erase_if(lines, [](const auto& each) { return each->to->is_over(); });
  auto fresh = std::make_shared<Line>();
  fresh->to = from;
  from->on_news = [read = std::move(read), weak = std::weak_ptr(fresh)] {
    if (const auto line = weak.lock())
      read(line);
  };
  lines.push_back(std::move(fresh));
}

} // namespace troupe::sim
