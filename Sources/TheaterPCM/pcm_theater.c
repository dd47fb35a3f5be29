/* The ALSA PCM `theater`, which plays the sound of a program through the theater's amplifier
 * (docs/theater-pcm.md). */
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

#include "cable.h"

/* The mapping from ALSA's order of channels to the cable's, which is that of ascending speaker bits. */
struct layout {
  uint32_t speakers;
  uint8_t from[8]; /* the ALSA channel of each channel of the cable */
};

static const struct layout layouts[] = {
    {0, {0}},                               /* mono: unspecified */
    {0x3, {0, 1}},                          /* FL FR */
    {0xb, {0, 1, 2}},                       /* FL FR LFE */
    {0x33, {0, 1, 2, 3}},                   /* FL FR RL RR */
    {0x37, {0, 1, 4, 2, 3}},                /* FL FR RL RR FC */
    {0x3f, {0, 1, 4, 5, 2, 3}},             /* FL FR RL RR FC LFE */
    {0, {0, 1, 2, 3, 4, 5, 6}},             /* seven: unspecified */
    {0x63f, {0, 1, 4, 5, 2, 3, 6, 7}},      /* FL FR RL RR FC LFE SL SR */
};

struct theater_pcm {
  snd_pcm_ioplug_t io;
  struct cable *cable;
  snd_pcm_uframes_t boundary;
  snd_pcm_uframes_t written; /* frames given to the cable, modulo the boundary */
  size_t sample;     /* bytes of a sample */
  bool is_24;        /* 24 bits in 32; ALSA does not define the upper byte */
};

static struct theater_pcm *of(snd_pcm_ioplug_t *io) { return io->private_data; }

static int theater_start(snd_pcm_ioplug_t *io) {
  cable_start(of(io)->cable);
  return 0;
}

static int theater_stop(snd_pcm_ioplug_t *io) {
  cable_stop(of(io)->cable);
  return 0;
}

static int theater_prepare(snd_pcm_ioplug_t *io) {
  of(io)->written = 0;
  cable_prepare(of(io)->cable);
  return 0;
}

static int theater_pause(snd_pcm_ioplug_t *io, int enable) {
  cable_pause(of(io)->cable, enable != 0);
  return 0;
}

static int theater_drain(snd_pcm_ioplug_t *io) { return cable_drain(of(io)->cable, !io->nonblock); }

static snd_pcm_sframes_t theater_pointer(snd_pcm_ioplug_t *io) {
  struct theater_pcm *pcm = of(io);
  return (snd_pcm_sframes_t)(cable_taken(pcm->cable) % pcm->boundary);
}

static int theater_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  *delay = (snd_pcm_sframes_t)cable_delay(of(io)->cable);
  return 0;
}

/* Copies interleaved frames into the cable's order of channels, and extends the sign of 24-bit samples. */
static void copy(
    const struct theater_pcm *pcm, char *target, const char *source, snd_pcm_uframes_t frames) {
  unsigned int channels = pcm->io.channels;
  const uint8_t *from = layouts[channels - 1].from;
  for (snd_pcm_uframes_t frame = 0; frame < frames; frame++) {
    for (unsigned int channel = 0; channel < channels; channel++) {
      memcpy(target, source + from[channel] * pcm->sample, pcm->sample);
      if (pcm->is_24) target[3] = (signed char)target[2] < 0 ? -1 : 0;
      target += pcm->sample;
    }
    source += channels * pcm->sample;
  }
}

static snd_pcm_sframes_t theater_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t size) {
  struct theater_pcm *pcm = of(io);
  size_t frame = io->channels * pcm->sample;
  const char *source = (const char *)areas->addr + (areas->first + areas->step * offset) / 8;
  snd_pcm_uframes_t done = 0;
  /* After a rewind, replace the frames that the cable has not sent, and skip those that it has. */
  snd_pcm_uframes_t ahead = (pcm->written + pcm->boundary - io->appl_ptr) % pcm->boundary;
  if (ahead > 0 && ahead <= io->buffer_size) {
    snd_pcm_uframes_t sent = cable_rewind(pcm->cable, ahead);
    pcm->written = (io->appl_ptr + sent) % pcm->boundary;
    done = sent < size ? sent : size;
  }
  while (done < size) {
    uint64_t count = size - done;
    char *target = cable_write_region(pcm->cable, &count);
    if (io->channels <= 4 && !pcm->is_24)
      memcpy(target, source + done * frame, count * frame);
    else
      copy(pcm, target, source + done * frame, count);
    cable_commit(pcm->cable, count);
    pcm->written = (pcm->written + count) % pcm->boundary;
    done += count;
  }
  return (snd_pcm_sframes_t)size;
}

static int theater_revents(
    snd_pcm_ioplug_t *io, struct pollfd *polled, unsigned int count, unsigned short *events) {
  (void)polled;
  (void)count;
  *events = cable_is_ready(of(io)->cable) ? POLLOUT : 0;
  return 0;
}

static int theater_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  (void)params;
  struct theater_pcm *pcm = of(io);
  enum cable_sample sample;
  switch (io->format) {
    case SND_PCM_FORMAT_S16_LE: sample = CABLE_S16; break;
    case SND_PCM_FORMAT_S24_LE: sample = CABLE_S24; break;
    case SND_PCM_FORMAT_S32_LE: sample = CABLE_S32; break;
    case SND_PCM_FORMAT_FLOAT_LE: sample = CABLE_FLOAT; break;
    default: return -EINVAL;
  }
  pcm->sample = sample == CABLE_S16 ? 2 : 4;
  pcm->is_24 = sample == CABLE_S24;
  const struct cable_format format = {
      .rate = io->rate,
      .channels = (uint8_t)io->channels,
      .sample = sample,
      .layout = layouts[io->channels - 1].speakers,
      .frame = (uint32_t)(io->channels * pcm->sample),
  };
  pcm->written = 0;
  return cable_configure(pcm->cable, &format, io->buffer_size);
}

static int theater_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
  snd_pcm_uframes_t least = 1;
  snd_pcm_sw_params_get_avail_min(params, &least);
  snd_pcm_sw_params_get_boundary(params, &of(io)->boundary);
  cable_wait_for(of(io)->cable, least < io->buffer_size ? least : io->buffer_size);
  return 0;
}

static int theater_close(snd_pcm_ioplug_t *io) {
  cable_close(of(io)->cable);
  free(of(io));
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = theater_start,
    .stop = theater_stop,
    .pointer = theater_pointer,
    .transfer = theater_transfer,
    .close = theater_close,
    .hw_params = theater_hw_params,
    .sw_params = theater_sw_params,
    .prepare = theater_prepare,
    .drain = theater_drain,
    .pause = theater_pause,
    .poll_revents = theater_revents,
    .delay = theater_delay,
};

static int constrain(snd_pcm_ioplug_t *io) {
  /* MMAP access too: the plug layer converts formats only into mapped memory. */
  static const unsigned int accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  static const unsigned int formats[] = {
      SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE};
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
  if (error >= 0) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 4, formats);
  if (error >= 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 8);
  if (error >= 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, 4000, 192000);
  if (error >= 0) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
  if (error >= 0)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 128, 2 << 20);
  if (error >= 0)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256, 4 << 20);
  return error;
}

/* Reads the keys of the PCM's configuration: `cable`, the path of a cable file, and `wait`, whether the PCM opens
 * without an amplifier. Returns 0 or -EINVAL. */
static int read_keys(snd_config_t *conf, const char **place, bool *waits) {
  snd_config_iterator_t entry, next;
  *place = NULL;
  *waits = false;
  snd_config_for_each(entry, next, conf) {
    snd_config_t *node = snd_config_iterator_entry(entry);
    const char *key;
    if (snd_config_get_id(node, &key) < 0) continue;
    if (strcmp(key, "comment") == 0 || strcmp(key, "type") == 0 || strcmp(key, "hint") == 0) continue;
    if (strcmp(key, "cable") == 0 && snd_config_get_string(node, place) >= 0) continue;
    if (strcmp(key, "wait") == 0) {
      int flag = snd_config_get_bool(node);
      *waits = flag > 0;
      if (flag >= 0) continue;
    }
    SNDERR("theater: unexpected %s; expected cable, the path of a cable file, and wait, yes or no", key);
    return -EINVAL;
  }
  if (*place != NULL) return 0;
  SNDERR("theater: the key cable is missing, the path of a cable file");
  return -EINVAL;
}

SND_PCM_PLUGIN_DEFINE_FUNC(theater) {
  (void)root;
  const char *place;
  bool waits;
  int error = read_keys(conf, &place, &waits);
  if (error < 0) return error;
  if (stream != SND_PCM_STREAM_PLAYBACK) {
    SNDERR("theater: it plays only; it cannot record");
    return -EINVAL;
  }
  struct theater_pcm *pcm = calloc(1, sizeof *pcm);
  if (pcm == NULL) return -ENOMEM;
  error = cable_open(&pcm->cable, place, waits);
  if (error < 0) {
    SNDERR(
        "theater: no amplifier listens at %s (%s); start the controller, and name this input in the option "
        "inputs of its amplifier", place, snd_strerror(error));
    free(pcm);
    return error;
  }
  pcm->boundary = 1;
  pcm->io.version = SND_PCM_IOPLUG_VERSION;
  pcm->io.name = "Home theater";
  pcm->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  pcm->io.poll_fd = cable_descriptor(pcm->cable);
  pcm->io.poll_events = POLLIN;
  pcm->io.callback = &callbacks;
  pcm->io.private_data = pcm;
  error = snd_pcm_ioplug_create(&pcm->io, name, stream, mode);
  if (error >= 0) error = constrain(&pcm->io);
  if (error < 0) {
    if (pcm->io.pcm != NULL) {
      snd_pcm_ioplug_delete(&pcm->io); /* closes the cable */
    } else {
      cable_close(pcm->cable);
      free(pcm);
    }
    return error;
  }
  *pcmp = pcm->io.pcm;
  return 0;
}

SND_PCM_PLUGIN_SYMBOL(theater);
