# What holds for the project as a whole rather than for one part of the library.
smelt_test(architecture
  architecture/include_rules_test.cpp
  architecture/include_rules.cpp
  architecture/source_text.cpp)
target_compile_definitions(smelt_test_architecture PRIVATE SMELT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

add_test(NAME "scripts: quickstart"
  COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/scripts/quickstart_test.sh)

include(headers_alone.cmake)
if(SMELT_INSTALL)
  include(consumer/consumer_tests.cmake)
endif()
