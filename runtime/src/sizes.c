#include "sizes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "files.h"
#include "message.h"
#include "text.h"

/* Different sizes of one region that are kept; a loop that shrinks step by step has thousands. */
enum { MOST = 256 };

typedef struct met {
  const accshare_region *region; /* never read at exit: its library may be gone by then */
  text line;                     /* all of the object but the count */
  size_t bytes;
  long *values;
  unsigned long times;
  struct met *next;
} met;

static met *all;
static bool full;

bool sizes_wanted(void) {
  const char *profile = env()->profile;
  return env()->record || (profile && !strncmp(profile, "json:", 5));
}

static void describe(text *line, const accshare_region *region, const char *const *names, const long *values,
                     unsigned count) {
  text_add(line, "{\"file\": ");
  text_json(line, region->file);
  text_add(line, ", \"line\": %d, \"name\": ", region->line);
  text_json(line, region->name);
  text_add(line, ", \"sizes\": {");
  for (unsigned i = 0; i < count; i++) {
    text_add(line, "%s", i ? ", " : "");
    text_json(line, names[i]);
    text_add(line, ": %ld", values[i]);
  }
  text_add(line, "}");
}

void sizes_met(const accshare_region *region, const char *const *names, const long *values, unsigned count) {
  size_t bytes = count * sizeof *values;
  unsigned different = 0;
  met **last = &all;
  for (; *last; last = &(*last)->next) {
    met *each = *last;
    if (each->region != region || each->bytes != bytes) continue;
    if (!memcmp(each->values, values, bytes)) {
      each->times++;
      return;
    }
    different++;
  }
  if (different >= MOST) {
    if (!full && env()->record) warn("%s:%d: ACCSHARE_RECORD keeps its first %d sizes", region->file, region->line, MOST);
    full = true;
    return;
  }
  met *made = allocate(sizeof *made);
  *made = (met){.region = region, .bytes = bytes, .values = allocate(bytes), .times = 1};
  memcpy(made->values, values, bytes);
  describe(&made->line, region, names, values, count);
  *last = made;
}

/* One write, so that the lines of programs that end together don't mix. */
static bool append(const char *path, const text *lines) {
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  struct stat status;
  bool fits = fstat(file, &status) == 0 && may_write((size_t)status.st_size + lines->length);
  if (fits) errno = ENOSPC; /* what a short write means */
  bool done = fits && write(file, lines->bytes, lines->length) == (ssize_t)lines->length;
  int error = errno;
  if (close(file) != 0 && done) return false;
  errno = error;
  return done;
}

void sizes_json(text *out) {
  for (const met *each = all; each; each = each->next) {
    text_add(out, "%s\n    %s, \"count\": %lu}", each == all ? "" : ",", each->line.bytes, each->times);
  }
}

void sizes_report(void) {
  const char *path = env()->record;
  if (!path || !all) return;
  text lines = {0};
  for (const met *each = all; each; each = each->next) {
    text_add(&lines, "%s, \"count\": %lu}\n", each->line.bytes, each->times);
  }
  if (!append(path, &lines)) warn("can't write the sizes to %s: %s", path, strerror(errno));
  free(lines.bytes);
}

void sizes_forked(void) {
  while (all) {
    met *next = all->next;
    free(all->line.bytes);
    free(all->values);
    free(all);
    all = next;
  }
}
