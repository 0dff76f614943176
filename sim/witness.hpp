// The last client of a world: cancels what goes on, waits until everything has ended, and reads all
// tasks.
#pragma once

#include <boost/json/value.hpp>

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "sim/caller.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class witness {
public:
  witness(world& in, dice& network);

  /// Then `done`, with `history::rest` complete.
  void begin(std::function<void()> done);

private:
  using answered = std::function<void(const boost::json::object& result)>;

  /// Asks until it is answered; `then` gets the result, or nothing of an error.
  void ask(std::string method, std::string params, answered then);
  void list_objectives(const std::string& token, std::function<void()> then);
  void list_tasks(const std::string& token, std::function<void()> then);
  void cancel_all();
  void read_all();

  world& in_;
  caller caller_;
  std::function<void()> done_;
  std::set<std::string> tasks_;
  std::set<std::string> objectives_;
  std::deque<std::string> left_; ///< Ids that are canceled or read next.
};

} // namespace troupe::sim
