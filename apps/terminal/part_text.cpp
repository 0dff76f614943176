#include "apps/terminal/part_text.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/text/counted.hpp"

#include <variant>

namespace troupe {

namespace {

struct part_texts {
  const part& of;
  std::string_view advice;

  std::string operator()(const text_content& content) const { return content.text; }
  std::string operator()(const data_content& content) const { return json_text(content.data); }
  std::string operator()(const url_content& content) const { return content.url; }
  std::string operator()(const raw_content& content) const {
    return "(" + counted(content.bytes.size(), "byte")
           + (of.media_type.empty() ? "" : " of " + of.media_type)
           + (of.filename.empty() ? "" : ", " + of.filename) + "; " + std::string(advice) + ")";
  }
};

} // namespace

std::string text_of_part(const part& one, std::string_view advice) {
  return std::visit(part_texts{one, advice}, one.content);
}

} // namespace troupe
