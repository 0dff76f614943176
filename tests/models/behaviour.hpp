// What a model of the test server does: its name says it. A plain function of the request, of how
// many came before, and of a seed; docs/models.md lists the names.
#pragma once

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::testing {

/// A request for an answer, as it came.
struct model_request {
  std::map<std::string, std::string> headers; ///< Names in lower case.
  boost::json::object body;
  std::string model;
  std::string target;
};

/// One thing that the server does with a connection.
struct model_step {
  std::string bytes{};   ///< Is sent.
  std::size_t times = 1; ///< So often.
  bool hangs = false;    ///< Sends nothing until the client closes.
  /// Between two times. Then `now_mark` in `bytes` becomes the time of sending: nanoseconds of the
  /// steady clock, in as many digits.
  std::chrono::milliseconds every{0};
};

inline constexpr std::string_view now_mark = "0000000000000000000@now";

/// What is done for one request; then the connection is closed.
using model_steps = std::vector<model_step>;

/// `count`: requests for this model before. `content`: what a good answer says; empty: a text made
/// from the seed. An unknown name is answered with 404.
[[nodiscard]] model_steps behave(const model_request& request, std::size_t count,
                                 std::uint64_t seed, const std::string& content);

/// Names that are known, for people and tests.
[[nodiscard]] std::vector<std::string_view> behaviour_names();

/// The text of a good answer.
[[nodiscard]] std::string text_of_seed(std::uint64_t seed);

} // namespace troupe::testing
