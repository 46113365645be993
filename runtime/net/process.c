/* Processes: started by uv_spawn, their output read while they run, ended with their whole group.
 *
 * Three things end: the process, and its two streams. The answer comes when all have, so that nothing that it wrote is
 * lost. A detached process answers at once; the loop goes on to reap it, without being kept alive by it. */
#include <signal.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"
#include "net/buffer.h"
#include "net/client_internal.h"
#include "net/process.h"

typedef struct process_call process_call;

typedef struct stream {
  uv_pipe_t pipe; /* first */
  process_call *call;
  buffer got;
  bool open;
} stream;

struct process_call {
  net_call base; /* first */
  orr_allocator allocator; /* the client may go before the handles have */
  uv_loop_t *loop;
  process_call *next, **before; /* of the client's; `before` NULL: no more */
  uv_process_t process;
  uv_timer_t timer;
  stream streams[2]; /* output and errors */
  char room[8192];   /* what is read goes through here */
  net_spawn_done done; /* NULL: it was canceled, or has answered */
  void *ud;
  int64_t total_ms, output_max, code;
  int waiting;       /* for so many of process and streams */
  int closing;       /* handles */
  bool started, detached, told;
  net_error refused;
  char why[200];
};

static void handle_closed(uv_handle_t *handle) {
  process_call *p = handle->data;
  if (--p->closing > 0) return;
  const orr_allocator allocator = p->allocator;
  for (size_t i = 0; i < 2; i++) buffer_free(&allocator, &p->streams[i].got);
  env_free(&allocator, p, sizeof *p);
}

static void close_process_handle(process_call *p, void *handle) {
  if (uv_is_closing(handle)) return;
  p->closing++;
  uv_close(handle, handle_closed);
}

static void unlink_call(process_call *p) {
  if (!p->before) return;
  *p->before = p->next;
  if (p->next) p->next->before = p->before;
  p->before = NULL;
}

static void close_all(process_call *p) {
  unlink_call(p);
  p->closing++; /* until all are asked */
  close_process_handle(p, &p->timer);
  if (p->started) close_process_handle(p, &p->process);
  for (size_t i = 0; i < 2; i++)
    if (p->streams[i].call) close_process_handle(p, &p->streams[i].pipe);
  p->closing--;
}

/* Its group is its own: a shell's children go with it. */
static void signal_group(const process_call *p, int signal_number) {
  if (p->started && p->process.pid > 0) kill(-p->process.pid, signal_number);
}

static void answer_process(process_call *p) {
  net_exit result = {p->code, buffer_text(&p->streams[0].got), buffer_text(&p->streams[1].got)};
  net_spawn_done done = p->done;
  p->done = NULL;
  if (done) done(p->ud, p->refused ? NULL : &result, p->refused, p->refused ? p->why : NULL);
  close_all(p);
}

static void one_ended(process_call *p) {
  if (--p->waiting == 0) answer_process(p);
}

/* TERM first; what does not listen is killed. */
static void kill_timer(uv_timer_t *timer) {
  process_call *p = timer->data;
  signal_group(p, p->told ? SIGKILL : SIGTERM);
  p->told = true;
  uv_timer_start(timer, kill_timer, ORR_NET_KILL_MS, 0);
}

static void refuse_process(process_call *p, net_error error, const char *format, int64_t bound) {
  if (p->refused) return;
  p->refused = error;
  snprintf(p->why, sizeof p->why, format, bound);
  kill_timer(&p->timer);
}

static void time_is_up(uv_timer_t *timer) {
  process_call *p = timer->data;
  refuse_process(p, NET_TIMEOUT, "the program ran longer than %" PRId64 " ms, and was ended", p->total_ms);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  process_call *p = handle->data;
  (void)suggested;
  *out = uv_buf_init(p->room, sizeof p->room);
}

static void on_output(uv_stream_t *pipe, ssize_t size, const uv_buf_t *bytes) {
  process_call *p = pipe->data;
  stream *s = (stream *)pipe;
  if (size < 0) {
    s->open = false;
    uv_read_stop(pipe);
    one_ended(p);
  } else if ((int64_t)(s->got.size + (size_t)size) > p->output_max) {
    refuse_process(p, NET_LIMIT, "the program wrote more than %" PRId64 " bytes, and was ended", p->output_max);
  } else if (size > 0 && !buffer_add(&p->allocator, &s->got, bytes->base, (size_t)size)) {
    refuse_process(p, NET_MEMORY, "out of memory", 0);
  }
}

static void on_exit(uv_process_t *process, int64_t status, int signal_number) {
  process_call *p = process->data;
  p->code = signal_number ? 128 + signal_number : status;
  if (p->refused) kill(-process->pid, SIGKILL); /* what it started goes with it, and so the pipes end */
  one_ended(p);
}

/* A pipe of ours, whose far end the child may get twice: then both streams come in the order in which they were written. */
static int open_stream(process_call *p, size_t i, uv_file *far) {
  stream *s = &p->streams[i];
  uv_file ends[2];
  int rc = uv_pipe(ends, UV_NONBLOCK_PIPE, 0);
  if (rc) return rc;
  *far = ends[1];
  uv_pipe_init(p->loop, &s->pipe, 0); /* it cannot fail */
  s->call = p;
  s->pipe.data = p;
  rc = uv_pipe_open(&s->pipe, ends[0]);
  if (rc) close(ends[0]);
  s->open = !rc;
  return rc;
}

static int open_streams(process_call *p, const net_process *from, uv_file far[2]) {
  if (from->detached) return 0;
  int rc = open_stream(p, 0, &far[0]);
  return rc || from->merge_errors ? rc : open_stream(p, 1, &far[1]);
}

static int start_process(process_call *p, const net_process *from, const uv_file far[2]) {
  static char *NO_ENVIRONMENT[] = {NULL};
  uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE}, {.flags = UV_IGNORE}, {.flags = UV_IGNORE}}; /* /dev/null */
  for (int i = 1; i < 3; i++) {
    uv_file to = i == 2 && from->merge_errors ? far[0] : far[i - 1];
    if (to >= 0) stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = to};
  }
  uv_process_options_t options = {
    .file = from->arguments[0], .args = (char **)(uintptr_t)from->arguments, .cwd = from->directory,
    .env = from->clean_environment ? NO_ENVIRONMENT : NULL, .flags = UV_PROCESS_DETACHED, .stdio_count = 3, .stdio = stdio,
    .exit_cb = on_exit};
  p->process.data = p;
  p->started = true; /* uv_spawn makes the handle also when it fails */
  return uv_spawn(p->loop, &p->process, &options);
}

static int spawn(process_call *p, const net_process *from) {
  uv_file far[2] = {-1, -1};
  int rc = open_streams(p, from, far);
  if (!rc) rc = start_process(p, from, far);
  for (size_t i = 0; i < 2; i++)
    if (far[i] >= 0) close(far[i]);
  if (rc) return rc;
  p->waiting = 1;
  for (size_t i = 0; i < 2; i++) {
    if (!p->streams[i].open) continue;
    rc = uv_read_start((uv_stream_t *)&p->streams[i].pipe, give_room, on_output);
    if (rc) break;
    p->waiting++;
  }
  if (rc) kill(-p->process.pid, SIGKILL); /* nobody would hear of its end */
  return rc;
}

static void cancel_process(net_call *call) {
  process_call *p = (process_call *)call;
  p->done = NULL;
  if (!p->detached) signal_group(p, SIGKILL);
  close_all(p);
}

/* From the loop: a detached process has started. */
static void tell_started(uv_timer_t *timer) {
  process_call *p = timer->data;
  net_exit result = {0, {"", 0}, {"", 0}};
  net_spawn_done done = p->done;
  p->done = NULL;
  if (done) done(p->ud, &result, NET_OK, NULL);
}

void processes_close(net_client *client) {
  while (client->processes) cancel_process(&client->processes->base);
}

static void link_call(net_client *client, process_call *p) {
  p->before = &client->processes;
  p->next = client->processes;
  if (p->next) p->next->before = &p->next;
  client->processes = p;
}

net_call *net_spawn(net_client *client, const net_process *process, net_spawn_done done, void *ud, orr_error *err) {
  process_call *p = env_zalloc(&client->allocator, sizeof *p);
  if (!p) {
    error_memory(err);
    return NULL;
  }
  p->base.cancel = cancel_process;
  p->allocator = client->allocator;
  p->loop = client->loop;
  p->done = done;
  p->ud = ud;
  p->detached = process->detached;
  p->total_ms = process->total_ms;
  p->output_max = process->output_max;
  link_call(client, p);
  uv_timer_init(p->loop, &p->timer);
  p->timer.data = p;
  int rc = spawn(p, process);
  if (rc) {
    error_set(err, ORR_E_NOT_FOUND, "\"%.200s\" cannot be started: %s", process->arguments[0], uv_strerror(rc));
    close_all(p);
    return NULL;
  }
  uv_update_time(p->loop);
  if (p->detached) {
    uv_unref((uv_handle_t *)&p->process);
    uv_timer_start(&p->timer, tell_started, 0, 0);
  } else if (p->total_ms > 0) {
    uv_timer_start(&p->timer, time_is_up, (uint64_t)p->total_ms, 0);
  }
  return &p->base;
}
