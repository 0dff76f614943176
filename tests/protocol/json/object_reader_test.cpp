#include "protocol/json/object_reader.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::wire;

namespace {

constexpr reading_options strict{.is_lenient = false, .null_is_absent = false};

} // namespace

TEST_CASE("a place is written as a path or as a pointer", "[protocol][object_reader]") {
  const place root;
  const auto message = root / "message";
  const auto parts = message / "parts";
  const auto first = parts / 0;
  const auto odd = first / "a/b~c";
  CHECK(odd.path() == "message.parts[0].a/b~c");
  CHECK(odd.pointer() == "/message/parts/0/a~1b~0c");
  CHECK(root.path().empty());
  CHECK(root.pointer().empty());
  CHECK((place{nullptr, "/plans/3", std::nullopt} / "tasks").pointer() == "/plans/3/tasks");
}

TEST_CASE("the same mistake is reported in both ways", "[protocol][object_reader]") {
  const auto value = boost::json::parse(R"({"parts": 3})");
  const place root;
  first_failure by_path;
  CHECK(object_reader(value, root, by_path).array("parts") == nullptr);
  CHECK(by_path.take()
        == error{errc::invalid_params, "parts: expected an array, found a number", "parts"});
  first_failure by_pointer(where_style::pointer, errc::invalid_document);
  CHECK(object_reader(value, root, by_pointer, strict).array("parts") == nullptr);
  CHECK(by_pointer.take()
        == error{errc::invalid_document, R"("parts" must be an array, found the number 3)",
                 "/parts"});
}

TEST_CASE("only a lenient reader takes other spellings, and a null for nothing",
          "[protocol][object_reader]") {
  const auto value =
      boost::json::parse(R"({"page_size": 5, "count": "7", "start": "true", "name": null})");
  const place root;
  first_failure none;
  const object_reader lenient(value, root, none);
  CHECK(lenient.whole_number("pageSize", 1, 9) == 5U);
  CHECK(lenient.whole_number("count", 1, 9) == 7U);
  CHECK(lenient.boolean("start", false));
  CHECK(lenient.text("name").empty());
  CHECK_FALSE(none);
  const auto refuses = [&](auto read) {
    first_failure failure;
    read(object_reader(value, root, failure, strict));
    return static_cast<bool>(failure);
  };
  CHECK_FALSE(
      refuses([](const object_reader& in) { CHECK_FALSE(in.whole_number("pageSize", 1, 9)); }));
  CHECK(refuses([](const object_reader& in) { CHECK_FALSE(in.whole_number("count", 1, 9)); }));
  CHECK(refuses([](const object_reader& in) { CHECK_FALSE(in.boolean("start", false)); }));
  CHECK(refuses([](const object_reader& in) { CHECK(in.text("name").empty()); }));
}

TEST_CASE("the first mistake is kept, and an unknown member is one where that is asked for",
          "[protocol][object_reader]") {
  const auto value = boost::json::parse(R"({"a": 1, "b": 2})");
  const place root;
  first_failure failure("progress");
  const object_reader in(value, root, failure);
  in.refuse_unknown({"a"}, "unknown member");
  CHECK(in.text("a").empty());
  CHECK(failure.take() == error{errc::invalid_params, "b: unknown member", "b"});
  first_failure no_object("progress");
  const object_reader none(value.at("a"), root, no_object);
  CHECK_FALSE(none);
  CHECK(no_object.take()
        == error{errc::invalid_params, "progress: expected an object, found a number", ""});
}
