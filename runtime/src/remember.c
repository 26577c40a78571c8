#include "remember.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"
#include "cpu.h"
#include "env.h"
#include "files.h"
#include "message.h"
#include "pool.h"
#include "text.h"

/* The file is a table of buckets, to which keys lead: one place is read and written for each, however many programs there are, and the
 * file is neither made anew nor renamed, which takes file systems milliseconds. */
enum { BUCKETS = 64, PLACES = 16, DAY = 24 * 60 * 60, LONGEST = 1 << 20 };

/* A place tells by itself whether it is whole: nobody locks the file. */
typedef struct place {
  remembered one;
  uint64_t sum; /* of it, its key among that */
} place;

static const char name[] = "regions-5.bin";

static bool is_plausible(const remembered *one) {
  bool any = false;
  for (turn turn = FIRST; turn < TURNS; turn++) {
    const measured *times = &one->turns[turn];
    for (way way = 0; way < WAYS; way++) {
      bool sound = times->rate[way] > 0 && times->rate[way] < LONGEST;
      if (times->count[way] && !sound) return false;
      if (!(times->since[way] >= 0)) return false;
      any |= times->count[way] > 0;
    }
    if (times->way >= WAYS) return false;
  }
  return any && one->spent >= 0 && one->spent < HUGE_VAL;
}

static uint64_t sum_of(const remembered *one) { return cache_hash(one->key, one, sizeof *one); }

static bool is_whole(const place *place) { return place->sum == sum_of(&place->one) && is_plausible(&place->one); }

/* Opens the file, and the folder and itself where they are to be `made`; -1 and errno when that can't be done. */
static int open_file(bool made) {
  text path = {0};
  int folder = cache_folder(&path, made);
  bool open = folder >= 0 && (!made || may_write(BUCKETS * PLACES * sizeof(place)));
  int file = !open ? -1 : made ? private_file_made(folder, name) : private_file(folder, name);
  int error = errno;
  if (file < 0 && made && error && env()->notify & NOTIFY_LAUNCHES) {
    warn("cache file=%s/%s can't be written: %s", path.bytes, name, strerror(error));
  }
  if (folder >= 0) close(folder);
  free(path.bytes);
  return file;
}

static off_t bucket_start(uint64_t key) { return (off_t)((key ^ key >> 32) % BUCKETS * PLACES * sizeof(place)); }

/* Where the file is shorter, places are empty. */
static void read_places(int file, off_t start, place *places, size_t count) {
  memset(places, 0, count * sizeof *places);
  if (pread(file, places, count * sizeof *places, start) < 0) memset(places, 0, count * sizeof *places);
}

/* What is under `key` in a bucket; PLACES where there is none. */
static unsigned place_in(const place bucket[PLACES], uint64_t key) {
  unsigned at = 0;
  while (at < PLACES && !(bucket[at].one.key == key && is_whole(&bucket[at]))) at++;
  return at;
}

/* Where to put something new: what is no whole one, or the oldest. */
static unsigned place_for(const place bucket[PLACES]) {
  unsigned oldest = 0;
  for (unsigned at = 0; at < PLACES; at++) {
    if (!is_whole(&bucket[at])) return at;
    if (bucket[at].one.day < bucket[oldest].one.day) oldest = at;
  }
  return oldest;
}

/* Which program this is, and the file as the process found it. Linux takes longer to tell than small regions take, so that no region
 * waits for it. */
static uint64_t program;
static place *found_at_start; /* NULL: nothing */

__attribute__((constructor)) static void look_at_start(void) {
  struct stat status;
  int error = errno, file = learning_is_off() ? -1 : open_file(false);
  if (file >= 0) {
    found_at_start = allocate(BUCKETS * PLACES * sizeof *found_at_start);
    read_places(file, 0, found_at_start, BUCKETS * PLACES);
    close(file);
  }
  if (stat("/proc/self/exe", &status) == 0) {
    program = cache_hash(program, &status.st_size, sizeof status.st_size);
    program = cache_hash(program, &status.st_mtim, sizeof status.st_mtim);
  }
  errno = error;
}

uint64_t remember_key(void) {
  unsigned threads = pool_most();
  return cache_hash(cpu_key(program), &threads, sizeof threads);
}

bool remember_find(uint64_t key, remembered *found) {
  if (!found_at_start) return false;
  const place *bucket = found_at_start + bucket_start(key) / (off_t)sizeof *bucket;
  unsigned at = place_in(bucket, key);
  if (at == PLACES) return false;
  *found = bucket[at].one;
  return true;
}

static bool store(int file, const remembered *changed) {
  place bucket[PLACES];
  read_places(file, bucket_start(changed->key), bucket, PLACES);
  unsigned at = place_in(bucket, changed->key);
  if (at == PLACES) at = place_for(bucket);
  place made = {.one = *changed};
  made.one.day = (uint32_t)(time(NULL) / DAY);
  made.sum = sum_of(&made.one);
  return pwrite(file, &made, sizeof made, bucket_start(changed->key) + (off_t)(at * sizeof made)) == sizeof made;
}

void remember_store(const remembered *changed, unsigned count) {
  int file = open_file(true);
  if (file < 0) return;
  unsigned done = 0;
  while (done < count && store(file, &changed[done])) done++;
  close(file);
}
