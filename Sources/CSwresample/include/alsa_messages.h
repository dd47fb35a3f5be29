#pragma once
#include <stddef.h>

// libasound explains its errors through a variadic callback, which only C can be. By default it
// prints them; a device that is tried again every second would fill the log with them.

/// Keeps libasound's explanations instead of printing them. Call before any other thread uses it.
void alsa_messages_collect(void);

/// Copies the latest explanation since the last call into `text` (`size` bytes, always terminated);
/// empty when there was none.
void alsa_messages_take(char *text, size_t size);
