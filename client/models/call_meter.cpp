#include "client/models/call_meter.hpp"

#include <chrono>

namespace troupe::models {

void call_cost::add(const chat_usage& more, const price_list& prices,
                    std::chrono::milliseconds took) {
  usage.prompt_tokens += more.prompt_tokens;
  usage.answer_tokens += more.answer_tokens;
  usage.is_estimated = usage.is_estimated || more.is_estimated;
  spent += {more.prompt_tokens + more.answer_tokens,
            price_of(prices, more.prompt_tokens, more.answer_tokens), took};
  ++tries;
}

void call_meter::begin_try(std::uint64_t prompt_tokens, const price_list& prices,
                           const time_source& time) {
  const std::lock_guard guard(mutex_);
  usage_ = {prompt_tokens, 0, true};
  prices_ = prices;
  time_ = &time;
  begun_ = time.steady();
}

void call_meter::note_answer(std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  usage_.answer_tokens = estimated_tokens(bytes);
}

void call_meter::end_try(const call_cost& all) {
  const std::lock_guard guard(mutex_);
  ended_ = all;
  time_ = nullptr;
}

void call_meter::clear() {
  end_try({});
}

call_cost call_meter::so_far() const {
  const std::lock_guard guard(mutex_);
  auto out = ended_;
  if (time_ != nullptr)
    out.add(usage_, prices_,
            std::chrono::duration_cast<std::chrono::milliseconds>(time_->steady() - begun_));
  return out;
}

} // namespace troupe::models
