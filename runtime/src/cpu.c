#include "cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined __x86_64__ && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define LIBRARY_KNOWS
#elif defined __x86_64__
#include <cpuid.h>
#endif

#include "cache.h"

enum { LEVELS = 3, MAX_INDEX = 16 };

typedef struct cache {
  unsigned long bytes; /* 0: there is none, or nobody tells */
  unsigned units;      /* processors that share it */
} cache;

bool cpu_usual_arithmetic(void) {
#ifdef __x86_64__
  const unsigned rounding = 0x6000, masked = 0x1f80;
  return (__builtin_ia32_stmxcsr() & (rounding | masked)) == masked;
#else
  volatile float one = 1, little = 1e-30f;
  return one + little == one && one - little == one;
#endif
}

/* The first processor that this process may run on. */
static unsigned first_processor(void) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed)) return 0;
  for (unsigned i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET(i, &allowed)) return i;
  }
  return 0;
}

/* Reads the one line of a file that Linux keeps of cache `index`; false when there is none. */
static bool read_line(unsigned processor, unsigned index, const char *name, char *line, int bytes) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", processor, index, name);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool read = fgets(line, bytes, file) != NULL;
  fclose(file);
  return read;
}

/* How many a list such as "0-3,64-67" names; at least one. */
static unsigned listed(const char *list) {
  unsigned count = 0;
  for (int used = 0; *list; list += used) {
    unsigned first, last;
    used = 0;
    int found = sscanf(list, "%u%n-%u%n", &first, &used, &last, &used);
    if (found < 1) break;
    count += found == 2 && last >= first ? last - first + 1 : 1;
    used += list[used] == ',';
  }
  return count ? count : 1;
}

static void from_linux(cache caches[LEVELS]) {
  unsigned processor = first_processor();
  char line[4096];
  for (unsigned index = 0; index < MAX_INDEX; index++) {
    unsigned level;
    unsigned long size;
    char unit = '\0';
    if (!read_line(processor, index, "level", line, sizeof line)) return;
    if (sscanf(line, "%u", &level) != 1 || level < 1 || level > LEVELS) continue;
    if (!read_line(processor, index, "type", line, sizeof line) || !strncmp(line, "Instruction", 11)) continue;
    if (!read_line(processor, index, "size", line, sizeof line)) continue;
    if (sscanf(line, "%lu%c", &size, &unit) < 1) continue;
    size <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
    unsigned units = read_line(processor, index, "shared_cpu_list", line, sizeof line) ? listed(line) : 1;
    caches[level - 1] = (cache){size, units};
  }
}

/* What the C library knows: sizes only. Without sharers the last level is taken for everybody's. */
static void from_libc(cache caches[LEVELS]) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const int names[LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  for (int i = 0; i < LEVELS; i++) {
    long size = sysconf(names[i]);
    unsigned units = i == LEVELS - 1 && processors > 0 ? (unsigned)processors : 1;
    if (size > 0) caches[i] = (cache){(unsigned long)size, units};
  }
#else
  (void)caches;
#endif
}

static void find(cache caches[LEVELS]) {
  from_linux(caches);
  if (!caches[0].bytes) from_libc(caches);
}

static unsigned long last_cache;

static void find_last(void) {
  cache caches[LEVELS] = {{0, 0}};
  find(caches);
  last_cache = caches[LEVELS - 1].bytes;
}

unsigned long cpu_last_cache(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_last);
  return last_cache;
}

void cpu_caches_json(text *out) {
  cache caches[LEVELS] = {{0, 0}};
  find(caches);
  bool first = true;
  text_add(out, "[");
  for (int i = 0; i < LEVELS; i++) {
    if (!caches[i].bytes) continue;
    text_add(out, "%s{\"level\": %d, \"bytes\": %lu, \"units\": %u}", first ? "" : ", ", i + 1, caches[i].bytes,
             caches[i].units);
    first = false;
  }
  text_add(out, "]");
}

/* To ask the processor takes a virtual machine some microseconds for each word. The C library has asked already. */
#ifdef LIBRARY_KNOWS

static bool has_v2(void) {
  return CPU_FEATURE_ACTIVE(SSE3) && CPU_FEATURE_ACTIVE(SSSE3) && CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SSE4_2) &&
         CPU_FEATURE_ACTIVE(POPCNT) && CPU_FEATURE_ACTIVE(CMPXCHG16B) && CPU_FEATURE_ACTIVE(LAHF64_SAHF64);
}

static bool has_v3(void) {
  return has_v2() && CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(F16C) &&
         CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE);
}

static bool has_v4(void) {
  return has_v3() && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512CD) &&
         CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL);
}

uint64_t cpu_key(uint64_t key) {
  enum { EAX, EBX, ECX, EDX };
  const unsigned *first = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array; /* its EBX tells which core was asked */
  const unsigned *seventh = __x86_get_cpuid_feature_leaf(CPUID_INDEX_7)->cpuid_array;
  const unsigned words[] = {first[EAX], first[ECX], first[EDX], seventh[EBX], seventh[ECX], seventh[EDX]};
  return cache_hash(key, words, sizeof words);
}

#else

#ifdef __x86_64__
#define SUPPORTS(set) __builtin_cpu_supports(set)
#else
#define SUPPORTS(set) false
#endif

static bool has_v2(void) { return SUPPORTS("x86-64-v2"); }

static bool has_v3(void) { return SUPPORTS("x86-64-v3"); }

static bool has_v4(void) { return SUPPORTS("x86-64-v4"); }

uint64_t cpu_key(uint64_t key) {
  char name[64] = "";
#ifdef __x86_64__
  static const unsigned before = 0x80000001, leaves = 3; /* that hold it */
  unsigned words[12], *at = words;
  bool known = __get_cpuid_max(0x80000000, NULL) >= before + leaves;
  for (unsigned leaf = 1; known && leaf <= leaves; leaf++, at += 4) __cpuid(before + leaf, at[0], at[1], at[2], at[3]);
  if (known) memcpy(name, words, sizeof words);
#endif
  if (!*name) gethostname(name, sizeof name - 1);
  return cache_hash(key, name, sizeof name);
}

#endif

bool cpu_has(const char *set) {
  return !strcmp(set, "x86-64-v4") ? has_v4() : !strcmp(set, "x86-64-v3") ? has_v3() : !strcmp(set, "x86-64-v2") && has_v2();
}
