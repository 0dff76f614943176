// Lets a failed check of a `result` say what the error was.
#pragma once

#include <string>

#include "protocol/errc.hpp"
#include "tests/support/catch.hpp"

template<class T>
struct Catch::StringMaker<boost::system::result<T, troupe::error>> {
  static std::string convert(const boost::system::result<T, troupe::error>& what) {
    return what ? "a value" : std::string{to_string(what.error().code)} + ": " + what.error().message;
  }
};
