// What a simulated A2A agent reads and writes: requests out of bytes, answers and events as JSON of
// 1.0 and 0.3. Knows nothing of the product.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::sim {

enum class remote_version : std::uint8_t { v1_0, v0_3 };

struct remote_request {
  bool is_card = false;
  std::string method; ///< As 1.0 names it; empty: none that is known.
  boost::json::object params;
  std::string key; ///< Of the header Idempotency-Key.
};

/// Takes one whole request out of `bytes`; nothing: it is not whole yet.
[[nodiscard]] std::optional<remote_request> take_request(std::string& bytes);

/// A task as a remote agent shows it.
struct remote_view {
  std::string id;
  std::string context;
  std::string state; ///< "TASK_STATE_WORKING".
  std::string words; ///< Of the status; empty: none.
  std::string words_id;
  std::map<std::string, std::string> artifacts; ///< Texts by id.
};

[[nodiscard]] std::string task_json(const remote_view& task, remote_version how);
[[nodiscard]] std::string message_json(const std::string& id, const std::string& text,
                                       remote_version how);
/// What a send or an event of a stream has as its result.
[[nodiscard]] std::string sent_task_json(const remote_view& task, remote_version how);
[[nodiscard]] std::string status_event(const remote_view& task, remote_version how);
[[nodiscard]] std::string chunk_event(const remote_view& task, const std::string& artifact,
                                      const std::string& text, bool append, remote_version how);
[[nodiscard]] std::string card_json(const std::string& url, bool streams, bool is_idempotent,
                                    remote_version how);

[[nodiscard]] std::string rpc_result(const std::string& result);
[[nodiscard]] std::string rpc_error(int code, const std::string& message);
/// A whole answer of HTTP.
[[nodiscard]] std::string http_answer(const std::string& body);
/// The head of a stream, one event of it, and its end.
[[nodiscard]] std::string stream_head();
[[nodiscard]] std::string stream_event_bytes(const std::string& data);
[[nodiscard]] std::string stream_end();

} // namespace troupe::sim
