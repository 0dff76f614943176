# The examples, built here as they stand and run; and once more as a stranger would: against an install tree, found by
# find_package. The second is the CTest `install` (label `install`), left out where sanitizer flags would have to match.
add_subdirectory(${PROJECT_SOURCE_DIR}/examples ${PROJECT_BINARY_DIR}/examples)

add_test(NAME example_library COMMAND example_library)
set_tests_properties(example_library PROPERTIES PASS_REGULAR_EXPRESSION "^hello, world!\n$" TIMEOUT 60)
add_test(NAME example_custom_agent COMMAND example_custom_agent)
set_tests_properties(example_custom_agent PROPERTIES PASS_REGULAR_EXPRESSION "^5 words\n$" TIMEOUT 60)
add_test(NAME example_custom_planner COMMAND example_custom_planner)
set_tests_properties(example_custom_planner PROPERTIES PASS_REGULAR_EXPRESSION "^wash, dry, fold\n$" TIMEOUT 60)
add_test(NAME example_answer COMMAND example_answer)
set_tests_properties(example_answer PROPERTIES PASS_REGULAR_EXPRESSION "^booked by the sea\n$" TIMEOUT 60)
add_test(NAME example_embedded_server COMMAND example_embedded_server once)
set_tests_properties(example_embedded_server PROPERTIES PASS_REGULAR_EXPRESSION "^serving at http://127.0.0.1:[0-9]+/\n$" TIMEOUT 60)

if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  add_test(NAME install COMMAND ${CMAKE_COMMAND}
    -D BUILD=${PROJECT_BINARY_DIR} -D EXAMPLES=${PROJECT_SOURCE_DIR}/examples -D WORK=${PROJECT_BINARY_DIR}/install-test
    -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D "LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}"
    -P ${CMAKE_CURRENT_LIST_DIR}/install_test.cmake)
  set_tests_properties(install PROPERTIES LABELS install TIMEOUT 300)
endif()
