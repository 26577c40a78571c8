#include "cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env.h"
#include "files.h"

/* A larger binary is none: kernels come to some hundred thousand bytes. */
enum { MOST_BYTES = 1 << 28 };

/* A file holds this header, the whole key and the binary. */
typedef struct header {
  char magic[8];
  uint64_t key_bytes;
  uint64_t binary_bytes;
  uint64_t checksum; /* of key and binary */
} header;

static const char magic[8] = {'a', 'c', 'c', 's', 'h', 'r', '0', '2'};

uint64_t cache_hash(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *each = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ each[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static const uint64_t fnv_basis = UINT64_C(0xcbf29ce484222325);

/* As `cache_hash`, of words, as a full file of what was learned is read at every start. */
static uint64_t checksum(uint64_t sum, const unsigned char *bytes, size_t count) {
  uint64_t word;
  for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
    memcpy(&word, bytes, sizeof word);
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
    sum ^= sum >> 32;
  }
  return cache_hash(sum, bytes, count);
}

static uint64_t checksum_of(const text *key, const unsigned char *binary, size_t bytes) {
  return checksum(checksum(fnv_basis, (const unsigned char *)key->bytes, key->length), binary, bytes);
}

static void add_path(text *path, const char *first, const char *second) {
  text_bytes(path, first, strlen(first));
  text_bytes(path, second, strlen(second));
}

int cache_folder(text *path, bool made) {
  const char *own = setting("ACCSHARE_CACHE_DIR");
  const char *xdg = setting("XDG_CACHE_HOME");
  const char *home = setting("HOME");
  errno = 0;
  if (own && *own) {
    add_path(path, own, "");
  } else if (xdg && *xdg) {
    add_path(path, xdg, "/accshare");
  } else if (home && (!made || access(home, F_OK) == 0)) { /* a user without a home has no cache, and is not given a home */
    add_path(path, home, "/.cache/accshare");
  }
  while (path->length > 1 && path->bytes[path->length - 1] == '/') path->bytes[--path->length] = '\0';
  return path->length ? private_folder(path->bytes, made) : -1;
}

/* Two hashes from different starts name the file; the key inside tells a collision. */
static void add_file_name(text *name, const text *key) {
  uint64_t first = cache_hash(fnv_basis, key->bytes, key->length);
  uint64_t second = cache_hash(~fnv_basis, key->bytes, key->length);
  text_add(name, "%016llx%016llx.bin", (unsigned long long)first, (unsigned long long)second);
}

/* Key and binary of `file`, if it is whole and has this key. */
static unsigned char *read_entry(FILE *file, const text *key, size_t *bytes) {
  header head;
  struct stat status;
  if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, magic, sizeof magic) != 0) return NULL;
  if (head.key_bytes != key->length || fstat(fileno(file), &status) != 0) return NULL;
  uint64_t size = (uint64_t)status.st_size;
  if (head.binary_bytes > MOST_BYTES || size != sizeof head + head.key_bytes + head.binary_bytes) return NULL;
  size_t payload = (size_t)(head.key_bytes + head.binary_bytes);
  unsigned char *content = allocate(payload);
  bool whole = fread(content, 1, payload, file) == payload && memcmp(content, key->bytes, key->length) == 0 &&
               checksum_of(key, content + key->length, (size_t)head.binary_bytes) == head.checksum;
  if (!whole) {
    free(content);
    return NULL;
  }
  *bytes = (size_t)head.binary_bytes;
  memmove(content, content + key->length, *bytes);
  return content;
}

unsigned char *cache_load(const text *key, size_t *bytes) {
  unsigned char *binary = NULL;
  text name = {0}, path = {0};
  int folder = cache_folder(&path, false);
  free(path.bytes);
  if (folder < 0) return NULL;
  add_file_name(&name, key);
  int found = private_file(folder, name.bytes);
  FILE *file = found < 0 ? NULL : fdopen(found, "rb");
  if (file) {
    binary = read_entry(file, key, bytes);
    fclose(file);
  }
  free(name.bytes);
  close(folder);
  return binary;
}

void cache_store(const text *key, const unsigned char *binary, size_t bytes) {
  header head = {.key_bytes = key->length, .binary_bytes = bytes};
  memcpy(head.magic, magic, sizeof magic);
  head.checksum = checksum_of(key, binary, bytes);
  const part parts[] = {{&head, sizeof head}, {key->bytes, key->length}, {binary, bytes}};
  text name = {0}, path = {0};
  add_file_name(&name, key);
  int folder = cache_folder(&path, true);
  if (folder < 0 || !replace_file(folder, name.bytes, true, parts, sizeof parts / sizeof *parts)) {
    if (errno && env()->notify & NOTIFY_LAUNCHES) warn("cache file=%s/%s can't be written: %s", path.bytes, name.bytes, strerror(errno));
  }
  if (folder >= 0) close(folder);
  free(name.bytes);
  free(path.bytes);
}
