// A simulated A2A agent at the other end of the connections that the server makes: it takes tasks,
// works on them, asks, ends, forgets, closes streams too soon, answers late or never. What it can
// and how it is are drawn from the seed. It outlives the server's processes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/connection.hpp"
#include "sim/remote_wire.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

/// Targets of a world: "r0", "r1", ...
inline constexpr std::size_t remotes_max = 3;

[[nodiscard]] std::string remote_name(std::size_t number);
/// Where the server finds it.
[[nodiscard]] std::string remote_url(std::size_t number);

class remote {
public:
  remote(world& in, std::size_t number);
  remote(const remote&) = delete;
  remote& operator=(const remote&) = delete;

  void accept(const std::shared_ptr<connection>& from);

private:
  struct line {
    std::shared_ptr<connection> to;
    std::string unread;
    std::string follows; ///< Id of the task whose events it gets; empty: it gets none.
  };
  using line_ptr = std::shared_ptr<line>;

  /// A task; what happens to it is in the history (remote_record).
  struct work {
    remote_view shown;
    std::size_t record = 0;
    dice chance;
    int steps_left = 0;
    int chunks = 0;
    int questions = 0;
    bool is_forgotten = false;
    std::uint64_t turn = 0; ///< A step for an older one is void.
  };

  void read(const line_ptr& from);
  void answer(const line_ptr& to, const remote_request& asked);
  void send(const line_ptr& to, const remote_request& asked);
  void subscribe(const line_ptr& to, const remote_request& asked);
  void cancel(const line_ptr& to, const remote_request& asked);
  void list(const line_ptr& to, const remote_request& asked);
  void tell(const line_ptr& to, const std::string& body);
  void begin_stream(const line_ptr& to, const work& of);

  /// Null: there is none of that id.
  [[nodiscard]] work* find(const std::string& id);
  work& make(const remote_request& asked, const boost::json::object& message);
  void go_on(work& with);
  void step(work& with);
  void end(work& with, const std::string& state, const std::string& words);
  void move(work& with, const std::string& state, const std::string& words);
  void show(work& with, const std::string& event);

  world& in_;
  const std::size_t number_;
  dice chance_;
  remote_version version_ = remote_version::v1_0;
  bool streams_ = true;
  bool is_idempotent_ = false;
  bool lists_ = true;
  bool closes_at_question_ = false;
  bool refuses_cancels_ = false;
  nanoseconds slowness_{};
  std::vector<line_ptr> lines_;
  std::map<std::string, std::unique_ptr<work>> works_; ///< By id.
  std::map<std::string, std::string> keys_;            ///< Ids of tasks by Idempotency-Key.
  std::map<std::string, std::size_t> made_;            ///< Tasks so far, by what they are to do.
};

} // namespace troupe::sim
