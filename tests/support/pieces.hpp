// Texts that are read in pieces, as a test compares them.
#pragma once

#include "protocol/json/json_writer.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/text_pieces.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>

namespace troupe::testing {

/// The whole text. Checks the sizes of the pieces: only the last is shorter than `bytes_max`.
inline std::string put_together(text_pieces pieces, std::size_t bytes_max) {
  std::string out;
  std::size_t last = bytes_max;
  for (auto piece = pieces.next(bytes_max); !piece.empty(); piece = pieces.next(bytes_max)) {
    CHECK(last == bytes_max);
    last = piece.size();
    CHECK(last <= bytes_max);
    out += piece;
  }
  return out;
}

inline std::string written(const boost::json::value& tree) {
  std::string out;
  json_writer{out}.value(tree);
  return out;
}

} // namespace troupe::testing
