// Finds LAPACK: in the BLAS library, else in a library of its own.
#include "runtime/linalg/lapack_library.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack.h"

namespace gnomon {

namespace {

void* find(const std::string& name) {
  if (void* own = blas().symbol(name.c_str())) return own;
  // A BLAS library without LAPACK has it in a library of its own.
  static void* const other = ::dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  return other != nullptr ? ::dlsym(other, name.c_str()) : nullptr;
}

template <class T>
char letter() {
  if (std::is_same_v<Part<T>, float>) return is_pair<T> ? 'c' : 's';
  return is_pair<T> ? 'z' : 'd';
}

template <class T>
Lapack<T> made() {
  Lapack<T> f{};
  const auto set = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(find(letter<T>() + std::string(name)));
  };
  set(f.potrf, "potrf_"), set(f.getrf, "getrf_"), set(f.getrs, "getrs_");
  set(f.gelqf, "gelqf_"), set(f.orglq, is_pair<T> ? "unglq_" : "orglq_");
  set(f.syevd, is_pair<T> ? "heevd_" : "syevd_"), set(f.gesdd, "gesdd_");
  set(f.gees, "gees_"), set(f.geev, "geev_"), set(f.gges, "gges_"), set(f.gbsv, "gbsv_"),
      set(f.trsyl, "trsyl_");
  set(f.trsm, "trsm_"), set(f.gemm, "gemm_");
  return f;
}

}  // namespace

template <class T>
const Lapack<T>& lapack() {
  static const Lapack<T> instance = made<T>();
  return instance;
}

template const Lapack<float>& lapack<float>();
template const Lapack<double>& lapack<double>();
template const Lapack<FloatPair<float>>& lapack<FloatPair<float>>();
template const Lapack<FloatPair<double>>& lapack<FloatPair<double>>();

bool lapack_available() { return blas().available() && lapack<double>().complete(); }

std::string lapack_description() {
  if (!blas().available()) return "no BLAS library, and so no LAPACK";
  if (!lapack_available())
    return "neither the BLAS library nor liblapack.so.3 has all functions that are needed";
  Dl_info where{};
  const bool found = ::dladdr(reinterpret_cast<void*>(lapack<double>().getrf), &where) != 0;
  return found && where.dli_fname != nullptr ? where.dli_fname : "a library without a name";
}

}  // namespace gnomon
