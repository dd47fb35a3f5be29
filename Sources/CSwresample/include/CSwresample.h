#pragma once
#include <stddef.h>

#include "alsa_messages.h"

// A resampler that uses libswresample. The library is loaded at first use, because libav costs an
// idle process about 20 MB, and most processes never resample.

typedef struct resampler resampler_t;

/// Opens a resampler for interleaved 32-bit floats. On failure returns NULL and writes the reason
/// as one line into `reason` (`reason_size` bytes, always terminated).
resampler_t *resampler_open(
    int channels, int source_rate, int target_rate, char *reason, size_t reason_size);

/// Converts `source_frames` frames and writes at most `target_capacity` frames; further frames stay
/// buffered. Returns the number of frames written, or a negative number on failure. If `source` is
/// NULL, writes buffered frames.
long resampler_convert(
    resampler_t *resampler, const float *source, int source_frames, float *target,
    int target_capacity);

/// Returns the number of buffered frames, at the target's rate.
long resampler_pending(resampler_t *resampler);

/// Discards the buffered frames.
void resampler_reset(resampler_t *resampler);

/// Frees a resampler; NULL is allowed.
void resampler_close(resampler_t *resampler);
