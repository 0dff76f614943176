# Run at build time (cmake -P): writes OUTPUT, a source file with the texts of FILES.
set(texts "")
foreach(file ${FILES})
  file(READ ${file} text)
  string(APPEND texts "    R\"json(${text})json\",\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"planner/shipped_texts.hpp\"\n\n#include <array>\n\nnamespace troupe::planner {\n\nnamespace {\n
constexpr auto texts_of_templates = std::to_array<std::string_view>({\n${texts}});\n\n} // namespace\n
std::span<const std::string_view> shipped_template_texts() noexcept {\n  return texts_of_templates;\n}\n\n} // namespace troupe::planner\n")
