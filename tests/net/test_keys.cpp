#include "tests/net/test_keys.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

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

} // namespace

key_pair make_key_pair(const char* group) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen(group), &EVP_PKEY_free);
  if (!key)
    throw std::runtime_error("OpenSSL could not make a key");
  return {written([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          written([&](BIO* to) { return PEM_write_bio_PUBKEY(to, key.get()); })};
}

} // namespace troupe::testing
