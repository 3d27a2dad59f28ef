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

}  // namespace gnomon
