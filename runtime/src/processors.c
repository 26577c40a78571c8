#include "processors.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096, PATH = 2 * LINE };

bool processors_allowed(cpu_set_t *allowed) {
  CPU_ZERO(allowed);
  return !sched_getaffinity(getpid(), sizeof *allowed, allowed) && CPU_COUNT(allowed) > 0;
}

/* The two numbers of a file, of which the first may be the word "max" or negative: there is no limit then. */
static bool read_numbers(const char *path, double *first, double *second) {
  char text[LINE];
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  int found = sscanf(text, "%lf %lf", first, second);
  return found >= (second ? 2 : 1) && *first > 0 && (!second || *second > 0);
}

/* The processors' worth of time that the group in `folder` has; 0: as much as there is. */
static double share_of(const char *folder, bool unified) {
  char path[PATH + 32];
  double quota = 0, period = 0;
  if (unified) {
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    return read_numbers(path, &quota, &period) ? quota / period : 0;
  }
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  if (!read_numbers(path, &quota, NULL)) return 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  return read_numbers(path, &period, NULL) ? quota / period : 0;
}

/* The least share of a group and of all that it is part of. A container may see its group's files at the top although the
 * group has a longer name outside. */
static double least_share(const char *root, const char *mount, const char *group, bool unified) {
  char folder[PATH];
  int length = snprintf(folder, sizeof folder, "%s%s%s", root, mount, group);
  size_t top = strlen(root) + strlen(mount);
  double least = 0;
  if (length < 0 || (size_t)length >= sizeof folder) return 0;
  for (;;) {
    double share = share_of(folder, unified);
    if (share > 0 && (least <= 0 || share < least)) least = share;
    char *slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < top) return least;
    *slash = '\0';
  }
}

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (!strncmp(at, word, length) && (at[length] == ',' || !at[length])) return true;
  }
  return false;
}

/* The share that a line of /proc/self/cgroup leads to: "0::/group", or "4:cpu,cpuacct:/group". */
static double share_in_line(const char *root, char *line) {
  char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group) return 0;
  *group++ = '\0';
  controllers++;
  group[strcspn(group, "\n")] = '\0';
  if (!strcmp(group, "/")) *group = '\0';
  if (!*controllers) return least_share(root, "/sys/fs/cgroup", group, true);
  return has_word(controllers, "cpu") ? least_share(root, "/sys/fs/cgroup/cpu", group, false) : 0;
}

/* The least share of all groups that the process is in; 0: as much as there is. */
static double share_under(const char *root) {
  char line[LINE];
  snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
  FILE *file = fopen(line, "re");
  double least = 0;
  while (file && fgets(line, sizeof line, file)) {
    double share = share_in_line(root, line);
    if (share > 0 && (least <= 0 || share < least)) least = share;
  }
  if (file) fclose(file);
  return least;
}

unsigned processors_limited(unsigned processors, const char *root) {
  double share = share_under(root), least = share > 0 && share < processors ? share : processors;
  unsigned whole = (unsigned)least;
  return whole + (whole < least) ? whole + (whole < least) : 1;
}

unsigned processors_all(void) {
  cpu_set_t allowed;
  if (processors_allowed(&allowed)) return (unsigned)CPU_COUNT(&allowed);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

void processors_leave(int processor) {
  cpu_set_t allowed, others;
  if (sched_getcpu() != processor || sched_getaffinity(0, sizeof allowed, &allowed)) return;
  others = allowed;
  CPU_CLR((size_t)processor, &others);
  if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof others, &others)) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}
