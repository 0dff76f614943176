// A2A 1.0: params of every method, in both bindings.
#include "protocol/a2a/codec_v1_0.hpp"
#include "tests/fuzz/a2a_params.hpp"

using namespace troupe;

namespace {

struct codec {
  static constexpr auto write = [](json_writer& out, const auto& value) {
    v1_0::write(out, value);
  };
  static constexpr auto read_message = [](const boost::json::value& from, id_source&) {
    return v1_0::read_message(from);
  };
  static constexpr auto read_send_params = [](const boost::json::value& from, id_source&) {
    return v1_0::read_send_params(from);
  };
  static constexpr auto read_part = v1_0::read_part;
  static constexpr auto read_artifact = v1_0::read_artifact;
  static constexpr auto read_get_task = v1_0::read_get_task;
  static constexpr auto read_list_tasks = v1_0::read_list_tasks;
  static constexpr auto read_cancel_task = v1_0::read_cancel_task;
  static constexpr auto read_subscribe = v1_0::read_subscribe;
  static constexpr auto read_create_push_config = v1_0::read_create_push_config;
  static constexpr auto read_get_push_config = v1_0::read_get_push_config;
  static constexpr auto read_list_push_configs = v1_0::read_list_push_configs;
  static constexpr auto read_delete_push_config = v1_0::read_delete_push_config;
  static constexpr auto state_name = v1_0::state_name;
  static bool may_round_trip(const std::vector<part>&) { return true; }
  static void drop_unwritten(message&) {}
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto params = fuzz::tree_from(fuzz::text_of(data, size)))
    fuzz::check_params<codec>(*params);
  return 0;
}
