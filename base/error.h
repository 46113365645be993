/* Filling an orr_error. Every function that can fail takes one as its last parameter, returns 0 or the negative code,
 * and fills it once, at the place that knows most; callers add context with error_wrap or pass it on. */
#ifndef ORR_ERROR_H
#define ORR_ERROR_H

#include "orrery.h"

/* Fills `err` (may be NULL) and returns `code`. */
#define error_set(err, code, ...) error_set_at((err), (code), __FILE__, __LINE__, __VA_ARGS__)
/* The same with the place in our source, which the macro fills in. */
int error_set_at(orr_error *err, int code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Puts "context: " before the message; keeps code and place; returns the code. Without an `err` there is no code to know,
 * and the answer is ORR_E_STATE: callers whose `err` may be NULL return the code they have. */
int error_wrap(orr_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is it one of ORR_E_*? */
bool error_known(int code);

#define error_memory(err) error_set((err), ORR_E_MEMORY, "out of memory")

/* Adds a detail that the script layer shows as a field of the raised table. `value` is copied; 0 or ORR_E_MEMORY. */
int error_detail(orr_error *err, const char *name, const orr_value *value);

/* Sets a detail to true; without memory the error lacks it. Returns the code, or ORR_E_STATE without an `err`. */
int error_mark(orr_error *err, const char *name);
/* Is this detail true, of the error or of what caused it (the detail `cause`, and so on)? */
bool error_marked(const orr_error *err, const char *name);

/* Fills `to` (may be NULL) with a copy, details and all; returns the code. */
int error_copy(orr_error *to, const orr_error *from);

/* The traceback that goes with a script failure; copied. */
void error_traceback(orr_error *err, const char *text);

/* Moves `from` into `to` (cleared first) and leaves `from` empty. Either may be NULL. */
void error_move(orr_error *to, orr_error *from);

#endif
