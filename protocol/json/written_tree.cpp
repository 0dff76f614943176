#include "protocol/json/written_tree.hpp"

#include "protocol/json/json_parser.hpp"

#include <string>

namespace troupe {

result<boost::json::value> written_tree(const std::function<void(json_writer& out)>& write,
                                        std::size_t depth_max) {
  std::string text;
  json_writer out(text);
  write(out);
  boost::system::error_code failed;
  boost::json::parse_options how;
  how.max_depth = depth_max;
  auto tree = parse_json(text, failed, {}, how);
  if (failed)
    return make_error(errc::invalid_document, json_fault(failed));
  return tree;
}

} // namespace troupe
