/* Files of this user alone: nobody else can have written what is read, or have what is written land elsewhere. */
#ifndef ACCSHARE_FILES_H
#define ACCSHARE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Opens folder `path`, which `made` makes with the folders above it where there is none; -1 and errno unless it is this
 * user's, no symbolic link, and nobody else can write there. */
int private_folder(const char *path, bool made);

/* Opens `name` of `folder` for reading; -1 and errno unless it is a plain file of this user that nobody else can write. */
int private_file(int folder, const char *name);
/* For writing too; where there is none, it is made, in place of what is no such file. */
int private_file_made(int folder, const char *name);

typedef struct part {
  const void *bytes;
  size_t length;
} part;

/* Makes `name` of `folder`, or of the current one (AT_FDCWD), hold `parts` in one step: readers see all of it or what was
 * there. `secret`: for this user alone, whatever the umask is. False and errno when it can't be done. */
bool replace_file(int folder, const char *name, bool secret, const part *parts, unsigned count);

/* Whether the process may write a file of so many bytes: it would be ended by a signal otherwise. */
bool may_write(size_t bytes);

/* Removes `name` of `folder` with all below it; symbolic links are removed, not followed. */
void remove_tree(int folder, const char *name);

#endif
