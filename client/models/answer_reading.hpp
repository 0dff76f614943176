// What a model answers, whole or as a stream of events. Plain values.
#pragma once

#include "client/models/chat.hpp"
#include "client/models/model_failure.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::models {

/// What a body or an event leads to: a value, or why there is none.
template<class T>
struct reading {
  std::optional<T> value{};
  model_failure failure{}; ///< Without a value.

  [[nodiscard]] explicit operator bool() const noexcept { return value.has_value(); }
};

/// The answer in the body of a 200 that is no stream. An answer without `finish_reason` that has
/// all else is whole: its body has ended.
[[nodiscard]] reading<chat_answer> read_answer(std::string_view body);

/// The answer in the events of a stream.
class streamed_answer {
public:
  /// The data of one event. What it adds to the content; empty: nothing. Failures: an error in the
  /// stream, an event that is none, too many bytes.
  [[nodiscard]] reading<std::string> take(std::string_view data);
  /// `[DONE]` was seen: nothing follows.
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  /// After the end of the stream, with `[DONE]` or without. A failure if no `finish_reason` was
  /// seen: the stream was cut.
  [[nodiscard]] reading<chat_answer> finish();
  /// What came so far.
  [[nodiscard]] const chat_answer& so_far() const noexcept { return answer_; }

private:
  [[nodiscard]] bool take_choice(const boost::json::object& choice, std::string& added);
  [[nodiscard]] bool take_calls(const boost::json::value& from);

  chat_answer answer_;
  /// The position in `answer_.calls` of each index that the server uses.
  std::map<std::int64_t, std::size_t> calls_by_index_;
  bool is_done_ = false;
};

} // namespace troupe::models
