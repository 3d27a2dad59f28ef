// Numbers the callbacks of breakpoints.
#include "runtime/breakpoints.h"

#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>
#include <utility>

#include "runtime/error.h"

namespace gnomon {

namespace {

struct Callbacks {
  std::mutex mutex;
  std::unordered_map<std::int64_t, std::weak_ptr<const BreakpointCallback>> all;
  // Numbers of other processes, which files may have, are no numbers of this one.
  std::int64_t next = static_cast<std::int64_t>(std::random_device()()) << 24;
};

// Never destroyed: calls may run until the process ends.
Callbacks& callbacks() {
  static Callbacks* instance = new Callbacks;
  return *instance;
}

// Forgets its number when the variable has gone.
struct NumberedCallback {
  std::int64_t number;
  std::shared_ptr<const BreakpointCallback> callback;

  NumberedCallback(std::int64_t n, std::shared_ptr<const BreakpointCallback> f)
      : number(n), callback(std::move(f)) {}
  NumberedCallback(const NumberedCallback&) = delete;
  NumberedCallback& operator=(const NumberedCallback&) = delete;
  ~NumberedCallback() {
    Callbacks& known = callbacks();
    const std::lock_guard lock(known.mutex);
    known.all.erase(number);
  }
};

}  // namespace

Shared breakpoint_variable(BreakpointCallback callback) {
  if (!callback) throw ValueError("breakpoint: expected a function as callback, found none");
  const auto kept = std::make_shared<const BreakpointCallback>(std::move(callback));
  Callbacks& known = callbacks();
  std::int64_t number = 0;
  {
    const std::lock_guard lock(known.mutex);
    number = known.next++;
    known.all.emplace(number, kept);
  }
  Shared variable("breakpoint", Array::scalar(number));
  variable.keep(std::make_shared<const NumberedCallback>(number, kept));
  return variable;
}

void run_breakpoint(std::int64_t number, const Array& value) {
  std::shared_ptr<const BreakpointCallback> callback;
  {
    Callbacks& known = callbacks();
    const std::lock_guard lock(known.mutex);
    if (const auto at = known.all.find(number); at != known.all.end()) callback = at->second.lock();
  }
  if (callback == nullptr)
    throw ValueError(
        "breakpoint: its callback is not in this process: functions in files and pickles have "
        "none");
  (*callback)(value);
}

}  // namespace gnomon
