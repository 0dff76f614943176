// An agent of one's own, in about twenty lines: it counts the words of its input's `text`, refuses
// input it cannot use before anything runs, and does at most four tasks at once. Then a plan that
// uses it. Prints `5 words`.
#include <troupe/actors/run_objective.hpp>
#include <troupe/protocol/plan_document.hpp>
#include <troupe/store/await.hpp>

#include <iostream>
#include <iterator>
#include <sstream>

class word_count final : public troupe::agent {
public:
  troupe::start_result start(const troupe::order_ptr& order,
                             const troupe::agent_port_ptr&) override {
    std::istringstream words{order->text()};
    const auto count = std::distance(std::istream_iterator<std::string>(words), {});
    return troupe::report_completed{
        {troupe::text_artifact("count", std::to_string(count) + " words")}, "counted"};
  }

  troupe::result<void> check_input(const boost::json::object& input) const override {
    const auto* text = input.if_contains("text");
    if (text == nullptr || !text->is_string()) {
      return troupe::make_error(troupe::errc::invalid_params, "word_count needs a string.",
                                "/text");
    }
    return {};
  }

  std::uint32_t parallel_max() const override { return 4; }
  std::string description() const override { return "Counts the words of input.text"; }
};

int main() {
  troupe::agent_registry agents;
  agents.add("word_count", std::make_shared<word_count>());
  const auto store = troupe::make_memory_store();
  troupe::gateway gateway(*store, agents);
  gateway.start();

  const auto plan =
      troupe::read_plan_document(R"({"name": "counting", "plans": [{"name": "main", "tasks": [
    {"name": "count", "agent": "word_count", "input": {"text": "many hands make light work"}}]}]})");
  const auto done = troupe::run_objective(gateway, plan.value().objective);
  if (!done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
  const auto counted = troupe::await_task(*store, (*done)->plans[0].task_at(0)).value();
  std::cout << troupe::text_of(counted->artifacts.at(0)->parts) << '\n';
}
