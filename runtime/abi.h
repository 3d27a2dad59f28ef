/* The contract between generated code and whoever calls it: one C header, nothing else.
 *
 * A compiled function is three symbols:
 *   gnomon_info           what it needs (constant data)
 *   gnomon_plan           extents -> status; pure; fills the plan record: extents, offsets, sizes
 *   gnomon_run            does the work; no globals, throws nothing
 * In a program with several functions each has a prefix of its own in the place of `gnomon`.
 * All buffers are C-contiguous and aligned as their elements are; the workspace is to 64 bytes. */
#ifndef GNOMON_ABI_H
#define GNOMON_ABI_H

#include <stdint.h>

#define GNOMON_ABI_VERSION 14

#ifdef __cplusplus
extern "C" {
#endif

/* What gnomon_run and services that do work return. */
typedef enum gnomon_status {
  GNOMON_DONE = 0,
  GNOMON_CHECK_FAILED = 1,    /* `fail` was told which */
  GNOMON_NO_MEMORY = -1,      /* for a buffer or an output */
  GNOMON_SERVICE_FAILED = -2, /* a product, routine, convolution or sort could not be done */
  GNOMON_INTERRUPTED = -3
} gnomon_status;

/* Opaque to generated code; owned by the caller, one per running call. */
typedef struct gnomon_context gnomon_context;

/* One matrix product C = alpha * op(A) op(B) + beta * C, row-major, `batch` times.
 * Strides between the matrices of a batch are in elements and may be 0. Without beta, C is not
 * read. */
typedef struct gnomon_gemm {
  int32_t dtype; /* DType number: float32 or float64; on devices of halves too, with C in float32 */
  int32_t trans_a, trans_b;
  int32_t symmetric; /* op(B) is the transpose of op(A), so C is symmetric; beta is 0 then */
  int64_t m, n, k;
  int64_t lda, ldb, ldc; /* elements between rows */
  int64_t batch, stride_a, stride_b, stride_c;
  double alpha, beta;
  const void* a;
  const void* b;
  void* c;
} gnomon_gemm;

/* A routine on `batch` row-major matrices that follow one another: number, see runtime/routines.h.
 * The first operand is rows x n; the last of several has `columns` columns, else that is 0. */
typedef struct gnomon_routine {
  int32_t routine;
  int32_t dtype; /* DType number: float32, float64, complex64 or complex128 */
  int32_t lower, transposed, complete;
  int32_t option; /* which eigenvalues come first; how many diagonals are below the main one */
  int64_t rows, n, columns, batch;
  const void* in[3];
  void* out[6];
  int64_t failed; /* set: the first matrix without a result, or -1 */
  int64_t pivot;  /* set: where it failed, counted from 1 */
} gnomon_routine;

/* A convolution of images x [batch, groups * inputs, image...] with weights
 * w [groups * outputs, inputs, window...], y [batch, groups * outputs, result...], or a gradient:
 * `kind` says which of x, w and y are a, b and c, see runtime/routines.h.
 * Tap t of result i reads x at stride * i + dilation * t - before, 0 outside the image. */
typedef struct gnomon_convolution {
  int32_t dtype; /* DType number: float32 or float64 */
  int32_t kind;
  int64_t batch, groups, inputs, outputs;
  int64_t image[3], window[3], result[3];
  int64_t stride[3], before[3], dilation[3];
  const void* a;
  const void* b;
  void* c;
} gnomon_convolution;

/* A routine on the lines of an axis: number, see runtime/routines.h. Arrays have `outer` lines of n
 * elements, `inner` of them side by side. */
typedef struct gnomon_lines {
  int32_t routine;
  int32_t dtype;   /* DType number of the operands */
  int32_t reverse; /* from the end; sorts: descending; searches: behind equal elements */
  int64_t outer, n, inner;
  int64_t count; /* elements of a line of the result, where that is not n */
  const void* in[2];
  void* out;
} gnomon_lines;

/* What one call of a function that was compiled with the option `profile` counts of a step. */
typedef struct gnomon_step_counts {
  int64_t calls, ticks, bytes, operations;
  int64_t threads; /* the most that took part at once */
} gnomon_step_counts;

/* One time that a step ran. */
typedef struct gnomon_step_event {
  int64_t step;
  int64_t begin, end; /* ticks */
} gnomon_step_event;

/* Where such a call counts. Steps that run at once have counts of their own, but share the rest. */
typedef struct gnomon_profile {
  gnomon_step_counts* counts; /* by number of the step: those of the signature in order */
  gnomon_step_event* events;  /* the first ones of the call */
  int64_t room;               /* events that there is memory for */
  int64_t seen;               /* events so far, more than there is room for */
  int32_t* workers;           /* the most threads of a job since this was set to 1 */
  int64_t* held;              /* bytes by number of the buffer: those of the signature in order */
} gnomon_profile;

/* A clock of a constant rate that is read in a few nanoseconds. */
static inline int64_t gnomon_ticks(void) {
#if defined(__x86_64__)
  return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  int64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#elif defined(__riscv)
  int64_t ticks;
  __asm__ volatile("rdtime %0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

/* Work over [lo, hi) of a parallel axis; `worker` numbers the running thread from 0. */
typedef void (*gnomon_body)(void* argument, int64_t lo, int64_t hi, int32_t worker);

/* Between the memory of the host and that of a device. */
typedef enum gnomon_direction {
  GNOMON_TO_DEVICE = 0,
  GNOMON_TO_HOST = 1,
  GNOMON_IN_DEVICE = 2
} gnomon_direction;

/* The kernels of a function for a device, which its object exports as gnomon_device. */
typedef struct gnomon_device_record {
  const void* image; /* PTX, machine code, or what the simulated device runs */
  int32_t kernels;
  const char* const* names; /* of the kernels */
} gnomon_device_record;

/* Services that return int32_t and can fail return GNOMON_DONE or GNOMON_SERVICE_FAILED. */
typedef struct gnomon_services {
  int32_t abi_version;
  int32_t threads; /* the most workers `parallel` uses at once; at least 1 */
  /* Runs consecutive pieces that cover [0, count) once; a thread is worth `grain` iterations. */
  void (*parallel)(gnomon_context*, int64_t count, int64_t grain, gnomon_body body, void* argument);
  /* Fails when the product cannot run: no BLAS library, or rows too long for it. */
  int32_t (*gemm)(gnomon_context*, const gnomon_gemm*);
  /* Fails when there is no memory for it. */
  int32_t (*convolve)(gnomon_context*, const gnomon_convolution*);
  /* Memory for the rest of this call (64-byte aligned), or null. */
  void* (*allocate)(gnomon_context*, int64_t bytes);
  /* Makes output `index`, whose shape is only known now; returns its data, or null. */
  void* (*output)(gnomon_context*, int32_t index, const int64_t* shape);
  /* Reports a failed check. Of several reports the one with the smallest (check, index) counts.
   * `index`: position in the checked array; `value`: what was found; `bound`: its limit. */
  void (*fail)(gnomon_context*, int32_t check, int64_t index, int64_t value, int64_t bound);
  /* Shows an array to the user: print operations, in program order. */
  void (*print)(gnomon_context*, int32_t message, int32_t dtype, int32_t rank, const int64_t* shape,
                const void* data);
  /* Asked in loops, at least before each 1024th step: not 0 when the call is to end at once. */
  int32_t (*interrupted)(gnomon_context*);
  /* Fails when the routine cannot run: no LAPACK library, extents too large for it, or no memory. A
   * matrix without a result is no such failure: `failed` tells of it. */
  int32_t (*routine)(gnomon_context*, gnomon_routine*);
  /* Fails when there is no memory for it. */
  int32_t (*lines)(gnomon_context*, const gnomon_lines*);
  /* Where the call counts its steps; asked once, by functions that do. */
  gnomon_profile* (*profile)(gnomon_context*);
  /* Gives an array to the callback of a breakpoint, by its number. Fails when there is none, or
   * when it threw: the call is to end. */
  int32_t (*breakpoint)(gnomon_context*, int64_t callback, int32_t dtype, int32_t rank,
                        const int64_t* shape, const void* data);
  /* Of functions that run kernels on a device, null for others. Work there is queued in order. */
  /* Memory of the device for the rest of this call, or null. */
  void* (*device_allocate)(gnomon_context*, int64_t bytes);
  /* A constant of the object in the memory of the device, or null. */
  void* (*device_constant)(gnomon_context*, const void* constant, int64_t bytes);
  /* Memory for as many blocks as run at once, until the next kernel is launched, or null. */
  void* (*device_scratch)(gnomon_context*, int64_t bytes);
  /* Where kernels tell of failed checks, or null; `device_failed` waits for them, tells `fail` and
   * returns GNOMON_DONE, GNOMON_CHECK_FAILED or GNOMON_SERVICE_FAILED. */
  void* (*device_failure)(gnomon_context*);
  int32_t (*device_failed)(gnomon_context*);
  /* What is copied to the host is there when it returns. */
  int32_t (*device_copy)(gnomon_context*, void* to, const void* from, int64_t bytes,
                         gnomon_direction direction);
  /* Of functions with several devices: which of them the other services are about from now on. */
  void (*device_use)(gnomon_context*, int32_t device);
  /* To its memory from that of another device of the function. */
  int32_t (*device_copy_from)(gnomon_context*, int32_t device, void* to, const void* from,
                              int64_t bytes);
  /* Until all that was queued is done: functions that are profiled ask for it behind each step. */
  int32_t (*device_wait)(gnomon_context*);
  /* Zeros. */
  int32_t (*device_clear)(gnomon_context*, void* memory, int64_t bytes);
  /* `parameters`: the addresses of what each parameter of the kernel is. */
  int32_t (*device_launch)(gnomon_context*, int32_t kernel, int64_t blocks, int32_t threads,
                           void* const* parameters);
  /* By a kernel of the function that is made for the routine and the type: all stages of it. */
  int32_t (*device_lines)(gnomon_context*, int32_t kernel, const gnomon_lines*);
  int32_t (*device_convolve)(gnomon_context*, int32_t kernel, const gnomon_convolution*);
  /* Routines that are no Fourier transforms, by such a kernel and a library. A matrix without a
   * result fails the check as a kernel's does, -1: none; `bound` is that of the failure. */
  int32_t (*device_routine)(gnomon_context*, int32_t kernel, const gnomon_routine*, int32_t check,
                            int64_t bound);
  /* By a library, without a kernel of the function. */
  int32_t (*device_gemm)(gnomon_context*, const gnomon_gemm*);
  /* Fourier transforms, by a library too. */
  int32_t (*device_transform)(gnomon_context*, const gnomon_routine*);
  int64_t device_blocks; /* the most that a launch is worth */
} gnomon_services;

typedef struct gnomon_info_record {
  int32_t abi_version;
  /* How many int64 `gnomon_plan` reads: the extents of each input of the signature in order, then
   * the values of scalar inputs used as extents. */
  int32_t extents;
  /* How many int64 it writes: see runtime/plan_layout.h. The workspace takes plan[0] bytes, and
   * plan[1] more for each worker that may run. */
  int32_t plan_size;
  int32_t buffers;       /* how many pointers `gnomon_run` reads: inputs, then outputs */
  const char* signature; /* JSON: see runtime/signature.h */
} gnomon_info_record;

/* Returns 0, or the number of the check that the extents violate. */
typedef int32_t (*gnomon_plan_function)(const int64_t* extents, int64_t* plan);

/* Returns a gnomon_status. Unless it is GNOMON_DONE, the outputs hold anything; nothing but them
 * and the workspace has been written. */
typedef int32_t (*gnomon_run_function)(const gnomon_services*, gnomon_context*,
                                       void* const* buffers, const int64_t* plan, void* workspace);

#ifdef __cplusplus
}
#endif

#endif
