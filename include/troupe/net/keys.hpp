// Digests, secrets and keys: the only place, with net/card/keys.cpp, that uses OpenSSL for them.
// The kind of a key decides its algorithm in JWS: P-256 is ES256 (RFC 7518 section 3.4: ECDSA with
// SHA-256; a signature is r and s, 32 bytes each), RSA of at least 2048 bits is RS256
// (section 3.3), Ed25519 is EdDSA (RFC 8037 section 3.1).
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

// The names of algorithms in a JWS header.
inline constexpr std::string_view es256 = "ES256";
inline constexpr std::string_view rs256 = "RS256";
inline constexpr std::string_view ed_dsa = "EdDSA";

/// The public key of a key pair. Cheap to copy; any thread may use it.
class verifying_key {
public:
  /// `pem`: a public key (`-----BEGIN PUBLIC KEY-----`). Error: invalid_params, if it is none or of
  /// another kind.
  [[nodiscard]] static result<verifying_key> from_pem(std::string_view pem);

  /// The name of the only algorithm for which it is used.
  [[nodiscard]] std::string_view algorithm() const noexcept;
  [[nodiscard]] bool verify(std::string_view bytes, std::string_view signature) const;

private:
  friend class signing_key;
  explicit verifying_key(std::shared_ptr<void> key) : key_(std::move(key)) {}

  std::shared_ptr<void> key_;
};

/// The private key.
class signing_key {
public:
  /// `pem`: a private key without a passphrase, PKCS #8, `EC PRIVATE KEY` or `RSA PRIVATE KEY`.
  /// Error: invalid_params; the message says how to make one.
  [[nodiscard]] static result<signing_key> from_pem(std::string_view pem);
  /// The same from a file. Errors: unavailable (cannot be read), invalid_params; both name the
  /// file.
  [[nodiscard]] static result<signing_key> from_file(const std::string& path);

  /// As verifying_key::algorithm.
  [[nodiscard]] std::string_view algorithm() const noexcept;
  /// As JWS has it. With ES256 each call gives a different signature. Error: internal.
  [[nodiscard]] result<std::string> sign(std::string_view bytes) const;
  /// The key with which others verify.
  [[nodiscard]] verifying_key public_side() const { return verifying_key(key_); }

private:
  explicit signing_key(std::shared_ptr<void> key) : key_(std::move(key)) {}

  std::shared_ptr<void> key_;
};

} // namespace troupe::net
