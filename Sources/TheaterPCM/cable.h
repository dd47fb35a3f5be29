/* One end of a cable, the source (docs/cable-protocol.md, version 1): frames in, a socket out.
 *
 * A cable has a thread of its own. It sends what the program wrote as the amplifier grants credit, and lets
 * time pass where nothing is heard: the program never waits for an amplifier that is away. All functions but
 * `cable_close` may be called from any thread. Positions are frames since `cable_prepare`. */
#ifndef THEATER_CABLE_H
#define THEATER_CABLE_H

#include <stdbool.h>
#include <stdint.h>

enum cable_sample { CABLE_S16 = 1, CABLE_S24 = 2, CABLE_S32 = 3, CABLE_FLOAT = 4 };

struct cable_format {
  uint32_t rate;     /* Hz */
  uint8_t channels;  /* 1 to 8 */
  uint8_t sample;    /* enum cable_sample */
  uint32_t layout;   /* speakers as bits; 0: not said */
  uint32_t frame;    /* bytes of a frame */
};

struct cable;

/* Opens a cable. `file` has two lines, the path and the token of the amplifier's socket; an empty file
 * says that there is no amplifier now. The file is read again while there is no connection.
 * Without an amplifier a cable that `waits` is opened too, and its sound passes unheard until one comes; one that
 * does not wait is refused. Returns 0, or a negative errno: -ENOTCONN, -ECONNREFUSED, -ENOENT or -EAGAIN without an
 * amplifier, -EINVAL for a file of another form. */
int cable_open(struct cable **cable, const char *file, bool waits);

/* Ends the thread and closes the connection. */
void cable_close(struct cable *cable);

/* A descriptor that is readable while the program may write at least the number of frames that it waits for. */
int cable_descriptor(const struct cable *cable);

/* Sets the format and the size of the program's buffer, in frames. Returns 0 or -ENOMEM. */
int cable_configure(struct cable *cable, const struct cable_format *format, uint64_t buffer);

/* The number of free frames for which the descriptor becomes readable; 1 or more. */
void cable_wait_for(struct cable *cable, uint64_t frames);

/* Forgets all frames; the next ones begin at position 0, as the first of a recording. */
void cable_prepare(struct cable *cable);

/* Lets the frames go out. */
void cable_start(struct cable *cable);

/* Silences the amplifier at once, and forgets what was not heard. */
void cable_stop(struct cable *cable);

/* Silences the amplifier at once and goes on with the first frame that was not heard. */
void cable_pause(struct cable *cable, bool paused);

/* Plays to the last frame; the descriptor is readable, and this returns 0, when it was heard, or a second after
 * it should have been. Without `waits` it returns -EAGAIN until then. */
int cable_drain(struct cable *cable, bool waits);

/* Room for frames behind those that were written: its address, and in `*count` how many are in a row, at most
 * the number that was asked for. `cable_wrote` hands them over. */
void *cable_room(struct cable *cable, uint64_t *count);
void cable_wrote(struct cable *cable, uint64_t count);

/* Takes the last `count` frames back; returns how many of them cannot be, because they were sent. */
uint64_t cable_take_back(struct cable *cable, uint64_t count);

/* The position up to which the amplifier took the frames. */
uint64_t cable_taken(struct cable *cable);

/* How many of the frames that were written are not heard yet. */
uint64_t cable_delay(struct cable *cable);

/* Brings the descriptor up to date; true if the program may write now. */
bool cable_is_ready(struct cable *cable);

#endif
