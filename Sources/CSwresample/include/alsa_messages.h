#pragma once

// libasound explains its errors through a variadic callback, which Swift cannot define. By default
// libasound prints the explanations; a device that is tried again every second would fill the log.

/// Keeps libasound from printing. Call before another thread uses libasound.
void alsa_messages_ignore(void);
