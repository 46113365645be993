/* Telling a child of fork from the process that opened the store. */
#include "store/fork_check.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux's number; hidden by strict C */
#endif

void fork_check_start(fork_check *check) {
  *check = (fork_check){.pid = getpid()};
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, size, MADV_WIPEONFORK) != 0) {
    munmap(page, size);
    return;
  }
  check->page = page;
  *check->page = 1;
}

void fork_check_stop(fork_check *check) {
  if (check->page) munmap((void *)check->page, (size_t)sysconf(_SC_PAGESIZE));
  check->page = NULL;
}

bool fork_check_in_child(const fork_check *check) {
  return check->page ? *check->page == 0 : getpid() != check->pid;
}
