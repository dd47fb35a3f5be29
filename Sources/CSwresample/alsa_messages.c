#include "alsa_messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Declared here, so that this file needs no headers of libasound.
typedef void (*alsa_error_handler)(const char *, int, const char *, int, const char *, ...);
extern int snd_lib_error_set_handler(alsa_error_handler handler);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char latest[256];

static void collect(
    const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error;
  va_list arguments;
  va_start(arguments, format);
  pthread_mutex_lock(&lock);
  vsnprintf(latest, sizeof latest, format, arguments);
  pthread_mutex_unlock(&lock);
  va_end(arguments);
}

void alsa_messages_collect(void) { snd_lib_error_set_handler(collect); }

void alsa_messages_take(char *text, size_t size) {
  pthread_mutex_lock(&lock);
  snprintf(text, size, "%s", latest);
  latest[0] = 0;
  pthread_mutex_unlock(&lock);
}
