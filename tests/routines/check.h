/* CHECK(condition) tells on standard output which line of a program found something else. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition) \
  ((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

/* How the program is run: "native", "shared", "separate" or "host". */
static inline int is(const char *way)
{
  const char *wanted = getenv("WAY");
  return wanted && !strcmp(wanted, way);
}

/* Whether kernels work on the host's addresses, without a device. */
static inline int in_place(void) { return is("host") || is("native"); }
