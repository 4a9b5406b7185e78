#pragma once
// The paths of the sources and the built programs. Only places.cpp is compiled with these paths: all other
// test objects are identical in every clone, so clones share them through ccache.

#include <string>

namespace pawl::testing {

// The root of the repository.
std::string source_dir();
// The program `pawl` of this build.
std::string pawl_binary();
// The folder of this build's SDK examples.
std::string sdk_examples_dir();

}  // namespace pawl::testing
