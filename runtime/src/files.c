#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* `file`, if it is of this user alone and of `type`; else it is closed. */
static int checked(int file, mode_t type) {
  struct stat status;
  if (file < 0) return -1;
  if (fstat(file, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid() &&
      !(status.st_mode & (S_IWGRP | S_IWOTH))) {
    return file;
  }
  close(file);
  errno = EPERM;
  return -1;
}

static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

static void make_folders(const char *path) {
  char *above = copy_string(path);
  for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(above, S_IRWXU);
    *slash = '/';
  }
  mkdir(above, S_IRWXU);
  free(above);
}

int private_folder(const char *path, bool made) {
  int folder = open_folder(path);
  if (made && folder < 0 && errno == ENOENT) {
    make_folders(path);
    folder = open_folder(path);
  }
  return checked(folder, S_IFDIR);
}

/* A pipe of that name must not be waited for. */
int private_file(int folder, const char *name) {
  return checked(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), S_IFREG);
}

static int made_file(int folder, const char *name) {
  static const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  return checked(openat(folder, name, flags, S_IRUSR | S_IWUSR), S_IFREG);
}

int private_file_made(int folder, const char *name) {
  int file = made_file(folder, name);
  if (file < 0 && unlinkat(folder, name, 0) == 0) file = made_file(folder, name);
  return file;
}

bool may_write(size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return true;
  errno = EFBIG;
  return false;
}

static bool write_all(int file, const part *part) {
  const char *bytes = part->bytes;
  for (size_t done = 0; done < part->length;) {
    ssize_t written = write(file, bytes + done, part->length - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += (size_t)written;
  }
  return true;
}

static bool write_parts(int folder, const char *name, bool secret, const part *parts, unsigned count) {
  static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  mode_t mode = secret ? S_IRUSR | S_IWUSR : 0666;
  int file = openat(folder, name, flags, mode);
  if (file < 0 && errno == EEXIST && unlinkat(folder, name, 0) == 0) { /* of a process that had this number before */
    file = openat(folder, name, flags, mode);
  }
  if (file < 0) return false;
  bool done = !secret || fchmod(file, mode) == 0;
  for (unsigned i = 0; done && i < count; i++) done = write_all(file, &parts[i]);
  int error = errno;
  bool closed = close(file) == 0;
  if (!done) errno = error;
  return done && closed;
}

bool replace_file(int folder, const char *name, bool secret, const part *parts, unsigned count) {
  text temporary = {0};
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) bytes += parts[i].length;
  if (!may_write(bytes)) return false;
  text_bytes(&temporary, name, strlen(name));
  text_add(&temporary, ".%ld", (long)getpid());
  bool done = write_parts(folder, temporary.bytes, secret, parts, count) &&
              renameat(folder, temporary.bytes, folder, name) == 0;
  int error = errno;
  if (!done) unlinkat(folder, temporary.bytes, 0);
  free(temporary.bytes);
  errno = error;
  return done;
}

void remove_tree(int folder, const char *name) {
  int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *entries = opened < 0 ? NULL : fdopendir(opened);
  if (!entries) {
    if (opened >= 0) close(opened);
    unlinkat(folder, name, 0);
    return;
  }
  for (struct dirent *each = readdir(entries); each; each = readdir(entries)) {
    if (strcmp(each->d_name, ".") != 0 && strcmp(each->d_name, "..") != 0) remove_tree(dirfd(entries), each->d_name);
  }
  closedir(entries);
  unlinkat(folder, name, AT_REMOVEDIR);
}
