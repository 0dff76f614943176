#include "client/remote_agent/settings.hpp"

#include "client/remote_agent/base_url.hpp"
#include "client/remote_agent/limits.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/blanks.hpp"
#include "protocol/text/http_url.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

/// The transports of A2A (1.0 section 5.8.3), and whether this build speaks them.
struct transport_row {
  std::string_view name;
  std::optional<wire::a2a_binding> binding;
};
constexpr auto transports = std::to_array<transport_row>({
    {"JSONRPC", wire::a2a_binding::json_rpc},
    {"HTTP+JSON", wire::a2a_binding::rest},
    {"GRPC", std::nullopt},
});

/// Headers that are not a caller's: the connection, the body and the credentials depend on them.
constexpr auto own_headers = std::to_array<std::string_view>(
    {"host", "connection", "transfer-encoding", "authorization", "cookie"});

std::string kebab_of(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    const char lower = ascii_lower(c);
    if (lower != c)
      out.push_back('-');
    out.push_back(lower);
  }
  return out;
}

error wrong_setting(std::string path, const std::string& text) {
  auto message = (path.empty() ? std::string("the settings") : quoted(path)) + " " + text;
  return make_error(errc::invalid_document, std::move(message), std::move(path));
}

/// The members of one object of a document. The first thing that is wrong is kept.
class settings_reader {
public:
  settings_reader(const json::value& from, std::string path, spelling how,
                  std::optional<error>& wrong)
      : object_(from.if_object()), path_(std::move(path)), how_(how), wrong_(wrong) {
    if (object_ == nullptr)
      fail_here("must be an object");
  }

  /// To be called once all members were asked for.
  void refuse_others() {
    if (object_ == nullptr)
      return;
    for (const auto& [key, value] : *object_) {
      const std::string name{std::string_view(key.data(), key.size())};
      if (std::ranges::find(known_, name) != known_.end())
        continue;
      std::vector<std::string_view> names(known_.begin(), known_.end());
      return fail(below(name), "is no setting" + did_you_mean(name, names));
    }
  }

  const json::value* find(std::string_view camel) {
    known_.push_back(spelled(camel));
    return object_ == nullptr ? nullptr : object_->if_contains(known_.back());
  }
  void text(std::string_view name, std::string& to) {
    if (const auto* found = find(name)) {
      if (const auto* text = found->if_string())
        to = *text;
      else
        fail(below(spelled(name)), "must be a string");
    }
  }
  void truth(std::string_view name, bool& to) {
    if (const auto* found = find(name)) {
      if (const auto* truth = found->if_bool())
        to = *truth;
      else
        fail(below(spelled(name)), "must be true or false");
    }
  }
  void texts(std::string_view name, std::vector<std::string>& to) {
    const auto* found = find(name);
    if (found == nullptr)
      return;
    const auto* all = found->if_array();
    std::vector<std::string> read;
    if (all != nullptr)
      for (const auto& each : *all)
        if (const auto* text = each.if_string())
          read.emplace_back(*text);
    if (all == nullptr || read.size() != all->size())
      return fail(below(spelled(name)), "must be a list of strings");
    to = std::move(read);
  }
  /// A whole number from 1 to `most`.
  std::optional<std::int64_t> count(std::string_view name, std::int64_t most) {
    const auto* found = find(name);
    if (found == nullptr)
      return std::nullopt;
    double number = 0;
    if (found->is_number())
      number = found->to_number<double>();
    if (number < 1 || number > static_cast<double>(most) || std::floor(number) != number) {
      fail(below(spelled(name)), "must be a whole number from 1 to " + std::to_string(most));
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  /// Text to text.
  void pairs(std::string_view name, std::vector<std::pair<std::string, std::string>>& to) {
    const auto* found = find(name);
    if (found == nullptr)
      return;
    const auto path = below(spelled(name));
    const auto* all = found->if_object();
    if (all == nullptr)
      return fail(path, "must be an object");
    for (const auto& [key, value] : *all) {
      std::string header{std::string_view(key.data(), key.size())};
      const auto* text = value.if_string();
      if (text == nullptr)
        return fail(path + "." + header, "must be a string");
      to.emplace_back(std::move(header), *text);
    }
  }
  template<class Read>
  void object(std::string_view name, Read read) {
    const auto* found = find(name);
    if (found == nullptr)
      return;
    settings_reader inner(*found, below(spelled(name)), how_, wrong_);
    read(inner);
    inner.refuse_others();
  }
  template<class Read>
  void objects(std::string_view name, Read read) {
    const auto* found = find(name);
    if (found == nullptr)
      return;
    const auto path = below(spelled(name));
    const auto* all = found->if_array();
    if (all == nullptr)
      return fail(path, "must be a list of objects");
    for (std::size_t i = 0; i < all->size(); ++i) {
      settings_reader inner((*all)[i], path + "[" + std::to_string(i) + "]", how_, wrong_);
      read(inner);
      inner.refuse_others();
    }
  }

private:
  [[nodiscard]] std::string spelled(std::string_view camel) const {
    return how_ == spelling::kebab ? kebab_of(camel) : std::string(camel);
  }
  [[nodiscard]] std::string below(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }
  void fail_here(const std::string& text) { fail(path_, text); }
  void fail(std::string path, const std::string& text) {
    if (!wrong_)
      wrong_ = wrong_setting(std::move(path), text);
  }

  const json::object* object_;
  const std::string path_;
  const spelling how_;
  std::optional<error>& wrong_;
  std::vector<std::string> known_;
};

void read_auth(settings_reader& in, credential_names& to) {
  in.text("bearerEnv", to.bearer_env);
  in.text("bearerFile", to.bearer_file);
  in.text("apiKeyEnv", to.api_key_env);
  in.text("apiKeyFile", to.api_key_file);
  in.text("apiKeyHeader", to.api_key_header);
  in.text("certificateFile", to.certificate_file);
  in.text("keyFile", to.key_file);
  in.text("caFile", to.ca_file);
}

void read_peer(settings_reader& in, peer& to) {
  to.card_path.clear();
  in.text("alias", to.alias);
  in.text("baseUrl", to.base_url);
  in.text("description", to.description);
  in.texts("tags", to.tags);
  in.texts("examples", to.examples);
  in.truth("default", to.is_default);
  in.text("cardPath", to.card_path);
  in.texts("preferredTransports", to.preferred_transports);
  in.object("auth", [&](settings_reader& auth) { read_auth(auth, to.names); });
}

result<void> check_transports(const std::vector<std::string>& names, bool enforces,
                              const std::string& where) {
  if (names.empty())
    return wrong_setting(where, "must name a transport");
  if (!enforces)
    return {};
  for (const auto& each : names) {
    const auto found = std::ranges::find(transports, each, &transport_row::name);
    if (found == transports.end() || !found->binding)
      return wrong_setting(where, "names " + quoted(shown(each))
                                      + ", which this program does not speak; it speaks JSONRPC "
                                        "and HTTP+JSON. With enforceSupportedTransports = false "
                                        "it is skipped");
  }
  return {};
}

result<void> complete_peer(settings& all, std::size_t at) {
  auto& one = all.targets[at];
  const auto where = "targets[" + std::to_string(at) + "]";
  one.alias = std::string(without_blanks(one.alias));
  one.base_url = std::string(without_blanks(one.base_url));
  if (one.alias.empty())
    return wrong_setting(where + ".alias", "is missing or empty");
  if (one.base_url.empty())
    return wrong_setting(where + ".baseUrl",
                         "is missing or empty (of the target " + quoted(one.alias) + ")");
  const auto normal = normal_url(one.base_url);
  if (!normal)
    return wrong_setting(where + ".baseUrl", "of the target " + quoted(one.alias)
                                                 + " is no URL: " + normal.error().message);
  if (all.normalizes_urls)
    one.base_url = *normal;
  for (std::size_t i = 0; i < at; ++i) {
    if (all.targets[i].alias == one.alias)
      return wrong_setting(where + ".alias",
                           "is " + quoted(one.alias) + ", which another target has already");
    if (all.targets[i].is_default && one.is_default)
      return wrong_setting(where + ".default", "is true for " + quoted(all.targets[i].alias)
                                                   + " and " + quoted(one.alias)
                                                   + "; only one target can be the default");
  }
  if (one.card_path.empty())
    one.card_path = all.card_path;
  if (one.preferred_transports.empty())
    one.preferred_transports = all.preferred_transports;
  if (const auto fine = check_transports(one.preferred_transports, all.enforces_transports,
                                         where + ".preferredTransports");
      !fine)
    return fine.error();
  one.how.url = one.base_url;
  // Below the base URL, and under its older name, too, unless another path is meant.
  one.how.card_path = one.card_path == usual_card_path ? std::string{} : one.card_path;
  one.how.preferred = bindings_of(one.preferred_transports);
  return {};
}

} // namespace

std::vector<wire::a2a_binding> bindings_of(const std::vector<std::string>& names) {
  std::vector<wire::a2a_binding> out;
  for (const auto& each : names)
    if (const auto found = std::ranges::find(transports, each, &transport_row::name);
        found != transports.end() && found->binding)
      out.push_back(*found->binding);
  return out;
}

bool may_be_parameter(std::string_view name) noexcept {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const bool is_token = !name.empty() && std::ranges::all_of(name, [&](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  });
  const auto lower = ascii_lower(name);
  return is_token && !lower.starts_with("content-")
         && std::ranges::find(own_headers, lower) == own_headers.end();
}

bool may_be_parameter_value(std::string_view value) noexcept {
  return std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

result<settings> read_settings(const json::object& from, spelling how) {
  settings out;
  std::optional<error> wrong;
  const json::value whole(from);
  settings_reader in(whole, {}, how, wrong);
  in.truth("enabled", out.enabled);
  in.object("defaults", [&](settings_reader& defaults) {
    if (const auto timeout = defaults.count("timeoutMs", timeout_ms_max))
      out.timeout = std::chrono::milliseconds{*timeout};
    defaults.text("cardPath", out.card_path);
    defaults.texts("preferredTransports", out.preferred_transports);
    defaults.pairs("serviceParameters", out.service_parameters);
  });
  in.objects("targets", [&](settings_reader& one) { read_peer(one, out.targets.emplace_back()); });
  in.object("taskHandles", [&](settings_reader& handles) {
    if (const auto ttl = handles.count("ttlMs", std::int64_t{1} << 53))
      out.handle_ttl = std::chrono::milliseconds{*ttl};
    if (const auto most = handles.count("maxEntries", handles_entries_max))
      out.handles_max = static_cast<std::size_t>(*most);
  });
  in.object("policy", [&](settings_reader& policy) {
    policy.texts("acceptedOutputModes", out.accepted_output_modes);
    policy.truth("normalizeBaseUrl", out.normalizes_urls);
    policy.truth("enforceSupportedTransports", out.enforces_transports);
    policy.truth("allowTargetUrlOverride", out.allows_any_url);
    policy.truth("trustContinuations", out.trusts_continuations);
  });
  in.refuse_others();
  if (wrong)
    return *wrong;
  return out;
}

result<void> complete(settings& all) {
  if (const auto fine = check_transports(all.preferred_transports, all.enforces_transports,
                                         "defaults.preferredTransports");
      !fine)
    return fine.error();
  for (const auto& [name, value] : all.service_parameters)
    if (!may_be_parameter(name) || !may_be_parameter_value(value))
      return wrong_setting("defaults.serviceParameters." + name,
                           "cannot be sent as a header of this name and value");
  for (std::size_t i = 0; i < all.targets.size(); ++i)
    if (const auto fine = complete_peer(all, i); !fine)
      return fine.error();
  return {};
}

} // namespace troupe::remote_agent
