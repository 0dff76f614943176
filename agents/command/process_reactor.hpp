// Runs child processes: starts them, feeds and reads their pipes, and waits for their end. Used by
// the `command` agent; any number of processes share it. Every process is reaped and every
// descriptor closed, however it ends.
//
// A step machine: `turn` does what can be done now. After `start` a thread of its own takes the
// turns.
//
// A small epoll loop rather than Asio: what is waited for here (pipes, pidfds, one deadline a
// process) is three system calls, this room then needs no heavy headers, and the thread must in any
// case be ours and only ours: children die with the thread that started them.
#pragma once

#include "agents/command/process_spawn.hpp"
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace troupe {

/// How a process ended.
struct process_exit {
  int code = 0;            ///< Exit status; meaningful if `signal` is 0.
  int signal = 0;          ///< What killed it.
  bool over_limit = false; ///< It wrote more than `output_bytes_max` and was ended for it.
  bool unknown = false;    ///< Not reaped by us (SIGCHLD is ignored by the host program).
  std::string fault;       ///< What the listener threw; it was killed then.
};

/// How long the end of a program waits until its orphans have ended; then it is reported anyway.
inline constexpr std::chrono::seconds clear_max{5};

enum class output_verdict : std::uint8_t {
  go_on,
  finish, ///< All was said: close its stdin, and end it if it is still there after `kill_after`.
  kill    ///< End it and its group at once.
};

/// Gets the events of one process, on the thread that takes the reactor's turns; must not block.
/// Destroyed after on_exit or on_start_failed.
class process_listener {
public:
  virtual ~process_listener() = default;
  /// A piece of stdout, cut anywhere.
  [[nodiscard]] virtual output_verdict on_output(std::string_view bytes) = 0;
  /// A piece of stderr, cut anywhere.
  virtual void on_errors(std::string_view) {}
  /// The last call: the process is gone, its group was killed, and so were its orphans.
  virtual void on_exit(const process_exit& how) = 0;
  /// The only call: nothing was started.
  virtual void on_start_failed(const spawn_failure& why) = 0;
};

/// Names a process for as long as the reactor lives; never reused.
using process_key = std::uint64_t;

/// All members but `start` and `turn` may be called from any thread and return at once. Commands
/// for a process that has ended do nothing.
class process_reactor {
public:
  /// `time` outlives the reactor and its thread. `adopts_orphans`: descendants that have left their
  /// program's group end with it, too; only for the one reactor of a process that has no other
  /// children (process_orphans). Throws std::system_error if the system refuses the descriptors it
  /// needs.
  explicit process_reactor(const time_source& time = system_time(), bool adopts_orphans = false);
  /// Kills (SIGKILL, whole groups, orphans) and reaps what still runs, for `clear_max` at most;
  /// listeners are not told.
  ~process_reactor();
  process_reactor(const process_reactor&) = delete;
  process_reactor& operator=(const process_reactor&) = delete;

  /// From now on a thread takes the turns. Throws std::system_error if the system refuses it.
  void start();
  /// Does what can be done without waiting. For a reactor without a thread: from one thread only,
  /// for processes die with the thread that started them; and with SIGPIPE ignored.
  void turn();

  process_key launch(process_spec spec, std::unique_ptr<process_listener> who);
  /// More for its stdin, if that is kept open; dropped once the process has closed it. At most
  /// input_piece_bytes_max bytes of it are made at once.
  void write_input(process_key which, text_pieces more);
  /// SIGTERM to the process and its group, SIGKILL `kill_after` later.
  void terminate(process_key which);
  /// SIGKILL to the process and its group.
  void kill(process_key which);

private:
  class loop;
  std::shared_ptr<loop> loop_;
  std::thread thread_;
};

} // namespace troupe
