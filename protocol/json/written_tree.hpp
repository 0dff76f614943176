// What a json_writer writes, as a tree: for requests and answers that are made of both.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>

namespace troupe {

/// The tree of what `write` writes. Errors: invalid_document, with what is wrong with it; it may
/// nest deeper than `depth_max`.
[[nodiscard]] result<boost::json::value>
written_tree(const std::function<void(json_writer& out)>& write, std::size_t depth_max);

} // namespace troupe
