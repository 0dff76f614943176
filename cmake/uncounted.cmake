# Writes OUT: the header IN (troupe/protocol/memory_budget.hpp) with a budget that counts nothing. A build with it
# (-DTROUPE_COUNT_MEMORY=OFF) is what one with the real header is compared with, to see what counting costs (bench/README.md). Fails if
# the header does not have what is replaced.
#   cmake -D IN=... -D OUT=... -P cmake/uncounted.cmake
function(troupe_replace from to)
  string(FIND "${text}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${IN} has no \"${from}\": change cmake/uncounted.cmake with it")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(READ "${IN}" text)
troupe_replace("    auto& mine = counter(to);\n" "    if (true)\n      return true;\n    auto& mine = counter(to);\n")
troupe_replace("    counter(to).fetch_add(bytes, std::memory_order_relaxed);\n" "    static_cast<void>(to);\n    static_cast<void>(bytes);\n")
troupe_replace("    counter(from).fetch_sub(bytes, std::memory_order_relaxed);\n" "    static_cast<void>(from);\n    static_cast<void>(bytes);\n")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
