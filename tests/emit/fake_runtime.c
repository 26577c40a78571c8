/* A runtime that moves nothing: it prints what generated code asks of it. FAKE picks what it answers. */
#include "accshare_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct accshare_session {
  accshare_region *region;
  const accshare_datum *data;
};

static struct accshare_session only;

static int wishes(const char *word)
{
  const char *wish = getenv("FAKE");
  return wish && strstr(wish, word) != NULL;
}

static void show(const accshare_datum *data, unsigned count)
{
  for (unsigned k = 0; k < count; k++)
    printf("  datum %s lower=%ld bytes=%ld element=%lu movement=%d\n", data[k].name, data[k].lower,
           (long)data[k].bytes, data[k].element, data[k].movement);
}

static accshare_session *begin(accshare_region *region, const accshare_datum *data, unsigned count)
{
  printf("begin %s:%d %s %s\n", region->file, region->line, region->function, region->name);
  show(data, count);
  only.region = region;
  only.data = data;
  return wishes("busy") ? NULL : &only;
}

static unsigned variant(accshare_session *session) { return session->region->variant_count - 1; }

static int scratch(accshare_session *session, unsigned long bytes)
{
  (void)session;
  printf("scratch %lu\n", bytes);
  return 0;
}

static int launch(accshare_session *session, const accshare_launch *l)
{
  const accshare_variant *v = &session->region->variants[variant(session)];
  printf("launch %s line=%d groups=%ld,%ld,%ld local=%u,%u,%u\n", v->kernels[l->kernel], l->line, l->groups[0],
         l->groups[1], l->groups[2], l->local[0], l->local[1], l->local[2]);
  for (unsigned k = 0; k < l->arg_count; k++) {
    const accshare_arg *a = &l->args[k];
    printf("  arg kind=%d index=%u bytes=%lu", a->kind, a->index, a->bytes);
    for (unsigned b = 0; b < a->bytes; b++)
      printf("%s%02x", b ? "" : " ", ((const unsigned char *)a->value)[b]);
    printf("\n");
  }
  return !wishes("lost");
}

static int end(accshare_session *session)
{
  (void)session;
  printf("end\n");
  return !wishes("lost");
}

static void host(accshare_region *region, const char *reason)
{
  printf("host %s: %s\n", region->name, reason ? reason : "(by wish)");
}

static void data(int op, unsigned flags, const char *file, int line, const accshare_datum *d, unsigned count)
{
  printf("data op=%d flags=%u %s:%d\n", op, flags, file, line);
  show(d, count);
}

static void wait_all(void) { printf("wait\n"); }

static long units(accshare_session *session)
{
  (void)session;
  return 4;
}

static int find(accshare_region *region, accshare_datum *datum)
{
  printf("find for %s\n", region->name);
  show(datum, 1);
  return !wishes("absent");
}

static const volatile double small = 0;
static const accshare_api api = {ACCSHARE_ABI, begin, variant,  scratch, launch, end,
                                 host,         data,  wait_all, NULL,    NULL,   &small,
                                 units,        find};

const accshare_api *accshare_runtime(int abi);
const accshare_api *accshare_runtime(int abi) { return abi == ACCSHARE_ABI ? &api : NULL; }
