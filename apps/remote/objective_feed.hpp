// What happens to an objective far away, for the thread that draws: its changes as the fold takes
// them, in order, over breaks of the connection. A thread of its own waits for them.
#pragma once

#include "apps/remote/server_link.hpp"
#include "apps/run/inbox.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace troupe {

class objective_feed {
public:
  /// `to` is woken when there is something to take. `on` outlives it.
  objective_feed(const server_link& on, const std::string& id, std::shared_ptr<inbox> to);
  /// Ends the subscription.
  ~objective_feed();
  objective_feed(const objective_feed&) = delete;
  objective_feed& operator=(const objective_feed&) = delete;

  /// Begins to follow. Once.
  void start();

  /// One step of what happened.
  struct news {
    objective_ptr anew;              ///< The objective as it is; or else
    std::vector<change_ptr> changes; ///< what happened to it, in commit order.
  };
  struct batch {
    std::vector<news> steps;
    std::vector<std::string> notices; ///< That the connection was lost, and stands again.
    std::optional<error> failed;      ///< Nothing more comes.
  };
  [[nodiscard]] batch take();

private:
  void follow();
  /// False: it was the last one.
  [[nodiscard]] result<bool> read(const boost::json::value& shown);
  void put(news step);
  void notice(std::string text);

  const std::string server_;
  std::shared_ptr<inbox> to_;
  std::unique_ptr<a2a::remote::objective> events_;
  bool is_lost_ = false; ///< Of the client's thread.
  objective_view plans_; ///< Of the thread: the objective as it was last shown whole.
  std::mutex lock_;      ///< Guards `waiting_`.
  batch waiting_;
  std::thread thread_;
};

} // namespace troupe
