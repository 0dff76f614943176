#include "tests/support/push_receiver.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <stdexcept>

namespace troupe::testing {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr std::chrono::seconds patience{20};

std::string text_of(BIO* from) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(from, &data);
  return {data, static_cast<std::size_t>(size)};
}

void require(bool ok, const char* text) {
  if (!ok)
    throw std::runtime_error(text);
}

} // namespace

std::string answer_text(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

test_certificate make_test_certificate(const std::vector<std::string>& names) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), &X509_free);
  require(key && made, "no key");
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key.get());
  std::string list;
  for (const auto& each : names)
    list += (list.empty() ? "DNS:" : ",DNS:") + each;
  auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, list.c_str());
  require(extension != nullptr, "no extension");
  X509_add_ext(made.get(), extension, -1);
  X509_EXTENSION_free(extension);
  require(X509_sign(made.get(), key.get(), EVP_sha256()) > 0, "not signed");
  const auto bio = [] {
    return std::unique_ptr<BIO, int (*)(BIO*)>(BIO_new(BIO_s_mem()), &BIO_free);
  };
  const auto certificate = bio();
  const auto private_half = bio();
  const auto public_half = bio();
  PEM_write_bio_X509(certificate.get(), made.get());
  PEM_write_bio_PrivateKey(private_half.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_bio_PUBKEY(public_half.get(), key.get());
  return {text_of(certificate.get()), text_of(private_half.get()), text_of(public_half.get())};
}

push_receiver::push_receiver()
    : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  port_ = acceptor_.local_endpoint().port();
  acceptor_thread_ = std::thread([this] { accept_all(); });
}

push_receiver::push_receiver(const test_certificate& identity,
                             const std::string& trusted_clients_pem)
    : is_tls_(true), acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  tls_.use_certificate(asio::buffer(identity.certificate_pem), asio::ssl::context::pem);
  tls_.use_private_key(asio::buffer(identity.key_pem), asio::ssl::context::pem);
  if (!trusted_clients_pem.empty()) {
    tls_.add_certificate_authority(asio::buffer(trusted_clients_pem));
    tls_.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  }
  port_ = acceptor_.local_endpoint().port();
  acceptor_thread_ = std::thread([this] { accept_all(); });
}

push_receiver::~push_receiver() {
  {
    const std::lock_guard lock{guard_};
    closing_ = true;
    held_ = false;
    for (auto* each : open_) {
      boost::system::error_code ignored;
      each->shutdown(tcp::socket::shutdown_both, ignored);
    }
    changed_.notify_all();
  }
  tcp::socket knock(context_); // So that accept returns.
  boost::system::error_code ignored;
  knock.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port_), ignored);
  acceptor_thread_.join();
  for (auto& each : threads_)
    each.join();
}

std::string push_receiver::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

void push_receiver::accept_all() {
  for (;;) {
    auto socket = std::make_shared<tcp::socket>(context_);
    boost::system::error_code ec;
    acceptor_.accept(*socket, ec);
    const std::lock_guard lock{guard_};
    if (closing_ || ec)
      return;
    ++connections_;
    open_.push_back(socket.get());
    threads_.emplace_back([this, socket] {
      try {
        if (is_tls_) {
          asio::ssl::stream<tcp::socket&> stream(*socket, tls_);
          stream.handshake(asio::ssl::stream_base::server);
          serve(stream);
        } else {
          serve(*socket);
        }
      } catch (const std::exception&) { // The sender has gone; that is its right.
      }
      const std::lock_guard inner{guard_};
      std::erase(open_, socket.get());
      boost::system::error_code ignored;
      socket->close(ignored);
    });
  }
}

template<class Stream>
void push_receiver::serve(Stream& stream) {
  std::string input;
  for (;;) {
    const auto head_end = asio::read_until(stream, asio::dynamic_buffer(input), "\r\n\r\n");
    received_post received_post;
    std::string head = input.substr(0, head_end);
    input.erase(0, head_end);
    const auto line_end = head.find("\r\n");
    const auto line = head.substr(0, line_end);
    received_post.method = line.substr(0, line.find(' '));
    received_post.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
    for (auto at = line_end + 2; head.compare(at, 2, "\r\n") != 0;) {
      const auto end = head.find("\r\n", at);
      const auto colon = head.find(':', at);
      auto name = head.substr(at, colon - at);
      std::ranges::transform(name, name.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      received_post.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    const auto length =
        static_cast<std::size_t>(std::stoul("0" + received_post.header("content-length")));
    if (input.size() < length)
      asio::read(stream, asio::dynamic_buffer(input),
                 asio::transfer_exactly(length - input.size()));
    received_post.body = input.substr(0, length);
    input.erase(0, length);
    const auto answer = take_answer(std::move(received_post));
    if (answer.empty())
      return;
    asio::write(stream, asio::buffer(answer));
  }
}

std::string push_receiver::take_answer(received_post received_post) {
  std::unique_lock lock{guard_};
  const auto asked = received_post;
  received_.push_back(std::move(received_post));
  most_at_once_ = std::max(most_at_once_, ++at_once_);
  changed_.notify_all();
  static_cast<void>(changed_.wait_for(lock, std::chrono::minutes{2}, [&] { return !held_; }));
  --at_once_;
  if (const auto answer = answer_) {
    lock.unlock(); // it may ask what was received
    return answer(asked);
  }
  if (script_.empty())
    return answer_text(204);
  auto out = std::move(script_.front());
  script_.pop_front();
  return out;
}

void push_receiver::script(std::vector<std::string> answers) {
  const std::lock_guard lock{guard_};
  for (auto& each : answers)
    script_.push_back(std::move(each));
}

void push_receiver::answer_with(std::function<std::string(const received_post&)> answer) {
  const std::lock_guard lock{guard_};
  answer_ = std::move(answer);
}

void push_receiver::hold() {
  const std::lock_guard lock{guard_};
  held_ = true;
}

void push_receiver::release() {
  const std::lock_guard lock{guard_};
  held_ = false;
  changed_.notify_all();
}

std::vector<received_post> push_receiver::wait_for(std::size_t count) {
  std::unique_lock lock{guard_};
  if (!changed_.wait_for(lock, patience, [&] { return received_.size() >= count; }))
    throw std::runtime_error("only " + std::to_string(received_.size()) + " of "
                             + std::to_string(count) + " notifications came");
  return received_;
}

std::vector<received_post> push_receiver::received() const {
  const std::lock_guard lock{guard_};
  return received_;
}

std::size_t push_receiver::connections() const {
  const std::lock_guard lock{guard_};
  return connections_;
}

std::size_t push_receiver::most_at_once() const {
  const std::lock_guard lock{guard_};
  return most_at_once_;
}

} // namespace troupe::testing
