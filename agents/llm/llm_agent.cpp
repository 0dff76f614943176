#include "agents/llm/llm_agent.hpp"

#include "agents/llm/conversation.hpp"
#include "agents/llm/llm_prompt.hpp"
#include "agents/overloaded.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace troupe {

namespace {

/// What a model is told is there three times while it is asked: as the beginning of the
/// conversation, as a request, and as the body of one.
constexpr std::size_t told_copies = 3;

/// The share of an attempt in a budget, which it keeps alive.
struct told_charge {
  memory_budget_ptr budget;
  memory_charge bytes;
};

std::size_t told_bytes_of(const std::vector<models::chat_message>& all) noexcept {
  std::size_t out = 0;
  for (const auto& each : all)
    out += each.content.size();
  return out;
}

/// Carries out what a conversation decides. On the loop, after its construction.
class conversation_driver : public std::enable_shared_from_this<conversation_driver> {
public:
  struct setting {
    models::model_client* models;
    const models::model_settings* model;
    models::call_account account;
    agent_port_ptr port;
    models::spending spent_before;
    std::shared_ptr<const told_charge> told; ///< Null: it is not counted.
  };

  conversation_driver(setting given, conversation course)
      : given_(std::move(given)), course_(std::move(course)) {}

  void begin() {
    if (given_.spent_before != models::spending{})
      given_.models->add_spending(*given_.model, given_.account, given_.spent_before);
    carry_out(course_.begin());
  }
  void on_noted() { carry_out(course_.on_noted()); }
  void on_changed(const change_outcome& outcome) { carry_out(course_.on_changed(outcome)); }
  void on_answered(const message& answer) { carry_out(course_.on_answered(answer)); }
  void on_said(const message& said) { course_.on_said(said); }
  void on_unanswered(const std::string& key, question_end how) {
    carry_out(course_.on_unanswered(key, how));
  }
  /// What the call that is under way has used; from any thread.
  [[nodiscard]] std::optional<message> unreported() const {
    const auto cost = meter_->so_far();
    if (cost.tries == 0)
      return std::nullopt;
    return message_about_call(given_.model->name, cost,
                              std::string(to_string(models::failure_kind::canceled)));
  }
  /// Nobody listens any more: the connection is closed.
  void drop() {
    is_dropped_ = true;
    call_.reset();
    timer_.reset();
  }

private:
  void carry_out(llm_steps steps) {
    if (is_dropped_)
      return;
    for (auto& each : steps)
      std::visit(overloaded{
                     [&](llm_ask& it) { ask(std::move(it.request)); },
                     [&](llm_keep& it) {
                       given_.port->report(report_note{std::move(it.note), true});
                     },
                     [&](llm_wait& it) { wait(it.until); },
                     [&](llm_report& it) { given_.port->report(std::move(it.report)); },
                     [&](llm_end&) { drop(); },
                 },
                 each);
  }

  void ask(models::chat_request request) {
    models::call_listener to;
    to.on_text = [this](std::string_view text) {
      carry_out(course_.on_text(given_.models->now(), text));
    };
    to.on_retry = [this](const models::model_failure&, std::chrono::milliseconds) {
      course_.on_retry();
    };
    to.on_end = [this, self = shared_from_this()](const models::call_outcome& outcome) {
      carry_out(course_.on_answer(given_.models->now(), outcome));
      meter_->clear();
    };
    to.meter = meter_;
    call_ = given_.models->ask(*given_.model, std::move(request), given_.account, std::move(to));
  }

  void wait(time_source::steady_point until) {
    const auto left =
        std::max(until - given_.models->now(), std::chrono::steady_clock::duration::zero());
    timer_ =
        given_.models->after(left, [this] { carry_out(course_.on_time(given_.models->now())); });
  }

  const setting given_;
  conversation course_;
  const std::shared_ptr<models::call_meter> meter_ = std::make_shared<models::call_meter>();
  bool is_dropped_ = false;
  models::call_handle call_;
  models::call_handle timer_;
};

class llm_run final : public agent_run {
public:
  llm_run(std::shared_ptr<models::model_client> models, std::shared_ptr<conversation_driver> driver)
      : models_(std::move(models)), driver_(std::move(driver)) {
    tell([](conversation_driver& to) { to.begin(); });
  }
  ~llm_run() override {
    tell([](conversation_driver& to) { to.drop(); });
  }

  void on_input(const message_ptr& input) override {
    tell([input](conversation_driver& to) { to.on_said(*input); });
  }
  void on_answer(const message_ptr& answer) override {
    tell([answer](conversation_driver& to) { to.on_answered(*answer); });
  }
  bool on_question_ended(const std::string& key, question_end how) override {
    tell([key, how](conversation_driver& to) { to.on_unanswered(key, how); });
    return true; // the model is told
  }
  [[nodiscard]] std::optional<message> unreported() const override { return driver_->unreported(); }
  void on_noted() override {
    tell([](conversation_driver& to) { to.on_noted(); });
  }
  void on_changed(const change_outcome& outcome) override {
    tell([outcome](conversation_driver& to) { to.on_changed(outcome); });
  }

private:
  template<class Step>
  void tell(Step step) {
    models_->post([to = driver_, step = std::move(step)] { step(*to); });
  }

  std::shared_ptr<models::model_client> models_;
  std::shared_ptr<conversation_driver> driver_;
};

} // namespace

result<const models::model_settings*> llm_agent::model_of(const std::string& name) const {
  if (options_.no_models.code != errc::none)
    return options_.no_models;
  const auto names = options_.models ? options_.models->names() : std::vector<std::string>{};
  if (names.empty())
    return input_error("/model", "there is no model: name one in the configuration, as "
                                 "[models.NAME] in docs/models.md");
  auto wanted = name.empty() ? options_.default_model : name;
  if (wanted.empty() && names.size() == 1)
    wanted = names.front();
  if (wanted.empty())
    return input_error("/model",
                       "is missing, and there are several models: " + listed_names(names));
  if (const auto* found = options_.models->find(wanted))
    return found;
  const std::vector<std::string_view> known(names.begin(), names.end());
  return input_error("/model",
                     "names no model: " + troupe::quoted(wanted, 64) + did_you_mean(wanted, known));
}

start_result llm_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  auto input = read_llm_input(order->input.resolve(), input_stage::resolved);
  if (!input)
    return input_failure(input.error());
  const auto model = model_of(input->model);
  if (!model)
    return input_failure(model.error());
  llm_note note;
  if (is_llm_note(order->note)) {
    auto read = read_llm_note(order->note);
    if (!read)
      return report_failed{read.error().message, false};
    note = std::move(*read);
  }
  // The record knows of earlier attempts, the note of a call that ended just before the process.
  const auto& used = order->used;
  const models::spending spent_before{
      std::max(note.spent.tokens, used.prompt_tokens + used.answer_tokens),
      std::max(note.spent.cost, static_cast<models::money>(used.cost_millionths)),
      std::max(note.spent.time,
               std::chrono::milliseconds{static_cast<std::int64_t>(used.milliseconds)})};
  if (note.turns.empty()) // it begins, or begins anew
    note.begun_with = note.inputs = static_cast<std::uint32_t>(order->messages.size());
  const auto known = std::min<std::size_t>(note.inputs, order->messages.size());
  std::vector<message_ptr> later(order->messages.begin() + static_cast<std::ptrdiff_t>(known),
                                 order->messages.end());
  const auto mark = thread_id_source().next("material");
  auto first = first_messages(*order, *input, note.begun_with, mark);
  std::shared_ptr<told_charge> told;
  if (options_.memory) {
    const auto bytes = told_copies * told_bytes_of(first);
    told = std::make_shared<told_charge>(told_charge{
        options_.memory, memory_charge::take(*options_.memory, memory_account::live_work, bytes)});
    if (!told->bytes)
      return report_failed{"the model " + (*model)->name + " was not asked: "
                           + options_.memory->refusal(memory_account::live_work, bytes).message};
  }
  conversation course({(*model)->name,
                       {input->tools, input->agents, input->approved},
                       input->schema,
                       input->rounds_max,
                       mark,
                       input->settings},
                      std::move(first), std::move(note), std::move(later));
  auto driver = std::make_shared<conversation_driver>(
      conversation_driver::setting{options_.models.get(),
                                   *model,
                                   {order->id.str(), order->context},
                                   port,
                                   spent_before,
                                   std::move(told)},
      std::move(course));
  if (options_.starts_client)
    options_.models->start();
  return std::make_unique<llm_run>(options_.models, std::move(driver));
}

bool llm_agent::goes_on(const std::string& note) const {
  return is_llm_note(note);
}

result<void> llm_agent::check_input(const boost::json::object& input) const {
  const auto read = read_llm_input(input, input_stage::written);
  if (!read)
    return read.error();
  if (const auto model = model_of(read->model); !model)
    return model.error();
  return {};
}

result<void> llm_agent::check_planned(const boost::json::object& input,
                                      const planned_check& other) const {
  const auto read = read_llm_input(input, input_stage::written);
  if (!read)
    return read.error();
  for (const auto& each : read->agents)
    if (auto ok = other(each.agent, each.input); !ok)
      return ok;
  return {};
}

result<void> llm_agent::check_handed_on(const boost::json::object& input,
                                        const planned_check& other) const {
  const auto read = read_llm_input(input, input_stage::written);
  if (!read)
    return read.error();
  for (std::size_t i = 0; i < read->agents.size(); ++i)
    if (auto ok = other(read->agents[i].agent, read->agents[i].input); !ok) {
      auto why = ok.error();
      why.field = below("/agents", i) + (why.field.empty() ? "" : "/input" + why.field);
      return why;
    }
  return {};
}

bool llm_agent::takes_value_at(std::string_view pointer) const {
  return is_at_or_below(pointer, "/prompt") || is_at_or_below(pointer, "/system");
}

std::string llm_agent::description() const {
  return R"(Asks a language model: {"prompt": "Summarize this.", "output": "text"})";
}

} // namespace troupe
