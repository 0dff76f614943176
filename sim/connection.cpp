#include "sim/connection.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace troupe::sim {

namespace {

constexpr std::size_t calm_window_bytes = 64 * 1024;

} // namespace

// -- the server's end -----------------------------------------------------------------------------

class connection::stream final : public net::byte_stream {
public:
  explicit stream(std::shared_ptr<connection> of) : of_(std::move(of)) {}
  ~stream() override { end(); }

  std::size_t read_some(net::asio::mutable_buffer to, net::error_code& ec) override {
    ec = {};
    auto& from = of_->to_server_;
    if (of_->is_broken_) {
      ec = net::asio::error::connection_reset;
      return 0;
    }
    const auto count = std::min(to.size(), from.arrived.size());
    if (count == 0)
      ec = from.has_ended ? net::error_code(net::asio::error::eof)
                          : net::error_code(net::asio::error::would_block);
    std::copy_n(from.arrived.begin(), count, static_cast<char*>(to.data()));
    from.arrived.erase(0, count);
    return count;
  }

  std::size_t write_some(const pieces& from, net::error_code& ec) override {
    ec = {};
    if (of_->is_broken_ || of_->is_client_gone_) {
      if (!of_->in_.is_dying && !of_->is_outbound)
        of_->in_.story.reached("an answer has no reader any more");
      ec = net::asio::error::broken_pipe;
      return 0;
    }
    std::string taken;
    for (const auto& piece : from)
      taken.append(static_cast<const char*>(piece.data()), piece.size());
    const auto room = of_->room();
    if (room == 0 && !taken.empty()) {
      if (!of_->is_outbound)
        of_->in_.story.reached_without_line("the server waits for a reader");
      ec = net::asio::error::would_block;
      return 0;
    }
    taken.resize(std::min(taken.size(), room));
    const auto count = taken.size();
    of_->deliver(of_->to_client_, std::move(taken));
    return count;
  }

  void wait_to_read(ready_handler ready) override {
    const auto& from = of_->to_server_;
    if (!from.arrived.empty() || from.has_ended || of_->is_broken_)
      post(std::move(ready));
    else
      of_->reader_.emplace(std::move(ready));
  }
  void wait_to_write(ready_handler ready) override {
    if (of_->room() > 0 || of_->is_broken_ || of_->is_client_gone_)
      post(std::move(ready));
    else
      of_->writer_.emplace(std::move(ready));
  }
  void cancel() override { of_->tell_server(); }
  void shutdown_write() override { of_->deliver_end(of_->to_client_); }
  void close() override {
    of_->deliver_end(of_->to_client_);
    of_->tell_server();
  }
  bool is_broken() const override { return of_->is_broken_ || of_->is_client_gone_; }

private:
  void post(ready_handler ready) {
    if (of_->context_ != nullptr)
      net::asio::post(*of_->context_, std::move(ready));
  }
  void end() {
    of_->deliver_end(of_->to_client_);
    of_->context_ = nullptr;
  }

  std::shared_ptr<connection> of_;
};

std::unique_ptr<net::byte_stream> connection::accept(net::asio::io_context& context) {
  context_ = &context;
  return std::make_unique<stream>(shared_from_this());
}

void connection::cut() {
  if (context_ != nullptr)
    break_off();
}

void connection::tell_server() {
  for (auto* waiting : {&reader_, &writer_})
    if (*waiting && context_ != nullptr)
      net::asio::post(*context_, *std::exchange(*waiting, std::nullopt));
}

/// Which may hang up, and so forget what is called.
void connection::tell_client() {
  if (const auto call = on_news)
    call();
}

// -- the client's end -----------------------------------------------------------------------------

void connection::send(std::string bytes) {
  if (!is_broken_ && !is_client_gone_)
    deliver(to_server_, std::move(bytes));
}

std::string connection::receive(std::size_t bytes_max) {
  auto out = to_client_.arrived.substr(0, bytes_max);
  to_client_.arrived.erase(0, out.size());
  if (!out.empty() && writer_)
    tell_server();
  return out;
}

void connection::close() {
  on_news = nullptr;
  if (std::exchange(is_client_gone_, true))
    return;
  deliver_end(to_server_);
  to_client_.arrived.clear();
  tell_server();
}

// -- on the way -----------------------------------------------------------------------------------

std::size_t connection::room() const {
  const auto used = to_client_.arrived.size() + to_client_.under_way;
  const auto window = in_.is_calm ? calm_window_bytes : in_.how.window_bytes;
  return used < window ? window - used : 0;
}

nanoseconds connection::arrival(direction& to) {
  auto wait = nanoseconds{0};
  if (!in_.is_calm)
    wait = chance_.between(wait, in_.how.latency_max);
  if (!in_.is_calm && chance_.chance(in_.how.stalls)) {
    in_.story.reached("a piece stalls");
    wait = chance_.between(nanoseconds{0}, in_.how.stall_max);
  }
  to.last = std::max(to.last, in_.now() + wait);
  return to.last - in_.now();
}

void connection::deliver(direction& to, std::string bytes) {
  if (to.is_closed)
    return;
  to.under_way += bytes.size();
  for (std::size_t begin = 0, all = bytes.size(); begin < all;) {
    auto size = all - begin;
    if (in_.how.piece_bytes_max != 0 && !in_.is_calm)
      size = std::min(size, 1 + chance_.below(in_.how.piece_bytes_max));
    auto piece = size == all ? std::move(bytes) : bytes.substr(begin, size);
    begin += size;
    const bool breaks = !in_.is_calm && chance_.chance(in_.how.resets);
    in_.after(arrival(to), [self = shared_from_this(), &to, piece = std::move(piece), breaks] {
      if (self->is_broken_)
        return;
      if (breaks) {
        const bool is_answer = &to == &self->to_client_;
        self->in_.story.reached(self->is_outbound     ? "a connection to a remote agent breaks"
                                : !is_answer          ? "a connection breaks in a question"
                                : to.arrived_all == 0 ? "a connection breaks before an answer"
                                                      : "a connection breaks in an answer");
        self->break_off();
        return;
      }
      to.under_way -= piece.size();
      if (!to.arrived.empty())
        self->in_.story.reached_without_line("pieces are read as one");
      to.arrived += piece;
      to.arrived_all += piece.size();
      if (&to == &self->to_server_)
        self->tell_server();
      else
        self->tell_client();
    });
  }
}

void connection::deliver_end(direction& to) {
  if (std::exchange(to.is_closed, true))
    return;
  in_.after(arrival(to), [self = shared_from_this(), &to] {
    to.has_ended = true;
    if (&to == &self->to_server_)
      self->tell_server();
    else
      self->tell_client();
  });
}

void connection::break_off() {
  is_broken_ = true;
  tell_server();
  tell_client();
}

} // namespace troupe::sim
