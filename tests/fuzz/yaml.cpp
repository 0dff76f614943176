// Plans in YAML. A text that is accepted gives a value that reads back the same from JSON, which is
// YAML, too; and every value has a line.
#include "apps/plan/yaml.hpp"

#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/serialize.hpp>

using namespace troupe;

// libfyaml 0.7.12 loses a block of its own after some mistakes in flow style.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfyaml\n";
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto read = read_yaml(text);
  if (!read) {
    fuzz::demand(read.error().code != errc::none && !read.error().message.empty(),
                 "an error without code or words");
    return 0;
  }
  fuzz::demand(line_of_yaml(text, "") > 0, "a value without a line");
  const auto json = boost::json::serialize(*read);
  const auto back = read_yaml(json);
  fuzz::demand(back.has_value(), "what was written is refused", json,
               back ? "" : back.error().message);
  fuzz::demand(*back == *read, "read back otherwise", json, boost::json::serialize(*back));
  return 0;
}
