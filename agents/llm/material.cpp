#include "agents/llm/material.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <utility>

namespace troupe {

namespace {

std::string left_out_line(std::size_t bytes) {
  return "\n[... " + std::to_string(bytes) + " bytes are left out here ...]\n";
}

std::string text_of_part(const part& from) {
  if (const auto* text = std::get_if<text_content>(&from.content))
    return text->text;
  if (const auto* data = std::get_if<data_content>(&from.content))
    return json_text(data->data);
  if (const auto* url = std::get_if<url_content>(&from.content))
    return "[a file at " + url->url + "]";
  const auto& raw = std::get<raw_content>(from.content);
  return "[" + std::to_string(raw.bytes.size()) + " bytes of "
         + (from.media_type.empty() ? std::string("unknown type") : from.media_type)
         + " are left out]";
}

std::string text_of_artifact(const artifact& from) {
  std::string out;
  for (const auto& each : from.parts)
    out += (out.empty() ? "" : "\n") + text_of_part(each);
  return out;
}

/// What others have made, between marks. All blocks of one writer are bounded together.
class block_writer {
public:
  explicit block_writer(std::string_view mark) : mark_(mark) {}

  void add(const std::string& attributes, std::string_view whole) {
    auto text = cut_in_the_middle(whole, std::min(llm_artifact_bytes_max, left_));
    // The model knows the mark, and may have told it to who made this.
    for (auto at = text.find(mark_); !mark_.empty() && at != std::string::npos;
         at = text.find(mark_, at))
      text.replace(at, mark_.size(), "...");
    left_ -= std::min(left_, text.size());
    out_ += "\n<" + mark_ + attributes + ">\n" + text + "\n</" + mark_ + ">\n";
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  const std::string mark_;
  std::size_t left_ = llm_artifacts_bytes_max;
  std::string out_;
};

} // namespace

std::string cut_in_the_middle(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return std::string(text);
  const auto head = cut_utf8(text, bytes_max / 2);
  auto tail = text.size() - bytes_max / 2;
  while (tail < text.size() && continues_utf8(text[tail]))
    ++tail;
  return std::string(text.substr(0, head)) + left_out_line(tail - head)
         + std::string(text.substr(tail));
}

std::string artifact_blocks(const std::vector<dependency_result>& made, std::string_view mark) {
  block_writer out(mark);
  for (const auto& dependency : made)
    for (const auto& each : dependency.artifacts)
      out.add(" task=" + troupe::quoted(dependency.name, 200)
                  + " artifact=" + troupe::quoted(each->name, 200),
              text_of_artifact(*each));
  return out.take();
}

std::string told_called(const std::vector<called_task>& called, std::string_view mark) {
  block_writer out(mark);
  std::string ends;
  for (const auto& each : called) {
    if (each.state != task_state::completed)
      ends += "error: the task ended as " + std::string(to_string(each.state)) + "\n";
    else if (each.artifacts.empty())
      ends += "The task is completed and has made nothing.\n";
    if (!each.reason.empty())
      out.add(" status", each.reason);
    for (const auto& made : each.artifacts)
      out.add(" artifact=" + troupe::quoted(made->name, 200), text_of_artifact(*made));
  }
  return ends + out.take();
}

} // namespace troupe
