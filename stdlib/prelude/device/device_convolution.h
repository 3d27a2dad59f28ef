// Convolutions and their gradients on a device: each thread has one place of the result in some
// channels, for which it reads the other operand once.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif
#include "runtime/abi.h"
#include "runtime/device/stages.h"
#include "runtime/routines.h"

namespace gn {

/// Images x [batch, groups inputs, image], weights w [groups outputs, inputs, window] and results y
/// [batch, groups outputs, result] of `gnomon_convolution`: a and b are two of them, c the third.
template <int Kind, typename T>
class DeviceConvolution {
 public:
  using Stage = gnomon::ConvolutionStage;
  static constexpr auto kind = static_cast<gnomon::ConvolutionKind>(Kind);

  DeviceConvolution(const gnomon_convolution& what, const void* a, const void* b, void* c,
                    void* memory)
      : k_(what),
        a_(static_cast<const T*>(a)),
        b_(static_cast<const T*>(b)),
        c_(static_cast<T*>(c)),
        memory_(static_cast<T*>(memory)) {}

  /// Item i of a stage.
  void run(Stage stage, i64 i) const {
    if constexpr (kind == gnomon::ConvolutionKind::results) {
      sum_of_results(i);
    } else if constexpr (kind == gnomon::ConvolutionKind::input_gradient) {
      sum_of_images(i);
    } else if (stage == Stage::sum_parts) {
      sum_of_weights(i);
    } else {
      add_parts(i);
    }
  }

 private:
  static constexpr i64 most = gnomon::channels_at_once;

  // A place among three axes.
  struct Place {
    i64 at[3];
  };
  static i64 count(const i64 (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }
  static i64 offset(const Place& p, const i64 (&extents)[3]) {
    return (p.at[0] * extents[1] + p.at[1]) * extents[2] + p.at[2];
  }
  static Place place(i64 offset, const i64 (&extents)[3]) {
    return {
        {offset / extents[2] / extents[1], offset / extents[2] % extents[1], offset % extents[2]}};
  }

  // What splits a number into digits, the last first.
  static i64 split(i64& number, i64 digits) {
    const i64 digit = number % digits;
    number /= digits;
    return digit;
  }

  // Where the image is that a result sees through a tap of the window; false: outside.
  bool sees(const Place& result, const Place& tap, Place& image) const {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      image.at[k] = result.at[k] * k_.stride[k] + tap.at[k] * k_.dilation[k] - k_.before[k];
      inside = inside && image.at[k] >= 0 && image.at[k] < k_.image[k];
    }
    return inside;
  }
  // The result that sees a place of the image through a tap; false: none does.
  bool is_seen(const Place& image, const Place& tap, Place& result) const {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      const i64 from = image.at[k] + k_.before[k] - tap.at[k] * k_.dilation[k];
      result.at[k] = from / k_.stride[k];
      inside = inside && from >= 0 && from % k_.stride[k] == 0 && result.at[k] < k_.result[k];
    }
    return inside;
  }

  // Calls f(number, place) for each tap of the window.
  template <typename F>
  void each_tap(const F& f) const {
    Place tap;
    i64 number = 0;
    for (tap.at[0] = 0; tap.at[0] < k_.window[0]; ++tap.at[0])
      for (tap.at[1] = 0; tap.at[1] < k_.window[1]; ++tap.at[1])
        for (tap.at[2] = 0; tap.at[2] < k_.window[2]; ++tap.at[2]) f(number++, tap);
  }

  void sum_of_results(i64 i) const {
    const i64 images = count(k_.image), taps = count(k_.window), results = count(k_.result);
    const Place result = place(split(i, results), k_.result);
    const i64 first = split(i, gnomon::ceil_div(k_.outputs, most)) * most;
    const i64 group = split(i, k_.groups), batch = i;
    const i64 channels = gnomon::lesser(most, k_.outputs - first);
    const T* const x = a_ + (batch * k_.groups + group) * k_.inputs * images;
    const T* const w = b_ + (group * k_.outputs + first) * k_.inputs * taps;
    T sums[most] = {};
    for (i64 c = 0; c < k_.inputs; ++c)
      each_tap([&](i64 number, const Place& tap) {
        Place image;
        if (!sees(result, tap, image)) return;
        const T factor = x[c * images + offset(image, k_.image)];
        for (int o = 0; o < most; ++o)
          if (o < channels) sums[o] += factor * w[(o * k_.inputs + c) * taps + number];
      });
    T* const y = c_ + ((batch * k_.groups + group) * k_.outputs + first) * results;
    for (int o = 0; o < most; ++o)
      if (o < channels) y[o * results + offset(result, k_.result)] = sums[o];
  }

  void sum_of_images(i64 i) const {
    const i64 images = count(k_.image), taps = count(k_.window), results = count(k_.result);
    const Place image = place(split(i, images), k_.image);
    const i64 first = split(i, gnomon::ceil_div(k_.inputs, most)) * most;
    const i64 group = split(i, k_.groups), batch = i;
    const i64 channels = gnomon::lesser(most, k_.inputs - first);
    const T* const y = a_ + (batch * k_.groups + group) * k_.outputs * results;
    const T* const w = b_ + (group * k_.outputs * k_.inputs + first) * taps;
    T sums[most] = {};
    for (i64 o = 0; o < k_.outputs; ++o)
      each_tap([&](i64 number, const Place& tap) {
        Place result;
        if (!is_seen(image, tap, result)) return;
        const T factor = y[o * results + offset(result, k_.result)];
        for (int c = 0; c < most; ++c)
          if (c < channels) sums[c] += factor * w[(o * k_.inputs + c) * taps + number];
      });
    T* const x = c_ + ((batch * k_.groups + group) * k_.inputs + first) * images;
    for (int c = 0; c < most; ++c)
      if (c < channels) x[c * images + offset(image, k_.image)] = sums[c];
  }

  // Threads that are neighbours have one part of the positions and neighbouring taps.
  void sum_of_weights(i64 i) const {
    const i64 images = count(k_.image), taps = count(k_.window), results = count(k_.result);
    const i64 number = split(i, taps), c = split(i, k_.inputs);
    const i64 first = split(i, gnomon::ceil_div(k_.outputs, most)) * most;
    const i64 group = split(i, k_.groups), part = i;
    const i64 channels = gnomon::lesser(most, k_.outputs - first);
    const i64 positions = k_.batch * results;
    const i64 each = gnomon::ceil_div(positions, gnomon::parts_of_positions(positions));
    const Place tap = place(number, k_.window);
    T sums[most] = {};
    for (i64 p = part * each; p < gnomon::lesser(positions, (part + 1) * each); ++p) {
      const i64 batch = p / results, at = p % results;
      Place image;
      if (!sees(place(at, k_.result), tap, image)) continue;
      const T factor =
          a_[((batch * k_.groups + group) * k_.inputs + c) * images + offset(image, k_.image)];
      const T* const y = b_ + ((batch * k_.groups + group) * k_.outputs + first) * results + at;
      for (int o = 0; o < most; ++o)
        if (o < channels) sums[o] += factor * y[o * results];
    }
    T* const w = memory_ + ((part * k_.groups + group) * k_.outputs + first) * k_.inputs * taps;
    for (int o = 0; o < most; ++o)
      if (o < channels) w[(o * k_.inputs + c) * taps + number] = sums[o];
  }

  void add_parts(i64 i) const {
    const i64 weights = k_.groups * k_.outputs * k_.inputs * count(k_.window);
    const i64 parts = gnomon::parts_of_positions(k_.batch * count(k_.result));
    T sum = 0;
    for (i64 p = 0; p < parts; ++p) sum += memory_[p * weights + i];
    c_[i] = sum;
  }

  const gnomon_convolution& k_;
  const T *a_, *b_;
  T *c_, *memory_;
};

}  // namespace gn
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif

/// A kernel `name` of a convolution, or of a gradient of one, of elements of T.
#define GN_DEVICE_CONVOLUTION(name, kind, T)                                               \
  extern "C" __global__ void __launch_bounds__(256)                                        \
      name(gnomon_convolution what, const void* a, const void* b, void* out, void* memory, \
           int32_t stage, int64_t items, int64_t, int64_t) {                               \
    const gn::DeviceConvolution<kind, T> convolution(what, a, b, out, memory);             \
    for (int64_t i = gn::grid_thread(); i < items; i += gn::grid_threads())                \
      convolution.run(static_cast<gnomon::ConvolutionStage>(stage), i);                    \
  }
