/* For builds with ThreadSanitizer. Lua leaves C functions by longjmp, when it raises and when a coroutine yields, and
 * Debian's Lua calls it by the name that fortified builds use. ThreadSanitizer knows it by its plain name alone, and would
 * take each frame that was left so for one that is still running: after 65,536 of them its record of a thread's stack is
 * full, and it ends the process. */
#include <setjmp.h>

__attribute__((visibility("default"), noreturn)) void __longjmp_chk(jmp_buf place, int value);

void __longjmp_chk(jmp_buf place, int value) { longjmp(place, value); }
