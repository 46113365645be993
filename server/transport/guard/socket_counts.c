/* A file of its own: the system's header that has these counts contradicts the library's, which
 * others need. */
#include "server/transport/guard/socket_counts.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int64_t socket_taken(int fd) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
  return (int64_t)info.tcpi_bytes_acked;
}

int socket_waiting(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}
