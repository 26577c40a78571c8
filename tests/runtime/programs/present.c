/* One scenario of the present table a run; each prints values that tell the host's copy from the device's. */
#include "support.h"

#include "openacc.h"

enum { N = 64 };
static float x[N], y[N];

static int add_x(int movement, int first, int n) { return axpy_with(1, x, movement, y, movement, first, n, 1); }

static void structured(void) {
  data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, x, 0, N);
  data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPY, y, 0, N);
  int ran = add_x(ACCSHARE_PRESENT, 0, N);
  printf("%d %g ", ran, y[3]); /* the host has not seen it yet */
  ran = axpy(1, x, y, 0, N);   /* copy of what is present moves nothing */
  printf("%d %g ", ran, y[3]);
  data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPY, y, 0, N);
  data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, x, 0, N);
  printf("%g %d\n", y[3], acc_is_present(y, sizeof y));
}

static void dynamic(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
  axpy(1, x, y, 0, N);
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, N);
  printf("%g %d ", y[3], acc_is_present(y, sizeof y)); /* counted twice: still there, not copied */
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, N);
  printf("%g %d\n", y[3], acc_is_present(y, sizeof y));
}

static void finalize(void) {
  data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, y, 0, N);
  for (int i = 0; i < 3; i++) data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
  data_op(ACCSHARE_EXIT, ACCSHARE_FINALIZE, ACCSHARE_DELETE, y, 0, N);
  printf("%d ", acc_is_present(y, sizeof y)); /* the data construct still holds it */
  data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, y, 0, N);
  printf("%d\n", acc_is_present(y, sizeof y));
}

static void section(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, x, 8, 48);
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 16, 40);
  int ran = add_x(ACCSHARE_PRESENT, 20, 10);
  data_op(ACCSHARE_UPDATE, 0, ACCSHARE_UPDATE_HOST, y, 24, 4);
  printf("%d %g %g %g ", ran, y[23], y[24], y[28]); /* only 24..27 came back */
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 16, 40);
  printf("%g %g %g %g\n", y[19], y[20], y[29], y[30]);
}

static void update(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
  y[5] = 1000;
  y[6] = 1000;
  data_op(ACCSHARE_UPDATE, 0, ACCSHARE_UPDATE_DEVICE, y, 5, 1);
  axpy(1, x, y, 0, N);
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, N);
  data_op(ACCSHARE_UPDATE, ACCSHARE_IF_PRESENT, ACCSHARE_UPDATE_HOST, y, 0, N);
  printf("%g %g\n", y[5], y[6]);
}

static void partial(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N / 2);
  axpy(1, x, y, 0, N / 2);
  int ran = axpy(1, x, y, N / 4, N / 2); /* half of it present: the host runs on the newest values */
  int again = axpy(1, x, y, 0, N / 2);   /* and the device goes on with the host's */
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, N / 2);
  printf("%d %d %g %g %g\n", ran, again, y[0], y[N / 4], y[N / 2]);
}

static void guard(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
  axpy(1, x, y, 0, N);
  api()->host(&axpy_region, "the arrays may overlap");
  for (int i = 0; i < N; i++) y[i] += x[i];
  axpy(1, x, y, 0, N);
  data_op(ACCSHARE_EXIT, 0, ACCSHARE_COPYOUT, y, 0, N);
  printf("%g\n", y[3]);
}

static void missing(void) { add_x(ACCSHARE_PRESENT, 0, N); }

static void update_missing(void) { data_op(ACCSHARE_UPDATE, 0, ACCSHARE_UPDATE_HOST, y, 0, N); }

static void update_if_present(void) { data_op(ACCSHARE_UPDATE, ACCSHARE_IF_PRESENT, ACCSHARE_UPDATE_HOST, y, 0, N); }

static void overlapping(void) {
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N / 2);
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, y, 0, N);
}

static void no_create(void) {
  const accshare_datum data[] = {DATUM(ACCSHARE_COPYIN, x, 0, N), DATUM(ACCSHARE_NO_CREATE, y, 0, N)};
  accshare_session *session = api()->begin(&axpy_region, data, 2);
  printf("%d %d ", session != NULL, acc_is_present(y, sizeof y));
  printf("%d\n", api()->end(session));
}

static void odd_origin(void) {
  char bytes[4 * N + 4] = {0};
  acc_copyin(bytes, sizeof bytes);
  float *inside = (float *)(void *)(bytes + 4);
  const accshare_datum data[] = {DATUM(ACCSHARE_COPYIN, x, 0, 8),
                                 {"inside", bytes + 2, 2, 32, sizeof *inside, ACCSHARE_COPY}};
  printf("%d\n", axpy_on_device(1, data, 0, 8, 1));
}

static void twice(void) { /* y += 2 y: two names for one array */
  printf("%d ", axpy(2, y, y, 0, N));
  printf("%g %d\n", y[3], acc_is_present(y, sizeof y));
}

static void nested(void) {
  for (int i = 0; i < 40; i++) { /* more than the table begins with */
    data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, x, i, 1);
    data_op(ACCSHARE_ENTER, 0, ACCSHARE_CREATE, x, i, 1);
  }
  for (int i = 0; i < 40; i += 2) data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPYIN, x, i, 1);
  for (int i = 0; i < 40; i += 4) data_op(ACCSHARE_EXIT, 0, ACCSHARE_DELETE, x, i, 1);
  int left = 0;
  for (int i = 0; i < 40; i++) left += acc_is_present(&x[i], sizeof x[i]);
  data_op(ACCSHARE_ENTER, 0, ACCSHARE_COPYIN, x, 40, 8);
  printf("%d %d %d\n", left, acc_is_present(&x[40], 8 * sizeof *x), acc_is_present(&x[40], 9 * sizeof *x));
}

static void never_used(void) {
  for (int i = 0; i < 100; i++) {
    data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPY, y, 0, N);
    data_op(ACCSHARE_UPDATE, 0, ACCSHARE_UPDATE_HOST, y, 0, N);
    data_op(ACCSHARE_UPDATE, 0, ACCSHARE_UPDATE_DEVICE, y, 0, N);
    data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPY, y, 0, N);
  }
  printf("%g\n", y[3]);
}

static void odd_address(void) { /* present by its bytes, used as floats */
  char bytes[4 * N + 2];
  float *odd = (float *)(void *)(bytes + 2), *same = acc_copyin(odd, 4 * N);
  memcpy(odd, y, 4 * N);
  acc_update_device(odd, 4 * N);
  int ran = axpy(1, x, odd, 0, N);
  acc_copyout(odd, 4 * N);
  memcpy(y, odd, 4 * N);
  printf("%d %d %g\n", ran, same != NULL, y[3]);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } scenarios[] = {{"structured", structured}, {"dynamic", dynamic},         {"finalize", finalize},
                   {"section", section},       {"update", update},           {"partial", partial},
                   {"guard", guard},           {"missing", missing},         {"update_missing", update_missing},
                   {"no_create", no_create},   {"overlapping", overlapping}, {"odd_origin", odd_origin},
                   {"twice", twice},           {"nested", nested},         {"never_used", never_used},
                   {"odd_address", odd_address}, {"update_if_present", update_if_present}};
  fill(x, N, 1, 0);
  fill(y, N, 0, 1);
  for (unsigned i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    if (argc == 2 && !strcmp(argv[1], scenarios[i].name)) {
      scenarios[i].run();
      return 0;
    }
  }
  return 2;
}
