#include "apps/remote/server_link.hpp"

#include "apps/options.hpp"
#include "apps/run/service_error.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <boost/json/array.hpp>

#include <utility>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

/// Objectives of one page.
constexpr std::uint32_t page_max = 100;

std::string advice_for(errc code, std::string_view message, const std::string& server) {
  switch (code) {
    case errc::unavailable:
      return message.find("HTTP status ") == std::string_view::npos
                 ? "is a server running there?"
                 : "the server is there, and its log may say why; try again later";
    case errc::timed_out: return "try again, or see whether the server is well";
    case errc::method_not_found:
      return "this is no A2A agent, or its card is elsewhere (card-path in [[targets]])";
    case errc::unauthenticated:
      return "give it a key: bearer-file, bearer-env, api-key-file or api-key-env in [[targets]] "
             "of "
             + own_config_path();
    case errc::invalid_agent_response:
      return "this is no A2A agent, or its answers are not as A2A says";
    case errc::version_not_supported: return "see `troupe agent " + shell_word(server) + "`";
    default: return {};
  }
}

} // namespace

std::string explained(const error& why, const std::string& server) {
  auto out = server + ": " + with_options(why.message);
  const auto advice = advice_for(why.code, why.message, server);
  // Which versions there are is said, not what to do.
  const bool says_what_to_do =
      why.message.find("; ") != std::string::npos && why.code != errc::version_not_supported;
  if (!advice.empty() && !says_what_to_do)
    out += "; " + advice;
  return out;
}

std::string server_link::command(const std::string& words) const {
  return "`troupe " + words + flag + "`";
}

int server_link::refuse(const error& why) const {
  complain(explained(why, name));
  return exit_failed;
}

result<json::value> server_link::ask_for(std::string_view member, a2a::operation which,
                                         json::object params) const {
  auto found = client->ask(which, std::move(params));
  if (!found)
    return found;
  auto* members = found->if_object();
  auto* inner = members ? members->if_contains(member) : nullptr;
  if (inner == nullptr)
    return make_error(errc::invalid_agent_response, "the answer has no " + troupe::quoted(member));
  return std::move(*inner);
}

result<std::vector<json::value>> server_link::list(std::string_view member, a2a::operation which,
                                                   const json::object& filter,
                                                   std::size_t most) const {
  std::vector<json::value> out;
  auto params = filter;
  params["pageSize"] = page_max;
  for (;;) {
    auto page = client->ask(which, params);
    if (!page)
      return page.error();
    auto* members = page->if_object();
    auto* found = members ? members->if_contains(member) : nullptr;
    auto* all = found ? found->if_array() : nullptr;
    if (all == nullptr)
      return make_error(errc::invalid_agent_response, "the list has no " + troupe::quoted(member));
    for (auto& each : *all)
      out.push_back(std::move(each));
    auto page_token = text_in(*page, "nextPageToken");
    if (page_token.empty() || all->empty())
      return out;
    if (out.size() >= most) {
      complain(name + ": only the first " + std::to_string(out.size()) + " are listed");
      return out;
    }
    params["pageToken"] = std::move(page_token);
  }
}

result<void> server_link::need_objectives() const {
  const auto card = client->card();
  if (!card)
    return card.error();
  if (!a2a::offers(*card, opt::uri))
    return make_error(errc::unsupported_operation,
                      "the agent has no objectives, only tasks; use troupe send, tasks and task");
  return {};
}

connection_words say_breaks(const std::string& server) {
  const auto is_lost = std::make_shared<bool>(false); // Of the client's thread.
  return {[server, is_lost](const error& why, std::chrono::milliseconds) {
            if (!std::exchange(*is_lost, true)) // Once, however often it is tried.
              complain(server + ": the connection is lost (" + why.message + "); trying again");
          },
          [server, is_lost] {
            *is_lost = false;
            complain(server + ": connected again");
          }};
}

result<server_link> link_to(chosen_server server) {
  auto client = a2a::remote::open(std::move(server.to));
  if (!client)
    return client.error();
  return server_link{std::move(server.name), std::move(*client), std::move(server.flag)};
}

result<server_link> link_to(const std::string& flag, const std::string& here) {
  auto server = require_server(flag, here);
  if (!server)
    return server.error();
  return link_to(std::move(*server));
}

result<std::string> find_objective_id(const server_link& on, const std::string& name) {
  if (const auto knows = on.need_objectives(); !knows)
    return knows.error();
  json::object params;
  params["includePlans"] = false;
  params["orderBy"] = "createdAt";
  params["pageSize"] = name == "@last" ? 1U : page_max;
  if (name != "@last") {
    json::object exact;
    exact["id"] = name;
    exact["includePlans"] = false;
    const auto found = on.ask_for("objective", a2a::operation::get_objective, std::move(exact));
    if (found)
      return text_in(*found, "id");
    if (found.error().code != errc::objective_not_found)
      return found.error();
    params["text"] = name;
  }
  const auto page = on.client->ask(a2a::operation::list_objectives, std::move(params));
  if (!page)
    return page.error();
  std::vector<std::string> fitting;
  const auto* members = page->if_object();
  const auto* all = members ? members->if_contains("objectives") : nullptr;
  if (const auto* items = all ? all->if_array() : nullptr)
    for (const auto& each : *items)
      if (const auto id = text_in(each, "id"); name == "@last" || id.starts_with(name))
        fitting.push_back(id);
  // The text that is searched for may be in many names: one that fits may be on another page.
  if (name != "@last" && fitting.size() < 2 && !text_in(*page, "nextPageToken").empty())
    return make_error(errc::invalid_params, "more than " + std::to_string(page_max)
                                                + " objectives have " + name
                                                + " in their names or ids; write the whole id");
  if (fitting.empty())
    return make_error(
        errc::objective_not_found,
        name == "@last"
            ? "there are no objectives yet; " + on.command("submit FILE") + " makes one"
            : "there is no objective " + name + "; " + on.command("ls") + " lists them");
  if (fitting.size() == 1)
    return fitting.front();
  std::string list;
  for (const auto& each : fitting)
    list += (list.empty() ? "" : ", ") + each;
  return make_error(errc::invalid_params, "several objectives begin with " + name + ": " + list
                                              + "; write more of the id");
}

} // namespace troupe
