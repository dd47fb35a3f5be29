/* The ALSA PCM `theater`, which plays the sound of a program through the theater's amplifier
 * (docs/theater-pcm.md). */
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

#include "cable.h"

enum { MOST_CHANNELS = 8 };

/* The speakers in the cable's order of channels, which is that of ascending bits. */
static const struct {
  unsigned int position; /* ALSA's name */
  uint32_t bit;
} speakers[] = {
    {SND_CHMAP_FL, 0x1}, {SND_CHMAP_FR, 0x2}, {SND_CHMAP_FC, 0x4}, {SND_CHMAP_LFE, 0x8},
    {SND_CHMAP_RL, 0x10}, {SND_CHMAP_RR, 0x20}, {SND_CHMAP_SL, 0x200}, {SND_CHMAP_SR, 0x400},
};

/* The maps that programs are offered. The first one of each number of channels is ALSA's usual order, which applies
 * if a program sets none. A program may also set any other order, and any other speakers of the cable. */
static const struct map {
  unsigned int channels;
  unsigned int positions[MOST_CHANNELS];
} maps[] = {
    {1, {SND_CHMAP_MONO}},
    {2, {SND_CHMAP_FL, SND_CHMAP_FR}},
    {3, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_LFE}},
    {3, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_FC}},
    {4, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR}},
    {4, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_SL, SND_CHMAP_SR}},
    {5, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC}},
    {5, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_SL, SND_CHMAP_SR, SND_CHMAP_FC}},
    {6, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE}},
    {6, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_SL, SND_CHMAP_SR, SND_CHMAP_FC, SND_CHMAP_LFE}},
    {7, {SND_CHMAP_NA, SND_CHMAP_NA, SND_CHMAP_NA, SND_CHMAP_NA, SND_CHMAP_NA, SND_CHMAP_NA, SND_CHMAP_NA}},
    {7, {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_SL, SND_CHMAP_SR}},
    {8,
     {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_SL,
      SND_CHMAP_SR}},
};
enum { MAPS = sizeof maps / sizeof *maps };

struct theater_pcm {
  snd_pcm_ioplug_t io;
  struct cable *cable;
  snd_pcm_uframes_t boundary;
  snd_pcm_uframes_t written; /* frames given to the cable, modulo the boundary */
  size_t sample;     /* bytes of a sample */
  bool is_24;        /* 24 bits in 32; ALSA does not define the upper byte */
  unsigned int positions[MOST_CHANNELS]; /* the speaker of each of the program's channels */
  uint8_t from[MOST_CHANNELS];           /* the program's channel of each channel of the cable */
  bool is_in_order;                      /* the program's order is the cable's */
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
  const uint8_t *from = pcm->from;
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
    if (pcm->is_in_order && !pcm->is_24)
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

/* Stores the speakers of a program's channels. Returns them as bits, 0 for no layout (one channel, or all speakers
 * unknown), or -EINVAL if a speaker is not among the cable's or is there twice, or if only some are known. */
static int take_positions(struct theater_pcm *pcm, unsigned int channels, const unsigned int *positions) {
  uint32_t bits[MOST_CHANNELS] = {0}, all = 0;
  unsigned int known = 0;
  for (unsigned int channel = 0; channel < channels; channel++) {
    for (size_t speaker = 0; speaker < sizeof speakers / sizeof *speakers; speaker++) {
      if (positions[channel] == speakers[speaker].position) bits[channel] = speakers[speaker].bit;
    }
    if ((all & bits[channel]) != 0) return -EINVAL;
    all |= bits[channel];
    bool is_unknown = positions[channel] <= SND_CHMAP_MONO;
    if (bits[channel] == 0 && !is_unknown) return -EINVAL;
    known += bits[channel] != 0;
  }
  if (known > 0 && known < channels) return -EINVAL;
  pcm->is_in_order = true;
  for (unsigned int channel = 0; channel < channels; channel++) {
    unsigned int place = known > 0 ? 0 : channel;
    for (unsigned int other = 0; other < channels; other++) place += bits[other] < bits[channel];
    pcm->positions[channel] = positions[channel];
    pcm->from[place] = (uint8_t)channel;
    if (place != channel) pcm->is_in_order = false;
  }
  /* One channel has no layout, even if the program names its speaker: it is played like any mono sound. */
  return channels == 1 ? 0 : (int)all;
}

/* Prepares the cable for the program's format, with these speakers. */
static int configure(snd_pcm_ioplug_t *io, const unsigned int *positions) {
  struct theater_pcm *pcm = of(io);
  enum cable_sample sample;
  switch (io->format) {
    case SND_PCM_FORMAT_S16_LE: sample = CABLE_S16; break;
    case SND_PCM_FORMAT_S24_LE: sample = CABLE_S24; break;
    case SND_PCM_FORMAT_S32_LE: sample = CABLE_S32; break;
    case SND_PCM_FORMAT_FLOAT_LE: sample = CABLE_FLOAT; break;
    default: return -EINVAL;
  }
  int layout = take_positions(pcm, io->channels, positions);
  if (layout < 0) return layout;
  pcm->sample = sample == CABLE_S16 ? 2 : 4;
  pcm->is_24 = sample == CABLE_S24;
  const struct cable_format format = {
      .rate = io->rate,
      .channels = (uint8_t)io->channels,
      .sample = sample,
      .layout = (uint32_t)layout,
      .frame = (uint32_t)(io->channels * pcm->sample),
  };
  pcm->written = 0;
  return cable_configure(pcm->cable, &format, io->buffer_size);
}

static int theater_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  (void)params;
  const struct map *usual = maps;
  while (usual->channels != io->channels) usual++;
  return configure(io, usual->positions);
}

/* Frees a list of maps that is not complete. */
static snd_pcm_chmap_query_t **drop_maps(snd_pcm_chmap_query_t **list) {
  snd_pcm_free_chmaps(list);
  return NULL;
}

static snd_pcm_chmap_query_t **theater_query_chmaps(snd_pcm_ioplug_t *io) {
  (void)io;
  snd_pcm_chmap_query_t **list = calloc(MAPS + 1, sizeof *list);
  if (list == NULL) return NULL;
  for (size_t index = 0; index < MAPS; index++) {
    size_t size = maps[index].channels * sizeof *maps[index].positions;
    if ((list[index] = malloc(sizeof **list + size)) == NULL) return drop_maps(list);
    list[index]->type = SND_CHMAP_TYPE_VAR;
    list[index]->map.channels = maps[index].channels;
    memcpy(list[index]->map.pos, maps[index].positions, size);
  }
  return list;
}

static snd_pcm_chmap_t *theater_get_chmap(snd_pcm_ioplug_t *io) {
  size_t size = io->channels * sizeof(unsigned int);
  snd_pcm_chmap_t *map = malloc(sizeof *map + size);
  if (map == NULL) return NULL;
  map->channels = io->channels;
  memcpy(map->pos, of(io)->positions, size);
  return map;
}

static int theater_set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map) {
  if (map->channels != io->channels) return -EINVAL;
  if (memcmp(map->pos, of(io)->positions, io->channels * sizeof *map->pos) == 0) return 0;
  /* Another order of channels restarts the cable, which drops its frames: only before the first one. */
  if (io->state != SND_PCM_STATE_PREPARED || io->appl_ptr != 0) return -EBUSY;
  return configure(io, map->pos);
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
    .query_chmaps = theater_query_chmaps,
    .get_chmap = theater_get_chmap,
    .set_chmap = theater_set_chmap,
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
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 128, 1 << 18);
  /* Some programs take the largest buffer, and end only when it is played: 6 s of CD sound, or 170 ms of the largest
   * format. */
  if (error >= 0)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256, 1 << 20);
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
  if (error == -EINVAL) {
    SNDERR(
        "theater: %s is not a cable file; it must have two lines, the path and the token of the amplifier's socket; "
        "correct the key cable, or remove the file and restart the controller, which writes it", place);
  } else if (error == -ENOTCONN || error == -ECONNREFUSED || error == -ENOENT || error == -EAGAIN) {
    SNDERR(
        "theater: no amplifier listens at %s (%s); start the controller, and name this input in the option "
        "inputs of its amplifier", place, snd_strerror(error));
  } else if (error < 0) {
    SNDERR("theater: the cable of %s cannot be opened: %s", place, snd_strerror(error));
  }
  if (error < 0) {
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
