// Places at the ends of messages.
#pragma once

#include <string>
#include <string_view>

namespace gnomon {

/// Whether a message ends with the user's lines: " [model.cpp:12]". Types end with brackets, too.
bool ends_with_place(std::string_view message);

/// "model.cpp:12": the file without its folders.
std::string place_text(std::string_view file, unsigned line);

/// " [model.cpp:12]" of the call that runs, or "".
std::string text_of_call();

/// Whether errors may name lines of a file: of none of the library's own, nor of the standard
/// library's, and of none at all in a process without lines of C++.
bool is_file_of_user(const char* file);
/// From now on no file is one: of a process whose user has no lines of C++.
void without_call_places();
bool has_call_places();

}  // namespace gnomon
