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

/* Kernels are built once, for any size of launch, and lie in a program's binary: nothing is left to build when they run. */
static const setting any_size = {"POCL_WORK_GROUP_SPECIALIZATION", "POCL_WORK_GROUP_SPECIALIZATION=0"};

/* What PoCL starts, one at a time, when it builds; and the few threads of ours and others beside those for the processors. */
enum { TO_BUILD = 1, BESIDE = 2 };

bool is_pocl_version(const char *version) { return strstr(version, "PoCL") != NULL; }

static bool is_pocl(const opencl_platform *platform) {
  char version[256] = "";
  platform->cl->GetPlatformInfo(platform->id, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
  return is_pocl_version(version);
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

static cl_int every_device(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count) {
  static const cl_bitfield every_type = 0xFFFFFFFF;
  cl_int error = platform->cl->GetDeviceIDs(platform->id, every_type, most, ids, count);
  if (!error && *count > most) *count = most;
  return error;
}

/* The environment with one more variable. It is never freed: somebody may still be reading. */
static char **extended(char **before, const setting *setting) {
  size_t length = 0;
  while (before && before[length]) length++;
  char **lent = allocate((length + 2) * sizeof *lent);
  if (length) memcpy(lent, before, length * sizeof *lent);
  lent[length] = (char *)setting->text;
  return lent;
}

/* Most of what PoCL reads, it reads when it is first asked for devices. The environment is exchanged for that moment rather
 * than changed: other threads may be reading it, and children are not to inherit that. */
static cl_int with_setting(const opencl_platform *platform, const setting *setting, cl_uint most, cl_device_id *ids,
                           cl_uint *found) {
  extern char **environ;
  char **before = environ;
  char **lent = extended(before, setting);
  environ = lent;
  cl_int error = every_device(platform, most, ids, found);
  if (environ == lent) {
    environ = before;
  } else { /* somebody has changed it */
    unsetenv(setting->name);
  }
  return error;
}

/* One of its settings is read again whenever a kernel runs. */
static void keep(const setting *setting) {
  extern char **environ;
  if (!getenv(setting->name)) environ = extended(environ, setting);
}

cl_int pocl_devices(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count) {
  *count = 0;
  if (!is_pocl(platform)) return every_device(platform, most, ids, count);
  /* one for each processor, or it ends the process */
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (!threads_can_start((unsigned)(processors > 0 ? processors : 1) + BESIDE)) return CL_DEVICE_NOT_FOUND;
  keep(&any_size);
  if (getenv("POCL_CACHE_DIR")) return every_device(platform, most, ids, count);
  if (!place_folder()) return CL_DEVICE_NOT_FOUND;
  text folder = {0}; /* never freed, like the environment that has it */
  text_add(&folder, "POCL_CACHE_DIR=%s", place_folder());
  const setting own_folder = {"POCL_CACHE_DIR", folder.bytes};
  return with_setting(platform, &own_folder, most, ids, count);
}
