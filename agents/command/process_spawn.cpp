#include "agents/command/process_spawn.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe {

namespace {

// -- in the child ---------------------------------------------------------------------------------
// After vfork the child borrows our memory until it execs: it only makes system calls on what was
// prepared for it.

constexpr unsigned close_range_cloexec =
    4; // CLOSE_RANGE_CLOEXEC of <linux/close_range.h>, since Linux 5.11

enum class child_stage : int { directory, program };

struct child_fault {
  child_stage stage;
  int reason; // errno
};

struct child_plan {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;    // null: stay
  const rlimit* open_files; // null: as ours
  int input, output, errors, faults;
  bool outlives_us;
  pid_t parent;
};

[[noreturn]] void give_up(const child_plan& plan, child_stage stage) {
  const child_fault fault{stage, errno};
  [[maybe_unused]] const auto written = ::write(plan.faults, &fault, sizeof fault);
  ::_exit(127);
}

[[noreturn]] void run_child(const child_plan& plan) {
  ::setpgid(0, 0);
  // After a kill -9 we cannot stop our children any more: the kernel does it.
  if (!plan.outlives_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent)
      ::_exit(127);
  }
  // Ignored signals and the mask survive exec; a program expects neither. The handlers are reset
  // first, because ours must not run in the child.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGKILL && number != SIGSTOP)
      ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(plan.input, STDIN_FILENO);
  ::dup2(plan.output, STDOUT_FILENO);
  ::dup2(plan.errors, STDERR_FILENO);
  // Ours are close-on-exec; those that other libraries opened or our own parent left us may not be.
  // Older kernels keep them.
  ::syscall(SYS_close_range, 3U, ~0U, close_range_cloexec);
  if (plan.open_files != nullptr)
    ::setrlimit(RLIMIT_NOFILE, plan.open_files);
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0)
    give_up(plan, child_stage::directory);
  ::execve(plan.program, plan.argv, plan.environment);
  give_up(plan, child_stage::program);
}

// A function of its own, so that no variable of the caller lives across vfork. vfork, because fork
// copies the page tables: with a million tasks in memory that takes longer than many a command
// runs.
[[gnu::noinline]] pid_t start_child(const child_plan& plan) {
  const auto pid = ::vfork();
  if (pid == 0)
    run_child(plan);
  return pid;
}

// -- in the parent --------------------------------------------------------------------------------

struct pipe_ends {
  unique_fd read, write;
};

// A descriptor above the standard streams. Otherwise the child would overwrite it with its own (if
// we were started with them closed).
unique_fd above_standard(int fd) {
  if (fd > STDERR_FILENO)
    return unique_fd(fd);
  unique_fd low(fd);
  return unique_fd(::fcntl(low.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

bool open_pipe(pipe_ends& ends) {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return false;
  ends.read = above_standard(fds[0]);
  ends.write = above_standard(fds[1]);
  return ends.read && ends.write;
}

bool set_nonblocking(const unique_fd& fd) {
  return ::fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0;
}

std::string text_of_errno(int number) {
  std::array<char, 128> buffer{};
  return ::strerror_r(number, buffer.data(), buffer.size());
}

spawn_failure our_fault(int number) {
  return {"cannot start a process: " + text_of_errno(number), true};
}

std::string_view path_of(const std::vector<std::string>& environment) {
  for (const std::string_view one : environment)
    if (one.starts_with("PATH="))
      return one.substr(5);
  return "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::string& path, bool& seen) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return false;
  seen = true;
  return ::access(path.c_str(), X_OK) == 0;
}

// The file to execute; a failure if PATH has none.
std::variant<std::string, spawn_failure> find_program(const process_spec& spec) {
  const auto& name = spec.argv.front();
  if (name.find('/') != std::string::npos)
    return name;
  auto rest = path_of(spec.environment);
  bool seen = false;
  for (;;) {
    const auto end = rest.find(':');
    std::string directory(rest.substr(0, end));
    if (directory.empty())
      directory = ".";
    // Relative entries count from where the program will run.
    const auto path = directory + "/" + name;
    if (is_program(directory.front() == '/' || spec.directory.empty() ? path
                                                                      : spec.directory + "/" + path,
                   seen))
      return path;
    if (end == std::string_view::npos)
      break;
    rest.remove_prefix(end + 1);
  }
  const auto where = " in PATH (" + std::string(path_of(spec.environment)) + ")";
  return spawn_failure{seen ? "program " + troupe::quoted(name) + where + " is not executable"
                            : "program " + troupe::quoted(name) + " was not found" + where,
                       false};
}

spawn_failure explain(const process_spec& spec, const std::string& program,
                      const child_fault& fault) {
  const auto why = text_of_errno(fault.reason);
  if (fault.reason == EAGAIN || fault.reason == ENOMEM || fault.reason == EMFILE
      || fault.reason == ENFILE)
    return our_fault(fault.reason);
  if (fault.stage == child_stage::directory)
    return {"working directory " + troupe::quoted(spec.directory) + ": " + why, false};
  const auto name = "program " + troupe::quoted(spec.argv.front());
  const auto full =
      program.front() == '/' || spec.directory.empty() ? program : spec.directory + "/" + program;
  struct stat info {};
  const bool exists = ::stat(full.c_str(), &info) == 0;
  if (fault.reason == ENOENT)
    return {name + (exists ? " needs an interpreter that does not exist" : " does not exist"),
            false};
  if (exists && S_ISDIR(info.st_mode))
    return {name + " is a directory", false};
  if (fault.reason == EACCES)
    return {name + " is not executable", false};
  if (fault.reason == ENOEXEC)
    return {name
                + " is not in an executable format (a script needs a first line such as #!/bin/sh)",
            false};
  return {name + " cannot be executed: " + why, false};
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const auto& one : strings)
    out.push_back(const_cast<char*>(one.c_str())); // execve promises not to write
  out.push_back(nullptr);
  return out;
}

// What the child's limit becomes; nothing if that is ours.
std::optional<rlimit> open_files_limit(const process_spec& spec) {
  rlimit limit{};
  if (!spec.open_files_max || ::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return std::nullopt;
  limit.rlim_cur = std::min<rlim_t>(*spec.open_files_max, limit.rlim_max);
  return limit;
}

// Whether the child reported a fault before it ended; blocks until it execs or ends, which vfork
// has waited for already.
std::optional<child_fault> read_fault(const unique_fd& from) {
  child_fault fault{};
  ssize_t got = 0;
  do
    got = ::read(from.get(), &fault, sizeof fault);
  while (got < 0 && errno == EINTR);
  return got == sizeof fault ? std::optional(fault) : std::nullopt;
}

} // namespace

std::variant<spawned_process, spawn_failure> spawn(const process_spec& spec) {
  auto program = find_program(spec);
  if (auto* failure = std::get_if<spawn_failure>(&program))
    return std::move(*failure);
  const auto& path = std::get<std::string>(program);

  pipe_ends input, output, errors, faults;
  if (!open_pipe(output) || !open_pipe(errors) || !open_pipe(faults))
    return our_fault(errno);
  if (spec.input ? !open_pipe(input)
                 : !(input.read = above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC))))
    return our_fault(errno);
  if ((spec.input && !set_nonblocking(input.write)) || !set_nonblocking(output.read)
      || !set_nonblocking(errors.read))
    return our_fault(errno);

  const auto argv = pointers_to(spec.argv);
  const auto environment = pointers_to(spec.environment);
  const auto open_files = open_files_limit(spec);
  const child_plan plan{path.c_str(),
                        argv.data(),
                        environment.data(),
                        spec.directory.empty() ? nullptr : spec.directory.c_str(),
                        open_files ? &*open_files : nullptr,
                        input.read.get(),
                        output.write.get(),
                        errors.write.get(),
                        faults.write.get(),
                        spec.outlives_us,
                        ::getpid()};
  const auto pid = start_child(plan);
  if (pid < 0)
    return our_fault(errno);
  faults.write.reset();
  if (const auto fault = read_fault(faults.read)) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return explain(spec, path, *fault);
  }
  return spawned_process{pid, std::move(input.write), std::move(output.read),
                         std::move(errors.read)};
}

} // namespace troupe
