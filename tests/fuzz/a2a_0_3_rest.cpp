// A2A 0.3 over REST: params as the router merges them.
#include "protocol/a2a/codec_v0_3_rest.hpp"
#include "protocol/json/base64.hpp"
#include "tests/fuzz/a2a_params.hpp"

#include <algorithm>

using namespace troupe;

namespace {

struct codec {
  static constexpr auto write = [](json_writer& out, const auto& value) {
    v0_3_rest::write(out, value);
  };
  static constexpr auto read_message = [](const boost::json::value& from, id_source& ids) {
    return v0_3_rest::read_message(from, ids);
  };
  /// With OPT active, so that a message may lack its id.
  static constexpr auto read_send_params = [](const boost::json::value& from, id_source& ids) {
    return v0_3_rest::read_send_params(from, ids, true);
  };
  static constexpr auto read_part = v0_3_rest::read_part;
  static constexpr auto read_artifact = v0_3_rest::read_artifact;
  static constexpr auto read_get_task = v0_3_rest::read_get_task;
  static constexpr auto read_list_tasks = v0_3_rest::read_list_tasks;
  static constexpr auto read_cancel_task = v0_3_rest::read_cancel_task;
  static constexpr auto read_subscribe = v0_3_rest::read_subscribe;
  static constexpr auto read_create_push_config = v0_3_rest::read_create_push_config;
  static constexpr auto read_get_push_config = v0_3_rest::read_get_push_config;
  static constexpr auto read_list_push_configs = v0_3_rest::read_list_push_configs;
  static constexpr auto read_delete_push_config = v0_3_rest::read_delete_push_config;
  static constexpr auto state_name = v0_3_rest::state_name;
  /// Bytes that look like base64 would be taken for bytes that were encoded twice.
  static bool may_round_trip(const std::vector<part>& parts) {
    return std::none_of(parts.begin(), parts.end(), [](const part& piece) {
      const auto* raw = std::get_if<raw_content>(&piece.content);
      const auto inner = raw ? from_base64(raw->bytes) : std::nullopt;
      return inner && to_base64(*inner) == raw->bytes;
    });
  }
  static void drop_unwritten(message& spoken) { spoken.reference_task_ids.clear(); }
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto params = fuzz::tree_from(fuzz::text_of(data, size)))
    fuzz::check_params<codec>(*params);
  return 0;
}
