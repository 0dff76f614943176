// A2A 0.3 over JSON-RPC: params of every method.
#include "protocol/a2a/codec_v0_3.hpp"
#include "tests/fuzz/a2a_params.hpp"

using namespace troupe;

namespace {

struct codec {
  static constexpr auto write = [](json_writer& out, const auto& value) {
    v0_3::write(out, value);
  };
  static constexpr auto read_message = [](const boost::json::value& from, id_source& ids) {
    return v0_3::read_message(from, ids);
  };
  /// With OPT active, so that a message may lack its id.
  static constexpr auto read_send_params = [](const boost::json::value& from, id_source& ids) {
    return v0_3::read_send_params(from, ids, true);
  };
  static constexpr auto read_part = v0_3::read_part;
  static constexpr auto read_artifact = v0_3::read_artifact;
  static constexpr auto read_get_task = v0_3::read_get_task;
  static constexpr auto read_list_tasks = v0_3::read_list_tasks;
  static constexpr auto read_cancel_task = v0_3::read_cancel_task;
  static constexpr auto read_subscribe = v0_3::read_subscribe;
  static constexpr auto read_create_push_config = v0_3::read_create_push_config;
  static constexpr auto read_get_push_config = v0_3::read_get_push_config;
  static constexpr auto read_list_push_configs = v0_3::read_list_push_configs;
  static constexpr auto read_delete_push_config = v0_3::read_delete_push_config;
  static constexpr auto state_name = v0_3::state_name;
  static bool may_round_trip(const std::vector<part>&) { return true; }
  static void drop_unwritten(message&) {}
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto params = fuzz::tree_from(fuzz::text_of(data, size)))
    fuzz::check_params<codec>(*params);
  return 0;
}
