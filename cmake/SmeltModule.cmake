# smelt_module(TARGET SOURCES...): a part of the library that it loads when it is asked for, so that
# nothing else waits for what the module links to, and a program runs where that is not installed.
function(smelt_module target)
  add_library(${target} MODULE ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                               ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                             CUDA_VISIBILITY_PRESET hidden)
  add_dependencies(smelt ${target})
  # Programs look for modules in the build tree, and beside the library once installed.
  target_link_options(smelt INTERFACE
    $<BUILD_INTERFACE:LINKER:-rpath,$<TARGET_FILE_DIR:${target}>>)
  if(SMELT_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

target_link_libraries(smelt PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(smelt PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
