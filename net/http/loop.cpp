#include "net/http/loop.hpp"

#include "protocol/refusable_work.hpp"
#include "protocol/text/http_date.hpp"
#include "store/short_time_slices.hpp"
#include <troupe/protocol/ids.hpp>

#include <boost/asio/post.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace troupe::net {

namespace {

boost::json::parse_options options_with_depth(std::size_t depth_max) {
  boost::json::parse_options options;
  options.max_depth = depth_max;
  return options;
}

/// In front of a block: its size. Boost 1.81's monotonic_resource gives back less than it took, the
/// head of its block, so it cannot be asked.
std::size_t head_of(std::size_t alignment) noexcept {
  return std::max(alignment, sizeof(std::size_t));
}

} // namespace

// -- JSON -----------------------------------------------------------------------------------------

void* tree_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  const auto head = head_of(alignment);
  if (!from_->charge(memory_account::bodies, bytes)) {
    refused_ = bytes;
    throw std::bad_alloc();
  }
  try {
    auto* const out =
        static_cast<std::byte*>(::operator new (bytes + head, std::align_val_t{alignment}));
    std::memcpy(out, &bytes, sizeof bytes);
    held_ += bytes;
    return out + head;
  } catch (...) {
    from_->give_back(memory_account::bodies, bytes);
    throw;
  }
}

void tree_memory::do_deallocate(void* where, std::size_t, std::size_t alignment) {
  auto* const block = static_cast<std::byte*>(where) - head_of(alignment);
  std::size_t bytes = 0;
  std::memcpy(&bytes, block, sizeof bytes);
  ::operator delete (block, std::align_val_t{alignment});
  held_ -= bytes;
  from_->give_back(memory_account::bodies, bytes);
}

json_scratch::json_scratch(std::size_t depth_max, memory_budget_ptr memory)
    : depth_max_(depth_max), more_(std::move(memory)) {
  make_parser();
}

void json_scratch::make_parser() {
  parser_.emplace(options_with_depth(depth_max_), stack_, &more_);
}

boost::json::value* json_scratch::parse(std::string_view text, error_code& ec,
                                        std::size_t& offset) {
  tree_.~value(); // it may lie in the memory that is reused now
  new (&tree_) boost::json::value();
  // A new one for each text: `release` of Boost 1.81 keeps the size of the next block, which
  // doubles with each block and would grow without end.
  memory_.emplace(buffer_.data(), buffer_.size(), &more_);
  more_.forget_refused();
  try {
    const refusable_work here;
    auto parsed = parser_->parse(text, &*memory_, ec, offset);
    if (ec)
      return nullptr;
    tree_.~value();
    new (&tree_) boost::json::value(std::move(parsed));
    return &tree_;
  } catch (const std::bad_alloc&) {
    release();
    ec = make_error_code(boost::system::errc::not_enough_memory);
    return nullptr;
  }
}

void json_scratch::release() noexcept {
  if (more_.held() == 0)
    return;
  tree_.~value();
  new (&tree_) boost::json::value();
  make_parser(); // Its stack has grown.
  memory_.reset();
}

// -- the loop -------------------------------------------------------------------------------------

loop::loop(std::chrono::milliseconds sweep_interval, std::size_t depth_max, const time_source& time,
           memory_budget_ptr memory)
    : work_(context_.get_executor()), ready_(std::make_shared<ready_queue>(context_)),
      timers_(std::make_shared<timers>(context_, time)), sweeper_(timers_),
      interval_(sweep_interval), time_(time), now_(time.steady()),
      scratch_(depth_max, std::move(memory)) {
  renew_date();
}

loop::~loop() {
  finish();
  ready_->close();
  timers_->close();
}

void loop::start() {
  // Not on the new thread: the alarm takes file descriptors, and an error can be returned only
  // here.
  timers_->use_alarm();
  thread_ = std::thread([this] {
    take_short_time_slices();
    const loop_gateway::turn here(own_gateway_);
    static_cast<void>(thread_id_source()); // Made while there is memory.
    arm();
    context_.run();
  });
}

void loop::attach(gateway& main_gateway) {
  // Messages may come when this loop is gone: then the queue is closed.
  own_gateway_ = &main_gateway.attach(
      [this, queue = ready_] { queue->post([this] { own_gateway_->run(); }); });
}

void loop::turn() {
  const loop_gateway::turn here(own_gateway_);
  if (!armed_)
    arm();
  timers_->turn();
  context_.poll();
}

bool loop::step() {
  const loop_gateway::turn here(own_gateway_);
  if (!armed_)
    arm();
  if (const auto due = timers_->next_due(); due && *due <= timers_->now()) {
    timers_->turn();
    return true;
  }
  return context_.poll_one() > 0;
}

void loop::finish() {
  if (!thread_.joinable())
    return;
  post([this] {
    finishing_ = true;
    sweeper_.cancel();
    work_.reset();
  });
  thread_.join();
}

void loop::post(std::function<void()> step) {
  asio::post(context_, std::move(step));
}

void loop::arm() {
  armed_ = true;
  sweeper_.start_after(interval_, [this] {
    sweep();
    if (!finishing_)
      arm();
  });
}

void loop::sweep() {
  now_ = time_.steady();
  renew_date();
  // A session may end, and unlink itself, while it is told.
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    auto& one = *it++;
    if (one.deadline() <= now_)
      one.on_deadline();
    else
      one.on_sweep();
  }
}

void loop::drain_sessions() {
  for (auto it = sessions_.begin(); it != sessions_.end();)
    (it++)->on_drain();
}

void loop::abort_sessions() {
  for (auto it = sessions_.begin(); it != sessions_.end();)
    (it++)->abort();
}

void loop::renew_date() {
  const auto at = std::chrono::floor<std::chrono::seconds>(time_.now());
  if (at.time_since_epoch().count() == date_second_)
    return;
  date_second_ = at.time_since_epoch().count();
  date_.assign("Date: ");
  append_http_date(date_, at);
  date_ += "\r\n";
}

} // namespace troupe::net
