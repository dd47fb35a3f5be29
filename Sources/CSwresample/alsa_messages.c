#include "alsa_messages.h"

// Declared here, so that this file needs no headers of libasound.
typedef void (*alsa_error_handler)(const char *, int, const char *, int, const char *, ...);
extern int snd_lib_error_set_handler(alsa_error_handler handler);

static void ignore(
    const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

void alsa_messages_ignore(void) { snd_lib_error_set_handler(ignore); }
