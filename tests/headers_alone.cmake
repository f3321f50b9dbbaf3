# Every public header compiles on its own, and twice in one file.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/smelt/*.hpp)
set(sources)
foreach(header IN LISTS headers)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND sources ${source})
endforeach()
add_library(smelt_headers_alone OBJECT ${sources})
smelt_target_defaults(smelt_headers_alone)
target_compile_options(smelt_headers_alone PRIVATE -O0)
target_link_libraries(smelt_headers_alone PRIVATE smelt::smelt)
