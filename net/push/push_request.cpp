#include "net/push/push_request.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/hex.hpp"
#include <troupe/net/keys.hpp>

#include <chrono>
#include <string_view>
#include <utility>

namespace troupe::net {

namespace {

/// How long a signature is good for; a receiver's clock may be off by some of it.
constexpr std::chrono::seconds signature_lifetime{300};

std::int64_t seconds_of(timestamp at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

} // namespace

/// Makes JWTs (RFC 7519) in the compact form of JWS (RFC 7515 section 3.1).
class push_signer {
public:
  push_signer(signing_key key, const push_signing& how)
      : key_(std::move(key)), issuer_(how.issuer.empty() ? "troupe" : how.issuer) {
    std::string header;
    json_writer out(header);
    out.begin_object()
        .member("alg", key_.algorithm())
        .member("typ", "JWT")
        .optional_member("kid", how.key_id)
        .end_object();
    header_ = to_base64url(header);
  }

  [[nodiscard]] result<std::string> sign(const push_row& row, const std::string& id,
                                         std::string_view body, const http_url& to,
                                         timestamp now) const {
    std::string claims;
    json_writer out(claims);
    out.begin_object().member("iss", issuer_);
    out.member("aud", (to.tls ? "https://" : "http://") + to.authority());
    out.key("iat").number(seconds_of(now)).key("exp").number(seconds_of(now + signature_lifetime));
    out.member("jti", id).member("taskId", row.config.task.str());
    out.member("request_body_sha256", to_hex(sha256(body))).end_object();
    auto signed_part = header_ + "." + to_base64url(claims);
    const auto signature = key_.sign(signed_part);
    if (!signature)
      return signature.error();
    return signed_part + "." + to_base64url(*signature);
  }

private:
  signing_key key_;
  std::string issuer_;
  std::string header_; ///< Encoded.
};

result<push_requests> push_requests::make(const push_options& options) {
  push_requests out;
  out.content_type_ = options.content_type;
  out.user_agent_ = options.user_agent;
  const auto& how = options.signing;
  if (how.key_pem.empty() && how.key_file.empty())
    return out;
  auto key = how.key_pem.empty() ? signing_key::from_file(how.key_file)
                                 : signing_key::from_pem(how.key_pem);
  if (!key)
    return key.error();
  out.signer_ = std::make_shared<const push_signer>(std::move(*key), how);
  return out;
}

result<outbound_request> push_requests::write(const push_row& row, const push_item& item,
                                              std::string body, const http_url& to,
                                              timestamp now) const {
  const auto& config = row.config;
  const bool is_1_0 = config.payload == push_payload::v1_0;
  const auto id = config.task.str() + "/" + config.id + "/" + std::to_string(item.after) + "."
                  + std::to_string(item.events);
  outbound_request out;
  out.headers = {{"Content-Type", is_1_0 ? content_type_ : "application/json"},
                 {"A2A-Version", is_1_0 ? "1.0" : "0.3"},
                 {"User-Agent", user_agent_},
                 {"A2A-Notification-Id", id}};
  if (!config.token.empty()) {
    out.headers.emplace_back("X-A2A-Notification-Token",
                             config.token); // 0.3, and the JavaScript and Python lines of 1.0
    out.headers.emplace_back("A2A-Notification-Token", config.token); // the Go line of 1.0
  }
  if (config.authentication) {
    const auto& how = *config.authentication;
    out.headers.emplace_back(
        "Authorization", how.credentials.empty() ? how.scheme : how.scheme + " " + how.credentials);
  }
  if (signer_) {
    auto signature = signer_->sign(row, id, body, to, now);
    if (!signature)
      return signature.error();
    out.headers.emplace_back("A2A-Notification-JWT", std::move(*signature));
  }
  out.body = std::move(body);
  return out;
}

} // namespace troupe::net
