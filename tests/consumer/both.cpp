// A program without Gnomon that has two plugins with Gnomons of their own, at once in two threads.
#include <dlfcn.h>

#include <cstdio>
#include <thread>

int main(int, char** arguments) {
  double (*runs[2])(int);
  for (int i = 0; i < 2; ++i) {
    void* const plugin = dlopen(arguments[1 + i], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::puts(dlerror());
      return 1;
    }
    runs[i] = reinterpret_cast<double (*)(int)>(dlsym(plugin, "run"));
  }
  double found[2];
  std::thread other([&] { found[1] = runs[1](4000000); });
  found[0] = runs[0](4000000);
  other.join();
  std::printf("%.0f %.0f\n", found[0], found[1]);
}
