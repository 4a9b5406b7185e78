# The few shapes of target in this repository. Sources are globbed, so a new file needs no edit of CMake files.

# pawl_library(NAME DIR dir [ROOMS] [EXCLUDE regex] [LINK targets...])
# A static library of dir/*.cpp, with ROOMS also of dir/*/*.cpp; while there are none, an interface library with the same
# links.
function(pawl_library name)
  cmake_parse_arguments(ARG "ROOMS" "DIR;EXCLUDE" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_DIR}/*.cpp)
  if(ARG_ROOMS)
    file(GLOB rooms CONFIGURE_DEPENDS ${ARG_DIR}/*/*.cpp)
    list(APPEND sources ${rooms})
  endif()
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${ARG_EXCLUDE}")
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PRIVATE pawl_flags)
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} ${scope} ${ARG_LINK})
endfunction()

# pawl_executable(NAME OUTPUT path/in/build SOURCES files... [LINK targets...])
function(pawl_executable name)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;LINK" ${ARGN})
  cmake_path(GET ARG_OUTPUT FILENAME file)
  cmake_path(GET ARG_OUTPUT PARENT_PATH folder)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE pawl_flags ${ARG_LINK})
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
endfunction()

add_custom_target(generated)  # every header that is made and not written

# pawl_embed_sql(TARGET DIR dir HEADER store/x/sql.hpp NAMESPACE ns)
# Makes the header of dir/sql/*.sql and dir/migrations/*.sql, for TARGET to include.
function(pawl_embed_sql target)
  cmake_parse_arguments(ARG "" "DIR;HEADER;NAMESPACE" "" ${ARGN})
  set(header ${CMAKE_BINARY_DIR}/generated/${ARG_HEADER})
  file(GLOB files CONFIGURE_DEPENDS ${ARG_DIR}/sql/*.sql ${ARG_DIR}/migrations/*.sql)
  add_custom_command(
    OUTPUT ${header}
    COMMAND embed_sql ${header} ${ARG_NAMESPACE} ${ARG_DIR}/sql ${ARG_DIR}/migrations
    DEPENDS embed_sql ${files}
    COMMENT "Embedding ${ARG_HEADER}"
    VERBATIM)
  add_custom_target(${target}_sql DEPENDS ${header})
  add_dependencies(${target} ${target}_sql)
  add_dependencies(generated ${target}_sql)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  else()
    set(scope PUBLIC)
  endif()
  target_include_directories(${target} ${scope} ${CMAKE_BINARY_DIR}/generated)
endfunction()

# pawl_embed_files(TARGET DIR dir HEADER server/x.hpp NAMESPACE ns)
# Makes the header of the compressed files under dir, for TARGET to include; of none where dir was not made.
function(pawl_embed_files target)
  cmake_parse_arguments(ARG "" "DIR;HEADER;NAMESPACE" "" ${ARGN})
  set(header ${CMAKE_BINARY_DIR}/generated/${ARG_HEADER})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${ARG_DIR}/*.gz)
  add_custom_command(
    OUTPUT ${header}
    COMMAND embed_files ${header} ${ARG_NAMESPACE} ${ARG_DIR}
    DEPENDS embed_files ${files}
    COMMENT "Embedding ${ARG_HEADER}"
    VERBATIM)
  add_custom_target(${target}_files DEPENDS ${header})
  add_dependencies(${target} ${target}_files)
  add_dependencies(generated ${target}_files)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
