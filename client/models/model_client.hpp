// Asks models: makes the requests, reads the answers while they come, tries again, keeps to the
// budgets. One loop for all models, on a thread of its own or turned by hand. What comes back is a
// call on the loop. Asio is not seen from here.
#pragma once

#include "client/circuit_breaker.hpp"
#include "client/models/answer_reading.hpp"
#include "client/models/budget.hpp"
#include "client/models/call_meter.hpp"
#include "client/models/chat.hpp"
#include "client/models/model_failure.hpp"
#include "client/models/model_settings.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::models {

struct call_outcome {
  reading<chat_answer> answer;
  call_cost cost;
  /// Members that the server does not take, so that they were left out of this request.
  std::vector<std::string> left_out;
};

/// Hears of one call. `on_end` is the last thing it hears.
struct call_listener {
  /// What the content goes on with.
  std::function<void(std::string_view text)> on_text;
  /// The answer that had begun is void: it is asked again after `wait`.
  std::function<void(const model_failure& why, std::chrono::milliseconds wait)> on_retry;
  std::function<void(call_outcome outcome)> on_end;
  /// Counts while the call is under way; null: nobody asks.
  std::shared_ptr<call_meter> meter{};
};

/// While it lives, what was asked for is under way; without it the connection is closed, and what
/// the call has cost counts for the budgets. Its owner drops it on the loop.
using call_handle = std::shared_ptr<void>;

/// How one model does, for people.
struct model_state {
  std::string name;
  net::breaker_state breaker = net::breaker_state::closed;
  timestamp since{};      ///< When it left `closed`.
  timestamp next_probe{}; ///< From when on a request is made again.
  spending today;
};

class model_client {
public:
  /// The addresses of a host, as text: in place of the system's resolver, for tests.
  using name_lookup = std::function<result<std::vector<std::string>>(const std::string& host)>;

  /// A model that cannot be asked (its URL is none) refuses each call. `time` outlives the client.
  explicit model_client(std::vector<model_settings> all, const time_source& time = system_time(),
                        const name_lookup& resolve = {});
  /// Ends what is under way. Handles may outlive it.
  ~model_client();
  model_client(const model_client&) = delete;
  model_client& operator=(const model_client&) = delete;

  /// From now on a thread runs the loop. Called again it does nothing; from any thread.
  void start();
  /// Does what can be done now, for a loop without a thread; false if there was nothing.
  bool turn();

  // -- from any thread -----------------------------------------------------------------------------

  void post(std::function<void()> task);
  [[nodiscard]] std::vector<std::string> names() const;
  /// Null if there is none of that name.
  [[nodiscard]] const model_settings* find(std::string_view name) const;
  [[nodiscard]] std::vector<model_state> states() const;
  /// What is spent today, and for each objective, with models that have a budget of the day or of
  /// an objective, is read from this file, and kept in it, with what calls under way may cost;
  /// before `start`. A call is made once that is written; no other call waits for the disk. Errors:
  /// those of read_day_file.
  [[nodiscard]] result<void> keep_days(const std::string& file);
  /// Takes a line for the log: each call with its sizes, cost and outcome.
  std::function<void(const std::string&)> log;

  // -- on the loop only ----------------------------------------------------------------------------

  /// `settings`: of `find`. What `to` hears comes in a later turn.
  [[nodiscard]] call_handle ask(const model_settings& settings, chat_request request,
                                call_account account, call_listener to);
  /// What an earlier process has spent for it, at least (budget_ledger::add).
  void add_spending(const model_settings& settings, const call_account& account,
                    const spending& spent);
  [[nodiscard]] call_handle after(std::chrono::nanoseconds wait, std::function<void()> then);
  [[nodiscard]] time_source::steady_point now() const;

  struct parts; ///< client/models/model_client.cpp.

private:
  std::unique_ptr<parts> parts_;
};

} // namespace troupe::models
