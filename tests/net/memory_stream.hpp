// A connection in memory: what the test puts in comes out of `read_some`, what the server writes is
// kept. No socket.
#pragma once

#include "net/http/byte_stream.hpp"
#include "net/http/loop.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::testing {

/// Both ends of it. Shared by the test and by the stream that the server owns.
class memory_pipe {
public:
  explicit memory_pipe(net::loop& home) : home_(home) {}

  void put(std::string_view bytes) {
    input_ += bytes;
    wake();
  }
  /// The client goes.
  void hang_up() {
    hung_up_ = true;
    wake();
  }
  /// The client takes no more, as with a full socket, until it goes on.
  void stop_reading() { is_full_ = true; }
  /// The client takes so many bytes more, and then none.
  void take_only(std::size_t bytes) {
    room_ = bytes;
    go_on_reading();
  }
  void go_on_reading() {
    is_full_ = false;
    if (writer_)
      net::asio::post(home_.context(), *std::exchange(writer_, std::nullopt));
  }
  [[nodiscard]] const std::string& output() const noexcept { return output_; }

  /// Called with each piece that the server writes.
  std::function<void(std::string_view)> on_write;

private:
  friend class memory_stream;

  void wake() {
    if (reader_)
      net::asio::post(home_.context(), *std::exchange(reader_, std::nullopt));
    if (writer_)
      net::asio::post(home_.context(), *std::exchange(writer_, std::nullopt));
  }

  net::loop& home_;
  std::string input_;
  std::string output_;
  bool hung_up_ = false;
  bool is_full_ = false;
  std::optional<std::size_t> room_; ///< What the client takes until it is full; nothing: all.
  std::optional<net::byte_stream::ready_handler> reader_;
  std::optional<net::byte_stream::ready_handler> writer_;
};

class memory_stream final : public net::byte_stream {
public:
  explicit memory_stream(std::shared_ptr<memory_pipe> of) : of_(std::move(of)) {}

  std::size_t read_some(net::asio::mutable_buffer to, net::error_code& ec) override {
    ec = {};
    const auto count = std::min(to.size(), of_->input_.size());
    if (count == 0)
      ec = of_->hung_up_ ? net::error_code(net::asio::error::eof)
                         : net::error_code(net::asio::error::would_block);
    std::copy_n(of_->input_.begin(), count, static_cast<char*>(to.data()));
    of_->input_.erase(0, count);
    return count;
  }
  std::size_t write_some(const pieces& from, net::error_code& ec) override {
    ec = {};
    std::size_t count = 0;
    if (of_->is_full_) {
      ec = net::asio::error::would_block;
      return 0;
    }
    for (const auto& piece : from) {
      const auto taken = std::min(piece.size(), of_->room_.value_or(piece.size()));
      of_->output_.append(static_cast<const char*>(piece.data()), taken);
      count += taken;
      if (of_->room_)
        *of_->room_ -= taken;
    }
    if (of_->room_ == std::size_t{0}) {
      of_->room_.reset();
      of_->is_full_ = true;
    }
    if (of_->on_write)
      of_->on_write(std::string_view(of_->output_).substr(of_->output_.size() - count));
    return count;
  }
  void wait_to_read(ready_handler ready) override {
    if (!of_->input_.empty() || of_->hung_up_)
      return net::asio::post(of_->home_.context(), std::move(ready));
    of_->reader_.emplace(std::move(ready));
  }
  void wait_to_write(ready_handler ready) override {
    if (!of_->is_full_)
      return net::asio::post(of_->home_.context(), std::move(ready));
    of_->writer_.emplace(std::move(ready));
  }
  void cancel() override { of_->wake(); }
  void shutdown_write() override {}
  void close() override {
    of_->hung_up_ = true;
    of_->wake();
  }
  bool is_broken() const override { return of_->hung_up_; }

private:
  std::shared_ptr<memory_pipe> of_;
};

} // namespace troupe::testing
