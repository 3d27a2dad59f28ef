// A program without Gnomon that opens a plugin with it, closes it and opens it again.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <thread>

int main(int, char** arguments) {
  for (int i = 0; i < 3; ++i) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::puts(dlerror());
      return 1;
    }
    const auto run = reinterpret_cast<double (*)(int)>(dlsym(plugin, "run"));
    std::printf("%.0f ", run(4000000));
    dlclose(plugin);
    // Threads of the plugin's would wake up in code that is gone.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::puts("closed");
}
