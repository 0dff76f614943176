#include "apps/remote/targets.hpp"

#include "apps/runs/run_folder.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "client/proxy.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/blanks.hpp"
#include "protocol/text/http_url.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/url_reference.hpp"
#include <troupe/net/card_signature.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr auto target_members = std::to_array<std::string_view>({"alias",
                                                                 "url",
                                                                 "card-path",
                                                                 "version",
                                                                 "binding",
                                                                 "bearer-file",
                                                                 "bearer-env",
                                                                 "api-key-file",
                                                                 "api-key-env",
                                                                 "api-key-header",
                                                                 "ca-file",
                                                                 "hosts",
                                                                 "allow-http",
                                                                 "certificate-file",
                                                                 "key-file",
                                                                 "card-key-file",
                                                                 "card-key-id",
                                                                 "description",
                                                                 "tags",
                                                                 "examples",
                                                                 "preferred-transports",
                                                                 "default",
                                                                 "basic-user",
                                                                 "basic-password-file",
                                                                 "basic-password-env",
                                                                 "oauth-token-url",
                                                                 "oauth-client-id",
                                                                 "oauth-client-secret-file",
                                                                 "oauth-client-secret-env",
                                                                 "oauth-scope",
                                                                 "proxy",
                                                                 "origin",
                                                                 "max-open",
                                                                 "max-rate"});

constexpr std::size_t context_bytes_max = 4096;

/// What is wrong with one target.
error wrong_target(const std::string& name, const target_row& row, const std::string& text) {
  return make_error(errc::invalid_document,
                    name + ":" + std::to_string(row.line) + ": in [[targets]]: " + text);
}

/// A member that is a list; null for others.
std::vector<std::string>* list_member(known_target& of, const std::string& key) {
  if (key == "hosts")
    return &of.to.hosts;
  if (key == "tags")
    return &of.tags;
  if (key == "examples")
    return &of.examples;
  return key == "preferred-transports" ? &of.preferred_transports : nullptr;
}

result<void> take_truth(bool& to, const std::string& key, const std::string& text) {
  if (text != "true" && text != "false")
    return make_error(errc::invalid_document, troupe::quoted(key) + " must be true or false");
  to = text == "true";
  return {};
}

template<class Number>
result<void> take_number(const std::string& key, const std::string& text, Number least, Number most,
                         Number& to) {
  const auto* end = text.data() + text.size();
  Number read{};
  const auto done = std::from_chars(text.data(), end, read);
  if (done.ec != std::errc{} || done.ptr != end || read < least || read > most)
    return make_error(errc::invalid_document, troupe::quoted(key) + " must be a number from "
                                                  + std::to_string(least) + " to "
                                                  + std::to_string(most));
  to = read;
  return {};
}

result<void> take_member(known_target& to, const std::string& key, const text_cell& cell) {
  if (auto* list = list_member(to, key)) {
    if (const auto* all = std::get_if<text_list>(&cell))
      *list = *all;
    else
      return make_error(errc::invalid_document, troupe::quoted(key) + " must be a list of strings");
    return {};
  }
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr)
    return make_error(errc::invalid_document, troupe::quoted(key) + " must be a string");
  const auto keep = [&](std::string_view name, std::string& member) {
    if (key == name)
      member = *text;
    return key == name;
  };
  if (keep("alias", to.alias) || keep("url", to.to.url) || keep("card-path", to.to.card_path)
      || keep("bearer-file", to.bearer_file) || keep("bearer-env", to.bearer_env)
      || keep("api-key-file", to.api_key_file) || keep("api-key-env", to.api_key_env)
      || keep("api-key-header", to.to.authentication.api_key_header) || keep("ca-file", to.ca_file)
      || keep("certificate-file", to.certificate_file) || keep("key-file", to.key_file)
      || keep("card-key-file", to.card_key_file) || keep("card-key-id", to.card_key_id)
      || keep("description", to.description) || keep("proxy", to.proxy)
      || keep("basic-user", to.to.authentication.basic_user)
      || keep("basic-password-file", to.basic_password_file)
      || keep("basic-password-env", to.basic_password_env)
      || keep("oauth-token-url", to.oauth.token_url) || keep("oauth-client-id", to.oauth.id)
      || keep("oauth-client-secret-file", to.oauth_secret_file)
      || keep("oauth-client-secret-env", to.oauth_secret_env)
      || keep("oauth-scope", to.oauth.scope))
    return {};
  if (key == "allow-http")
    return take_truth(to.to.allow_http, key, *text);
  if (key == "default")
    return take_truth(to.is_default, key, *text);
  if (key == "max-open")
    return take_number(key, *text, std::size_t{1}, std::size_t{1'000'000}, to.open_max);
  if (key == "max-rate")
    return take_number(key, *text, 0.001, 1e6, to.rate_max);
  if (key == "version") {
    if (*text != "1.0" && *text != "0.3")
      return make_error(errc::invalid_document, "\"version\" must be \"1.0\" or \"0.3\"");
    to.to.version = *text == "1.0" ? wire::a2a_version::v1_0 : wire::a2a_version::v0_3;
  } else if (key == "origin") {
    if (*text != "card" && *text != "target")
      return make_error(errc::invalid_document, "\"origin\" must be \"card\" or \"target\"");
    to.to.is_at_origin = *text == "target";
  } else if (key == "binding") {
    if (*text != "jsonrpc" && *text != "rest")
      return make_error(errc::invalid_document, "\"binding\" must be \"jsonrpc\" or \"rest\"");
    to.to.binding = *text == "rest" ? wire::a2a_binding::rest : wire::a2a_binding::json_rpc;
  } else {
    return make_error(errc::invalid_document,
                      "unknown member " + troupe::quoted(key) + did_you_mean(key, target_members));
  }
  return {};
}

/// A path as a person writes it: `~/` is the home directory.
std::string expanded(const std::string& path, const variable_reader& variables) {
  const auto* home = variables("HOME");
  return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

/// What a file or a variable holds; empty if neither is named. `may_have_blanks`: it is sent
/// encoded.
result<std::string> secret_of(const std::string& alias, const std::string& file,
                              const std::string& variable, const variable_reader& variables,
                              bool may_have_blanks = false) {
  std::string out;
  if (!variable.empty()) {
    const auto* value = variables(variable.c_str());
    if (value == nullptr || *value == '\0')
      return make_error(errc::unavailable, "the target " + troupe::quoted(alias)
                                               + " has its key in the variable " + variable
                                               + ", which is not set");
    out = without_blank_end(value);
  } else if (!file.empty()) {
    auto text = read_text(expanded(file, variables));
    if (!text)
      return make_error(text.error().code, "the key of the target " + troupe::quoted(alias) + ": "
                                               + text.error().message);
    out = without_blank_end(*text);
  }
  if (out.empty() && (!file.empty() || !variable.empty()))
    return make_error(errc::invalid_params,
                      "the key of the target " + troupe::quoted(alias) + " is empty");
  if (!may_have_blanks && !std::ranges::all_of(out, [](char c) { return c > ' ' && c <= '~'; }))
    return make_error(errc::invalid_params, "the key of the target " + troupe::quoted(alias)
                                                + " has blanks, line breaks or other characters "
                                                  "that no key has");
  return out;
}

/// What is wrong with how one target says who the client is; empty: nothing.
std::string fault_of_proofs(const known_target& one) {
  const auto both = [](const std::string& file, const std::string& variable) {
    return !file.empty() && !variable.empty();
  };
  if (both(one.bearer_file, one.bearer_env) || both(one.api_key_file, one.api_key_env)
      || both(one.basic_password_file, one.basic_password_env)
      || both(one.oauth_secret_file, one.oauth_secret_env))
    return "a key comes from a file or from a variable, not from both";
  const bool has_bearer = !one.bearer_file.empty() || !one.bearer_env.empty();
  const auto& user = one.to.authentication.basic_user;
  const bool has_oauth = !one.oauth.token_url.empty() || !one.oauth.id.empty();
  if (int{has_bearer} + int{!user.empty()} + int{has_oauth} > 1)
    return "a token, a user and OAuth exclude each other";
  if (user.empty() != (one.basic_password_file.empty() && one.basic_password_env.empty()))
    return "\"basic-user\" and its password belong together";
  if (user.find(':') != std::string::npos)
    return "\"basic-user\" has no colon";
  const bool has_secret = !one.oauth_secret_file.empty() || !one.oauth_secret_env.empty();
  if ((has_oauth || has_secret)
      && (one.oauth.token_url.empty() || one.oauth.id.empty() || !has_secret))
    return "\"oauth-token-url\", \"oauth-client-id\" and its secret belong together";
  if (has_oauth)
    if (const auto url = parse_http_url(one.oauth.token_url); !url)
      return "\"oauth-token-url\": " + url.error().message;
  return {};
}

std::string aliases_of(const std::vector<known_target>& targets) {
  std::string out;
  for (const auto& each : targets)
    out += (out.empty() ? "" : ", ") + each.alias;
  return out;
}

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

/// `localhost`, or a host with a port.
bool looks_like_host(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  const auto end = std::min(port.find('/'), port.size());
  return text == "localhost"
         || (colon > 0 && end > 0
             && port.substr(0, end).find_first_not_of("0123456789") == std::string_view::npos);
}

const char* own_variable(const char* name) {
  return std::getenv(name);
}

std::string text_of_variable(const char* name) {
  const auto* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

/// Where the context is kept, beside the runs. Errors: unavailable.
result<std::string> context_path() {
  const auto runs = own_runs_folder();
  if (!runs)
    return runs.error();
  return (fs::path(*runs).parent_path() / "context").string();
}

} // namespace

std::span<const std::string_view> target_member_names() noexcept {
  return target_members;
}

result<std::vector<known_target>> targets_from(const std::vector<target_row>& rows,
                                               const std::string& name) {
  std::vector<known_target> out;
  for (const auto& row : rows) {
    known_target one;
    for (const auto& [key, cell] : row.members)
      if (const auto taken = take_member(one, key, cell); !taken)
        return wrong_target(name, row, taken.error().message);
    if (one.alias.empty() || one.to.url.empty())
      return wrong_target(name, row, "\"alias\" and \"url\" are needed");
    if (is_url(one.alias) || one.alias == "local")
      return wrong_target(name, row, troupe::quoted(one.alias) + " cannot be an alias");
    if (const auto urls = a2a::card_urls(one.to); !urls)
      return wrong_target(name, row, urls.error().message);
    if (std::ranges::find(out, one.alias, &known_target::alias) != out.end())
      return wrong_target(name, row, "the alias " + troupe::quoted(one.alias) + " stands twice");
    if (const auto fault = fault_of_proofs(one); !fault.empty())
      return wrong_target(name, row, fault);
    if (one.certificate_file.empty() != one.key_file.empty())
      return wrong_target(name, row, "\"certificate-file\" and \"key-file\" belong together");
    if (one.card_key_file.empty() && !one.card_key_id.empty())
      return wrong_target(name, row, "\"card-key-id\" needs \"card-key-file\"");
    out.push_back(std::move(one));
  }
  return out;
}

namespace {

/// Whether a card is signed with the key of `known`.
result<std::function<result<void>(std::string_view)>>
verify_with(const known_target& known, const variable_reader& variables) {
  const auto path = expanded(known.card_key_file, variables);
  const auto pem = read_text(path);
  if (!pem)
    return pem.error();
  auto key = net::verifying_key::from_pem(*pem);
  if (!key)
    return make_error(key.error().code, path + ": " + key.error().message);
  return std::function<result<void>(std::string_view)>(
      [key = std::move(*key), kid = known.card_key_id](std::string_view card) {
        return net::verify_card(card, key, kid);
      });
}

} // namespace

result<a2a::target> with_credentials(const known_target& known, const variable_reader& variables) {
  auto out = known.to;
  const auto bearer = secret_of(known.alias, known.bearer_file, known.bearer_env, variables);
  if (!bearer)
    return bearer.error();
  out.authentication.bearer = *bearer;
  const auto key = secret_of(known.alias, known.api_key_file, known.api_key_env, variables);
  if (!key)
    return key.error();
  out.authentication.api_key = *key;
  const auto password =
      secret_of(known.alias, known.basic_password_file, known.basic_password_env, variables, true);
  if (!password)
    return password.error();
  out.authentication.basic_password = *password;
  const auto secret =
      secret_of(known.alias, known.oauth_secret_file, known.oauth_secret_env, variables, true);
  if (!secret)
    return secret.error();
  if (!known.oauth.token_url.empty()) {
    out.authentication.oauth = known.oauth;
    out.authentication.oauth->secret = *secret;
  }
  auto proxies = net::proxy_rules::read(known.proxy, variables);
  if (!proxies)
    return make_error(errc::invalid_params,
                      "the target " + troupe::quoted(known.alias) + ": " + proxies.error().message);
  out.proxies = std::move(*proxies);
  for (const auto& [file, to] : {std::pair{&known.ca_file, &out.trusted_pem},
                                 {&known.certificate_file, &out.certificate_pem},
                                 {&known.key_file, &out.key_pem}}) {
    if (file->empty())
      continue;
    auto text = read_text(expanded(*file, variables));
    if (!text)
      return make_error(text.error().code, "the certificates of the target "
                                               + troupe::quoted(known.alias) + ": "
                                               + text.error().message);
    *to = std::move(*text);
  }
  if (!known.card_key_file.empty()) {
    auto verify = verify_with(known, variables);
    if (!verify)
      return make_error(verify.error().code, "the card's key of the target "
                                                 + troupe::quoted(known.alias) + ": "
                                                 + verify.error().message);
    out.verify_card = std::move(*verify);
  }
  out.read_again = [known, variables] { return with_credentials(known, variables); };
  return out;
}

result<chosen_server> find_server(const std::string& named,
                                  const std::vector<known_target>& targets,
                                  const variable_reader& variables) {
  for (const auto& each : targets)
    if (each.alias == named || without_end_slashes(each.to.url) == without_end_slashes(named)) {
      auto to = with_credentials(each, variables);
      if (!to)
        return to.error();
      return chosen_server{each.alias, std::move(*to)};
    }
  if (!is_url(named) && looks_like_host(named))
    return make_error(errc::invalid_params, troupe::quoted(named)
                                                + " is no URL and no target; did you mean http://"
                                                + named + "?");
  if (!is_url(named))
    return make_error(errc::invalid_params,
                      "there is no target " + troupe::quoted(named)
                          + (targets.empty()
                                 ? "; name a URL, or write [[targets]] into " + own_config_path()
                                 : "; there are " + aliases_of(targets)));
  chosen_server out{named, {}};
  out.to.url = named;
  if (const auto urls = a2a::card_urls(out.to); !urls)
    return urls.error();
  return out;
}

// -- of this process ------------------------------------------------------------------------------

std::string own_config_path() {
  if (auto given = text_of_variable("TROUPE_CONFIG"); !given.empty())
    return given;
  if (auto config = text_of_variable("XDG_CONFIG_HOME"); !config.empty())
    return config + "/troupe/config.toml";
  const auto home = text_of_variable("HOME");
  return home.empty() ? std::string{} : home + "/.config/troupe/config.toml";
}

result<std::optional<std::string>> own_config_text() {
  const auto path = own_config_path();
  std::error_code failed;
  const bool is_given = !text_of_variable("TROUPE_CONFIG").empty();
  if (path.empty() || (!is_given && !fs::exists(path, failed)))
    return std::optional<std::string>{};
  auto text = read_text(path);
  if (!text)
    return text.error();
  return std::optional{std::move(*text)};
}

result<std::vector<known_target>> own_targets() {
  const auto path = own_config_path();
  const auto text = own_config_text();
  if (!text)
    return text.error();
  if (!*text)
    return std::vector<known_target>{};
  const auto rows = read_target_rows(**text, path);
  if (!rows)
    return rows.error();
  return targets_from(*rows, path);
}

std::string own_context() {
  const auto path = context_path();
  std::error_code failed;
  if (!path || !fs::exists(*path, failed))
    return {};
  const auto text = read_text(*path);
  return text && text->size() <= context_bytes_max ? std::string(without_blank_end(*text))
                                                   : std::string{};
}

result<void> keep_context(const std::string& alias) {
  const auto path = context_path();
  if (!path)
    return path.error();
  std::error_code failed;
  if (alias.empty()) {
    fs::remove(*path, failed);
    return {};
  }
  fs::create_directories(fs::path(*path).parent_path(), failed);
  return write_text(*path, alias + "\n");
}

result<std::optional<chosen_server>> choose_server(const std::string& flag) {
  auto named = flag;
  if (named.empty())
    named = text_of_variable("TROUPE_SERVER");
  std::string from;
  if (named.empty()) {
    named = own_context();
    from = " (the context; `troupe context use local` goes back to this computer)";
  }
  if (named.empty() || named == "local")
    return std::optional<chosen_server>{};
  const auto targets = own_targets();
  if (!targets)
    return targets.error();
  auto found = find_server(named, *targets, own_variable);
  if (!found)
    return make_error(found.error().code, found.error().message + from);
  if (!flag.empty())
    found->flag = " --server " + shell_word(found->name);
  return std::optional{std::move(*found)};
}

result<chosen_server> require_server(const std::string& flag, const std::string& here) {
  auto chosen = choose_server(flag);
  if (!chosen)
    return chosen.error();
  if (!*chosen)
    return make_error(
        errc::invalid_params,
        "which server? Name it with --server URL, TROUPE_SERVER or `troupe context use`"
            + (here.empty() ? "" : "; " + here));
  return std::move(**chosen);
}

} // namespace troupe
