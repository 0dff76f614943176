// Somebody else: another principal than that of the clients. The wire knows only one (there is no
// authentication yet), so the stranger asks the service behind the bindings. Nothing of the clients
// may come to the stranger, and nothing of the stranger's to them; each has its mark.
#pragma once

#include <functional>
#include <string>

#include "sim/world.hpp"

namespace troupe {
class gateway;
class service;
} // namespace troupe

namespace troupe::sim {

class server;

class stranger {
public:
  /// `server_now`: the server that runs; null: none does.
  stranger(world& in, std::function<server*()> server_now);
  /// Asks now and then, until the world is calm.
  void begin();
  /// Cancels what the stranger has, until all of it has ended.
  void end();

private:
  void ask(const service& of);
  void list(const service& of);
  void send(gateway& to);
  void cancel_all(const service& of, std::string page_token);
  void tell(std::string asked, std::string id, std::string got);

  world& in_;
  std::function<server*()> server_now_;
  dice chance_;
  std::size_t sent_ = 0;
};

} // namespace troupe::sim
