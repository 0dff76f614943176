// What the fuzz targets share. Each target is a source with the entry point of libFuzzer; built
// with clang it searches for inputs that break it, built with any compiler and replay.cpp it goes
// through the inputs of corpus/.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace troupe::fuzz {

/// Ends the process, with the words and both texts on stderr, if it is not so.
void demand(bool holds, std::string_view text, std::string_view first = {},
            std::string_view second = {});

[[nodiscard]] std::string_view text_of(const std::uint8_t* data, std::size_t size) noexcept;

/// The tree that `text` spells, as our own writer would spell it: what is read from it and written
/// again must be the same. Nothing if it is no JSON, or deeper than a server takes it.
[[nodiscard]] std::optional<boost::json::value> tree_from(std::string_view text);

/// `text` with its fractions shortened to what Boost.JSON 1.81 reads exactly: it is off by one in
/// the last place of some long ones, so that these do not read back the same. As it is, if it is no
/// JSON.
[[nodiscard]] std::string with_short_fractions(std::string_view text);

/// What `write(json_writer&)` writes; it must be JSON, and the tree is given back.
template<class Write>
[[nodiscard]] std::string written(const Write& write) {
  std::string out;
  json_writer to{out};
  write(to);
  return out;
}
[[nodiscard]] boost::json::value tree_of(std::string_view written);

/// An error has the code that readers give, and words.
template<class T>
[[nodiscard]] bool accepted(const result<T>& read, errc expected = errc::invalid_params) {
  if (read)
    return true;
  demand(read.error().code == expected && !read.error().message.empty(),
         "an error without its code or words", read.error().message);
  return false;
}

} // namespace troupe::fuzz
