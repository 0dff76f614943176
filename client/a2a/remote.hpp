// The A2A client for programs that block: a thread of its own runs the loop, and each call waits
// for its answer. Any thread may call; Asio is not seen from here.
#pragma once

#include "client/a2a/operation.hpp"
#include "client/a2a/request.hpp"
#include "client/a2a/target.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::a2a {

/// Called on the thread of the loop; must return soon.
using lost_handler = std::function<void(const error& why, std::chrono::milliseconds wait)>;
using resumed_handler = std::function<void()>;

class remote {
public:
  /// Starts the thread. Errors: as a2a_client::make.
  [[nodiscard]] static result<std::unique_ptr<remote>> open(target to);
  ~remote();
  remote(const remote&) = delete;
  remote& operator=(const remote&) = delete;

  // -- what is asked. Errors as those of a2a_client ------------------------------------------------

  [[nodiscard]] result<agent_card> card();
  /// What the agent says to those whom it knows.
  [[nodiscard]] result<agent_card> extended_card();
  /// As the server writes it; empty before it was looked up.
  [[nodiscard]] std::string card_text();
  [[nodiscard]] result<endpoint> where();
  [[nodiscard]] result<boost::json::value> ask(operation which, boost::json::object params);
  /// Does not wait: `done` is called on the thread of the loop, or never, if the client goes.
  void ask_later(operation which, boost::json::object params,
                 std::function<void(result<boost::json::value>)> done);
  /// The answer of an agent that does not stream: its task, or its message.
  [[nodiscard]] result<wire::answer> send(const wire::sending& request);
  [[nodiscard]] result<task> get_task(const std::string& id);
  [[nodiscard]] result<task> cancel_task(const std::string& id);
  [[nodiscard]] result<wire::task_page> list_tasks(const wire::task_filter& filter);
  /// The configuration as the server keeps it.
  [[nodiscard]] result<push_config> create_push(const push_config& config);
  [[nodiscard]] result<push_config> get_push(const std::string& task, const std::string& id);
  /// `page_token`: empty for the first page.
  [[nodiscard]] result<wire::push_page> list_push(const std::string& task,
                                                  const std::string& page_token);
  [[nodiscard]] result<void> delete_push(const std::string& task, const std::string& id);

  // -- streams. To be destroyed before the client --------------------------------------------------

  class tasks;
  /// What happens to the task that the message makes, or reaches, until it ends or asks.
  [[nodiscard]] result<std::unique_ptr<tasks>> send_streaming(const wire::sending& request,
                                                              lost_handler on_lost = {},
                                                              resumed_handler on_resumed = {});
  /// What happens to a task until it ends.
  [[nodiscard]] std::unique_ptr<tasks> subscribe(const std::string& id, lost_handler on_lost = {},
                                                 resumed_handler on_resumed = {});
  class objective;
  /// `objectives/subscribe`: the objective, and then each change, as JSON.
  [[nodiscard]] std::unique_ptr<objective> follow(const std::string& id, lost_handler on_lost = {},
                                                  resumed_handler on_resumed = {});

private:
  struct loop;
  /// A result, and the format in which it is.
  struct reply {
    boost::json::value value;
    wire::wire_format format;
  };
  [[nodiscard]] result<reply> ask_in_format(operation which, params_writer params);
  explicit remote(std::unique_ptr<loop> own);

  std::unique_ptr<loop> loop_;
};

class remote::tasks {
public:
  virtual ~tasks() = default;
  /// Waits. Nothing at the end.
  [[nodiscard]] virtual result<std::optional<wire::answer>> next() = 0;
};

class remote::objective {
public:
  virtual ~objective() = default;
  /// Waits. Nothing after `finish`.
  [[nodiscard]] virtual result<std::optional<boost::json::value>> next() = 0;
  /// From the thread that calls `next`: the event that was read was the last one.
  virtual void finish() = 0;
  /// From the thread that calls `next`: the next event is the objective as it is.
  virtual void restart() = 0;
  /// From any thread: `next` ends with errc::canceled.
  virtual void close() = 0;
};

} // namespace troupe::a2a
