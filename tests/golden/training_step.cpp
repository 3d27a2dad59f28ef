// The training step as Gnomon writes it; see training_step_test.cpp.
// --- kernels0.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
#include "prelude/exp.h"
#include "prelude/log.h"
using boolx8 = gn::lanes<bool, 8>;
using i64x8 = gn::lanes<i64, 8>;
using f32x8 = gn::lanes<f32, 8>;

void gnomon_k0(const gn::Call& call, const i64* dims, f32* __restrict out, const f32* __restrict w, f32* __restrict out2) {
  call.parallel(i64(784), i64(2184), [=](i64 i_lo, i64 i_hi, [[maybe_unused]] i32 worker) {
    for (i64 i = i_lo; i < i_hi; ++i) {
      gn::Accumulator<f32x8, 8> sum(0.0f);
      const i64 multiply = i * i64(10);
      gn::vector_loop<8, 8, true>(i64(0), i64(10), [&](i64 j, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
        const f32x8 w_ = gn::read<f32x8>(w + multiply + j, live, 0.0f);
        const f32x8 square = gn::square(w_);
        sum.chain[chain] = gn::add(sum.chain[chain], gn::keep(live, square, 0.0f));
      });
      const f32 t = gn::fold_chains(sum, [](auto a, auto b) { return gn::add(a, b); });
      out[i] = t;
    }
  });
  gn::Accumulator<f32x8, 8> sum2(0.0f);
  gn::vector_loop<8, 8, true>(i64(0), i64(784), [&](i64 j2, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
    const f32x8 out_ = gn::read<f32x8>(out + j2, live, 0.0f);
    sum2.chain[chain] = gn::add(sum2.chain[chain], gn::keep(live, out_, 0.0f));
  });
  const f32 t2 = gn::fold_chains(sum2, [](auto a, auto b) { return gn::add(a, b); });
  out2[i64(0)] = t2;
}

void gnomon_k1(const gn::Call& call, const i64* dims, f32* __restrict out, f32* __restrict out2, f32* __restrict out3, f32* __restrict out4, const f32* __restrict b, const f32* __restrict in, const i64* __restrict y, f32* __restrict out5, f32* __restrict out6, const f32* __restrict in2) {
  const i64 x_0 = dims[0];
  const i64 y_0 = dims[2];
  const f32 t = gn::convert<f32>(y_0);
  const f32 divide = -1.0f / t;
  call.parallel(gn::floor_divide<i64>((x_0 + 63), i64(64)), i64(1), [=](i64 b2_lo, i64 b2_hi, [[maybe_unused]] i32 worker) {
    f32* scratch = call.scratch_of<f32>(worker, i64(0));
    for (i64 b2 = b2_lo; b2 < b2_hi; ++b2) {
      const i64 multiply = b2 * i64(10);
      gn::vector_loop<8, 1, true>(i64(0), i64(10), [&](i64 j, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
        gn::write(out4 + multiply + j, gn::splat<f32x8>(0.0f), live);
      });
      const i64 multiply2 = b2 * i64(64);
      const i64 add = i64(64) + multiply2;
      const i64 minimum = gn::minimum(add, x_0);
      for (i64 i = multiply2; i < minimum; ++i) {
        gn::Accumulator<f32x8, 8> max(-gn::infinity<f32>());
        gn::Accumulator<f32x8, 8> sum(0.0f);
        const i64 multiply3 = i * i64(10);
        const bool less = gn::less(i, y_0);
        const i64 t2 = gn::select(less, i, i64(0));
        const i64 y_ = y[t2];
        const i64 t3 = gn::select(less, y_, i64(0));
        const i64 add2 = t3 + i64(10);
        const bool less2 = gn::less(t3, i64(0));
        const i64 t4 = gn::select(less2, add2, t3);
        const bool less3 = gn::less(t4, i64(0));
        const bool greater_equal = gn::greater_equal(t4, i64(10));
        const bool logical_or = gn::logical_or(less3, greater_equal);
        call.check(5, logical_or, i, t3, i64(10));
        const i64 t5 = gn::select(logical_or, i64(0), t4);
        gn::vector_loop<8, 8, true>(i64(0), i64(10), [&](i64 j2, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
          const f32x8 b_ = gn::read<f32x8>(b + j2, live, 0.0f);
          const f32x8 in_ = gn::read<f32x8>(in + multiply3 + j2, live, 0.0f);
          const f32x8 add3 = b_ + in_;
          max.chain[chain] = gn::maximum(max.chain[chain], gn::keep(live, add3, -gn::infinity<f32>()));
          const i64x8 t6 = gn::splat<i64x8>(j2) + gn::iota<i64x8>();
          const boolx8 equal = gn::equal(gn::splat<i64x8>(t5), t6);
          const boolx8 logical_and = gn::logical_and(gn::splat<boolx8>(less), equal);
          const f32x8 t7 = gn::select(logical_and, gn::splat<f32x8>(divide), gn::splat<f32x8>(0.0f));
          sum.chain[chain] = gn::add(sum.chain[chain], gn::keep(live, t7, 0.0f));
        });
        const f32 t8 = gn::fold_chains(max, [](auto a, auto b) { return gn::maximum(a, b); });
        const f32 t9 = gn::fold_chains(sum, [](auto a, auto b) { return gn::add(a, b); });
        out[i] = t8;
        gn::Accumulator<f32x8, 8> sum2(0.0f);
        gn::vector_loop<8, 8, true>(i64(0), i64(10), [&](i64 j3, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
          const f32x8 b_2 = gn::read<f32x8>(b + j3, live, 0.0f);
          const f32x8 in_2 = gn::read<f32x8>(in + multiply3 + j3, live, 0.0f);
          const f32x8 add4 = b_2 + in_2;
          const f32x8 subtract = add4 - gn::splat<f32x8>(t8);
          const f32x8 exp = gn::exp(subtract);
          gn::write(scratch + j3, exp, live);
          sum2.chain[chain] = gn::add(sum2.chain[chain], gn::keep(live, exp, 0.0f));
        });
        const f32 t10 = gn::fold_chains(sum2, [](auto a, auto b) { return gn::add(a, b); });
        out2[i] = t10;
        gn::vector_loop<8, 1, true>(i64(0), i64(10), [&](i64 j4, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
          const i64x8 t11 = gn::splat<i64x8>(j4) + gn::iota<i64x8>();
          const boolx8 equal2 = gn::equal(gn::splat<i64x8>(t5), t11);
          const boolx8 logical_and2 = gn::logical_and(gn::splat<boolx8>(less), equal2);
          const f32x8 t12 = gn::select(logical_and2, gn::splat<f32x8>(divide), gn::splat<f32x8>(0.0f));
          const f32x8 scratch_ = gn::read<f32x8>(scratch + j4, live, 0.0f);
          const f32x8 divide2 = scratch_ / gn::splat<f32x8>(t10);
          const f32x8 multiply4 = divide2 * gn::splat<f32x8>(t9);
          const f32x8 subtract2 = t12 - multiply4;
          gn::write(out3 + multiply3 + j4, subtract2, live);
          gn::write(out4 + multiply + j4, gn::add(gn::read<f32x8>(out4 + multiply + j4, live, 0.0f), subtract2), live);
        });
      }
    }
  });
  call.parallel(gn::floor_divide<i64>((y_0 + 8191), i64(8192)), i64(1), [=](i64 c_lo, i64 c_hi, [[maybe_unused]] i32 worker) {
    f32* scratch = call.scratch_of<f32>(worker, i64(0));
    for (i64 c = c_lo; c < c_hi; ++c) {
      const i64 multiply5 = c * i64(8192);
      const i64 add5 = i64(8192) + multiply5;
      const i64 minimum2 = gn::minimum(add5, y_0);
      gn::Accumulator<f32x8, 8> sum3(0.0f);
      gn::vector_loop<8, 8, true>(multiply5, minimum2, [&](i64 j5, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
        const i64x8 t13 = gn::splat<i64x8>(j5) + gn::iota<i64x8>();
        const boolx8 greater_equal2 = gn::greater_equal(t13, gn::splat<i64x8>(x_0));
        call.check<8>(6, greater_equal2, live, t13, t13, gn::splat<i64x8>(x_0));
        const i64x8 t14 = gn::select(greater_equal2, gn::splat<i64x8>(i64(0)), t13);
        const i64x8 y_2 = gn::read<i64x8>(y + j5, live, i64(0));
        const i64x8 add6 = gn::add(y_2, gn::splat<i64x8>(i64(10)));
        const boolx8 less4 = gn::less(y_2, gn::splat<i64x8>(i64(0)));
        const i64x8 t15 = gn::select(less4, add6, y_2);
        const boolx8 less5 = gn::less(t15, gn::splat<i64x8>(i64(0)));
        const boolx8 greater_equal3 = gn::greater_equal(t15, gn::splat<i64x8>(i64(10)));
        const boolx8 logical_or2 = gn::logical_or(less5, greater_equal3);
        call.check<8>(6, logical_or2, live, t13, y_2, gn::splat<i64x8>(i64(10)));
        const i64x8 t16 = gn::select(logical_or2, gn::splat<i64x8>(i64(0)), t15);
        const f32x8 b_3 = gn::read_at<f32x8>(b, t16, live, 0.0f);
        const i64x8 multiply6 = gn::multiply(t14, gn::splat<i64x8>(i64(10)));
        const i64x8 add7 = gn::add(t16, multiply6);
        const f32x8 in_3 = gn::read_at<f32x8>(in, add7, live, 0.0f);
        const f32x8 add8 = b_3 + in_3;
        const f32x8 out_ = gn::read_at<f32x8>(out, t14, live, 0.0f);
        const f32x8 subtract3 = add8 - out_;
        const f32x8 out2_ = gn::read_at<f32x8>(out2, t14, live, 0.0f);
        const f32x8 log = gn::log(out2_);
        const f32x8 subtract4 = subtract3 - log;
        sum3.chain[chain] = gn::add(sum3.chain[chain], gn::keep(live, subtract4, 0.0f));
      });
      const f32 t17 = gn::fold_chains(sum3, [](auto a, auto b) { return gn::add(a, b); });
      out6[c] = t17;
    }
  });
  f32 sum4 = 0.0f;
  for (i64 c2 = i64(0); c2 < gn::floor_divide<i64>((y_0 + 8191), i64(8192)); ++c2) {
    const f32 out6_ = out6[c2];
    sum4 = gn::add(sum4, out6_);
  }
  const f32 t18 = sum4;
  const f32 in2_ = in2[i64(0)];
  const f32 multiply7 = in2_ * 0.0001f;
  const f32 t19 = gn::convert<f32>(y_0);
  const f32 divide3 = t18 / t19;
  const f32 subtract5 = multiply7 - divide3;
  out5[i64(0)] = subtract5;
}

// --- kernels1.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
using f32x8 = gn::lanes<f32, 8>;

void gnomon_k2(const gn::Call& call, const i64* dims, f32* __restrict out, const f32* __restrict in, f32* __restrict b, const f32* __restrict b2) {
  const i64 x_0 = dims[0];
  gn::vector_loop<8, 1, true>(i64(0), i64(10), [&](i64 j, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
    f32x8 sum = gn::splat<f32x8>(0.0f);
    for (i64 b3 = i64(0); b3 < gn::floor_divide<i64>((x_0 + 63), i64(64)); ++b3) {
      const i64 multiply = b3 * i64(10);
      const f32x8 in_ = gn::read<f32x8>(in + multiply + j, live, 0.0f);
      sum = gn::add(sum, in_);
    }
    const f32x8 t = sum;
    gn::write(out + j, t, live);
  });
  gn::vector_loop<8, 1, true>(i64(0), i64(10), [&](i64 j2, auto live, [[maybe_unused]] int chain) __attribute__((always_inline)) {
    const f32x8 out_ = gn::read<f32x8>(out + j2, live, 0.0f);
    const f32x8 b2_ = gn::read<f32x8>(b2 + j2, live, 0.0f);
    const f32x8 fma = gn::fma(out_, gn::splat<f32x8>(-0.1f), b2_);
    gn::write(b + j2, fma, live);
  });
}

// --- host.cpp
// compiled by Gnomon
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
void gnomon_k0(const gn::Call& call, const i64* dims, f32* __restrict out, const f32* __restrict w, f32* __restrict out2);
void gnomon_k1(const gn::Call& call, const i64* dims, f32* __restrict out, f32* __restrict out2, f32* __restrict out3, f32* __restrict out4, const f32* __restrict b, const f32* __restrict in, const i64* __restrict y, f32* __restrict out5, f32* __restrict out6, const f32* __restrict in2);
void gnomon_k2(const gn::Call& call, const i64* dims, f32* __restrict out, const f32* __restrict in, f32* __restrict b, const f32* __restrict b2);

extern "C" __attribute__((visibility("default"))) i32 gnomon_plan([[maybe_unused]] const i64* extents, i64* plan) {
  const i64 x_0 = plan[2] = extents[0];
  const i64 x_1 = plan[3] = extents[1];
  const i64 y_0 = plan[4] = extents[2];
  if (extents[3] != i64(784)) return 1;
  if (extents[4] != i64(10)) return 2;
  if (extents[5] != i64(10)) return 3;
  if (x_1 != i64(784)) return 4;
  (void)x_0;
  (void)x_1;
  (void)y_0;
  i64 top = 0;
  plan[5] = top;
  top += gn::maximum<i64>(((i64(3136) + 63) & ~i64(63)), ((i64(40) + 63) & ~i64(63)));
  plan[6] = top;
  top += ((i64(4) + 63) & ~i64(63));
  plan[7] = top;
  top += ((x_0 * 40 + 63) & ~i64(63));
  plan[8] = top;
  top += ((x_0 * 4 + 63) & ~i64(63));
  plan[9] = top;
  top += ((x_0 * 4 + 63) & ~i64(63));
  plan[10] = top;
  top += ((x_0 * 40 + 63) & ~i64(63));
  plan[11] = top;
  top += ((gn::floor_divide<i64>((x_0 + 63), i64(64)) * 40 + 63) & ~i64(63));
  plan[12] = top;
  top += ((gn::floor_divide<i64>((y_0 + 8191), i64(8192)) * 4 + 63) & ~i64(63));
  plan[0] = top;
  plan[1] = i64(64);
  plan[13] = i64(784);
  plan[14] = i64(10);
  plan[15] = i64(10);
  return 0;
}

extern "C" __attribute__((visibility("default"))) i32 gnomon_run(const gnomon_services* services, gnomon_context* context, [[maybe_unused]] void* const* buffers, const i64* plan, void* workspace) {
  const gn::Call call{services, context, static_cast<char*>(workspace) + plan[0], plan[1]};
  [[maybe_unused]] const i64* dims = plan + 2;
  [[maybe_unused]] const i64 x_0 = dims[0];
  [[maybe_unused]] const i64 x_1 = dims[1];
  [[maybe_unused]] const i64 y_0 = dims[2];
  [[maybe_unused]] f32* x = (f32*)(buffers[0]);
  [[maybe_unused]] i64* y = (i64*)(buffers[1]);
  [[maybe_unused]] f32* w = (f32*)(buffers[2]);
  [[maybe_unused]] f32* b = (f32*)(buffers[3]);
  [[maybe_unused]] f32* t = (f32*)((char*)workspace + plan[5]);
  [[maybe_unused]] f32* t2 = (f32*)((char*)workspace + plan[6]);
  [[maybe_unused]] f32* t3 = (f32*)((char*)workspace + plan[7]);
  [[maybe_unused]] f32* t4 = (f32*)((char*)workspace + plan[8]);
  [[maybe_unused]] f32* t5 = (f32*)((char*)workspace + plan[9]);
  [[maybe_unused]] f32* t6 = (f32*)((char*)workspace + plan[10]);
  [[maybe_unused]] f32* t7 = (f32*)((char*)workspace + plan[11]);
  [[maybe_unused]] f32* t8 = (f32*)(buffers[4]);
  [[maybe_unused]] f32* t9 = (f32*)((char*)workspace + plan[12]);
  [[maybe_unused]] f32* w2 = (f32*)(buffers[5]);
  [[maybe_unused]] f32* t10 = (f32*)((char*)workspace + plan[5]);
  [[maybe_unused]] f32* b2 = (f32*)(buffers[6]);
  gnomon_k0(call, dims, t, w, t2);
  {
    gnomon_gemm product{};
    product.dtype = 11;
    product.trans_a = 0, product.trans_b = 0;
    product.m = x_0, product.n = i64(10), product.k = i64(784);
    product.lda = i64(784), product.ldb = i64(10), product.ldc = i64(10);
    product.batch = i64(1), product.stride_a = x_0 * 784, product.stride_b = i64(7840), product.stride_c = x_0 * 10;
    product.alpha = 1.0, product.beta = 0.0;
    product.a = x, product.b = w, product.c = t3;
    if (services->gemm(context, &product) != 0) return -2;
  }
  gnomon_k1(call, dims, t4, t5, t6, t7, b, t3, y, t8, t9, t2);
  if (call.failed()) return 1;
  __builtin_memcpy(w2, w, i64(31360));
  {
    gnomon_gemm product{};
    product.dtype = 11;
    product.trans_a = 1, product.trans_b = 0;
    product.m = i64(784), product.n = i64(10), product.k = x_0;
    product.lda = i64(784), product.ldb = i64(10), product.ldc = i64(10);
    product.batch = i64(1), product.stride_a = x_0 * 784, product.stride_b = x_0 * 10, product.stride_c = i64(7840);
    product.alpha = -0.10000000149011612, product.beta = 0.9999800000002073;
    product.a = x, product.b = t6, product.c = w2;
    if (services->gemm(context, &product) != 0) return -2;
  }
  gnomon_k2(call, dims, t10, t7, b2, b);
  return 0;
}

extern "C" {
extern __attribute__((visibility("default"))) const gnomon_info_record gnomon_info;
const gnomon_info_record gnomon_info = {GNOMON_ABI_VERSION, 6, 16, 7,
    "{\"extent_parameters\":[],\"failures\":[{\"entry\":-1,\"nodes\":[],\"text\":\"w: expected f32[784, 10], found another extent: {value} where {bound} is expected\"},{\"entry\":-1,\"nodes\":[],\"text\":\"w: expected f32[784, 10], found another extent: {value} where {bound} is expected\"},{\"entry\":-1,\"nodes\":[],\"text\":\"b: expected f32[10], found another extent: {value} where {bound} is expected\"},{\"entry\":0,\"nodes\":[],\"text\":\"dot: inner sizes differ: x: f32[x.0, x.1] and w: f32[784, 10]\"},{\"entry\":-1,\"nodes\":[35,38],\"text\":\"index: index {value} is out of range for extent {bound} of y: i64[y.0] (position {index})\"},{\"entry\":-1,\"nodes\":[9],\"text\":\"index: index {value} is out of range for extent {bound} of subtract(subtract(...), log(...)): f32[x.0, 10] (position {index})\"}],\"inputs\":[{\"dtype\":\"float32\",\"name\":\"x\",\"rank\":2},{\"dtype\":\"int64\",\"name\":\"y\",\"rank\":1},{\"dtype\":\"float32\",\"name\":\"w\",\"rank\":2},{\"dtype\":\"float32\",\"name\":\"b\",\"rank\":1}],\"kernels\":3,\"messages\":[],\"outputs\":[{\"dtype\":\"float32\",\"late\":false,\"name\":\"\",\"rank\":0,\"shape_at\":13},{\"dtype\":\"float32\",\"late\":false,\"name\":\"w\",\"rank\":2,\"shape_at\":13},{\"dtype\":\"float32\",\"late\":false,\"name\":\"b\",\"rank\":1,\"shape_at\":15}],\"products\":2}"};
}

