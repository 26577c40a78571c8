#include "env.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "message.h"

bool is_privileged(void) { return getauxval(AT_SECURE) != 0; }

const char *setting(const char *name) { return is_privileged() ? NULL : getenv(name); }

static offload read_offload(void) {
  if (is_privileged()) return OFFLOAD_DISABLED;
  const char *text = setting("ACCSHARE_OFFLOAD");
  if (!text || !*text || !strcasecmp(text, "default")) return OFFLOAD_DEFAULT;
  if (!strcasecmp(text, "disabled")) return OFFLOAD_DISABLED;
  if (!strcasecmp(text, "mandatory")) return OFFLOAD_MANDATORY;
  warn("ACCSHARE_OFFLOAD=%s is none of default, disabled, mandatory; taken as default", text);
  return OFFLOAD_DEFAULT;
}

static acc_device_t read_device_type(void) {
  static const struct {
    const char *name;
    acc_device_t type;
  } types[] = {{"default", acc_device_default}, {"host", acc_device_host},     {"not_host", acc_device_not_host},
               {"nvidia", acc_device_nvidia},   {"radeon", acc_device_radeon}, {"gpu", acc_device_gpu},
               {"cpu", acc_device_cpu},         {"multicore", acc_device_cpu},  {"opencl", acc_device_opencl}};
  const char *text = setting("ACC_DEVICE_TYPE");
  if (!text || !*text) return acc_device_default;
  const char *name = strncasecmp(text, "acc_device_", 11) ? text : text + 11;
  for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (!strcasecmp(name, types[i].name)) return types[i].type;
  }
  warn("ACC_DEVICE_TYPE=%s is none of default, host, not_host, nvidia, radeon, gpu, cpu, multicore, opencl; taken as default", text);
  return acc_device_default;
}

/* A number of 0 or more from variable `name`; `otherwise` when it is unset or no such number. */
static int read_number(const char *name, int otherwise) {
  const char *text = setting(name);
  if (!text || !*text) return otherwise;
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value < 0 || value > 65535) {
    warn("%s=%s is no number the runtime can use; taken as %s", name, text, otherwise < 0 ? "unset" : "0");
    return otherwise;
  }
  return (int)value;
}

static const char *read_profile(void) {
  const char *text = setting("ACCSHARE_PROFILE");
  if (!text || !*text || !strcmp(text, "0")) return NULL;
  if (!strcmp(text, "1") || (!strncmp(text, "json:", 5) && text[5])) return text;
  warn("ACCSHARE_PROFILE=%s is neither 1 nor json:PATH; ignored", text);
  return NULL;
}

/* The first number of OMP_NUM_THREADS, which may have one for each level of nested regions; 0 when there is none. */
static int read_openmp_threads(void) {
  const char *text = setting("OMP_NUM_THREADS");
  if (!text || !*text) return 0;
  char *end;
  long value = strtol(text, &end, 10);
  if (end != text && (!*end || *end == ',' || *end == ' ') && value > 0 && value <= 65535) return (int)value;
  warn("OMP_NUM_THREADS=%s is no number of threads; taken as unset", text);
  return 0;
}

static bool is_off(const char *text) { return !strcmp(text, "0") || !strcasecmp(text, "off"); }

bool learning_is_off(void) {
  const char *text = setting("ACCSHARE_LEARN");
  return text && is_off(text);
}

static bool read_learn(void) {
  const char *text = setting("ACCSHARE_LEARN");
  if (!text || !*text || !strcmp(text, "1") || !strcasecmp(text, "on")) return true;
  if (is_off(text)) return false;
  warn("ACCSHARE_LEARN=%s is neither on nor off; taken as on", text);
  return true;
}

static environment obeyed;
static atomic_bool is_read;

static void read_all(void) {
  const char *zero_copy = setting("ACCSHARE_ZERO_COPY");
  const char *break_even = setting("ACCSHARE_BREAK_EVEN");
  const char *record = setting("ACCSHARE_RECORD");
  obeyed.offload = read_offload();
  obeyed.break_even = !(break_even && !strcmp(break_even, "0"));
  obeyed.notify = (unsigned)read_number("ACCSHARE_NOTIFY", 0);
  obeyed.profile = read_profile();
  obeyed.record = record && *record ? record : NULL;
  obeyed.device_type = read_device_type();
  obeyed.device_num = read_number("ACC_DEVICE_NUM", 0);
  obeyed.threads = read_number("ACCSHARE_THREADS", -1);
  obeyed.openmp_threads = read_openmp_threads();
  obeyed.learn = read_learn();
  obeyed.zero_copy = !(zero_copy && !strcmp(zero_copy, "0"));
  atomic_store(&is_read, true);
}

/* Asked some times for each region: pthread_once alone takes as long as a small data directive does otherwise. */
const environment *env(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!atomic_load_explicit(&is_read, memory_order_acquire)) pthread_once(&once, read_all);
  return &obeyed;
}
