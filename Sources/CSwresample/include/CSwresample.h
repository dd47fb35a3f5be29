#pragma once
#include <stddef.h>

#include "alsa_messages.h"

// A resampler on libswresample, loaded at first use: an idle process that is linked with libav
// pays some 20 MB for it, and most never resample.

typedef struct resampler resampler_t;

/// Opens a resampler for interleaved 32-bit floats. On failure returns NULL and writes one line
/// that says why into `reason` (`reason_size` bytes, always terminated).
resampler_t *resampler_open(
    int channels, int source_rate, int target_rate, char *reason, size_t reason_size);

/// Takes `source_frames` frames and writes at most `target_capacity` frames; what does not fit is
/// kept inside. Returns the number of frames written, or a negative number on failure. A NULL
/// source gets out what is still inside.
long resampler_convert(
    resampler_t *resampler, const float *source, int source_frames, float *target,
    int target_capacity);

/// Frames of the target's rate that are still inside.
long resampler_pending(resampler_t *resampler);

/// Forgets what is still inside.
void resampler_reset(resampler_t *resampler);

/// Frees it; NULL is allowed.
void resampler_close(resampler_t *resampler);
