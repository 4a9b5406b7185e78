#pragma once
// The words that the process was started with. Other users can read them in the list of processes for as long
// as it runs.

namespace pawl::cli {

// Overwrites the token of --token and the passwords of stores' addresses. Where they were read is a copy.
void hide_secrets(int count, char** words);

}  // namespace pawl::cli
