/* The source end of a cable (docs/cable-protocol.md, version 1): the program writes frames, and a thread of the
 * cable sends them to the amplifier's socket as the amplifier grants credit.
 *
 * While the amplifier is missing, or another input is selected, the position advances in real time without sending,
 * so that the program never waits. All functions except `cable_close` may be called from any thread. Positions are
 * frames since `cable_prepare`. */
#ifndef THEATER_CABLE_H
#define THEATER_CABLE_H

#include <stdbool.h>
#include <stdint.h>

enum cable_sample { CABLE_S16 = 1, CABLE_S24 = 2, CABLE_S32 = 3, CABLE_FLOAT = 4 };

struct cable_format {
  uint32_t rate;     /* Hz */
  uint8_t channels;  /* 1 to 8 */
  uint8_t sample;    /* enum cable_sample */
  uint32_t layout;   /* speakers as bits; 0: unspecified */
  uint32_t frame;    /* bytes of a frame */
};

struct cable;

/* Opens a cable. `file` has two lines, the path and the token of the amplifier's socket; it is empty while there is
 * no amplifier. It is read again while the cable runs without a connection. With `waits`, the cable opens without an
 * amplifier too, and its sound is not heard until there is one; without `waits`, opening fails then. Returns 0, or a
 * negative errno: -ENOTCONN, -ECONNREFUSED, -ENOENT or -EAGAIN without an amplifier, -EINVAL for a malformed file,
 * or the error of a system call, such as -EACCES. */
int cable_open(struct cable **cable, const char *file, bool waits);

/* Ends the thread, closes the connection and frees the cable. */
void cable_close(struct cable *cable);

/* Returns a descriptor that is readable while at least `cable_wait_for` frames are free, and after a drain. */
int cable_descriptor(const struct cable *cable);

/* Sets the format and the size of the program's buffer, in frames, and prepares the cable. Returns 0 or -ENOMEM. */
int cable_configure(struct cable *cable, const struct cable_format *format, uint64_t buffer);

/* Sets the number of free frames at which the descriptor becomes readable, at least 1. */
void cable_wait_for(struct cable *cable, uint64_t frames);

/* Drops all frames. The next frame has the position 0 and begins a new recording. */
void cable_prepare(struct cable *cable);

/* Starts sending. */
void cable_start(struct cable *cable);

/* Silences the amplifier at once, and drops all frames. */
void cable_stop(struct cable *cable);

/* Pauses, which silences the amplifier at once, or resumes with the first frame that was not heard. */
void cable_pause(struct cable *cable, bool paused);

/* Plays all frames. Returns 0 when the last frame was heard, or at most 1 s after it should have been; the descriptor
 * is readable then. Without `waits`, returns -EAGAIN until then. */
int cable_drain(struct cable *cable, bool waits);

/* Returns the address at which to write the next frames. Limits `*count`, the wanted number of frames, to the number
 * that is contiguous there. `cable_commit` then adds the written frames to the cable. */
void *cable_write_region(struct cable *cable, uint64_t *count);
void cable_commit(struct cable *cable, uint64_t count);

/* Removes the last `count` frames. Returns how many of them could not be removed, because they were sent. */
uint64_t cable_rewind(struct cable *cable, uint64_t count);

/* Returns the position up to which the frames were sent or have passed unheard. While frames are unheard, it stays
 * below the end, because libasound would stop then. */
uint64_t cable_taken(struct cable *cable);

/* Returns the number of written frames that were not heard yet. */
uint64_t cable_delay(struct cable *cable);

/* Updates the descriptor. Returns whether the program may write now. */
bool cable_is_ready(struct cable *cable);

#endif
