/* The operator's page: the files of a folder, read when the server starts, so that no request reaches the disk and no path
 * leads out of the folder. */
#ifndef SERVER_OPERATOR_PAGE_H
#define SERVER_OPERATOR_PAGE_H

#include "server/transport/request.h"

enum { PAGE_FILES_MAX = 2000, PAGE_BYTES_MAX = 64 * 1024 * 1024 };

typedef struct page page;

/* NULL with err: the folder cannot be read, or is too large for a page. */
page *page_open(const char *folder, orr_error *err);
void page_close(page *p); /* NULL is fine */
/* The operation that answers with the file of this path ("/", "/assets/x.js"); NULL: there is none. Without a page "/" says
 * how to get one. */
const operation *page_route(request *q, const char *path);

#endif
