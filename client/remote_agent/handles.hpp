// The handles that `remote_agent` gave out for remote tasks: a short name for target, task and
// context. One for each target and task. A plain value: time and chance are arguments.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace troupe::remote_agent {

/// The agent that has the task.
struct handle_target {
  std::string alias; ///< Empty: it has none.
  std::string target_url;
  std::string card_path;
  std::vector<std::string> preferred_transports;

  friend bool operator==(const handle_target&, const handle_target&) = default;
};

struct handle_entry {
  std::string handle;
  handle_target to;
  std::string task_id;
  std::string context_id; ///< Empty: not known.
  timestamp expires{};
  timestamp used{};
};

/// `rah_` and a UUID (RFC 9562 version 4) of these random numbers.
[[nodiscard]] std::string handle_of(std::uint64_t high, std::uint64_t low);

/// A UUID of version 4.
[[nodiscard]] std::string uuid_of(std::uint64_t high, std::uint64_t low);

class handles {
public:
  handles(std::chrono::milliseconds ttl, std::size_t entries_max)
      : ttl_(ttl), entries_max_(entries_max) {}

  /// Null if it is unknown: it never was, or had to go. It may have expired (`has_expired`).
  [[nodiscard]] const handle_entry* find(std::string_view handle) const;
  [[nodiscard]] static bool has_expired(const handle_entry& entry, timestamp now) {
    return entry.expires <= now;
  }
  /// The handle of the task: the one that it has, whose time begins anew, or `fresh`. Above the
  /// limit the one that was used least recently goes. An empty `context_id` keeps the known one.
  const handle_entry& keep(const handle_target& to, const std::string& task_id,
                           const std::string& context_id, timestamp now, std::string fresh);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// As it is kept in a file, the least recently used first.
  [[nodiscard]] boost::json::object to_json() const;
  /// Adds what `from` has and is not here yet, or was used later there. What is no entry is passed
  /// over.
  void merge(const boost::json::value& from);

private:
  using place = std::list<handle_entry>::iterator;
  /// Alias, URL and task: two targets at one URL are two users there, whose tasks may have one id.
  using task_key = std::tuple<std::string, std::string, std::string>;
  [[nodiscard]] static task_key key_of(const handle_target& to, const std::string& task_id) {
    return {to.alias, to.target_url, task_id};
  }
  void take(handle_entry entry);
  void cut();

  std::chrono::milliseconds ttl_;
  std::size_t entries_max_;
  std::list<handle_entry> entries_; ///< The least recently used first.
  std::map<std::string, place, std::less<>> by_handle_;
  std::map<task_key, place> by_task_;
};

} // namespace troupe::remote_agent
