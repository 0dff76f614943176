// TLS on a descriptor, against a server of OpenSSL whose bytes the test hands over.
#include "client/tls_connection.hpp"
#include "client/tls_settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

struct tls_pair {
  explicit tls_pair(const std::string& host = "source.example") {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    const auto identity = make_test_certificate({"source.example"});
    context.use_certificate(asio::buffer(identity.certificate_pem), asio::ssl::context::pem);
    context.use_private_key(asio::buffer(identity.key_pem), asio::ssl::context::pem);
    server.reset(SSL_new(context.native_handle()));
    in = BIO_new(BIO_s_mem());
    out = BIO_new(BIO_s_mem());
    SSL_set_bio(server.get(), in, out);
    SSL_set_accept_state(server.get());
    trusting = make_tls({identity.certificate_pem, {}, {}}).value();
    client = tls_connection::make(*trusting, ends[0], host);
    REQUIRE(client != nullptr);
  }
  ~tls_pair() {
    ::close(ends[0]);
    hang_up();
  }

  void hang_up() {
    if (ends[1] >= 0)
      ::close(ends[1]);
    ends[1] = -1;
  }
  /// Until it has succeeded or failed.
  error_code shake_hands() {
    error_code failed = asio::error::would_block;
    for (int turn = 0; turn < 100 && failed == asio::error::would_block; ++turn) {
      client->shake_hands(failed);
      std::array<char, 4096> bytes{};
      for (ssize_t got = 0; (got = ::recv(ends[1], bytes.data(), bytes.size(), 0)) > 0;)
        BIO_write(in, bytes.data(), static_cast<int>(got));
      SSL_do_handshake(server.get());
      send(written());
    }
    return failed;
  }
  /// What the server has to send.
  std::string written() {
    std::string all(64 * 1024, '\0');
    const auto got = BIO_read(out, all.data(), static_cast<int>(all.size()));
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }
  void send(std::string_view bytes) const {
    REQUIRE(::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(bytes.size()));
  }
  std::string record_of(std::string_view text) {
    REQUIRE(SSL_write(server.get(), text.data(), static_cast<int>(text.size()))
            == static_cast<int>(text.size()));
    return written();
  }
  std::string read(error_code& failed) {
    std::array<char, 1024> bytes{};
    return {bytes.data(), client->read_some(bytes, failed)};
  }

  struct closer {
    void operator()(SSL* which) const noexcept { SSL_free(which); }
  };
  std::array<int, 2> ends{-1, -1};
  asio::ssl::context context{asio::ssl::context::tls_server};
  std::shared_ptr<asio::ssl::context> trusting;
  std::unique_ptr<SSL, closer> server;
  BIO* in = nullptr;
  BIO* out = nullptr;
  std::unique_ptr<tls_connection> client;
};

} // namespace

TEST_CASE("a record that comes in parts is waited for", "[client][tls]") {
  tls_pair pair;
  REQUIRE_FALSE(pair.shake_hands());
  error_code failed;
  const auto record = pair.record_of("hello");
  pair.send(std::string_view{record}.substr(0, 10));
  CHECK(pair.read(failed).empty());
  CHECK(failed == asio::error::would_block);
  CHECK_FALSE(pair.client->has_more()); // else its reader would try again and again
  pair.send(std::string_view{record}.substr(10));
  CHECK(pair.read(failed) == "hello");
  CHECK_FALSE(failed);
}

TEST_CASE("records that come at once are read one after the other", "[client][tls]") {
  tls_pair pair;
  REQUIRE_FALSE(pair.shake_hands());
  auto records = pair.record_of("one");
  records += pair.record_of("two");
  pair.send(records);
  error_code failed;
  CHECK(pair.read(failed) == "one");
  CHECK(pair.client->has_more());
  CHECK(pair.read(failed) == "two");
}

TEST_CASE("a connection that breaks is no end of what TLS carries", "[client][tls]") {
  tls_pair pair;
  REQUIRE_FALSE(pair.shake_hands());
  error_code failed;
  SECTION("without a word") {
    pair.hang_up();
    CHECK(pair.read(failed).empty());
    CHECK(failed == asio::ssl::error::stream_truncated);
    std::size_t written = 1;
    for (int tries = 0; tries < 1000 && (!failed || failed == asio::ssl::error::stream_truncated);
         ++tries)
      written = pair.client->write_some("more", failed); // no SIGPIPE
    CHECK(failed);
    CHECK(failed != asio::ssl::error::stream_truncated);
    CHECK(written == 0);
  }
  SECTION("with one") {
    SSL_shutdown(pair.server.get());
    pair.send(pair.written());
    CHECK(pair.read(failed).empty());
    CHECK(failed == asio::error::eof);
  }
}

TEST_CASE("a certificate of another name is refused", "[client][tls]") {
  for (const std::string host : {"other.example", "127.0.0.1"}) {
    tls_pair pair(host);
    CHECK(pair.shake_hands().category() == asio::error::get_ssl_category());
  }
}
