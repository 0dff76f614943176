// troupe-sim: runs seeds, and says which of them fail and how to repeat them (docs/simulation.md).
#include "tests/support/temporary_directory.hpp"

#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <variant>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/command_line.hpp"
#include "sim/find_mutants.hpp"
#include "sim/seeds.hpp"

using namespace troupe::sim;

namespace {

int run_program(int argc, char** argv) {
  const auto read = read_command_line(argc, argv);
  if (const auto* code = std::get_if<int>(&read))
    return *code;
  const auto& how = std::get<options>(read);
  // All files of worlds, so that none is left when a process of a world dies.
  const auto files = [] {
    try {
      return std::make_unique<troupe::testing::temporary_directory>();
    } catch (const std::system_error& wrong) {
      throw std::runtime_error(std::string("there is no directory for temporary files: ")
                               + wrong.what() + "; set TMPDIR to one");
    }
  }();
  ::setenv("TMPDIR", files->path().c_str(), 1);
  return how.finds_mutants ? find_mutants(how) : run_seeds(how);
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN); // The output that cannot be written is told like any other.
  if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) {
    std::fprintf(stderr, "the output cannot be written: it is closed\n");
    return exit_usage;
  }
  try {
    return run_program(argc, argv);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return exit_usage;
  }
}
