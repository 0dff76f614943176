#include "net/wire_codec.hpp"

#include "protocol/codec_v0_3.hpp"
#include "protocol/codec_v0_3_rest.hpp"
#include "protocol/codec_v1_0.hpp"
#include "protocol/errc_wire.hpp"

namespace troupe::net {

namespace {

using boost::json::value;

class wire_codec_1_0 final : public wire_codec {
public:
  result<send_request> read_send(const value& from) const override { return v1_0::read_send_params(from); }
  result<get_task> read_get_task(const value& from) const override { return v1_0::read_get_task(from); }
  result<list_tasks> read_list_tasks(const value& from) const override { return v1_0::read_list_tasks(from); }
  result<cancel_task> read_cancel_task(const value& from) const override { return v1_0::read_cancel_task(from); }
  result<subscribe_to_task> read_subscribe(const value& from) const override { return v1_0::read_subscribe(from); }
  result<create_push_config> read_create_push(const value& from) const override {
    return v1_0::read_create_push_config(from);
  }
  result<get_push_config> read_get_push(const value& from) const override { return v1_0::read_get_push_config(from); }
  result<list_push_configs> read_list_push(const value& from) const override {
    return v1_0::read_list_push_configs(from);
  }
  result<delete_push_config> read_delete_push(const value& from) const override {
    return v1_0::read_delete_push_config(from);
  }

  void write_task(json_writer& out, const task& what, const task_view_options& view) const override {
    v1_0::write(out, what, view);
  }
  void write_sent(json_writer& out, const task& what, const task_view_options& view,
                  const objective_view* beside) const override {
    v1_0::write_sent(out, what, view, beside);
  }
  void write_answer(json_writer& out, const message& what) const override { v1_0::write_answer(out, what); }
  void write_task_list(json_writer& out, const task_page& page, const list_tasks& query) const override {
    v1_0::write_task_list(out, page.tasks, page.next_page_token, query.page_size, page.total_size, query.view);
  }
  void write_push(json_writer& out, const push_config& what) const override { v1_0::write(out, what); }
  void write_push_list(json_writer& out, std::span<const push_config> all, std::string_view next) const override {
    v1_0::write_push_config_list(out, all, next);
  }
  void write_push_deleted(json_writer& out) const override { out.begin_object().end_object(); }
  void write_snapshot(json_writer& out, const task& what, const task_view_options& view) const override {
    v1_0::write_sent(out, what, view);
  }
  bool write_event(json_writer& out, const change& where, const event& what, const stream_mark& mark) const override {
    return v1_0::write_stream_event(out, where, what, mark);
  }

  void write_rpc_error(json_writer& out, const error& what, timestamp at) const override {
    write_jsonrpc_error(out, what, at);
  }
  void write_rest_error(json_writer& out, const error& what, timestamp at) const override {
    troupe::write_rest_error(out, what, at);
  }

  card_shape extended_card_shape() const noexcept override { return card_shape::pure_1_0; }
  bool refuses_subscribing_to_terminal() const noexcept override { return true; }
  bool refuses_repeated_cancel() const noexcept override { return false; }
};

/// What both bindings of 0.3 have in common.
class wire_codec_0_3_base : public wire_codec {
public:
  void write_rpc_error(json_writer& out, const error& what, timestamp) const override {
    write_jsonrpc_error_0_3(out, what);
  }
  void write_rest_error(json_writer& out, const error& what, timestamp at) const override {
    write_rest_error_0_3(out, what, at);
  }

  card_shape extended_card_shape() const noexcept override { return card_shape::pure_0_3; }
  bool refuses_subscribing_to_terminal() const noexcept override { return false; }
  bool refuses_repeated_cancel() const noexcept override { return true; }
};

class wire_codec_0_3 final : public wire_codec_0_3_base {
public:
  result<send_request> read_send(const value& from) const override {
    return v0_3::read_send_params(from, thread_id_source());
  }
  result<get_task> read_get_task(const value& from) const override { return v0_3::read_get_task(from); }
  result<list_tasks> read_list_tasks(const value& from) const override { return v0_3::read_list_tasks(from); }
  result<cancel_task> read_cancel_task(const value& from) const override { return v0_3::read_cancel_task(from); }
  result<subscribe_to_task> read_subscribe(const value& from) const override { return v0_3::read_subscribe(from); }
  result<create_push_config> read_create_push(const value& from) const override {
    return v0_3::read_create_push_config(from);
  }
  result<get_push_config> read_get_push(const value& from) const override { return v0_3::read_get_push_config(from); }
  result<list_push_configs> read_list_push(const value& from) const override {
    return v0_3::read_list_push_configs(from);
  }
  result<delete_push_config> read_delete_push(const value& from) const override {
    return v0_3::read_delete_push_config(from);
  }

  void write_task(json_writer& out, const task& what, const task_view_options& view) const override {
    v0_3::write(out, what, view);
  }
  void write_sent(json_writer& out, const task& what, const task_view_options& view,
                  const objective_view* beside) const override {
    v0_3::write_sent(out, what, view, beside);
  }
  void write_answer(json_writer& out, const message& what) const override { v0_3::write(out, what); }
  void write_task_list(json_writer& out, const task_page& page, const list_tasks& query) const override {
    v0_3::write_task_list(out, page.tasks, page.next_page_token, query.page_size, page.total_size, query.view);
  }
  void write_push(json_writer& out, const push_config& what) const override { v0_3::write(out, what); }
  void write_push_list(json_writer& out, std::span<const push_config> all, std::string_view) const override {
    v0_3::write_push_config_list(out, all);
  }
  void write_push_deleted(json_writer& out) const override { out.null(); }
  void write_snapshot(json_writer& out, const task& what, const task_view_options& view) const override {
    v0_3::write(out, what, view);
  }
  bool write_event(json_writer& out, const change& where, const event& what, const stream_mark& mark) const override {
    return v0_3::write_stream_event(out, where, what, mark);
  }
};

class wire_codec_0_3_rest final : public wire_codec_0_3_base {
public:
  result<send_request> read_send(const value& from) const override {
    return v0_3_rest::read_send_params(from, thread_id_source());
  }
  result<get_task> read_get_task(const value& from) const override { return v0_3_rest::read_get_task(from); }
  result<list_tasks> read_list_tasks(const value& from) const override { return v0_3_rest::read_list_tasks(from); }
  result<cancel_task> read_cancel_task(const value& from) const override { return v0_3_rest::read_cancel_task(from); }
  result<subscribe_to_task> read_subscribe(const value& from) const override { return v0_3_rest::read_subscribe(from); }
  result<create_push_config> read_create_push(const value& from) const override {
    return v0_3_rest::read_create_push_config(from);
  }
  result<get_push_config> read_get_push(const value& from) const override {
    return v0_3_rest::read_get_push_config(from);
  }
  result<list_push_configs> read_list_push(const value& from) const override {
    return v0_3_rest::read_list_push_configs(from);
  }
  result<delete_push_config> read_delete_push(const value& from) const override {
    return v0_3_rest::read_delete_push_config(from);
  }

  void write_task(json_writer& out, const task& what, const task_view_options& view) const override {
    v0_3_rest::write(out, what, view);
  }
  void write_sent(json_writer& out, const task& what, const task_view_options& view,
                  const objective_view* beside) const override {
    v0_3_rest::write_sent(out, what, view, beside);
  }
  void write_answer(json_writer& out, const message& what) const override { v0_3_rest::write_answer(out, what); }
  void write_task_list(json_writer& out, const task_page& page, const list_tasks& query) const override {
    v0_3_rest::write_task_list(out, page.tasks, page.next_page_token, query.page_size, page.total_size, query.view);
  }
  void write_push(json_writer& out, const push_config& what) const override { v0_3_rest::write(out, what); }
  void write_push_list(json_writer& out, std::span<const push_config> all, std::string_view next) const override {
    v0_3_rest::write_push_config_list(out, all, next);
  }
  void write_push_deleted(json_writer& out) const override { out.begin_object().end_object(); }
  void write_snapshot(json_writer& out, const task& what, const task_view_options& view) const override {
    v0_3_rest::write_sent(out, what, view);
  }
  bool write_event(json_writer& out, const change& where, const event& what, const stream_mark& mark) const override {
    return v0_3_rest::write_stream_event(out, where, what, mark);
  }
  card_shape extended_card_shape() const noexcept override { return card_shape::rest_0_3; }
};

} // namespace

const wire_codec& codec_1_0() noexcept {
  static const wire_codec_1_0 codec;
  return codec;
}

const wire_codec& codec_0_3() noexcept {
  static const wire_codec_0_3 codec;
  return codec;
}

const wire_codec& codec_0_3_rest() noexcept {
  static const wire_codec_0_3_rest codec;
  return codec;
}

const wire_codec& codec_of(asked_version version) noexcept {
  return version == asked_version::absent || version == asked_version::v0_3 ? codec_0_3() : codec_1_0();
}

} // namespace troupe::net
