#include "tests/net/net_bed.hpp"

#include <troupe/agents/register_builtin.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace troupe::testing {

namespace json = boost::json;

namespace {

/// Tells the test what it hears, and stops when it is told to.
class puppet_run final : public agent_run {
public:
  explicit puppet_run(puppet_agent& owner) : owner_(owner) {}
  void on_input(const message_ptr& input) override { owner_.note_input(text_of(input->parts)); }
  bool on_cancel() override { return true; }

private:
  puppet_agent& owner_;
};

} // namespace

start_result puppet_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  const std::lock_guard guard(lock_);
  orders_.push_back(order);
  ports_.push_back(port);
  more_.notify_all();
  return std::make_unique<puppet_run>(*this);
}

agent_port_ptr puppet_agent::port(std::size_t index) {
  std::unique_lock guard(lock_);
  if (!more_.wait_for(guard, std::chrono::seconds(20), [&] { return ports_.size() > index; }))
    throw std::runtime_error("no such task of the puppet began");
  return ports_[index];
}

order_ptr puppet_agent::asked(std::size_t index) {
  static_cast<void>(port(index));
  const std::lock_guard guard(lock_);
  return orders_[index];
}

std::string puppet_agent::input(std::size_t index) {
  std::unique_lock guard(lock_);
  if (!more_.wait_for(guard, std::chrono::seconds(20), [&] { return inputs_.size() > index; }))
    throw std::runtime_error("no such input arrived");
  return inputs_[index];
}

void puppet_agent::note_input(std::string text) {
  const std::lock_guard guard(lock_);
  inputs_.push_back(std::move(text));
  more_.notify_all();
}

net_bed::net_bed(server_options options, const std::string& default_agent,
                 std::unique_ptr<store> keeps, executor_options how,
                 const std::function<void(net_bed&)>& add_more)
    : records(keeps ? std::move(keeps) : make_memory_store()),
      puppet(std::make_shared<puppet_agent>()) {
  const auto left = records->recover().value();
  register_builtin_agents(agents, {.command = std::nullopt, .conformance = true});
  agents.add("puppet", puppet);
  if (add_more)
    add_more(*this);
  agents.default_agent = default_agent;
  how.threads = 2;
  main_gateway = std::make_unique<gateway>(*records, agents, how);
  main_gateway->start();
  main_gateway->resume(left);
  options.port = 0;
  if (options.threads == 0)
    options.threads = 2;
  web = std::make_unique<server>(*main_gateway, options);
  port = web->start().value();
}

json::value net_bed::call(std::string_view body, std::string_view headers) const {
  auto client = connect();
  const auto answer = client.post(body, headers);
  if (answer.status != 200)
    throw std::runtime_error("status " + std::to_string(answer.status) + ": " + answer.body);
  return json::parse(answer.body);
}

json::value net_bed::result_of(std::string_view method, std::string_view params) const {
  const auto answer = call(rpc(method, params));
  if (answer.as_object().contains("error"))
    throw std::runtime_error(json::serialize(answer));
  return answer.at("result");
}

json::value net_bed::error_of(std::string_view method, std::string_view params) const {
  const auto answer = call(rpc(method, params));
  if (!answer.as_object().contains("error"))
    throw std::runtime_error("no error: " + json::serialize(answer));
  return answer.at("error");
}

std::string rpc(std::string_view method, std::string_view params, std::string_view id) {
  std::string out(R"({"jsonrpc":"2.0","id":)");
  out.append(id)
      .append(R"(,"method":")")
      .append(method)
      .append(R"(","params":)")
      .append(params)
      .append("}");
  return out;
}

std::string text_message(std::string_view text, std::string_view more_in_message,
                         std::string_view more_in_params) {
  std::string out(R"({"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":")");
  out.append(text)
      .append(R"("}])")
      .append(more_in_message)
      .append("}")
      .append(more_in_params)
      .append("}");
  return out;
}

std::string at(const json::value& value, std::string_view path) {
  boost::system::error_code ec;
  const auto* found = value.find_pointer({path.data(), path.size()}, ec);
  if (found == nullptr)
    return "(none)";
  return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

} // namespace troupe::testing
