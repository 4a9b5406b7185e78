#pragma once
// Where the sources and the built programs are. Only places.cpp is compiled with these paths: all other
// objects of the tests are the same in every clone, so clones share them through ccache.

#include <string>

namespace pawl::testing {

// The root of the repository.
std::string source_dir();
// The program `pawl` of this build.
std::string pawl_binary();
// The folder of this build's SDK examples.
std::string sdk_examples_dir();

}  // namespace pawl::testing
