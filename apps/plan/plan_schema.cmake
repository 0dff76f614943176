# Run at build time (cmake -P): writes OUTPUT, a source file with the text of SCHEMA. Lines stand by themselves: a compiler may refuse
# literals of more than 64 KiB.
file(READ ${SCHEMA} text)
string(REGEX REPLACE "\n" ")json\" \"\\\\n\"\nR\"json(" text "${text}")
file(WRITE ${OUTPUT} "#include \"apps/plan/plan_schema.hpp\"\nnamespace troupe {\nconst std::string plan_schema =\nR\"json(${text})json\";\n}\n")
