// A `troupe serve` of its own for a test of the binary, and requests to it as JSON. Set
// TROUPE_BINARY to test another binary than the one that was built, for example an older one.
#pragma once

#include "tests/apps/process.hpp"
#include "tests/support/http_client.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::testing {

/// A JSON-RPC request; `params` is JSON.
[[nodiscard]] std::string request_of(const std::string& method, const std::string& params);
/// The `result` of an answer. Throws std::runtime_error with the whole answer if there is none.
[[nodiscard]] boost::json::value result_of(const http_answer& answer);
/// The value to which the JSON pointer leads, `(none)` if it leads nowhere; a string without its
/// quotes.
[[nodiscard]] std::string at(const boost::json::value& from, const std::string& pointer);

class served {
public:
  /// Starts `troupe serve` with these further words on a free port, and waits until it serves.
  /// Throws std::runtime_error if it does not.
  /// `address_space`: in kB, what the program may have (`ulimit -v`); empty: as this process.
  /// `launcher`: words of a program that becomes the server, as `setpriv`.
  explicit served(const std::vector<std::string>& words = {"--store", "memory"},
                  const std::string& address_space = {},
                  const std::vector<std::string>& launcher = {});

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] http_client client() const { return http_client{port_}; }
  [[nodiscard]] process& program() noexcept { return process_; }

  /// The result of a request over a connection of its own. Throws as `result_of`.
  boost::json::value ask(const std::string& method, const std::string& params) const;
  /// The state of a task, `TASK_STATE_...`.
  [[nodiscard]] std::string state_of(const std::string& task) const;
  /// Waits until the task is in `state`, at most 20 seconds; false if it never was.
  [[nodiscard]] bool reaches(const std::string& task, const std::string& state) const;
  /// The events of a subscription to a task; its head was received.
  [[nodiscard]] http_client subscribed(const std::string& task) const;
  /// Memory of the process that is in use now.
  [[nodiscard]] std::size_t resident_bytes() const;
  /// The most address space that the process has had.
  [[nodiscard]] std::size_t reserved_bytes_max() const;
  /// Drains; the exit code.
  int stop();

private:
  process process_;
  std::uint16_t port_ = 0;
};

} // namespace troupe::testing
