// A program with a server in it: other programs give it work over A2A while it runs. With the word
// `once` it ends as soon as it listens. Prints where it listens.
#include <troupe/actors/gateway.hpp>
#include <troupe/agents/register_builtin.hpp>
#include <troupe/net/server.hpp>

#include <chrono>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
  troupe::agent_registry agents;
  troupe::builtin_agent_options builtin;
  builtin.command.reset(); // No client of this server runs programs.
  troupe::register_builtin_agents(agents, builtin);
  const auto store = troupe::make_memory_store();
  troupe::gateway gateway(*store, agents);
  gateway.start();

  troupe::server_options options;
  options.port = argc > 1 ? 0 : 8080; // 0: a free one
  troupe::server server(gateway, options);
  if (const auto port = server.start(); !port) {
    std::cerr << port.error().message << '\n';
    return 1;
  }
  std::cout << "serving at " << server.url() << std::endl;
  if (argc == 1 || std::string_view(argv[1]) != "once")
    std::cin.get(); // until Enter is pressed

  gateway.drain();
  server.drain(std::chrono::seconds{5});
}
