// The `troupe` binary: parse, dispatch, exit.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "apps/process_memory.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/session/session_command.hpp"
#include "apps/terminal/console.hpp"

#include <csignal>
#include <exception>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef TROUPE_HAS_JEMALLOC
/// Read by jemalloc at its start (jemalloc(3)). Address space that is not in use is given back:
/// under `ulimit -v` large blocks of many sizes would else take several times what is held
/// (decision 014).
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "retain:false";
}
#endif

namespace {

/// Of the server that was chosen, or of this computer.
template<class Options>
int here_or_there(const Options& options, int (*here)(const Options&),
                  int (*there)(const Options&, troupe::chosen_server)) {
  auto server = troupe::choose_server(options.server);
  if (!server) {
    troupe::complain(server.error().message);
    return troupe::exit_usage;
  }
  return *server ? there(options, std::move(**server)) : here(options);
}

struct dispatch {
  int operator()(const troupe::finished& finished) const {
    const bool written = troupe::say(finished.out);
    if (!finished.err.empty())
      troupe::complain(finished.err);
    return troupe::exit_code_of(finished.code, written);
  }
  int operator()(const troupe::init_options& options) const {
    return troupe::init_command(options);
  }
  int operator()(const troupe::templates_options& options) const {
    return options.server.empty() ? troupe::templates_command(options)
                                  : troupe::server_templates_command(options);
  }
  int operator()(const troupe::plan_text_options& options) const {
    return troupe::plan_text_command(options);
  }
  int operator()(const troupe::run_options& options) const { return troupe::run_command(options); }
  int operator()(const troupe::validate_options& options) const {
    return troupe::validate_command(options);
  }
  int operator()(const troupe::graph_options& options) const {
    return options.run.empty()
               ? troupe::graph_command(options)
               : here_or_there(options, troupe::graph_command, troupe::graph_objective_command);
  }
  int operator()(const troupe::serve_options& options) const {
    return troupe::serve_command(options);
  }
  int operator()(const troupe::card_command_options& options) const {
    return troupe::card_command(options);
  }
  int operator()(const troupe::store_tool_options& options) const {
    return troupe::store_command(options);
  }
  int operator()(const troupe::session_options& options) const {
    return troupe::session_command(options);
  }
  int operator()(const troupe::list_runs_options& options) const {
    return here_or_there(options, troupe::list_runs_command, troupe::list_objectives_command);
  }
  int operator()(const troupe::show_run_options& options) const {
    return here_or_there(options, troupe::show_run_command, troupe::show_objective_command);
  }
  int operator()(const troupe::run_logs_options& options) const {
    return here_or_there(options, troupe::run_logs_command, troupe::objective_logs_command);
  }
  int operator()(const troupe::remove_runs_options& options) const {
    return here_or_there(options, troupe::remove_runs_command, troupe::remove_objectives_command);
  }
  int operator()(const troupe::agents_options& options) const {
    return troupe::agents_command(options);
  }
  int operator()(const troupe::schema_options& options) const {
    return troupe::schema_command(options);
  }
  int operator()(const troupe::version_options& options) const {
    return troupe::version_command(options);
  }
  int operator()(const troupe::completion_options& options) const {
    return troupe::completion_command(options);
  }
  int operator()(const troupe::complete_options& options) const {
    return troupe::complete_command(options);
  }
  int operator()(const troupe::manual_options& options) const {
    return troupe::manual_command(options);
  }
  int operator()(const troupe::send_options& options) const {
    return troupe::send_command(options);
  }
  int operator()(const troupe::tasks_options& options) const {
    return troupe::tasks_command(options);
  }
  int operator()(const troupe::task_options& options) const {
    return troupe::task_command(options);
  }
  int operator()(const troupe::cancel_options& options) const {
    return troupe::cancel_command(options);
  }
  int operator()(const troupe::push_add_options& options) const {
    return troupe::push_add_command(options);
  }
  int operator()(const troupe::push_list_options& options) const {
    return troupe::push_list_command(options);
  }
  int operator()(const troupe::push_remove_options& options) const {
    return troupe::push_remove_command(options);
  }
  int operator()(const troupe::agent_options& options) const {
    return troupe::agent_command(options);
  }
  int operator()(const troupe::remote_agent_options& options) const {
    return troupe::remote_agent_command(options);
  }
  int operator()(const troupe::submit_options& options) const {
    return troupe::submit_command(options);
  }
  int operator()(const troupe::watch_options& options) const {
    return troupe::watch_command(options);
  }
  int operator()(const troupe::inbox_options& options) const {
    return here_or_there(options, troupe::list_run_questions_command, troupe::inbox_command);
  }
  int operator()(const troupe::answer_options& options) const {
    return here_or_there(options, troupe::answer_run_command, troupe::answer_command);
  }
  int operator()(const troupe::claim_options& options) const {
    return here_or_there(options, troupe::claim_run_command, troupe::claim_command);
  }
  int operator()(const troupe::modify_options& options) const {
    return here_or_there(options, troupe::modify_run_command, troupe::modify_command);
  }
  int operator()(const troupe::replan_options& options) const {
    return troupe::replan_command(options);
  }
  int operator()(const troupe::history_options& options) const {
    return here_or_there(options, troupe::run_history_command, troupe::history_command);
  }
  int operator()(const troupe::step_options& options) const {
    return troupe::step_command(options);
  }
  int operator()(const troupe::context_options& options) const {
    return troupe::context_command(options);
  }
};

/// A standard descriptor that was closed (`>&-`) is taken by something that cannot be used as such.
/// Else the first file opened would be, and lines for people would end up in the record.
void take_standard_descriptors() {
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each)
    if (::fcntl(each, F_GETFD) < 0) // those below are open, so it is the next to be given out
        [[maybe_unused]]
      const int same = ::open("/dev/null", each == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

int main(int argc, char** argv) {
  // A program that an agent runs is of the same user, and must not read our variables and memory
  // below /proc (decision 013). There is no core file of us, then.
  ::prctl(PR_SET_DUMPABLE, 0);
  take_standard_descriptors();
  troupe::set_up_memory();
  std::signal(SIGPIPE, SIG_IGN); // who writes to a reader that has gone sees EPIPE
  try {
    return std::visit(dispatch{}, troupe::read_command_line(argc, argv));
  } catch (const std::exception& error) {
    troupe::complain(std::string("internal error: ") + error.what());
    return troupe::exit_failed;
  }
}
