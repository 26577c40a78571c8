#include "cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"

/* A file holds this header, the whole key and the binary. */
typedef struct header {
  char magic[8];
  uint64_t key_bytes;
  uint64_t binary_bytes;
  uint64_t checksum; /* of key and binary */
} header;

static const char magic[8] = {'a', 'c', 'c', 's', 'h', 'r', '0', '1'};

/* FNV-1a, 64 bits, continued from `hash`. */
static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *each = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ each[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static const uint64_t fnv_basis = UINT64_C(0xcbf29ce484222325);

/* The folder's path, without a slash at the end; false when no variable says where. */
static bool folder(text *path) {
  const char *own = setting("ACCSHARE_CACHE_DIR");
  const char *xdg = setting("XDG_CACHE_HOME");
  const char *home = setting("HOME");
  if (own && *own) {
    text_bytes(path, own, strlen(own));
  } else if (xdg && *xdg) {
    text_add(path, "%s/accshare", xdg);
  } else if (home && *home) {
    text_add(path, "%s/.cache/accshare", home);
  }
  return path->length > 0;
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
  mkdir(path, 0777);
}

/* Two hashes from different starts name the file; the key inside tells a collision. */
static void add_file_name(text *path, const text *key) {
  uint64_t first = fnv1a(fnv_basis, key->bytes, key->length);
  uint64_t second = fnv1a(~fnv_basis, key->bytes, key->length);
  text_add(path, "/%016llx%016llx.bin", (unsigned long long)first, (unsigned long long)second);
}

static void note(const char *what, const char *path) {
  if (env()->notify & NOTIFY_LAUNCHES) warn("cache file=%s %s: %s", path, what, strerror(errno));
}

/* Key and binary of `file`, if it is whole and has this key. */
static unsigned char *read_entry(FILE *file, const text *key, size_t *bytes) {
  header head;
  struct stat status;
  if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, magic, sizeof magic) != 0) return NULL;
  if (head.key_bytes != key->length || fstat(fileno(file), &status) != 0) return NULL;
  uint64_t size = (uint64_t)status.st_size;
  if (head.binary_bytes > size || size != sizeof head + head.key_bytes + head.binary_bytes) return NULL;
  size_t payload = (size_t)(head.key_bytes + head.binary_bytes);
  unsigned char *content = allocate(payload);
  bool whole = fread(content, 1, payload, file) == payload && fnv1a(fnv_basis, content, payload) == head.checksum &&
               memcmp(content, key->bytes, key->length) == 0;
  if (!whole) {
    free(content);
    return NULL;
  }
  *bytes = (size_t)head.binary_bytes;
  memmove(content, content + key->length, *bytes);
  return content;
}

unsigned char *cache_load(const text *key, size_t *bytes) {
  text path = {0};
  unsigned char *binary = NULL;
  if (folder(&path)) {
    add_file_name(&path, key);
    FILE *file = fopen(path.bytes, "rb");
    if (file) {
      binary = read_entry(file, key, bytes);
      fclose(file);
    }
  }
  free(path.bytes);
  return binary;
}

static bool write_entry(const char *path, const text *key, const unsigned char *binary, size_t bytes) {
  header head = {.key_bytes = key->length, .binary_bytes = bytes};
  memcpy(head.magic, magic, sizeof magic);
  head.checksum = fnv1a(fnv1a(fnv_basis, key->bytes, key->length), binary, bytes);
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool done = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(key->bytes, 1, key->length, file) == key->length &&
              fwrite(binary, 1, bytes, file) == bytes;
  return fclose(file) == 0 && done;
}

void cache_store(const text *key, const unsigned char *binary, size_t bytes) {
  text path = {0}, temporary = {0};
  if (folder(&path)) {
    make_folders(path.bytes);
    add_file_name(&path, key);
    text_add(&temporary, "%s.%ld", path.bytes, (long)getpid());
    if (!write_entry(temporary.bytes, key, binary, bytes) || rename(temporary.bytes, path.bytes) != 0) {
      note("can't be written", path.bytes);
      remove(temporary.bytes);
    }
  }
  free(path.bytes);
  free(temporary.bytes);
}
