// One thread with its own io_context and its share of the connections. Nothing of a session is
// touched by any other thread; the way in from outside is `post` and the ready queue. A sweep looks
// at all deadlines at once, so that no request pays for a timer.
#pragma once

#include "actors/loop/loop_gateway.hpp"
#include "client/io.hpp"
#include "client/timers.hpp"
#include "net/http/wakeup.hpp"
#include "protocol/json/json_parser.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/net/limits.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/json/monotonic_resource.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace troupe::net {

/// What the sweep sees of a session.
class swept : public boost::intrusive::list_base_hook<
                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
  virtual ~swept() = default;
  [[nodiscard]] time_point deadline() const noexcept { return deadline_; }
  /// The deadline has passed.
  virtual void on_deadline() = 0;
  /// It has not; called at every sweep.
  virtual void on_sweep() = 0;
  /// The server drains: idle connections end soon, waits end now.
  virtual void on_drain() = 0;
  /// Ends the connection at once.
  virtual void abort() = 0;

protected:
  time_point deadline_ = time_point::max();
};

/// What a tree takes beyond the buffers of `json_scratch`. It counts in the account `bodies`, and
/// throws std::bad_alloc if that may not grow.
class tree_memory final : public boost::json::memory_resource {
public:
  explicit tree_memory(memory_budget_ptr from) : from_(std::move(from)) {}
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  /// What the account refused last, since the last `forget_refused`; 0: nothing.
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  void forget_refused() noexcept { refused_ = 0; }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* where, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
    return this == &other;
  }

  const memory_budget_ptr from_;
  // In bytes:
  std::size_t held_ = 0;
  std::size_t refused_ = 0;
};

/// JSON is parsed into memory that the loop's requests use in turn: a tree lives until the next
/// parse, or `release`.
class json_scratch {
public:
  explicit json_scratch(std::size_t depth_max,
                        memory_budget_ptr memory = std::make_shared<memory_budget>());
  /// The tree of `text`. Null and `ec`: it is not JSON, or there is no memory for its tree
  /// (boost::system::errc::not_enough_memory). `offset`: where it went wrong.
  /// What is added to it lies in the same memory, and throws std::bad_alloc if there is none.
  [[nodiscard]] boost::json::value* parse(std::string_view text, error_code& ec,
                                          std::size_t& offset);
  /// Bytes that the account refused to the last parse; 0: it refused nothing.
  [[nodiscard]] std::size_t refused_bytes() const noexcept { return more_.refused(); }
  /// Gives the memory of a large tree back.
  void release() noexcept;

private:
  void make_parser();

  const std::size_t depth_max_;
  std::array<unsigned char, 64 * 1024> buffer_;
  std::array<unsigned char, 8 * 1024> stack_;
  tree_memory more_;                                      ///< Than the two buffers.
  std::optional<boost::json::monotonic_resource> memory_; ///< Of `tree_`.
  std::optional<json_parser> parser_;
  boost::json::value tree_;
};

class loop {
public:
  /// `time` outlives the loop. `memory`: where large trees are counted.
  loop(std::chrono::milliseconds sweep_interval, std::size_t depth_max, const time_source& time,
       memory_budget_ptr memory = std::make_shared<memory_budget>());
  ~loop();
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  /// Starts the thread, which takes turns until `finish`.
  void start();
  /// Does what can be done without waiting. For a loop without a thread: from one thread only.
  void turn();
  /// Calls the timers that are due, or else one handler: a turn in the smallest parts, for an owner
  /// who decides what happens in between. False if there is nothing to do now.
  bool step();
  /// Lets the thread end once no session is left, and waits for it.
  void finish();

  [[nodiscard]] asio::io_context& context() noexcept { return context_; }
  [[nodiscard]] const std::shared_ptr<ready_queue>& ready() const noexcept { return ready_; }
  /// Runs on the loop's thread.
  void post(std::function<void()> step);

  // -- the loop's thread only ---------------------------------------------------------------------

  /// Called before the first turn, when the server is put together.
  void attach(gateway& main_gateway);
  /// The loop's gateway actor. Only of a loop that was attached.
  [[nodiscard]] loop_gateway& own_gateway() noexcept { return *own_gateway_; }

  void add(swept& session) { sessions_.push_back(session); }
  /// Where bytes are read before they are parsed, at most `read_bytes_long`. Its user is done with
  /// it before it waits.
  [[nodiscard]] asio::mutable_buffer read_buffer(std::size_t bytes) noexcept {
    return asio::buffer(read_buffer_, bytes);
  }
  [[nodiscard]] const timers_ptr& clock() const noexcept { return timers_; }
  /// As of the last sweep: deadlines need no more.
  [[nodiscard]] time_point now() const noexcept { return now_; }
  /// A `Date` header line (RFC 9110 6.6.1), renewed every second.
  [[nodiscard]] std::string_view date() const noexcept { return date_; }
  [[nodiscard]] json_scratch& scratch() noexcept { return scratch_; }

  void drain_sessions();
  void abort_sessions();

private:
  using session_list = boost::intrusive::list<swept, boost::intrusive::constant_time_size<false>>;

  void arm();
  void sweep();
  void renew_date();

  asio::io_context context_{1};
  asio::executor_work_guard<io_executor> work_;
  std::shared_ptr<ready_queue> ready_;
  const timers_ptr timers_;
  timer sweeper_;
  const std::chrono::milliseconds interval_;
  const time_source& time_;
  time_point now_;
  std::int64_t date_second_ = -1;
  std::string date_;
  json_scratch scratch_;
  std::array<char, read_bytes_long> read_buffer_;
  session_list sessions_;
  loop_gateway* own_gateway_ = nullptr;
  bool armed_ = false;
  bool finishing_ = false;
  std::thread thread_;
};

} // namespace troupe::net
