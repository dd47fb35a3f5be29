// libcurl for Swift, loaded at first use.
//
// The header gives the types. Every function is reached through a table that `ccurl_load` fills with
// dlopen and dlsym, because a process that is linked with libcurl and its thirty libraries holds
// 8 MB more even while it sends nothing. Call `ccurl_…`, never the libcurl name itself: that would
// not link.
#pragma once

// The checks of argument types are macros around variadic functions; ours below have types.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stddef.h>

/// Loads libcurl once; later calls answer the same. Safe from any thread.
/// Returns NULL when every function was found, else a sentence that says what is missing.
const char *ccurl_load(void);

// Every function of libcurl with a fixed number of arguments that we call: result, name, parameters,
// arguments.
#define CCURL_FUNCTIONS(X)                                                                         \
  X(CURL *, easy_init, (void), ())                                                                 \
  X(void, easy_cleanup, (CURL * handle), (handle))                                                 \
  X(CURLcode, easy_perform, (CURL * handle), (handle))                                             \
  X(const char *, easy_strerror, (CURLcode code), (code))                                          \
  X(struct curl_slist *, slist_append, (struct curl_slist * list, const char *text), (list, text)) \
  X(void, slist_free_all, (struct curl_slist * list), (list))                                      \
  X(curl_mime *, mime_init, (CURL * handle), (handle))                                             \
  X(void, mime_free, (curl_mime * mime), (mime))                                                   \
  X(curl_mimepart *, mime_addpart, (curl_mime * mime), (mime))                                     \
  X(CURLcode, mime_data, (curl_mimepart * part, const char *data, size_t size),                    \
    (part, data, size))                                                                            \
  X(CURLcode, mime_type, (curl_mimepart * part, const char *type), (part, type))                   \
  X(CURLcode, mime_encoder, (curl_mimepart * part, const char *encoding), (part, encoding))

#define CCURL_DECLARE(result, name, parameters, arguments) result ccurl_##name parameters;
CCURL_FUNCTIONS(CCURL_DECLARE)
#undef CCURL_DECLARE

// curl_easy_setopt and curl_easy_getinfo, a function for each type of value.
CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_mime(CURL *handle, curl_mime *mime);
/// `buffer` holds CURL_ERROR_SIZE bytes and outlives the transfer.
CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer);
/// Drops what the server sends; more than `*left` bytes end the transfer. The caller keeps `left` valid until the
/// transfer has ended; it is reduced by the bytes of the response.
CURLcode ccurl_drop_answer(CURL *handle, size_t *left);
/// The status of the last HTTP answer; 0 where there was none.
long ccurl_status(CURL *handle);
