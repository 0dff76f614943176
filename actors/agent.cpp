#include <troupe/actors/agent.hpp>

#include <algorithm>

namespace troupe {

namespace {

class function_agent final : public agent {
public:
  explicit function_agent(agent_registry::function work) : work_(std::move(work)) {}

  start_result start(const order_ptr& order, const agent_port_ptr&) override {
    report_completed done;
    done.artifacts.push_back(text_artifact("result", work_(*order)));
    return done;
  }

private:
  agent_registry::function work_;
};

} // namespace

std::string_view to_string(cancel_outcome outcome) noexcept {
  switch (outcome) {
    case cancel_outcome::acknowledged: return "acknowledged";
    case cancel_outcome::already_ended: return "already ended";
    case cancel_outcome::refused: return "refused";
    case cancel_outcome::no_answer: return "no answer";
  }
  return "unknown";
}

std::string order::text() const {
  std::string out;
  for (const auto& one : messages) {
    const auto text = text_of(one->parts);
    if (!text.empty())
      out += (out.empty() ? "" : "\n") + text;
  }
  if (!out.empty())
    return out;
  if (const auto text = input.find("text"); text && text->kind() == boost::json::kind::string)
    return text->text().rest();
  return description.empty() ? name : description;
}

void agent_run::on_references(const std::vector<referenced_task>&) {
  // Of no use to most.
}

void agent_run::on_changed(const change_outcome&) {
  // An agent that changes nothing has no use for it.
}

void agent_run::on_input(const message_ptr&) {
  // An agent that asks nothing has no use for it.
}

void agent_run::on_answer(const message_ptr& answer) {
  on_input(answer);
}

bool agent_run::on_question_ended(const std::string&, question_end how) {
  return how == question_end::withdrawn;
}

void agent_run::on_noted() {
  // Never asked to be told.
}

void agent_run::on_room() {
  // Never stopped reading.
}

std::optional<message> agent_run::unreported() const {
  return std::nullopt;
}

void agent_run::on_cancel_within(std::chrono::milliseconds) {
  // It ends when it ends.
}

void agent_run::on_wake() {
  // Never asked to be woken.
}

bool agent_run::on_cancel() {
  return true;
}

result<void> agent::check_planned(const boost::json::object&, const planned_check&) const {
  return {};
}

result<void> agent::check_handed_on(const boost::json::object&, const planned_check&) const {
  return {};
}

result<void> agent::check_input(const boost::json::object&) const {
  return {};
}

agent_registry agent_registry::beside(const agent_registry& others) {
  agent_registry out;
  out.others_ = &others;
  return out;
}

agent_registry& agent_registry::add(std::string name, agent_ptr who) {
  agents_.insert_or_assign(std::move(name), std::move(who));
  return *this;
}

agent_registry& agent_registry::add(std::string name, function work) {
  return add(std::move(name), std::make_shared<function_agent>(std::move(work)));
}

agent_ptr agent_registry::find(std::string_view name) const {
  const auto it = agents_.find(name);
  if (it != agents_.end())
    return it->second;
  return others_ == nullptr ? nullptr : others_->find(name);
}

std::vector<std::string> agent_registry::names() const {
  auto out = others_ == nullptr ? std::vector<std::string>{} : others_->names();
  for (const auto& [name, who] : agents_)
    if (!name.starts_with(own_agent_prefix))
      out.push_back(name);
  std::ranges::sort(out);
  const auto same = std::ranges::unique(out);
  out.erase(same.begin(), same.end());
  return out;
}

artifact text_artifact(std::string name, std::string text) {
  artifact out;
  out.name = std::move(name);
  out.parts.push_back(text_part(std::move(text)));
  return out;
}

} // namespace troupe
