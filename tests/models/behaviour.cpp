#include "tests/models/behaviour.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <utility>

namespace troupe::testing {

namespace json = boost::json;

namespace {

struct said_call {
  std::string id;
  std::string name;
  std::string arguments;
};

/// An answer, and how it is sent.
struct said {
  std::string content;
  std::string reasoning;
  std::string refusal;
  std::vector<said_call> calls;
  std::string finish = "stop";
  bool has_usage = true;
  // of a stream
  bool splits_calls = false;
  bool has_comments = false;
  bool has_empty_choices = false;
  bool byte_by_byte = false;
  bool has_done = true;
  bool hangs_in_the_middle = false;
  bool is_cut = false;
  std::string error_event; ///< In the middle.
};

struct asked {
  const model_request& request;
  std::size_t count;
  std::uint64_t seed;
  std::string content;

  [[nodiscard]] bool streams() const {
    const auto* found = request.body.if_contains("stream");
    return found != nullptr && found->is_bool() && found->get_bool();
  }
  [[nodiscard]] bool has(std::string_view member) const { return request.body.contains(member); }
};

// -- HTTP -----------------------------------------------------------------------------------------

std::string head_of(int status, const std::string& type, const std::string& headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Type: " + type + "\r\n"
         + headers;
}

model_steps whole(int status, const std::string& body, const std::string& headers = {},
                  const std::string& type = "application/json") {
  return {{head_of(status, type, headers) + "Content-Length: " + std::to_string(body.size())
           + "\r\nConnection: close\r\n\r\n" + body}};
}

model_steps refuse(int status, const std::string& message, const std::string& type,
                   json::value param = nullptr, json::value code = nullptr,
                   const std::string& headers = {}) {
  json::object inner{{"message", message}, {"type", type}};
  inner["param"] = std::move(param);
  inner["code"] = std::move(code);
  json::object body;
  body["error"] = std::move(inner);
  return whole(status, json::serialize(body), headers);
}

std::string stream_head() {
  return head_of(200, "text/event-stream", "Connection: close\r\n") + "\r\n";
}

std::string event(const json::object& data) {
  return "data: " + json::serialize(data) + "\n\n";
}

// -- answers --------------------------------------------------------------------------------------

json::object usage_of(const said& it) {
  return {{"prompt_tokens", 11},
          {"completion_tokens", std::max<std::size_t>(1, it.content.size() / 4)},
          {"total_tokens", 11 + std::max<std::size_t>(1, it.content.size() / 4)}};
}

json::object base_of(const asked& by, std::string_view object) {
  json::object out{{"id", "chatcmpl-1"}, {"created", 1}};
  out["object"] = object;
  out["model"] = by.request.model;
  return out;
}

json::object call_object(const said_call& call) {
  json::object function{{"name", call.name}, {"arguments", call.arguments}};
  json::object out{{"id", call.id}, {"type", "function"}};
  out["function"] = std::move(function);
  return out;
}

model_steps answer_whole(const asked& by, const said& it) {
  json::object message{{"role", "assistant"}, {"content", it.content}};
  if (!it.reasoning.empty())
    message["reasoning_content"] = it.reasoning;
  if (!it.refusal.empty()) {
    message["refusal"] = it.refusal;
    message["content"] = nullptr;
  }
  if (!it.calls.empty()) {
    auto& calls = message["tool_calls"].emplace_array();
    for (const auto& each : it.calls)
      calls.emplace_back(call_object(each));
  }
  json::object choice{{"index", 0}};
  choice["message"] = std::move(message);
  choice["finish_reason"] = it.finish;
  auto out = base_of(by, "chat.completion");
  out["choices"].emplace_array().emplace_back(std::move(choice));
  if (it.has_usage)
    out["usage"] = usage_of(it);
  return whole(200, json::serialize(out));
}

std::string chunk(const asked& by, json::object delta, json::value finish = nullptr) {
  json::object choice{{"index", 0}};
  choice["delta"] = std::move(delta);
  choice["finish_reason"] = std::move(finish);
  auto out = base_of(by, "chat.completion.chunk");
  out["choices"].emplace_array().emplace_back(std::move(choice));
  return event(out);
}

std::string chunk_without_choices(const asked& by) {
  auto out = base_of(by, "chat.completion.chunk");
  out["choices"].emplace_array();
  return event(out);
}

json::object call_delta(std::size_t index, const said_call& call) {
  auto one = call_object(call);
  one["index"] = index;
  json::object out;
  out["tool_calls"].emplace_array().emplace_back(std::move(one));
  return out;
}

json::object piece_delta(std::size_t index, const std::string& piece) {
  json::object function{{"arguments", piece}};
  json::object one;
  one["index"] = index;
  one["function"] = std::move(function);
  json::object out;
  out["tool_calls"].emplace_array().emplace_back(std::move(one));
  return out;
}

/// Pieces of some bytes; no character of UTF-8 is cut in two.
std::vector<std::string> pieces_of(const std::string& text, std::size_t bytes) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(at + bytes, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
      ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// The chunks that say it, without the end.
std::vector<std::string> chunks_of(const asked& by, const said& it) {
  std::vector<std::string> out;
  if (it.has_empty_choices)
    out.push_back(chunk_without_choices(by));
  out.push_back(chunk(by, {{"role", "assistant"}, {"content", ""}}));
  for (const auto& each : pieces_of(it.reasoning, 6))
    out.push_back(chunk(by, {{"reasoning_content", each}}));
  for (const auto& each : pieces_of(it.content, 7))
    out.push_back(chunk(by, {{"content", each}}));
  if (!it.refusal.empty())
    out.push_back(chunk(by, {{"refusal", it.refusal}}));
  for (std::size_t i = 0; i < it.calls.size(); ++i) {
    if (!it.splits_calls) {
      out.push_back(chunk(by, call_delta(i, it.calls[i])));
      continue;
    }
    out.push_back(chunk(by, call_delta(i, {it.calls[i].id, it.calls[i].name, ""})));
    for (const auto& each : pieces_of(it.calls[i].arguments, 5))
      out.push_back(chunk(by, piece_delta(i, each)));
  }
  return out;
}

model_steps answer_stream(const asked& by, const said& it) {
  model_steps out{{stream_head()}};
  auto chunks = chunks_of(by, it);
  const auto middle = chunks.size() / 2;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i == middle && it.hangs_in_the_middle) {
      out.push_back({{}, 1, true});
      return out;
    }
    if (i == middle && it.is_cut)
      return out;
    if (i == middle && !it.error_event.empty()) {
      out.push_back({"data: " + it.error_event + "\n\n"});
      return out;
    }
    if (it.has_comments)
      out.push_back({": WORKING ON IT\n\n"});
    if (it.has_empty_choices && i % 2 == 1)
      out.push_back({chunk_without_choices(by)});
    out.push_back({std::move(chunks[i])});
  }
  out.push_back({chunk(by, {}, json::string(it.finish))});
  if (it.has_usage) {
    auto last = base_of(by, "chat.completion.chunk");
    last["choices"].emplace_array();
    last["usage"] = usage_of(it);
    out.push_back({event(last)});
  }
  if (it.has_done)
    out.push_back({"data: [DONE]\n\n"});
  if (!it.byte_by_byte)
    return out;
  model_steps bytes{out.front()};
  for (std::size_t i = 1; i < out.size(); ++i)
    for (const char byte : out[i].bytes)
      bytes.push_back({std::string(1, byte)});
  return bytes;
}

model_steps answer(const asked& by, const said& it) {
  return by.streams() ? answer_stream(by, it) : answer_whole(by, it);
}

said good(const asked& by) {
  said out;
  out.content = by.content;
  return out;
}

// -- what was said to it --------------------------------------------------------------------------

std::string text_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string{};
}

/// The last message of a role; empty: there is none.
std::string last_said(const asked& by, std::string_view role) {
  std::string out;
  if (const auto* all = by.request.body.if_contains("messages"); all && all->is_array())
    for (const auto& each : all->get_array())
      if (const auto* one = each.if_object(); one && text_in(*one, "role") == role)
        out = text_in(*one, "content");
  return out;
}

bool has_tool_answer(const asked& by) {
  const auto* all = by.request.body.if_contains("messages");
  return all != nullptr && all->is_array() && !all->get_array().empty()
         && all->get_array().back().is_object()
         && text_in(all->get_array().back().get_object(), "role") == "tool";
}

/// The first tool that was offered; empty: none was.
std::string first_tool(const asked& by) {
  const auto* tools = by.request.body.if_contains("tools");
  if (tools == nullptr || !tools->is_array() || tools->get_array().empty())
    return {};
  return text_in(tools->get_array().front().at("function").as_object(), "name");
}

const std::string question_arguments =
    R"({"question": "Which city?", "choices": ["Oslo", "Rome"]})";

/// Calls a tool, and then says what it has heard.
model_steps call_then_say(const asked& by, std::vector<said_call> calls,
                          const std::function<void(said&)>& more = {}) {
  said it;
  if (has_tool_answer(by)) {
    it.content = "heard: " + last_said(by, "tool");
  } else {
    it.calls = std::move(calls);
    it.finish = "tool_calls";
    if (more)
      more(it);
  }
  return answer(by, it);
}

/// Does what lines of the conversation say, as a model that believes everything: `!call NAME
/// ARGUMENTS` calls a tool, once each; then it says `!say TEXT`, or what it heard last.
model_steps obey(const asked& by) {
  std::vector<said_call> calls;
  std::string text = "done";
  std::size_t answered = 0;
  const auto* all = by.request.body.if_contains("messages");
  for (const auto& each : all->as_array()) {
    const auto& one = each.as_object();
    answered += text_in(one, "role") == "tool" ? 1 : 0;
    auto content = text_in(one, "content");
    for (std::size_t begin = 0; begin < content.size();) {
      const auto end = std::min(content.find('\n', begin), content.size());
      const auto line = content.substr(begin, end - begin);
      begin = end + 1;
      if (line.starts_with("!say "))
        text = line.substr(5);
      if (!line.starts_with("!call "))
        continue;
      const auto blank = std::min(line.find(' ', 6), line.size());
      calls.push_back({"call_" + std::to_string(calls.size()), line.substr(6, blank - 6),
                       blank < line.size() ? line.substr(blank + 1) : "{}"});
    }
  }
  said it;
  if (answered < calls.size()) {
    it.calls = {calls[answered]};
    it.finish = "tool_calls";
  } else {
    it.content = text;
  }
  return answer(by, it);
}

model_steps once(const asked& by, model_steps first) {
  return by.count == 0 ? std::move(first) : answer(by, good(by));
}

// -- servers --------------------------------------------------------------------------------------

model_steps as_openai(const asked& by) {
  if (by.has("max_tokens"))
    return refuse(400,
                  "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                  "'max_completion_tokens' instead.",
                  "invalid_request_error", "max_tokens", "unsupported_parameter");
  if (by.has("temperature"))
    return refuse(400,
                  "Unsupported value: 'temperature' does not support 0.2 with this model. Only the "
                  "default (1) value is supported.",
                  "invalid_request_error", "temperature", "unsupported_value");
  return answer(by, good(by));
}

model_steps as_vllm(const asked& by) {
  if (!by.has("tools"))
    return answer(by, good(by));
  return whole(400, R"({"object":"error","message":"\"auto\" tool choice requires )"
                    R"(--enable-auto-tool-choice and --tool-call-parser to be set",)"
                    R"("type":"BadRequestError","param":null,"code":400})");
}

model_steps as_ollama(const asked& by) {
  if (by.has("tool_choice"))
    return refuse(400, "unknown field tool_choice", "api_error");
  if (by.has("tools"))
    return refuse(400, "registry.example/library/small:latest does not support tools", "api_error");
  return answer(by, good(by));
}

model_steps as_llama_cpp(const asked& by) {
  if (by.has("response_format") && by.count == 0)
    return whole(400, R"({"error":{"code":400,"message":"response_format: the schema has a )"
                      R"(keyword that is not supported","type":"invalid_request_error"}})");
  return answer(by, good(by));
}

model_steps as_lm_studio(const asked& by) {
  if (const auto* format = by.request.body.if_contains("response_format");
      format && text_in(format->as_object(), "type") != "json_schema")
    return whole(400, R"({"error":"'response_format.type' must be 'json_schema' or 'text'"})");
  if (by.has("stream_options"))
    return whole(400, R"({"error":"'stream_options' is not supported"})");
  return answer(by, good(by));
}

model_steps as_anthropic(const asked& by) {
  const auto& messages = by.request.body.at("messages").as_array();
  for (std::size_t i = 1; i < messages.size(); ++i)
    if (text_in(messages[i].as_object(), "role") == "system")
      return refuse(400, "system messages are hoisted", "invalid_request_error");
  if (by.has("n"))
    return refuse(400, "n: must be 1", "invalid_request_error");
  return answer(by, good(by)); // whatever `response_format` says
}

model_steps as_gemini(const asked& by) {
  static constexpr auto known =
      std::to_array<std::string_view>({"model", "messages", "stream", "stream_options", "tools",
                                       "response_format", "max_tokens", "temperature"});
  for (const auto& each : by.request.body)
    if (std::ranges::find(known, std::string_view(each.key())) == known.end())
      return whole(400, R"([{"error":{"code":400,"message":"Invalid JSON payload received. )"
                        R"(Unknown name \")"
                            + std::string(each.key())
                            + R"(\": Cannot find field.","status":"INVALID_ARGUMENT"}}])");
  if (!by.has("tools"))
    return answer(by, good(by));
  return call_then_say(by, {{"", first_tool(by), question_arguments}},
                       [](said& it) { it.finish = "stop"; });
}

model_steps as_openrouter(const asked& by) {
  auto it = good(by);
  it.has_comments = true;
  if (by.count == 0)
    it.error_event =
        R"({"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,)"
        R"("delta":{"content":""},"finish_reason":"error"}]})";
  return answer(by, it);
}

model_steps filtered_by_azure(const asked&) {
  return whole(400, R"({"error":{"message":"The response was filtered due to the prompt )"
                    R"(triggering the content management policy.","type":null,"param":"prompt",)"
                    R"("code":"content_filter","status":400}})");
}

model_steps stream_only(const asked& by, model_steps steps) {
  return by.streams() ? std::move(steps) : answer(by, good(by));
}

/// A content of 50 MB, as a stream or with its length said.
model_steps huge(const asked& by) {
  constexpr std::size_t pieces = 50;
  const std::string piece(std::size_t{1} << 20, 'x');
  if (by.streams())
    return {{stream_head()},
            {chunk(by, {{"content", piece.substr(0, piece.size() / 2)}}), pieces * 2}};
  return {{head_of(200, "application/json",
                   "Content-Length: " + std::to_string(pieces * piece.size()) + "\r\n")
           + "\r\n"},
          {piece, pieces}};
}

/// A hundred tokens a second, as many as `max_tokens` allows; each is the time at which it is sent.
model_steps steady(const asked& by) {
  constexpr std::chrono::milliseconds between{10};
  const auto* most = by.request.body.if_contains("max_tokens");
  model_step tokens{chunk(by, {{"content", std::string(now_mark) + " "}})};
  tokens.times = most == nullptr ? 100 : most->to_number<std::size_t>();
  tokens.every = between;
  return {{stream_head()}, std::move(tokens), {chunk(by, {}, "stop")}, {"data: [DONE]\n\n"}};
}

struct row {
  std::string_view name;
  std::function<model_steps(const asked&)> does;
};

/// A good answer with something changed.
std::function<model_steps(const asked&)> with(std::function<void(said&)> change) {
  return [change = std::move(change)](const asked& by) {
    auto it = good(by);
    change(it);
    return answer(by, it);
  };
}

const std::vector<row>& rows() {
  static const std::vector<row> all{
      {"ok", with([](said&) {})},
      {"wrong-once",
       [](const asked& by) {
         auto it = good(by);
         if (by.count == 0)
           it.content = "Sure, here is what you want!";
         return answer(by, it);
       }},
      {"wrong-twice",
       [](const asked& by) {
         auto it = good(by);
         if (by.count < 2)
           it.content = R"({"nothing": "of use"})";
         return answer(by, it);
       }},
      {"fence", with([](said& it) { it.content = "```json\n" + it.content + "\n```"; })},
      {"think", with([](said& it) { it.content = "<think>\nHm.\n</think>\n\n" + it.content; })},
      {"reasoning", with([](said& it) { it.reasoning = "First I think about it."; })},
      {"refusal", with([](said& it) {
         it.content.clear();
         it.refusal = "I cannot help with that.";
       })},
      {"length", with([](said& it) {
         it.content = pieces_of(it.content, it.content.size() / 2).front();
         it.finish = "length";
       })},
      {"content-filter", with([](said& it) {
         it.content.clear();
         it.finish = "content_filter";
       })},
      {"no-usage", with([](said& it) { it.has_usage = false; })},
      {"tool",
       [](const asked& by) {
         return call_then_say(by, {{"call_a", first_tool(by), question_arguments}});
       }},
      {"tool-pieces",
       [](const asked& by) {
         return call_then_say(by, {{"call_a", first_tool(by), question_arguments}},
                              [](said& it) { it.splits_calls = true; });
       }},
      {"tool-two",
       [](const asked& by) {
         return call_then_say(by,
                              {{"call_a", first_tool(by), question_arguments},
                               {"call_b", first_tool(by), R"({"question": "How many days?"})"}},
                              [](said& it) { it.splits_calls = true; });
       }},
      {"tool-empty-id",
       [](const asked& by) {
         return call_then_say(by, {{"", first_tool(by), question_arguments}});
       }},
      {"tool-stop",
       [](const asked& by) {
         return call_then_say(by, {{"call_a", first_tool(by), question_arguments}},
                              [](said& it) { it.finish = "stop"; });
       }},
      {"tool-broken",
       [](const asked& by) {
         said it;
         it.calls = {{"call_a", first_tool(by), R"({"question": "Which)"}};
         it.finish = "tool_calls";
         return answer(by, it);
       }},
      {"tool-unknown",
       [](const asked& by) {
         said it;
         it.calls = {{"call_a", "delete_everything", "{}"}};
         it.finish = "tool_calls";
         return answer(by, it);
       }},
      {"tool-loop",
       [](const asked& by) {
         said it;
         it.calls = {{"call_" + std::to_string(by.count), first_tool(by), question_arguments}};
         it.finish = "tool_calls";
         return answer(by, it);
       }},
      {"obey", obey},
      {"429-seconds",
       [](const asked& by) {
         return once(by, refuse(429, "Slow down", "requests", nullptr, "rate_limit_exceeded",
                                "Retry-After: 2\r\n"));
       }},
      {"429-date",
       [](const asked& by) {
         return once(by, refuse(429, "Slow down", "requests", nullptr, "rate_limit_exceeded",
                                "Retry-After: Thu, 01 Jan 1970 00:00:20 GMT\r\n"));
       }},
      {"429-ms",
       [](const asked& by) {
         return once(by, refuse(429, "Slow down", "requests", nullptr, "rate_limit_exceeded",
                                "Retry-After: 60\r\nretry-after-ms: 1500\r\n"));
       }},
      {"429-none",
       [](const asked& by) {
         return once(by, refuse(429, "Slow down", "requests", nullptr, "rate_limit_exceeded"));
       }},
      {"429-long",
       [](const asked& by) {
         return once(by, refuse(429, "Slow down", "requests", nullptr, "rate_limit_exceeded",
                                "Retry-After: 3600\r\n"));
       }},
      {"quota",
       [](const asked&) {
         return refuse(429, "You exceeded your current quota.", "insufficient_quota", nullptr,
                       "insufficient_quota", "Retry-After: 1\r\n");
       }},
      {"401",
       [](const asked& by) {
         const auto found = by.request.headers.find("authorization");
         return refuse(
             401,
             "Incorrect API key provided: "
                 + (found == by.request.headers.end() ? std::string("none") : found->second),
             "invalid_request_error", nullptr, "invalid_api_key");
       }},
      {"403", [](const asked&) { return refuse(403, "Not for you", "permission_error"); }},
      {"404", [](const asked&) { return refuse(404, "There is no such model", "not_found"); }},
      {"408", [](const asked& by) { return once(by, refuse(408, "Too slow", "timeout")); }},
      {"409", [](const asked& by) { return once(by, refuse(409, "Busy", "conflict")); }},
      {"500-once",
       [](const asked& by) { return once(by, refuse(500, "Something broke", "server_error")); }},
      {"500", [](const asked&) { return refuse(500, "Something broke", "server_error"); }},
      {"502-html",
       [](const asked&) {
         return whole(502, "<html><h1>Bad gateway</h1></html>", {}, "text/html");
       }},
      {"context-length",
       [](const asked&) {
         return refuse(400, "This model's maximum context length is 8192 tokens.",
                       "invalid_request_error", "messages", "context_length_exceeded");
       }},
      {"redirect",
       [](const asked&) {
         return whole(307, "", "Location: http://127.0.0.1:1/v1/chat/completions\r\n");
       }},
      {"openai", as_openai},
      {"azure-filter", filtered_by_azure},
      {"azure", with([](said& it) { it.has_empty_choices = true; })},
      {"ollama", as_ollama},
      {"vllm", as_vllm},
      {"llama.cpp", as_llama_cpp},
      {"lm-studio", as_lm_studio},
      {"anthropic", as_anthropic},
      {"gemini", as_gemini},
      {"openrouter", as_openrouter},
      {"hang-head",
       [](const asked&) {
         return model_steps{{{}, 1, true}};
       }},
      {"hang-first",
       [](const asked& by) {
         return stream_only(by, {{stream_head()}, {{}, 1, true}});
       }},
      {"hang-middle", with([](said& it) { it.hangs_in_the_middle = true; })},
      {"cut", with([](said& it) { it.is_cut = true; })},
      {"cut-once",
       [](const asked& by) {
         auto it = good(by);
         it.is_cut = by.count == 0;
         return answer(by, it);
       }},
      {"error-event", with([](said& it) {
         it.error_event = R"({"error":{"message":"The engine died","type":"server_error"}})";
       })},
      {"no-done", with([](said& it) { it.has_done = false; })},
      {"comments", with([](said& it) { it.has_comments = true; })},
      {"empty-choices", with([](said& it) { it.has_empty_choices = true; })},
      {"byte-by-byte", with([](said& it) { it.byte_by_byte = true; })},
      {"huge", huge},
      {"steady", [](const asked& by) { return stream_only(by, steady(by)); }},
      {"no-json", [](const asked&) { return whole(200, "Hello!", {}, "text/plain"); }},
      {"close", [](const asked&) { return model_steps{}; }},
  };
  return all;
}

} // namespace

std::string text_of_seed(std::uint64_t seed) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"rain", "grün", "stone", "quick", "東京", "lamp", "nine", "river", "€", "calm"});
  std::mt19937_64 random(seed);
  std::string out;
  const auto count = 8 + random() % 12;
  for (std::uint64_t i = 0; i < count; ++i)
    out += (out.empty() ? "" : " ") + std::string(words[random() % words.size()]);
  return out + ".";
}

model_steps behave(const model_request& request, std::size_t count, std::uint64_t seed,
                   const std::string& content) {
  const auto name = std::string_view(request.model).substr(0, request.model.find(':'));
  const auto found = std::ranges::find(rows(), name, &row::name);
  if (found == rows().end())
    return refuse(404, "There is no model " + request.model, "invalid_request_error", nullptr,
                  "model_not_found");
  const asked by{request, count, seed, content.empty() ? text_of_seed(seed) : content};
  return found->does(by);
}

std::vector<std::string_view> behaviour_names() {
  std::vector<std::string_view> out;
  for (const auto& each : rows())
    out.push_back(each.name);
  return out;
}

} // namespace troupe::testing
