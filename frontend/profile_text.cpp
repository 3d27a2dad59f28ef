// Writes profiles as tables for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "frontend/profile.h"
#include "runtime/profile.h"
#include "runtime/size_text.h"

namespace gnomon {

namespace {

constexpr std::size_t widest_name = 44, widest_signature = 100, bar = 10;
constexpr std::size_t most_steps = 40;  // of which all are shown
constexpr double least_share = 0.005;   // of those of more steps

std::string time_text(double seconds) {
  for (const auto& [unit, name] : {std::pair(1.0, "s"), {1e-3, "ms"}, {1e-6, "us"}})
    if (seconds >= unit) return fmt::format("{:.4g} {}", seconds / unit, name);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

// Characters, not bytes, of a name of the user's.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string rate(std::int64_t amount, double seconds) {
  return amount > 0 && seconds > 0
             ? fmt::format("{:.3g}", static_cast<double>(amount) / seconds * 1e-9)
             : "";
}

std::string bar_of(double share) {
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * bar));
  return std::string(full, '#');
}

// A step's name, below what it is inside of.
std::string name_of(const FunctionProfile& f, const StepProfile& step) {
  std::string name;
  for (int outer = step.inside; outer >= 0; outer = f.steps[static_cast<std::size_t>(outer)].inside)
    name += "  ";
  // Kernels and groups say what they are by themselves.
  if (step.kind != "kernel") name += step.kind + " ";
  return shortened(name + (step.kind == "side by side" ? "" : step.name), widest_name);
}

std::string lines_of(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  const std::string more = lines.size() > 2 ? fmt::format(" and {} more", lines.size() - 2) : "";
  return fmt::format(
      "{}{}",
      fmt::join(lines.begin(), lines.begin() + std::min<std::ptrdiff_t>(2, std::ssize(lines)),
                ", "),
      more);
}

// A rate, and how much of the machine's it is.
struct Rate {
  std::string amount = {}, share = {};
};

std::string share_text(double share) {
  return share > 0 ? fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0) : "";
}

std::string row(const std::string& name, const std::string& calls, double seconds, double share,
                const std::string& mean, const std::string& bytes, const Rate& memory,
                const Rate& operations, const std::string& live, const std::string& threads,
                const std::string& lines) {
  std::string text = fmt::format(
      "{:<{}} {:>8} {:>9} {:5.1f} % {:<{}} {:>9} {:>9} {:>6} {:>6} {:>7} {:>6} {:>9} {:>7}  {}",
      name, widest_name, calls, time_text(seconds), 100 * share, bar_of(share), bar, mean, bytes,
      memory.amount, memory.share, operations.amount, operations.share, live, threads, lines);
  text.resize(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string step_row(const FunctionProfile& f, const StepProfile& s) {
  const bool ran = s.calls > 0;
  const auto calls = static_cast<double>(s.calls);
  return row(name_of(f, s), fmt::to_string(s.calls), s.seconds, s.share,
             ran ? time_text(s.seconds / calls) : "",
             ran && s.bytes > 0 ? size_text(s.bytes / s.calls) : "",
             {rate(s.bytes, s.seconds), share_text(s.of_bandwidth)},
             {rate(s.operations, s.seconds), share_text(s.of_peak)},
             ran && s.live > 0 ? size_text(s.live) : "",
             ran ? fmt::to_string(std::max(s.threads, 1)) : "", lines_of(s.lines));
}

// How often calls read the clock: behind each step, and before the first one of a loop's body.
std::int64_t readings_of(const FunctionProfile& f) {
  std::int64_t readings = 0;
  std::vector<std::int64_t> rounds(f.steps.size());
  for (const StepProfile& s : f.steps) {
    readings += s.calls;
    if (s.inside < 0 || f.steps[static_cast<std::size_t>(s.inside)].kind != "loop") continue;
    std::int64_t& most = rounds[static_cast<std::size_t>(s.inside)];
    most = std::max(most, s.calls);
  }
  for (const std::int64_t n : rounds) readings += n;
  return readings;
}

// Who holds the most that is live at once.
std::string memory_text(const FunctionProfile& f) {
  if (f.peak_bytes <= 0) return "";
  constexpr std::size_t most_holders = 8;
  const StepProfile& step = f.steps[static_cast<std::size_t>(f.peak_step)];
  std::vector<HeldMemory> holders;
  for (const HeldMemory& m : f.memory)
    if (m.bytes > 0 && m.first <= f.peak_step && f.peak_step <= m.last) holders.push_back(m);
  std::ranges::stable_sort(holders, std::greater<>(), &HeldMemory::bytes);
  std::string text =
      fmt::format("\nmemory: at most {} are live at once, in {}{}{}\n", size_text(f.peak_bytes),
                  step.kind == "kernel" ? "" : step.kind + " ", shortened(step.name, widest_name),
                  step.lines.empty() ? "" : " at " + lines_of(step.lines));
  for (std::size_t i = 0; i < holders.size() && i < most_holders; ++i) {
    const HeldMemory& m = holders[i];
    const double share = static_cast<double>(m.bytes) / static_cast<double>(f.peak_bytes);
    std::string line = fmt::format("{:<{}} {:>9} {:5.1f} % {:<{}} {}  {}",
                                   shortened(m.name.empty() ? "a result" : m.name, widest_name),
                                   widest_name, size_text(m.bytes), 100 * share, bar_of(share), bar,
                                   m.result ? "result" : "      ", lines_of(m.lines));
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (holders.size() > most_holders)
    text += fmt::format("and {} more\n", holders.size() - most_holders);
  return text;
}

std::string machine_text(const MachineLimits& machine) {
  const auto giga = [](double x) { return fmt::format("{:.3g}", x * 1e-9); };
  return fmt::format(
      "of: this machine's {} GB/s of memory{}\n", giga(machine.bytes_per_second),
      machine.operations_per_second > 0
          ? fmt::format(", and {} Gflop/s of float64, {} of float32",
                        giga(machine.operations_per_second), giga(machine.single_per_second))
          : "; without a compiler its operations could not be measured");
}

std::string text_of(const FunctionProfile& f, const MachineLimits& machine) {
  std::string text = fmt::format("{}: {}\n", f.name, shortened(f.signature, widest_signature));
  const auto calls = static_cast<double>(f.calls);
  text += fmt::format("{} calls{}, {}", f.calls,
                      f.failed > 0 ? fmt::format(", of which {} failed", f.failed) : "",
                      time_text(f.seconds));
  text += f.calls > 0 ? fmt::format(", {} each\n\n", time_text(f.seconds / calls)) : "\n\n";
  const auto share = [&](double seconds) { return f.seconds > 0 ? seconds / f.seconds : 0; };
  double run = 0;
  text += fmt::format("{:<12} {:>9} {:>8}\n", "stage", "total", "share");
  for (const auto& [name, seconds] : f.stages) {
    if (name == "run") run = seconds;
    std::string line = fmt::format("{:<12} {:>9} {:6.1f} % {}", name, time_text(seconds),
                                   100 * share(seconds), bar_of(share(seconds)));
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += fmt::format(
      "\n{:<{}} {:>8} {:>9} {:>7} {:<{}} {:>9} {:>9} {:>6} {:>6} {:>7} {:>6} {:>9} {:>7}  {}\n",
      "step of run", widest_name, "calls", "total", "share", "", bar, "mean", "bytes", "GB/s", "of",
      "Gflop/s", "of", "live", "threads", "lines");
  double inside = 0;
  std::size_t left_out = 0;
  for (const StepProfile& s : f.steps) {
    if (s.inside < 0) inside += s.seconds;
    if (f.steps.size() > most_steps && s.share < least_share)
      ++left_out;
    else
      text += step_row(f, s);
  }
  const double rest = std::max(run - inside, 0.0);
  text += row("between steps", "", rest, run > 0 ? rest / run : 0, "", "", {}, {}, "", "", "");
  if (left_out > 0)
    text +=
        fmt::format("{} steps of less than {} % each are left out\n", left_out, 100 * least_share);
  if (f.calls > 0)
    text += fmt::format(
        "counting the steps took about {} of a call\n",
        time_text(static_cast<double>(readings_of(f)) / calls * nanoseconds_of_lap() * 1e-9));
  if (!f.steps.empty()) text += machine_text(machine);
  text += memory_text(f);
  text += fmt::format("\ncompilation{}\n{}", f.was_cached ? ", from the cache" : "", f.timings);
  if (!f.memory_table.empty()) text += "\n" + f.memory_table;
  return text;
}

}  // namespace

std::string Profile::text() const {
  std::string text;
  for (const FunctionProfile& f : functions_)
    text += (text.empty() ? "" : "\n") + text_of(f, machine_);
  return text;
}

}  // namespace gnomon
