#include "place.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"
#include "files.h"
#include "text.h"

/* What building a few kernels takes at most. */
enum { ROOM = 32 << 20, ENTRIES = 64 };
/* The longest path: PoCL has room for 1024 bytes, and adds to it. */
enum { LONGEST = 400 };
/* A folder younger than this may not be locked yet. */
enum { YOUNG_SECONDS = 60 };

static char *folder;   /* NULL: none */
static int held = -1;  /* the folder, locked as long as a process uses it */
static pid_t owner;

static bool has_room(int opened) {
  struct statvfs system;
  if (fstatvfs(opened, &system) != 0 || !may_write(ROOM)) return false;
  bool bytes = (double)system.f_bavail * (double)system.f_frsize >= ROOM;
  return bytes && (!system.f_files || system.f_favail >= ENTRIES) && !(system.f_flag & (ST_RDONLY | ST_NOEXEC));
}

/* Removes what processes left that were killed: nobody holds its lock. */
static void sweep(int above) {
  int again = openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = again < 0 ? NULL : fdopendir(again);
  for (struct dirent *each = entries ? readdir(entries) : NULL; each; each = readdir(entries)) {
    if (*each->d_name == '.') continue;
    struct stat status;
    int left = openat(above, each->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool old = left >= 0 && fstat(left, &status) == 0 && time(NULL) - status.st_mtime > YOUNG_SECONDS;
    if (old && flock(left, LOCK_EX | LOCK_NB) == 0) remove_tree(above, each->d_name);
    if (left >= 0) close(left);
  }
  if (entries) closedir(entries);
}

/* Makes the folder below `above`, which nobody else can write. */
static void make_below(const char *above) {
  int opened = private_folder(above, true);
  char path[PATH_MAX];
  const char *real = opened < 0 ? NULL : realpath(above, path); /* not allocated: by whom, if the program has a malloc? */
  if (real && strlen(real) <= LONGEST && has_room(opened)) {
    text name = {0};
    text_add(&name, "%s/XXXXXX", real);
    sweep(opened);
    if (mkdtemp(name.bytes)) held = open(name.bytes, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (held >= 0) {
      flock(held, LOCK_EX | LOCK_NB);
      folder = name.bytes;
      owner = getpid();
    } else {
      free(name.bytes);
    }
  }
  if (opened >= 0) close(opened);
}

static void make(void) {
  static const char *const others[] = {"/tmp", "/dev/shm"};
  text path = {0};
  int cache = cache_folder(&path, true);
  if (cache >= 0) {
    text_bytes(&path, "/pocl", strlen("/pocl"));
    make_below(path.bytes);
    close(cache);
  }
  for (unsigned i = 0; i < sizeof others / sizeof *others && !folder; i++) {
    path.length = 0;
    text_add(&path, "%s/accshare-%lu", others[i], (unsigned long)geteuid());
    make_below(path.bytes);
  }
  free(path.bytes);
}

const char *place_folder(void) {
  static bool tried;
  if (!tried) make();
  tried = true;
  return folder;
}

bool place_has_room(void) { return !folder || has_room(held); }

void place_leave(void) {
  if (!folder || owner != getpid()) return;
  remove_tree(AT_FDCWD, folder);
  close(held);
  free(folder);
  folder = NULL;
}
