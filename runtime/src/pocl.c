#include "pocl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "text.h"
#include "threads.h"

/* A variable that PoCL reads: its name, and with its value as the environment has it. Where the user set it, it stays. */
typedef struct setting {
  const char *name, *text;
} setting;

static const setting both_devices = {"POCL_DEVICES", "POCL_DEVICES=pthread basic"};
/* Kernels are built once, for any size of launch, and lie in a program's binary: nothing is left to build when they run. */
static const setting any_size = {"POCL_WORK_GROUP_SPECIALIZATION", "POCL_WORK_GROUP_SPECIALIZATION=0"};

enum { MOST_SETTINGS = 2 };
/* What PoCL starts, one at a time, when it builds; and the few threads of ours and others beside those for the processors. */
enum { TO_BUILD = 1, BESIDE = 2 };

bool is_pocl_version(const char *version) { return strstr(version, "PoCL") != NULL; }

static bool is_pocl(const opencl_platform *platform) {
  char version[256] = "";
  platform->cl->GetPlatformInfo(platform->id, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
  return is_pocl_version(version);
}

/* Which PoCLs are known to run kernels of one device in several threads at once; they have no devices but the two. */
static bool is_known(const opencl_platform *platform) {
  char version[256] = "";
  platform->cl->GetPlatformInfo(platform->id, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
  return strstr(version, "PoCL 3.") && !strstr(version, "CUDA");
}

static bool on_path(const char *program) {
  const char *folders = getenv("PATH");
  text path = {0};
  bool found = false;
  while (folders && !found) {
    size_t length = strcspn(folders, ":");
    path.length = 0;
    text_add(&path, "%.*s/%s", (int)length, folders, program);
    found = access(path.bytes, X_OK) == 0;
    folders = folders[length] ? folders + length + 1 : NULL;
  }
  free(path.bytes);
  return found;
}

const char *pocl_cannot_build(const char *version) {
  if (!threads_can_start(TO_BUILD)) return "no process can be started to build kernels";
  if (strstr(version, "PoCL 3.") && !on_path("ld")) return "PoCL builds kernels with ld, which is not on the PATH";
  return NULL;
}

static bool is_hand(const opencl *cl, cl_device_id id) {
  char name[256] = "";
  cl->GetDeviceInfo(id, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  return !strncmp(name, "basic", strlen("basic"));
}

static cl_int every_device(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count) {
  static const cl_bitfield every_type = 0xFFFFFFFF;
  cl_int error = platform->cl->GetDeviceIDs(platform->id, every_type, most, ids, count);
  if (!error && *count > most) *count = most;
  return error;
}

/* The environment with some more variables. It is never freed: somebody may still be reading. */
static char **extended(char **before, const setting *settings, unsigned count) {
  size_t length = 0;
  while (before && before[length]) length++;
  char **lent = allocate((length + count + 1) * sizeof *lent);
  if (length) memcpy(lent, before, length * sizeof *lent);
  for (unsigned i = 0; i < count; i++) lent[length + i] = (char *)settings[i].text;
  return lent;
}

/* Most of what PoCL reads, it reads when it is first asked for devices. The environment is exchanged for that moment rather
 * than changed: other threads may be reading it, and children are not to inherit that. */
static cl_int with_settings(const opencl_platform *platform, const setting *settings, unsigned count, cl_uint most,
                            cl_device_id *ids, cl_uint *found) {
  extern char **environ;
  char **before = environ;
  char **lent = extended(before, settings, count);
  environ = lent;
  cl_int error = every_device(platform, most, ids, found);
  if (environ == lent) {
    environ = before;
  } else { /* somebody has changed it */
    for (unsigned i = 0; i < count; i++) unsetenv(settings[i].name);
  }
  return error;
}

/* One of its settings is read again whenever a kernel runs. */
static void keep(const setting *setting) {
  extern char **environ;
  if (!getenv(setting->name)) environ = extended(environ, setting, 1);
}

cl_int pocl_devices(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count,
                    cl_device_id *basic) {
  *basic = NULL;
  *count = 0;
  if (!is_pocl(platform)) return every_device(platform, most, ids, count);
  /* one for each processor, or it ends the process */
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (!threads_can_start((unsigned)(processors > 0 ? processors : 1) + BESIDE)) return CL_DEVICE_NOT_FOUND;
  setting settings[MOST_SETTINGS];
  unsigned set = 0;
  if (!getenv("POCL_CACHE_DIR")) {
    if (!place_folder()) return CL_DEVICE_NOT_FOUND;
    text folder = {0}; /* never freed, like the environment that has it */
    text_add(&folder, "POCL_CACHE_DIR=%s", place_folder());
    settings[set++] = (setting){"POCL_CACHE_DIR", folder.bytes};
  }
  bool with_hand = !getenv(both_devices.name) && is_known(platform);
  if (with_hand) settings[set++] = both_devices;
  keep(&any_size);
  cl_int error = with_settings(platform, settings, set, most, ids, count);
  for (cl_uint i = 0; with_hand && !error && i < *count; i++) {
    if (!is_hand(platform->cl, ids[i])) continue;
    *basic = ids[i];
    memmove(&ids[i], &ids[i + 1], (--*count - i) * sizeof *ids);
  }
  return error;
}
