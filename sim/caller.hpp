// Asks the server, one request at a time, in real bytes over a connection of its own. It knows HTTP
// and the bindings, and not what is asked.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/connection.hpp"
#include "sim/http_reader.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

/// How a question is put into bytes.
enum class binding : std::uint8_t { json_rpc, json_rpc_0_3, rest, rest_0_3 };

/// "1.0 over REST".
[[nodiscard]] std::string name_of(binding how);
/// The task in an answer to GetTask.
[[nodiscard]] std::optional<task_view> read_answer(binding how, const std::string& body);

class caller {
public:
  struct question {
    std::string method;
    std::string params;                             ///< JSON.
    std::string headers;                            ///< Lines, each with its end.
    nanoseconds patience{std::chrono::seconds{10}}; ///< Without any byte.
    binding how = binding::json_rpc; ///< REST has no messages and lists here, 0.3 GetTask alone.
    std::string task;                ///< That GetTask or a subscription names.
    bool is_stream = false;
  };

  enum class end : std::uint8_t { answered, broken, timed_out, refused };

  caller(world& in, std::string name);
  ~caller();
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  /// Sends it, on the connection of the last question if that still stands. Then `on_end` is called
  /// once, unless `hang_up` comes before.
  void ask(const question& asked);
  /// Gives the question and the connection up.
  void hang_up();

  /// On which the question goes; null: none was made.
  [[nodiscard]] const std::shared_ptr<connection>& line() const noexcept { return to_; }
  /// Of what was answered.
  [[nodiscard]] const http_reader& answer() const noexcept { return reader_; }
  /// Its body, as the client gets it.
  [[nodiscard]] std::string body();
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The `data` of an event of a stream. It may hang up, and may not ask.
  std::function<void(const std::string&)> on_event;
  /// May ask the next question.
  std::function<void(end)> on_end;

private:
  enum class manner : std::uint8_t { at_once, slow, stopped };

  [[nodiscard]] bool connect();
  void on_news();
  void read(std::size_t bytes_max);
  void read_slowly();
  void watch_patience();
  void finish(end how);
  void hand_on(const std::string& event);

  world& in_;
  const std::string name_;
  dice chance_;
  dice halves_; ///< Whether it ends its side of a connection.
  std::shared_ptr<connection> to_;
  bool is_half_closed_ = false;
  http_reader reader_;
  manner manner_ = manner::at_once;
  nanoseconds patience_{};
  nanoseconds heard_at_{};
  std::uint64_t connections_ = 0;
  std::uint64_t number_ = 0; ///< Of the question; steps for an older one are void.
  question asked_;
  std::map<std::string, std::string> old_answers_; ///< That a planted bug gives again.
  std::string held_event_;                         ///< By a planted bug, behind the next one.
  bool is_asking_ = false;
  bool is_reading_slowly_ = false;
  std::shared_ptr<caller*> self_; ///< Null once it is gone.
};

} // namespace troupe::sim
