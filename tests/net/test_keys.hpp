// Keys made for one test: no private key stands in the tree. PEM as `openssl genpkey` and `openssl pkey -pubout` write
// it.
#pragma once

#include <string>

namespace troupe::testing {

struct key_pair {
  std::string private_pem;
  std::string public_pem;
};

/// `group`: a curve by OpenSSL's name.
[[nodiscard]] key_pair make_key_pair(const char* group = "P-256");

/// A file with `text` that goes with the value.
class temporary_file {
public:
  explicit temporary_file(const std::string& text);
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

} // namespace troupe::testing
