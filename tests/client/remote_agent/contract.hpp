// What the tests of `remote_agent` share: settings with a target, requests as text, and what is
// wrong with them. Each test is named `remote-agent line N`: N is the number of a requirement of
// the contract (tests/house/test_names_test.cpp counts them), not a line of docs/remote-agent.md.
#pragma once

#include "client/remote_agent/request.hpp"
#include "client/remote_agent/route.hpp"
#include "client/remote_agent/settings.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace troupe::testing {

inline boost::json::value tree(const std::string& text) {
  return boost::json::parse(text);
}

/// The value to which the JSON pointer leads, `(none)` if it leads nowhere; a string without its
/// quotes.
inline std::string found_at(const boost::json::value& from, const std::string& pointer) {
  boost::system::error_code failed;
  const auto* found = from.find_pointer(pointer, failed);
  if (found == nullptr)
    return "(none)";
  return found->is_string() ? std::string(found->as_string()) : boost::json::serialize(*found);
}

inline remote_agent::settings settings_of(const std::string& document) {
  auto read =
      remote_agent::read_settings(tree(document).as_object(), remote_agent::spelling::camel);
  REQUIRE(read.has_value());
  const auto done = remote_agent::complete(*read);
  INFO((done ? std::string{} : done.error().message));
  REQUIRE(done.has_value());
  return *read;
}

/// Why the document is refused.
inline error settings_error(const std::string& document) {
  auto read =
      remote_agent::read_settings(tree(document).as_object(), remote_agent::spelling::camel);
  if (!read)
    return read.error();
  const auto done = remote_agent::complete(*read);
  return done ? error{} : done.error();
}

/// `support` and `billing`; `more`: further members of the document, beginning with a comma.
inline remote_agent::settings two_targets(const std::string& more = {}, bool has_default = true) {
  return settings_of(R"({"targets":[{"alias":"support","baseUrl":"https://support.example")"
                     + std::string(has_default ? R"(,"default":true)" : "")
                     + R"(},{"alias":"billing","baseUrl":"https://billing.example/a"}])" + more
                     + "}");
}

inline remote_agent::outcome<remote_agent::request>
read(const std::string& text, const remote_agent::settings& known = two_targets()) {
  return remote_agent::read_request(tree(text), known);
}

/// The request of `text`, which is valid.
inline remote_agent::request valid(const std::string& text,
                                   const remote_agent::settings& known = two_targets()) {
  const auto out = read(text, known);
  INFO((out ? std::string{} : boost::json::serialize(out.error().details)));
  REQUIRE(out.has_value());
  return *out;
}

/// `PATH KEYWORD` of each error, in order; a leading space if it is the request itself.
inline std::vector<std::string> errors_of(const std::string& text,
                                          const remote_agent::settings& known = two_targets()) {
  std::vector<std::string> out;
  const auto done = read(text, known);
  if (done)
    return out;
  const auto why = done.error(); // a copy
  CHECK(why.code == "VALIDATION_ERROR");
  for (const auto& each : why.details.at("errors").as_array())
    out.push_back(found_at(each, "/instancePath") + " " + found_at(each, "/keyword"));
  return out;
}

using texts = std::vector<std::string>;

/// A send with one text part to the default target; `more`: members, beginning with a comma.
inline std::string a_send(const std::string& more = {}) {
  return R"({"action":"send","parts":[{"kind":"text","text":"hi"}])" + more + "}";
}

/// `summary.continuation` of a task with a conversation, at `url`.
inline std::string a_continuation(const std::string& url = "https://support.example/",
                                  const std::string& handle = {}) {
  return R"({"target":{"target_url":")" + url
         + R"(","card_path":"/.well-known/agent-card.json","preferred_transports":["JSONRPC"]},)"
           R"("task":{)"
         + (handle.empty() ? std::string{} : R"("task_handle":")" + handle + R"(",)")
         + R"("task_id":"t1"},"conversation":{"context_id":"c1","can_send":true}})";
}

} // namespace troupe::testing
