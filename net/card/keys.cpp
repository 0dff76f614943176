#include <troupe/net/keys.hpp>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fstream>
#include <sstream>
#include <utility>

namespace troupe::net {

namespace {

/// Frees what OpenSSL made.
template<auto Free>
struct freed {
  template<class T>
  void operator()(T* value) const noexcept {
    Free(value);
  }
};

using bio_ptr = std::unique_ptr<BIO, freed<&BIO_free_all>>;
using digest_context_ptr = std::unique_ptr<EVP_MD_CTX, freed<&EVP_MD_CTX_free>>;
using pair_ptr = std::unique_ptr<ECDSA_SIG, freed<&ECDSA_SIG_free>>;
using number_ptr = std::unique_ptr<BIGNUM, freed<&BN_free>>;

constexpr std::size_t half = 32;    ///< Of a signature of ES256.
constexpr int rsa_bits_min = 2048;  ///< RFC 7518 section 3.3.
constexpr int rsa_bits_max = 16384; ///< OpenSSL's own limit.

const unsigned char* bytes_of(std::string_view text) noexcept {
  return static_cast<const unsigned char*>(static_cast<const void*>(text.data()));
}

unsigned char* bytes_of(std::string& text) noexcept {
  return static_cast<unsigned char*>(static_cast<void*>(text.data()));
}

EVP_PKEY* as_key(const std::shared_ptr<void>& key) noexcept {
  return static_cast<EVP_PKEY*>(key.get());
}

std::shared_ptr<void> own(EVP_PKEY* key) {
  return std::shared_ptr<EVP_PKEY>(key, [](EVP_PKEY* value) { EVP_PKEY_free(value); });
}

/// Instead of asking at the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

bool is_p256(EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t length = 0;
  return key != nullptr && EVP_PKEY_is_a(key, "EC") == 1
         && EVP_PKEY_get_group_name(key, group.data(), group.size(), &length) == 1
         && std::string_view(group.data(), length) == "prime256v1";
}

bool is_rsa(EVP_PKEY* key) {
  const auto bits = key == nullptr ? 0 : EVP_PKEY_get_bits(key);
  return bits >= rsa_bits_min && bits <= rsa_bits_max && EVP_PKEY_is_a(key, "RSA") == 1;
}

/// The algorithm of a key; empty if there is none.
std::string_view algorithm_of(EVP_PKEY* key) {
  if (is_p256(key))
    return es256;
  if (is_rsa(key))
    return rs256;
  return key != nullptr && EVP_PKEY_is_a(key, "ED25519") == 1 ? ed_dsa : std::string_view{};
}

/// The digest that the algorithm of a key uses; Ed25519 has its own.
const EVP_MD* digest_of(EVP_PKEY* key) {
  return algorithm_of(key) == ed_dsa ? nullptr : EVP_sha256();
}

/// Reads a key with one of OpenSSL's PEM functions; null if it has no algorithm of ours.
template<class Read>
std::shared_ptr<void> read_key(std::string_view pem, Read read) {
  const bio_ptr source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  auto key = source ? own(read(source.get(), nullptr, &no_passphrase, nullptr)) : nullptr;
  ERR_clear_error();
  return algorithm_of(as_key(key)).empty() ? nullptr : key;
}

/// r and s out of the DER that OpenSSL writes; empty if something is wrong with it.
std::string raw_signature(std::string_view der) {
  const auto* at = bytes_of(der);
  const pair_ptr pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string out(2 * half, '\0');
  if (!pair
      || BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), bytes_of(out), half) != static_cast<int>(half)
      || BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), bytes_of(out) + half, half)
             != static_cast<int>(half))
    return {};
  return out;
}

/// And back.
std::string der_signature(std::string_view raw) {
  const pair_ptr pair(ECDSA_SIG_new());
  number_ptr r(BN_bin2bn(bytes_of(raw), half, nullptr));
  number_ptr s(BN_bin2bn(bytes_of(raw.substr(half)), half, nullptr));
  if (!pair || !r || !s || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1)
    return {};
  static_cast<void>(r.release()); // the pair owns both now
  static_cast<void>(s.release());
  const int length = i2d_ECDSA_SIG(pair.get(), nullptr);
  if (length <= 0)
    return {};
  std::string out(static_cast<std::size_t>(length), '\0');
  auto* at = bytes_of(out);
  i2d_ECDSA_SIG(pair.get(), &at);
  return out;
}

} // namespace

digest sha256(std::string_view bytes) {
  digest out{};
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  return out;
}

bool equal_in_constant_time(const digest& a, const digest& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// -- verifying ------------------------------------------------------------------------------------

result<verifying_key> verifying_key::from_pem(std::string_view pem) {
  auto key = read_key(pem, &PEM_read_bio_PUBKEY);
  if (!key)
    return make_error(errc::invalid_params,
                      "not a public key in PEM of P-256, RSA (2048 bits or more) or Ed25519 "
                      "(openssl pkey -in key.pem -pubout)");
  return verifying_key(std::move(key));
}

std::string_view verifying_key::algorithm() const noexcept {
  return algorithm_of(as_key(key_));
}

bool verifying_key::verify(std::string_view bytes, std::string_view signature) const {
  const bool is_pair = algorithm() == es256;
  if (is_pair && signature.size() != 2 * half)
    return false;
  const auto given = is_pair ? der_signature(signature) : std::string(signature);
  const digest_context_ptr context(EVP_MD_CTX_new());
  const bool good = !given.empty() && context
                    && EVP_DigestVerifyInit(context.get(), nullptr, digest_of(as_key(key_)),
                                            nullptr, as_key(key_))
                           == 1
                    && EVP_DigestVerify(context.get(), bytes_of(given), given.size(),
                                        bytes_of(bytes), bytes.size())
                           == 1;
  ERR_clear_error();
  return good;
}

// -- signing --------------------------------------------------------------------------------------

result<signing_key> signing_key::from_pem(std::string_view pem) {
  auto key = read_key(pem, &PEM_read_bio_PrivateKey);
  if (!key)
    return make_error(
        errc::invalid_params,
        "not a private key in PEM without a passphrase, of P-256, RSA (2048 bits or more) or "
        "Ed25519 "
        "(openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem makes one)");
  return signing_key(std::move(key));
}

result<signing_key> signing_key::from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    return make_error(errc::unavailable, path + ": cannot be read");
  auto key = from_pem(text.str());
  if (!key)
    return make_error(key.error().code, path + ": " + key.error().message);
  return key;
}

std::string_view signing_key::algorithm() const noexcept {
  return algorithm_of(as_key(key_));
}

result<std::string> signing_key::sign(std::string_view bytes) const {
  const auto failed = [] {
    ERR_clear_error();
    return make_error(errc::internal, "OpenSSL could not sign");
  };
  const digest_context_ptr context(EVP_MD_CTX_new());
  std::size_t length = 0;
  if (!context
      || EVP_DigestSignInit(context.get(), nullptr, digest_of(as_key(key_)), nullptr, as_key(key_))
             != 1
      || EVP_DigestSign(context.get(), nullptr, &length, bytes_of(bytes), bytes.size()) != 1)
    return failed();
  std::string der(length, '\0');
  if (EVP_DigestSign(context.get(), bytes_of(der), &length, bytes_of(bytes), bytes.size()) != 1)
    return failed();
  der.resize(length);
  if (algorithm() != es256)
    return der;
  auto raw = raw_signature(der);
  if (raw.empty())
    return failed();
  return raw;
}

} // namespace troupe::net
