/* What libmicrohttpd calls when a request begins, goes on and ends. `server` is the server, as it was given to the daemon. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include <microhttpd.h>

/* A request line has come: makes its request, as the connection's present one. */
void *http_uri(void *server, const char *uri, struct MHD_Connection *mhd);
/* Its headers are read, a piece of its body has come, or it is whole. */
enum MHD_Result http_handle(void *server, struct MHD_Connection *mhd, const char *url, const char *method, const char *version,
                            const char *data, size_t *size, void **state);
/* It is over, whether its answer arrived or not: it is counted, logged and freed. */
void http_completed(void *server, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode code);

#endif
