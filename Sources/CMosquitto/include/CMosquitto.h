// libmosquitto for Swift, loaded at first use.
//
// The system's header declares the types. `cmosquitto_load` fills a table of function pointers with dlopen and
// dlsym, so that a program starts without the library and can report that it is missing. Call `cmosquitto_…`: the
// `mosquitto_…` functions do not link.
#pragma once

#include <mosquitto.h>
#include <stdint.h>

/// Loads libmosquitto at the first call; later calls return the same result. Safe from any thread. Call it before any
/// other function of this file.
/// Returns NULL when every function was found, else a sentence that says what is missing.
const char *cmosquitto_load(void);

typedef struct mosquitto Mosquitto;

// The functions of libmosquitto in use: result, name, parameters, arguments.
#define CMOSQUITTO_FUNCTIONS(X)                                                                    \
  X(Mosquitto *, new, (const char *id, bool clean, void *context), (id, clean, context))           \
  X(void, destroy, (Mosquitto * client), (client))                                                 \
  X(int, will_set,                                                                                 \
    (Mosquitto * client, const char *topic, int size, const void *payload, int qos, bool retain),  \
    (client, topic, size, payload, qos, retain))                                                   \
  X(int, username_pw_set, (Mosquitto * client, const char *user, const char *password),            \
    (client, user, password))                                                                      \
  X(int, connect_async, (Mosquitto * client, const char *host, int port, int keepalive),           \
    (client, host, port, keepalive))                                                               \
  X(int, disconnect, (Mosquitto * client), (client))                                               \
  X(int, publish,                                                                                  \
    (Mosquitto * client, int *mid, const char *topic, int size, const void *payload, int qos,      \
     bool retain),                                                                                 \
    (client, mid, topic, size, payload, qos, retain))                                              \
  X(int, subscribe, (Mosquitto * client, int *mid, const char *topic, int qos),                    \
    (client, mid, topic, qos))                                                                     \
  X(int, unsubscribe, (Mosquitto * client, int *mid, const char *topic), (client, mid, topic))     \
  X(int, loop_read, (Mosquitto * client, int packets), (client, packets))                          \
  X(int, loop_write, (Mosquitto * client, int packets), (client, packets))                         \
  X(int, loop_misc, (Mosquitto * client), (client))                                                \
  X(int, socket, (Mosquitto * client), (client))                                                   \
  X(bool, want_write, (Mosquitto * client), (client))                                              \
  X(int, int_option, (Mosquitto * client, enum mosq_opt_t option, int value),                      \
    (client, option, value))                                                                       \
  X(int, tls_set,                                                                                  \
    (Mosquitto * client, const char *ca_file, const char *ca_path, const char *certificate,        \
     const char *key, int (*password)(char *, int, int, void *)),                                  \
    (client, ca_file, ca_path, certificate, key, password))                                        \
  X(void, connect_callback_set, (Mosquitto * client, void (*call)(Mosquitto *, void *, int)),      \
    (client, call))                                                                                \
  X(void, message_callback_set,                                                                    \
    (Mosquitto * client, void (*call)(Mosquitto *, void *, const struct mosquitto_message *)),     \
    (client, call))                                                                                \
  X(void, subscribe_callback_set,                                                                  \
    (Mosquitto * client, void (*call)(Mosquitto *, void *, int, int, const int *)), (client, call))\
  X(void, log_callback_set,                                                                        \
    (Mosquitto * client, void (*call)(Mosquitto *, void *, int, const char *)), (client, call))    \
  X(const char *, strerror, (int code), (code))                                                    \
  X(const char *, connack_string, (int code), (code))

#define CMOSQUITTO_DECLARE(result, name, parameters, arguments)                                    \
  result cmosquitto_##name parameters;
CMOSQUITTO_FUNCTIONS(CMOSQUITTO_DECLARE)
#undef CMOSQUITTO_DECLARE

/// Returns the number of bytes that were read from a TCP socket so far; 0 if the kernel does not report it.
uint64_t cmosquitto_bytes_read(int socket);
