/* libcurl, loaded when something first calls out. */
#include "net/curl.h"

#include "base/library.h"

curl_functions curl;

#define NAME(name) "curl_" #name,
static const char *const names[] = {CURL_FUNCTIONS(NAME) NULL};

static void initialize(void) { curl.global_init(CURL_GLOBAL_DEFAULT); }

int curl_load(orr_error *err) {
  static library libcurl = {"libcurl.so.4", names, &curl, initialize, false};
  return library_load(&libcurl, err);
}
