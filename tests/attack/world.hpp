// The server under attack: the real `troupe serve` on a data directory, with its address space
// bounded. It is killed and started again on the same directory and port.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::attack {

class world {
public:
  /// Starts `binary serve` below `directory`; its log is `directory/log`. Throws std::runtime_error
  /// if it does not serve within a minute. `address_space`: bytes, 0 = unbounded.
  world(std::string binary, std::string directory, std::size_t address_space,
        std::vector<std::string> further_words = {});
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Bytes of memory that the server has in use now.
  [[nodiscard]] std::size_t resident_bytes() const;
  /// The most address space that this process of it has had.
  [[nodiscard]] std::size_t reserved_bytes_max() const;

  /// How the server has ended, if it has, and nobody killed it.
  [[nodiscard]] std::optional<std::string> death();
  /// SIGKILL, and the same again. How long the start took.
  std::chrono::milliseconds kill_and_restart();
  /// The same after `death`.
  std::chrono::milliseconds restart();
  /// SIGTERM; how it ended, empty: well. SIGKILL after half a minute.
  std::string stop();
  /// The end of the log.
  [[nodiscard]] std::string last_words() const;

private:
  void start();
  [[nodiscard]] bool is_ready() const;
  /// The `NAME:` of /proc/PID/status, in bytes.
  [[nodiscard]] std::size_t figure(const std::string& name) const;

  std::string binary_;
  std::string directory_;
  std::size_t address_space_;
  std::vector<std::string> further_words_;
  pid_t id_ = -1;
  std::uint16_t port_ = 0;
  std::size_t log_begin_ = 0; ///< Of the process that runs now.
};

} // namespace troupe::attack
