// Keys made for one test: no private key stands in the tree. PEM as `openssl genpkey` and `openssl
// pkey -pubout` write it.
#pragma once

#include <string>

namespace troupe::testing {

struct key_pair {
  std::string private_pem;
  std::string public_pem;
};

/// `group`: a curve by OpenSSL's name.
[[nodiscard]] key_pair make_key_pair(const char* group = "P-256");
[[nodiscard]] key_pair make_rsa_key_pair(unsigned bits = 2048);
[[nodiscard]] key_pair make_ed25519_key_pair();

} // namespace troupe::testing
