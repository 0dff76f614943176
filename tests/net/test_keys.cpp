#include "tests/net/test_keys.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>
#include <stdexcept>

namespace troupe::testing {

namespace {

template<class Write>
std::string written(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> to(BIO_new(BIO_s_mem()), &BIO_free_all);
  char* text = nullptr;
  if (!to || write(to.get()) != 1)
    throw std::runtime_error("OpenSSL could not write a key");
  const auto length = BIO_get_mem_data(to.get(), &text);
  return std::string(text, static_cast<std::size_t>(length));
}

key_pair pair_of(EVP_PKEY* made) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(made, &EVP_PKEY_free);
  if (!key)
    throw std::runtime_error("OpenSSL could not make a key");
  return {written([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          written([&](BIO* to) { return PEM_write_bio_PUBKEY(to, key.get()); })};
}

} // namespace

key_pair make_key_pair(const char* group) {
  return pair_of(EVP_EC_gen(group));
}

key_pair make_rsa_key_pair(unsigned bits) {
  return pair_of(EVP_RSA_gen(bits));
}

key_pair make_ed25519_key_pair() {
  return pair_of(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
}

} // namespace troupe::testing
