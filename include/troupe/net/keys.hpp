// Digests, secrets and keys: the only place, with net/card/keys.cpp, that uses OpenSSL for them.
// ES256 as in JWS (RFC 7518 section 3.4): ECDSA over P-256 with SHA-256; a signature is r and s, 32
// bytes each.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::net {

using digest = std::array<unsigned char, 32>;

[[nodiscard]] digest sha256(std::string_view bytes);

/// Takes the same time for all digests, equal or not.
[[nodiscard]] bool equal_in_constant_time(const digest& a, const digest& b) noexcept;

/// The name of ES256 in a JWS header.
inline constexpr std::string_view es256 = "ES256";
inline constexpr std::size_t es256_signature_bytes = 64;

/// The public key of a P-256 key pair. Cheap to copy; any thread may use it.
class verifying_key {
public:
  /// `pem`: a public key (`-----BEGIN PUBLIC KEY-----`). Error: invalid_params, if it is none or of
  /// another kind.
  [[nodiscard]] static result<verifying_key> from_pem(std::string_view pem);

  [[nodiscard]] bool verify(std::string_view bytes, std::string_view signature) const;

private:
  friend class signing_key;
  explicit verifying_key(std::shared_ptr<void> key) : key_(std::move(key)) {}

  std::shared_ptr<void> key_;
};

/// The private key.
class signing_key {
public:
  /// `pem`: a private key without a passphrase, PKCS #8 or `EC PRIVATE KEY`. Error: invalid_params;
  /// the message says how to make one.
  [[nodiscard]] static result<signing_key> from_pem(std::string_view pem);
  /// The same from a file. Errors: unavailable (cannot be read), invalid_params; both name the
  /// file.
  [[nodiscard]] static result<signing_key> from_file(const std::string& path);

  /// `es256_signature_bytes` bytes; each call gives a different signature. Error: internal.
  [[nodiscard]] result<std::string> sign(std::string_view bytes) const;
  /// The key with which others verify.
  [[nodiscard]] verifying_key public_side() const { return verifying_key(key_); }

private:
  explicit signing_key(std::shared_ptr<void> key) : key_(std::move(key)) {}

  std::shared_ptr<void> key_;
};

} // namespace troupe::net
