// FFmpeg's libav for Swift, loaded at first use.
//
// The headers give the types. Every function is reached through a table that `lav_load` fills with
// dlopen and dlsym, because a process that is linked with libav holds about 25 MB and 143 libraries
// even while it plays nothing. Call `lav_…`, never the libav name itself: that would not link.
#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <stdint.h>

/// Loads libav at the first call. Safe from any thread.
/// Returns NULL if every function was found, otherwise a sentence that names the first missing library or
/// function. Later calls return the same.
const char *lav_load(void);

/// Returns 1 once `lav_load` has succeeded, 0 before. Loads nothing.
int lav_is_loaded(void);

// dlsym finds the resampler through libavcodec, whose Opus decoder links it. Its headers are not included here.
struct SwrContext;

// Every function of libav that we call: library, result, name, parameters, arguments.
// Do not call them before `lav_load` has succeeded: their pointers are NULL until then.
#define LAV_FUNCTIONS(X)                                                                           \
  X(avutil, int, av_strerror, (int code, char *text, size_t size), (code, text, size))             \
  X(avutil, void, av_log_set_level, (int level), (level))                                          \
  X(avutil, AVFrame *, av_frame_alloc, (void), ())                                                 \
  X(avutil, void, av_frame_free, (AVFrame * *frame), (frame))                                      \
  X(avutil, void, av_frame_unref, (AVFrame * frame), (frame))                                      \
  X(avutil, int, av_dict_set,                                                                      \
    (AVDictionary * *dictionary, const char *key, const char *value, int flags),                   \
    (dictionary, key, value, flags))                                                               \
  X(avutil, AVDictionaryEntry *, av_dict_get,                                                      \
    (const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *previous,           \
     int flags),                                                                                   \
    (dictionary, key, previous, flags))                                                            \
  X(avutil, void, av_dict_free, (AVDictionary * *dictionary), (dictionary))                        \
  X(avutil, int, av_opt_get, (void *object, const char *name, int flags, uint8_t **value),         \
    (object, name, flags, value))                                                                  \
  X(avutil, void, av_free, (void *pointer), (pointer))                                             \
  X(avutil, int64_t, av_rescale_q, (int64_t value, AVRational from, AVRational to),                \
    (value, from, to))                                                                             \
  X(avcodec, unsigned, avcodec_version, (void), ())                                                \
  X(avcodec, const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id))                     \
  X(avcodec, AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))            \
  X(avcodec, void, avcodec_free_context, (AVCodecContext * *context), (context))                   \
  X(avcodec, int, avcodec_parameters_to_context,                                                   \
    (AVCodecContext * context, const AVCodecParameters *parameters), (context, parameters))        \
  X(avcodec, int, avcodec_open2,                                                                   \
    (AVCodecContext * context, const AVCodec *codec, AVDictionary **options),                      \
    (context, codec, options))                                                                     \
  X(avcodec, int, avcodec_send_packet, (AVCodecContext * context, const AVPacket *packet),         \
    (context, packet))                                                                             \
  X(avcodec, int, avcodec_receive_frame, (AVCodecContext * context, AVFrame * frame),              \
    (context, frame))                                                                              \
  X(avcodec, void, avcodec_flush_buffers, (AVCodecContext * context), (context))                   \
  X(avcodec, struct SwrContext *, swr_alloc, (void), ())                                           \
  X(avcodec, void, swr_free, (struct SwrContext * *resampler), (resampler))                        \
  X(avcodec, int, swr_convert_frame,                                                               \
    (struct SwrContext * resampler, AVFrame * output, const AVFrame *input),                       \
    (resampler, output, input))                                                                    \
  X(avutil, int, av_channel_layout_copy,                                                           \
    (AVChannelLayout * to, const AVChannelLayout *from), (to, from))                               \
  X(avcodec, AVPacket *, av_packet_alloc, (void), ())                                              \
  X(avcodec, void, av_packet_free, (AVPacket * *packet), (packet))                                 \
  X(avcodec, void, av_packet_unref, (AVPacket * packet), (packet))                                 \
  X(avutil, void *, av_malloc, (size_t size), (size))                                              \
  X(avformat, int64_t, avio_size, (AVIOContext * io), (io))                                        \
  X(avformat, int, avio_open2,                                                                     \
    (AVIOContext * *io, const char *url, int flags, const AVIOInterruptCB *interrupt,              \
     AVDictionary **options),                                                                      \
    (io, url, flags, interrupt, options))                                                          \
  X(avformat, int, avio_closep, (AVIOContext * *io), (io))                                         \
  X(avformat, int, avio_read_partial, (AVIOContext * io, unsigned char *buffer, int size),         \
    (io, buffer, size))                                                                            \
  X(avformat, AVIOContext *, avio_alloc_context,                                                   \
    (unsigned char *buffer, int size, int writes, void *opaque,                                    \
     int (*read)(void *opaque, uint8_t *buffer, int size),                                         \
     int (*write)(void *opaque, uint8_t *buffer, int size),                                        \
     int64_t (*seek)(void *opaque, int64_t offset, int whence)),                                   \
    (buffer, size, writes, opaque, read, write, seek))                                             \
  X(avformat, void, avio_context_free, (AVIOContext * *io), (io))                                  \
  X(avformat, unsigned, avformat_version, (void), ())                                              \
  X(avformat, AVFormatContext *, avformat_alloc_context, (void), ())                               \
  X(avformat, void, avformat_free_context, (AVFormatContext * context), (context))                 \
  X(avformat, const AVInputFormat *, av_find_input_format, (const char *name), (name))             \
  X(avformat, int, avformat_open_input,                                                            \
    (AVFormatContext * *context, const char *url, const AVInputFormat *format,                     \
     AVDictionary **options),                                                                      \
    (context, url, format, options))                                                               \
  X(avformat, void, avformat_close_input, (AVFormatContext * *context), (context))                 \
  X(avformat, int, avformat_find_stream_info,                                                      \
    (AVFormatContext * context, AVDictionary **options), (context, options))                       \
  X(avformat, int, av_read_frame, (AVFormatContext * context, AVPacket * packet),                  \
    (context, packet))                                                                             \
  X(avformat, int, av_seek_frame,                                                                  \
    (AVFormatContext * context, int stream, int64_t timestamp, int flags),                         \
    (context, stream, timestamp, flags))

#define LAV_DECLARE(library, result, name, parameters, arguments) result lav_##name parameters;
LAV_FUNCTIONS(LAV_DECLARE)
#undef LAV_DECLARE

// Macros that Swift cannot import.
static const int LAV_AGAIN = AVERROR(EAGAIN);
static const int LAV_NO_MEMORY = AVERROR(ENOMEM);
static const int LAV_NO_ENTRY = AVERROR(ENOENT);
// The error of libav for a file whose header contradicts itself, among others.
static const int LAV_BAD_ARGUMENT = AVERROR(EINVAL);
static const int LAV_IO = AVERROR(EIO);
static const int LAV_EOF = AVERROR_EOF;
static const int LAV_EXIT = AVERROR_EXIT;
static const int LAV_INVALID_DATA = AVERROR_INVALIDDATA;
static const int64_t LAV_NO_TIME = AV_NOPTS_VALUE;
static const int64_t LAV_TIME_BASE = AV_TIME_BASE;
