#include "apps/serve/welcome.hpp"

namespace troupe {

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

std::string exposure_warning(std::string_view address, bool commands_allowed) {
  return "everybody who reaches " + std::string(address)
         + " may use this server: it does not ask who they are"
         + (commands_allowed ? ", and they may run any program as its user" : "")
         + "; listen on 127.0.0.1, or behind a proxy that authenticates (docs/a2a.md)";
}

std::string welcome_text(std::string_view version, std::string_view url) {
  const std::string at(url);
  return "Troupe " + std::string(version) + " listens on " + at
         + "\nIts records are in memory: they end with it (Ctrl-C).\n"
           "Try this in another terminal:\n\n"
           "  export TROUPE_SERVER="
         + at
         + "\n"
           "  troupe send \"Hello\"      # streams the answer\n"
           "  troupe agent             # what the server says about itself\n"
           "  troupe init && troupe submit plan.yaml --watch   # runs a plan there\n"
           "  troupe ls; troupe show @last; troupe logs @last\n\n"
           "  curl -sN "
         + at
         + " \\\n"
           "    -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' -d '{\n"
           "    \"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"SendStreamingMessage\",\n"
           "    \"params\": {\"message\": {\"messageId\": \"m1\", \"role\": \"ROLE_USER\",\n"
           "      \"parts\": [{\"text\": \"Hello\"}]}}}'\n"
           "  curl -s "
         + at
         + ".well-known/agent-card.json\n"
           "  curl -s "
         + at + "readyz\n\n";
}

} // namespace troupe
