/* Each program here runs some functions with regions and prints what they computed. DEVICE(call) says that the call
   launches kernels, HOST(call) that it falls back to the host loops, PARTLY(call) that one region does this and another that,
   EMPTY(call) that its loops run zero times. A comment on a loop's line says how it runs (grid x, host, work-item), and
   which ACC numbers the report gives there. */
#include <stdio.h>
#include <stddef.h>

#define DEVICE(call) show("device", #call, (call))
#define HOST(call) show("host", #call, (call))
#define PARTLY(call) show("partly", #call, (call))
#define EMPTY(call) show("empty", #call, (call))
#define DIGEST(object) digest(0, &(object), sizeof(object))
#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void show(const char *where, const char *call, unsigned long result)
{
  printf("%s %s %016lx\n", where, call, result);
  fflush(stdout);
}

/* FNV-1a */
static unsigned long digest(unsigned long seed, const void *object, size_t bytes)
{
  const unsigned char *p = object;
  unsigned long h = seed ^ 14695981039346656037UL;
  for (size_t k = 0; k < bytes; k++)
    h = (h ^ p[k]) * 1099511628211UL;
  return h;
}

/* a value between -50 and 50 that looks random */
static int noise(int k)
{
  unsigned x = (unsigned)k * 2654435761u;
  return (int)((x >> 16) % 101) - 50;
}

#define FILL(array) do { \
    for (int k_ = 0; k_ < (int)(sizeof(array) / sizeof(*(array))); k_++) (array)[k_] = noise(k_ * 7 + __LINE__); \
  } while (0)
#define FILL2(array) do { \
    for (int r_ = 0; r_ < (int)(sizeof(array) / sizeof(*(array))); r_++) FILL((array)[r_]); \
  } while (0)
