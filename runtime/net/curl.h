/* libcurl, loaded when something first calls out (base/library.h): `curl.easy_init` is its curl_easy_init. */
#ifndef ORR_NET_CURL_H
#define ORR_NET_CURL_H

#define CURL_DISABLE_TYPECHECK /* macros that call functions by their names */
#include <curl/curl.h>

#include "base/error.h"

#define CURL_FUNCTIONS(F) \
  F(easy_cleanup) F(easy_getinfo) F(easy_init) F(easy_setopt) F(easy_strerror) F(free) \
  F(getdate) F(global_init) F(mime_addpart) F(mime_data) F(mime_encoder) F(mime_filename) \
  F(mime_free) F(mime_headers) F(mime_init) F(mime_name) F(mime_subparts) F(mime_type) \
  F(multi_add_handle) F(multi_assign) F(multi_cleanup) F(multi_info_read) F(multi_init) \
  F(multi_remove_handle) F(multi_setopt) F(multi_socket_action) F(slist_append) \
  F(slist_free_all) F(url) F(url_cleanup) F(url_get) F(url_set)

#define FIELD(name) __typeof__(curl_##name) *name;
typedef struct curl_functions { CURL_FUNCTIONS(FIELD) } curl_functions;
#undef FIELD

/* There once curl_load has succeeded. Linked under a name that a host of the archive has not. */
extern curl_functions curl __asm__("orr_curl");

/* Any thread. ORR_E_UNSUPPORTED: it is not there. */
int curl_load(orr_error *err);

#endif
