# Projects outside of smelt: one against the installed package, one with smelt as a subdirectory.
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/consumer/prefix)
add_test(NAME "consumer: install"
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties("consumer: install" PROPERTIES FIXTURES_SETUP smelt_installed)

# consumer_test(NAME TARGET OPTIONS...): configures the consumer afresh and builds TARGET.
function(consumer_test name target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OPTIONS;RUN")
  if(arg_RUN)
    set(run --test-command ${arg_RUN})
  endif()
  add_test(NAME "consumer: ${name}"
    COMMAND ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer/${name}
      --build-generator ${CMAKE_GENERATOR} --build-makeprogram ${CMAKE_MAKE_PROGRAM}
      --build-target ${target} --build-noclean
      --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
                      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} ${arg_OPTIONS}
      ${run})
endfunction()

consumer_test(package consumer OPTIONS -DCMAKE_PREFIX_PATH=${prefix} RUN consumer)
set_tests_properties("consumer: package" PROPERTIES FIXTURES_REQUIRED smelt_installed)
consumer_test(subdirectory consumer_object
  OPTIONS -DSMELT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DSMELT_CUDA=OFF)
