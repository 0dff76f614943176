#include "client/a2a/access_token.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/percent.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>

namespace troupe::a2a {

namespace json = boost::json;

namespace {

/// Of a token that does not say when it ends.
constexpr std::chrono::seconds kept_for{3'600};
constexpr std::chrono::seconds kept_for_max{86'400};
/// Of what the server says about a refusal.
constexpr std::size_t words_bytes_max = 400;

error refused_token(const net::outbound_answer& answer, const json::object* said) {
  const bool fails = answer.status >= 500 || answer.status == 429;
  std::string words = "the token server answered " + std::to_string(answer.status);
  if (said != nullptr)
    for (const auto* member : {"error", "error_description"})
      if (auto text = text_in(*said, member); !text.empty())
        words += ": " + shortened(std::move(text), words_bytes_max);
  return make_error(fails ? errc::unavailable : errc::unauthenticated, std::move(words));
}

} // namespace

net::outbound_request token_request(const oauth_client& of) {
  net::outbound_request out;
  // RFC 6749 section 2.3.1: both are encoded first.
  out.headers.emplace_back("Authorization",
                           basic_header(form_encoded(of.id), form_encoded(of.secret)));
  out.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  out.headers.emplace_back("Accept", "application/json");
  out.body = "grant_type=client_credentials";
  if (!of.scope.empty())
    out.body += "&scope=" + form_encoded(of.scope);
  return out;
}

result<access_token> read_token(const net::outbound_answer& answer, time_source::steady_point now) {
  boost::system::error_code failed;
  const auto tree = parse_json(answer.body, failed);
  const auto* said = failed ? nullptr : tree.if_object();
  if (answer.status != 200)
    return refused_token(answer, said);
  access_token out;
  if (said != nullptr)
    out.text = text_in(*said, "access_token");
  const bool fits = !out.text.empty() && out.text.size() <= token_bytes_max
                    && std::ranges::all_of(out.text, [](char c) { return c > ' ' && c <= '~'; });
  if (!fits)
    return make_error(errc::invalid_agent_response,
                      "the token server answered with no token (`access_token`)");
  if (const auto type = text_in(*said, "token_type");
      !type.empty() && ascii_lower(type) != "bearer")
    return make_error(errc::invalid_agent_response, "the token server gives tokens of the type \""
                                                        + shortened(type, words_bytes_max)
                                                        + "\", and this client sends Bearer");
  auto lifetime = kept_for;
  if (const auto* found = said->if_contains("expires_in"); found != nullptr && found->is_number()) {
    const auto seconds = found->to_number<double>();
    lifetime = seconds < static_cast<double>(kept_for_max.count())
                   ? std::chrono::seconds{static_cast<std::int64_t>(std::max(seconds, 0.0))}
                   : kept_for_max;
  }
  out.until = now + lifetime - std::min(std::chrono::seconds{30}, lifetime / 10);
  return out;
}

} // namespace troupe::a2a
