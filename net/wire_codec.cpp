#include "net/wire_codec.hpp"

#include "protocol/codec_opt.hpp"
#include "protocol/codec_v1_0.hpp"
#include "protocol/errc_wire.hpp"

#include <utility>

namespace troupe::net {

namespace {

class wire_codec_1_0 final : public wire_codec {
public:
  result<send_request> read_send(const boost::json::value& params) const override {
    auto read = v1_0::read_send_params(params);
    if (!read)
      return read.error();
    return send_request{std::move(read->command), read->return_immediately, read->history_length,
                        read->push.has_value()};
  }

  result<get_task> read_get_task(const boost::json::value& params) const override {
    return v1_0::read_get_task(params);
  }

  result<list_tasks> read_list_tasks(const boost::json::value& params) const override {
    return v1_0::read_list_tasks(params);
  }

  result<cancel_task> read_cancel_task(const boost::json::value& params) const override {
    return v1_0::read_cancel_task(params);
  }

  result<subscribe_to_task> read_subscribe(const boost::json::value& params) const override {
    return v1_0::read_subscribe(params);
  }

  void write_task(json_writer& out, const task& value, const task_view_options& view) const override {
    v1_0::write(out, value, view);
  }

  void write_sent(json_writer& out, const task& value, const task_view_options& view,
                  const objective_view* beside) const override {
    out.begin_object().key("task");
    v1_0::write(out, value, view);
    if (beside != nullptr) {
      out.key("objective");
      opt::write(out, *beside, true, true);
    }
    out.end_object();
  }

  void write_task_list(json_writer& out, const task_page& page, const list_tasks& query) const override {
    v1_0::write_task_list(out, page.tasks, page.next_page_token, query.page_size, page.total_size, query.view);
  }

  void write_snapshot(json_writer& out, const task& value) const override {
    out.begin_object().key("task");
    v1_0::write(out, value);
    out.end_object();
  }

  bool write_event(json_writer& out, const change& where, const event& what, bool) const override {
    return v1_0::write_stream_event(out, where, what);
  }

  void write_rpc_error(json_writer& out, const error& what, timestamp at) const override {
    write_jsonrpc_error(out, what, at);
  }

  void write_rest_error(json_writer& out, const error& what, timestamp at) const override {
    troupe::write_rest_error(out, what, at);
  }

  bool refuses_subscribing_to_terminal() const noexcept override { return true; }
  bool refuses_repeated_cancel() const noexcept override { return false; }
};

} // namespace

const wire_codec& codec_1_0() noexcept {
  static const wire_codec_1_0 codec;
  return codec;
}

const wire_codec& codec_0_3() noexcept {
  return codec_1_0();
}

const wire_codec& codec_0_3_rest() noexcept {
  return codec_1_0();
}

const wire_codec& codec_of(asked_version version) noexcept {
  return version == asked_version::absent || version == asked_version::v0_3 ? codec_0_3() : codec_1_0();
}

} // namespace troupe::net
