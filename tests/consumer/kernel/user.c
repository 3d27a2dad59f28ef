/* Two libraries in one program: prints the line at 1 and 2, and the sum of squares. */
#include <stdio.h>

#include "line.h"
#include "net.h"

_Alignas(64) static char work[1 << 16];
static double ones[1000];

int main(void) {
  double x[2] = {1, 2}, y[2], again[2], loss;
  line_dims dims = {.x_0 = 2};
  line_args args = {.x = x, .y = y};
  if (line_run(&dims, &args, work, sizeof work, NULL, NULL) != LINE_DONE) return 1;
  net_line_dims net_dims = {.x_0 = 2};
  net_line_args net_args = {.x = x, .y = again};
  if (net_line_run(&net_dims, &net_args, work, sizeof work, NULL, NULL) != NET_DONE) return 2;
  for (int i = 0; i < 1000; ++i) ones[i] = 1;
  net_model_dims model_dims = {.x_0 = 1};
  net_model_args model_args = {.x = ones, .loss = &loss};
  if (net_model_run(&model_dims, &model_args, work, sizeof work, NULL, NULL) != NET_DONE) return 3;
  printf("%g %g %g %g %g\n", y[0], y[1], again[0], again[1], loss);
  return 0;
}
