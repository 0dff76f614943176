// What an answer is good for, and the content that is meant.
#include "client/models/chat.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::models;

TEST_CASE("thoughts before and a fence around a content are no part of it", "[client][models]") {
  const std::string plan = R"({"name": "A"})";
  CHECK(plain_content(plan) == plan);
  CHECK(plain_content("  \n" + plan + "\n") == plan);
  CHECK(plain_content("```json\n" + plan + "\n```") == plan);
  CHECK(plain_content("```\n" + plan + "\n```\n") == plan);
  CHECK(plain_content("Here it is:\n```json\n" + plan + "\n```\nGood luck!") == plan);
  CHECK(plain_content("```json\n" + plan) == plan); // its end was forgotten
  CHECK(plain_content("<think>\nfirst {this}\n</think>\n\n" + plan) == plan);
  CHECK(plain_content("first {this}\n</think>\n\n```json\n" + plan + "\n```") == plan);
  CHECK(plain_content("<think>never ends " + plan).empty());
}

TEST_CASE("of two fences nobody knows which one is meant", "[client][models]") {
  const std::string both = "```\n1\n```\nor\n```\n2\n```";
  CHECK(plain_content(both) == both);
  CHECK(plain_content("a text with ``` in a line") == "a text with ``` in a line");
}

TEST_CASE("that an answer has calls decides, not the word with which it ended",
          "[client][models]") {
  chat_answer answer;
  answer.finish = finish_reason::stop;
  CHECK(kind_of(answer) == answer_kind::text);
  answer.calls.push_back({"a", "ask_person", "{}"});
  CHECK(kind_of(answer) == answer_kind::calls);
  answer.finish = finish_reason::length; // its arguments may be cut
  CHECK(kind_of(answer) == answer_kind::too_long);
  answer.refusal = "no";
  CHECK(kind_of(answer) == answer_kind::refused);
  answer.finish = finish_reason::content_filter;
  CHECK(kind_of(answer) == answer_kind::filtered);
}
