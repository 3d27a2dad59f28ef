// What the library tells of its work to whoever asks: lines by subject, nothing by default.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

/// What lines are about.
enum class LogSubject : std::uint8_t { compile, cache, rewrite, call, memory };

/// Their names, as GNOMON_LOG has them, in order.
std::vector<std::string_view> log_subjects();

/// Whether lines of the subject are wanted: by `set_log`, else by GNOMON_LOG (ValueError: it names
/// another subject).
bool logs(LogSubject subject);

/// Sends a line. Ask `logs` first: making a text takes time.
void log(LogSubject subject, const std::string& text);

/// Chooses subjects: their names with commas between them, "all", or "" for none. ValueError:
/// another name. Functions tell of their calls (call, memory) if they were compiled while that was
/// chosen.
void set_log(std::string_view subjects);

/// Receives lines. It must not throw, and may be called by several threads at once.
using LogSink = std::function<void(std::string_view subject, const std::string& text)>;
/// Sets where lines go. The default, also restored by an empty sink, is the standard error.
void set_log_sink(LogSink sink);
/// The default: "gnomon 12:34:56.789 cache: text".
void log_to_standard_error(std::string_view subject, const std::string& text);

}  // namespace gnomon
