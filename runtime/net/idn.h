/* Names of hosts beyond ASCII (IDNA 2008), by libidn2, loaded when the first such name comes. */
#ifndef ORR_NET_IDN_H
#define ORR_NET_IDN_H

#include "base/error.h"

enum { IDN_NAME_MAX = 255 };

/* What DNS and mail know the UTF-8 name by ("größe.example": "xn--gre-6ka8i.example"). Any thread. ORR_E_ARGUMENT: it can be
 * no name, with the reason; ORR_E_UNSUPPORTED: libidn2 is not there. */
int idn_to_ascii(const char *name, char out[IDN_NAME_MAX + 1], orr_error *err);

#endif
