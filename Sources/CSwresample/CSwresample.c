#include "CSwresample.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The functions in use. Their types are declared here, so that neither building nor starting needs
// the headers or libraries of libav. All settings are string options, which are the same in all
// versions since FFmpeg 5.1.
static struct {
  void *(*alloc)(void);
  int (*init)(void *);
  void (*free)(void **);
  int (*convert)(void *, uint8_t **, int, const uint8_t **, int);
  int64_t (*delay)(void *, int64_t);
  int (*set)(void *, const char *, const char *, int);
  char failure[200];
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

struct resampler {
  void *context;
  int target_rate;
};

static void load(void) {
  static const char *const names[] = {
      "libswresample.so.4", "libswresample.so.5", "libswresample.so.6", NULL};
  void *handle = NULL;
  for (int i = 0; names[i] && !handle; i++) handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(library.failure, sizeof library.failure,
        "libswresample is not installed (install the package libswresample4)");
    return;
  }
  // dlsym also searches the libraries that the handle depends on: av_opt_set is in libavutil.
  *(void **)&library.alloc = dlsym(handle, "swr_alloc");
  *(void **)&library.init = dlsym(handle, "swr_init");
  *(void **)&library.free = dlsym(handle, "swr_free");
  *(void **)&library.convert = dlsym(handle, "swr_convert");
  *(void **)&library.delay = dlsym(handle, "swr_get_delay");
  *(void **)&library.set = dlsym(handle, "av_opt_set");
  if (!library.alloc || !library.init || !library.free || !library.convert || !library.delay ||
      !library.set)
    snprintf(library.failure, sizeof library.failure,
        "this libswresample lacks a function that is needed (versions 4 to 6 are known)");
}

static int configure(void *context, int channels, int source_rate, int target_rate) {
  char layout[32], source[16], target[16];
  snprintf(layout, sizeof layout, "%d channels", channels);
  snprintf(source, sizeof source, "%d", source_rate);
  snprintf(target, sizeof target, "%d", target_rate);
  int failed = 0;
  failed |= library.set(context, "in_chlayout", layout, 0) < 0;
  failed |= library.set(context, "out_chlayout", layout, 0) < 0;
  failed |= library.set(context, "in_sample_fmt", "flt", 0) < 0;
  failed |= library.set(context, "out_sample_fmt", "flt", 0) < 0;
  failed |= library.set(context, "in_sample_rate", source, 0) < 0;
  failed |= library.set(context, "out_sample_rate", target, 0) < 0;
  return failed ? -1 : library.init(context);
}

resampler_t *resampler_open(
    int channels, int source_rate, int target_rate, char *reason, size_t reason_size) {
  pthread_once(&once, load);
  if (library.failure[0]) {
    snprintf(reason, reason_size, "%s", library.failure);
    return NULL;
  }
  resampler_t *resampler = calloc(1, sizeof *resampler);
  void *context = library.alloc();
  if (!resampler || !context || configure(context, channels, source_rate, target_rate) < 0) {
    snprintf(reason, reason_size, "libswresample refuses %d Hz to %d Hz with %d channels",
        source_rate, target_rate, channels);
    if (context) library.free(&context);
    free(resampler);
    return NULL;
  }
  resampler->context = context;
  resampler->target_rate = target_rate;
  return resampler;
}

long resampler_convert(
    resampler_t *resampler, const float *source, int source_frames, float *target,
    int target_capacity) {
  const uint8_t *in = (const uint8_t *)source;
  uint8_t *out = (uint8_t *)target;
  return library.convert(
      resampler->context, &out, target_capacity, source ? &in : NULL, source ? source_frames : 0);
}

long resampler_pending(resampler_t *resampler) {
  return (long)library.delay(resampler->context, resampler->target_rate);
}

void resampler_reset(resampler_t *resampler) { library.init(resampler->context); }

void resampler_close(resampler_t *resampler) {
  if (!resampler) return;
  library.free(&resampler->context);
  free(resampler);
}
