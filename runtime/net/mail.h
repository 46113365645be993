/* Mail over SMTP. */
#ifndef ORR_NET_MAIL_H
#define ORR_NET_MAIL_H

#include "net/client.h"

typedef enum net_mail_tls { NET_MAIL_PLAIN, NET_MAIL_STARTTLS, NET_MAIL_IMPLICIT } net_mail_tls;

typedef struct net_attachment {
  const char *name, *type, *cid;  /* `cid` makes it an inline image of the HTML; each but the name may be NULL */
  net_text data;
} net_attachment;

typedef struct net_mail_message {
  const char *host;
  int port;
  net_mail_tls tls;
  const char *user, *password, *bearer; /* `bearer`: XOAUTH2 instead of a password */
  const char *from;                     /* the envelope's: an address alone */
  const char *const *recipients;        /* the envelope's */
  size_t recipient_count;
  const char *const *headers;           /* lines, encoded; CR or LF is allowed for folding only */
  size_t header_count;
  const char *charset;                  /* of both texts */
  net_text text, html;                  /* bytes NULL: not given; at least one is */
  const net_attachment *attachments;
  size_t attachment_count;
  int64_t connect_ms, total_ms;
} net_mail_message;

typedef void (*net_mail_done)(void *ud, net_error error, const char *message);

/* Sends one message over SMTP; its texts are copied. NULL with `err`: nothing was started. */
net_call *net_mail(net_client *client, const net_mail_message *message, net_mail_done done, void *ud, orr_error *err);

#endif
