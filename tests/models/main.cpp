// The model server of the tests as a program, to try settings with: `troupe_model_server PORT
// [SEED]`. It ends with its standard input.
#include "tests/models/model_server.hpp"

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::cerr << "usage: troupe_model_server PORT [SEED]\nmodels:";
    for (const auto each : troupe::testing::behaviour_names())
      std::cerr << ' ' << each;
    std::cerr << '\n';
    return 2;
  }
  try {
    const auto port = static_cast<std::uint16_t>(std::stoul(words[1]));
    const std::uint64_t seed = count == 3 ? std::stoull(words[2]) : 1;
    const troupe::testing::model_server server(seed, port);
    std::cout << server.url() << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
    }
  } catch (const std::exception& why) {
    std::cerr << why.what() << '\n';
    return 1;
  }
}
