#pragma once
#include <stddef.h>

// libasound explains its errors through a variadic callback, which Swift cannot define. By default
// libasound prints the explanations; a device that is tried again every second would fill the log.

/// Keeps the latest explanation of libasound instead of printing each. Call before another thread
/// uses libasound.
void alsa_messages_collect(void);

/// Copies the latest explanation since the last call into `text` (`size` bytes, always terminated);
/// empty when there was none.
void alsa_messages_take(char *text, size_t size);
