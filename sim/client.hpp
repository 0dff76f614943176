// A user of the simulated server: sends, streams, resumes, answers, cancels, lists, makes
// objectives and adds plans, draws what to do next, and asks again with the same ids when an answer
// is lost. All that it is shown goes into the history.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/caller.hpp"
#include "sim/editing.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class client {
public:
  client(world& in, const std::string& name);

  /// Draws its next request and makes it; then the next one, until the world is calm.
  void begin();
  /// Gives up what it waits for.
  void stop();

private:
  struct request {
    call_kind kind = call_kind::get;
    std::string method;
    std::string params;
    std::string message_id;
    std::string task;
    std::string objective;
    bool is_stream = false;
    binding how = binding::json_rpc;
    bool is_resumed = false; ///< It asks for the rest of a stream.
    bool may_repeat = true;  ///< With the same ids it has no other effect when it comes twice.
    std::optional<asked_change> change{};
    std::optional<asked_input> input{};
    std::vector<std::string> questions{};
    std::string plan{};  ///< Name of one that it adds or moves.
    std::string to{};    ///< The state of a move.
    std::string token{}; ///< Of notifications that it makes; empty: it makes none.
  };

  [[nodiscard]] request draw();
  [[nodiscard]] request draw_send();
  [[nodiscard]] binding draw_stream_binding() const;
  [[nodiscard]] request draw_objective();
  [[nodiscard]] request draw_plan(const std::string& objective);
  [[nodiscard]] request draw_move(const std::string& objective);
  /// Of changes and answers by id; nothing: there is nothing to change yet.
  [[nodiscard]] std::optional<request> draw_other(const std::string& operation);
  /// Of notifications. Its token is the operation.
  [[nodiscard]] request draw_push_config(const std::string& operation, dice& chance);

  void attempt();
  void begin_stream(const std::string& after);
  void on_event(const std::string& data);
  void on_end(caller::end how);
  void on_answer();
  void on_rest_answer(const boost::json::object& whole);
  void take_refusal(const boost::json::value& error);
  void on_loss();
  void think();
  void learn(const task_view& shown);
  /// The notifications that the request asked for are of that task.
  void note_taken(const std::string& task);
  void read_tasks(const boost::json::object& result);
  void note_error(int code, const std::string& body);
  void note_answer(const boost::json::object& result);
  void note_refusal(const std::string& reason);
  /// What a client sees of an objective or a plan, and learns from it.
  void read_shown(const boost::json::object& result);
  void read_change(const boost::json::object& result);
  void read_input(const boost::json::object& result);

  world& in_;
  const std::string name_;
  dice chance_; ///< Of the operation; each has its own, so that one can be left out.
  dice extra_;  ///< The same, of what was added to the world later.
  caller caller_;
  std::size_t operations_ = 0;
  std::size_t made_ = 0; ///< Counts messages and objectives.
  request now_;
  std::size_t call_ = 0;              ///< In the history.
  std::optional<std::size_t> stream_; ///< In the history.
  std::string cursor_;                ///< Of the last event.
  int tries_left_ = 0;
  bool is_again_ = false; ///< It was sent before.
  bool is_stopped_ = false;
};

} // namespace troupe::sim
