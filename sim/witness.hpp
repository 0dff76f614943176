// The last client of a world: cancels what goes on, waits until everything has ended, and reads all
// tasks.
#pragma once

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/caller.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class witness {
public:
  explicit witness(world& in);

  /// Then `done`, with `history::rest` complete.
  void begin(std::function<void()> done);

private:
  using answered = std::function<void(const boost::json::object& result)>;

  /// Asks until it is answered; `then` gets the result, or nothing of an error.
  void ask(std::string method, std::string params, answered then);
  void get(const std::string& task, binding how,
           std::function<void(std::optional<task_view>)> then);
  /// Calls `step` for each of `left_`, one after the other, then `then`. `step` calls what it is
  /// given when it is done.
  void for_each_left(std::function<void(const std::string&, std::function<void()>)> step,
                     std::function<void()> then);
  void list_objectives(const std::string& token, std::function<void()> then);
  /// All changes of a plan or an objective, the last one first.
  void read_history(const std::string& id, bool is_of_plan, const std::string& token,
                    std::function<void()> then);
  using on_task = std::function<void(const task_view&)>;
  /// All pages: calls `each` with every task on them, then `then`.
  void list_tasks(const std::string& token, on_task each, std::function<void()> then);
  void cancel_all();
  void read_all();
  /// Each task once more, over another binding or in another version.
  void read_again();
  /// The objectives with the states of their tasks.
  void read_objectives();
  /// The changes of all objectives and of the plans that have any.
  void read_histories();
  /// The process ends, and the next one shows the same.
  void start_again();
  void list_after(const std::string& step, std::function<void()> then);

  world& in_;
  caller caller_;
  std::function<void()> done_;
  std::set<std::string> tasks_;
  std::set<std::string> objectives_;
  std::vector<std::string> left_; ///< Ids that are canceled or read next.
};

} // namespace troupe::sim
