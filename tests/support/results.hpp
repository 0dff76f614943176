// Lets a failed check of a `result` say what the error was.
#pragma once

#include "tests/support/catch.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>

template<class T>
struct Catch::StringMaker<boost::system::result<T, troupe::error>> {
  static std::string convert(const boost::system::result<T, troupe::error>& result) {
    return result ? "a value"
                  : std::string{to_string(result.error().code)} + ": " + result.error().message;
  }
};
