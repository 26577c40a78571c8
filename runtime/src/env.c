#include "env.h"

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
               {"cpu", acc_device_cpu}};
  const char *text = setting("ACC_DEVICE_TYPE");
  if (!text || !*text) return acc_device_default;
  const char *name = strncasecmp(text, "acc_device_", 11) ? text : text + 11;
  for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (!strcasecmp(name, types[i].name)) return types[i].type;
  }
  warn("ACC_DEVICE_TYPE=%s is none of default, host, not_host, nvidia, radeon, gpu, cpu; taken as default", text);
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

const environment *env(void) {
  static environment environment;
  static bool read;
  if (!read) {
    const char *zero_copy = setting("ACCSHARE_ZERO_COPY");
    const char *break_even = setting("ACCSHARE_BREAK_EVEN");
    const char *record = setting("ACCSHARE_RECORD");
    environment.offload = read_offload();
    environment.break_even = !(break_even && !strcmp(break_even, "0"));
    environment.notify = (unsigned)read_number("ACCSHARE_NOTIFY", 0);
    environment.profile = read_profile();
    environment.record = record && *record ? record : NULL;
    environment.device_type = read_device_type();
    environment.device_num = read_number("ACC_DEVICE_NUM", 0);
    environment.threads = read_number("ACCSHARE_THREADS", -1);
    environment.zero_copy = !(zero_copy && !strcmp(zero_copy, "0"));
    read = true;
  }
  return &environment;
}
