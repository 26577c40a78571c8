#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "files.h"
#include "message.h"
#include "sizes.h"
#include "text.h"

static record *records;

record *profile_region(const char *file, int line, const char *function, const char *name) {
  record *made = allocate(sizeof *made);
  made->file = copy_string(file);
  made->line = line;
  made->function = copy_string(function);
  made->name = copy_string(name);
  record **last = &records;
  while (*last) last = &(*last)->next;
  *last = made;
  return made;
}

record *profile_data(const char *file, int line) {
  for (record *each = records; each; each = each->next) {
    if (!*each->name && each->line == line && !strcmp(each->file, file)) return each;
  }
  return profile_region(file, line, "", "");
}

void profile_host_run(record *record, const char *reason) {
  record->host_runs++;
  host_reason **each = &record->reasons;
  while (*each && strcmp((*each)->reason, reason) != 0) each = &(*each)->next;
  if (!*each) {
    *each = allocate(sizeof **each);
    (*each)->reason = copy_string(reason);
  }
  (*each)->count++;
}

times *profile_times(record *record, double operations) {
  times *made = allocate(sizeof *made);
  made->operations = operations;
  made->next = record->times;
  return record->times = made;
}

static void json_traffic(text *out, const char *name, const traffic *traffic) {
  text_add(out, ", \"%s\": {\"count\": %lu, \"bytes\": %llu, \"seconds\": %.9f}", name, traffic->count, traffic->bytes,
           traffic->seconds);
}

static void json_place(text *out, const record *record) {
  text_add(out, "\n    {\"file\": ");
  text_json(out, record->file);
  text_add(out, ", \"line\": %d", record->line);
}

static const char *name_of(const times *times, way way) {
  if (way == ON_HOST) return "the host";
  return way == BY_THREADS ? "native" : times->device ? times->device : "a device";
}

/* The way of kernels that it goes, or would. */
static way kernel_way(const times *times) {
  const double *seconds = times->seconds;
  if (times->way != ON_HOST) return times->way;
  bool device = seconds[ON_DEVICE] > 0 && (seconds[BY_THREADS] <= 0 || seconds[ON_DEVICE] < seconds[BY_THREADS]);
  return device || (times->device && seconds[BY_THREADS] <= 0) ? ON_DEVICE : BY_THREADS;
}

static void json_times(text *out, const times *times) {
  text_add(out, ",\n     \"measured\": [");
  for (; times; times = times->next) {
    way kernels = kernel_way(times);
    text_add(out, "{\"operations\": %.0f, \"kernels\": ", times->operations);
    text_json(out, name_of(times, kernels));
    text_add(out, ", \"host_seconds\": %.9f, \"kernel_seconds\": %.9f, \"on_host\": %s", times->seconds[ON_HOST],
             times->seconds[kernels], times->way == ON_HOST ? "true" : "false");
    text_add(out, ", \"native_seconds\": %.9f, \"device_seconds\": %.9f, \"device\": ", times->seconds[BY_THREADS],
             times->seconds[ON_DEVICE]);
    text_json(out, times->device ? times->device : "");
    text_add(out, "}%s", times->next ? ", " : "");
  }
  text_add(out, "]");
}

static void json_region(text *out, const record *record) {
  json_place(out, record);
  text_add(out, ", \"function\": ");
  text_json(out, record->function);
  text_add(out, ", \"name\": ");
  text_json(out, record->name);
  text_add(out, ", \"device\": ");
  text_json(out, record->device ? record->device : "");
  text_add(out, ", \"variant\": ");
  text_json(out, record->variant ? record->variant : "");
  text_add(out, ",\n     \"runs\": %lu, \"launches\": %lu", record->runs, record->launches);
  text_add(out, ", \"seconds\": %.9f, \"kernel_seconds\": %.9f, \"build_seconds\": %.9f", record->seconds,
           record->kernel_seconds, record->build_seconds);
  json_traffic(out, "in", &record->in);
  json_traffic(out, "out", &record->out);
  json_traffic(out, "mapped", &record->mapped);
  text_add(out, ",\n     \"host_runs\": %lu, \"host_reasons\": [", record->host_runs);
  for (const host_reason *each = record->reasons; each; each = each->next) {
    text_add(out, "{\"reason\": ");
    text_json(out, each->reason);
    text_add(out, ", \"count\": %lu}%s", each->count, each->next ? ", " : "");
  }
  text_add(out, "],\n     \"smaller\": {\"count\": %lu, \"host_seconds\": %.9f, \"device_seconds\": %.9f}", record->smaller,
           record->smaller_host, record->smaller_kernels);
  json_times(out, record->times);
  text_add(out, "}");
}

static void json_data(text *out, const record *record) {
  json_place(out, record);
  json_traffic(out, "in", &record->in);
  json_traffic(out, "out", &record->out);
  json_traffic(out, "mapped", &record->mapped);
  text_add(out, "}");
}

static void json_list(text *out, const char *name, bool regions, void (*write)(text *, const record *)) {
  text_add(out, ",\n  \"%s\": [", name);
  const char *comma = "";
  for (const record *each = records; each; each = each->next) {
    if ((*each->name != '\0') != regions) continue;
    text_add(out, "%s", comma);
    write(out, each);
    comma = ",";
  }
  text_add(out, "]");
}

static void report_json(const char *path) {
  text out = {0};
  text_add(&out, "{\"version\": 1");
  json_list(&out, "regions", true, json_region);
  json_list(&out, "data", false, json_data);
  text_add(&out, ",\n  \"sizes\": [");
  sizes_json(&out);
  text_add(&out, "]");
  text_add(&out, "}\n");
  const part all = {out.bytes, out.length};
  if (!replace_file(AT_FDCWD, path, false, &all, 1)) warn("can't write the profile to %s: %s", path, strerror(errno));
  free(out.bytes);
}

static void times_line(const times *times) {
  fprintf(stderr, "accshare:   measured at %.3g operations:", times->operations);
  if (times->seconds[ON_HOST] > 0) fprintf(stderr, " %.6f seconds on the host,", times->seconds[ON_HOST]);
  if (times->seconds[BY_THREADS] > 0) fprintf(stderr, " %.6f native,", times->seconds[BY_THREADS]);
  if (times->seconds[ON_DEVICE] > 0) fprintf(stderr, " %.6f on %s,", times->seconds[ON_DEVICE], name_of(times, ON_DEVICE));
  fprintf(stderr, " goes to %s\n", name_of(times, times->way));
}

static void table_line(const record *record) {
  char place[64];
  snprintf(place, sizeof place, "%.48s:%d", record->file, record->line);
  fprintf(stderr, "accshare: %-32s %8lu %8lu %11.6f %11.6f %9.3f %8lu %12llu %8lu %12llu %6lu\n", place, record->runs,
          record->launches, record->seconds, record->kernel_seconds, record->build_seconds, record->in.count,
          record->in.bytes, record->out.count, record->out.bytes, record->host_runs);
  for (const host_reason *each = record->reasons; each; each = each->next) {
    fprintf(stderr, "accshare:   on the host %lu times: %s\n", each->count, each->reason);
  }
  if (record->smaller) {
    fprintf(stderr, "accshare:   expected for those smaller ones: %.6f seconds there, %.6f by kernels\n",
            record->smaller_host, record->smaller_kernels);
  }
  for (const times *each = record->times; each; each = each->next) times_line(each);
}

static void report_table(void) {
  fprintf(stderr, "accshare: %-32s %8s %8s %11s %11s %9s %8s %12s %8s %12s %6s\n", "place", "runs", "launches",
          "seconds", "in kernels", "building", "in", "bytes", "out", "bytes", "host");
  for (const record *each = records; each; each = each->next) table_line(each);
}

void profile_report(void) {
  const char *profile = env()->profile;
  if (!profile || !records) return;
  if (!strncmp(profile, "json:", 5)) {
    report_json(profile + 5);
  } else {
    report_table();
  }
}
