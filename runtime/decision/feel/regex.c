/* PCRE2, and the only file that includes it. */
#include "decision/feel/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/limits.h"
#include "decision/feel/pattern.h"

struct feel_regex {
  pcre2_code *code;
  pcre2_match_data *data;
  pcre2_match_context *context;
  regex_span *spans;
  size_t groups;
};

void regex_free(feel_regex *regex) {
  if (!regex) return;
  pcre2_code_free(regex->code);
  pcre2_match_data_free(regex->data);
  pcre2_match_context_free(regex->context);
  env_free(NULL, regex->spans, (regex->groups + 1) * sizeof *regex->spans);
  env_free(NULL, regex, sizeof *regex);
}

size_t regex_groups(const feel_regex *regex) { return regex->groups; }

/* ---- Compiling ------------------------------------------------------------------------------- */

typedef struct pattern_flags {
  uint32_t options;
  bool spaced, literal;
} pattern_flags;

static int read_flags(const char *flags, pattern_flags *out, orr_error *err) {
  *out = (pattern_flags){.options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C};
  for (; *flags; flags++) {
    switch (*flags) {
      case 's': out->options |= PCRE2_DOTALL; break;
      case 'm': out->options |= PCRE2_MULTILINE; break;
      case 'i': out->options |= PCRE2_CASELESS; break;
      case 'x': out->spaced = true; break;
      case 'q': out->literal = true; break;
      default:
        return error_set(err, ORR_E_EXPRESSION,
                         "\"%c\" is no flag of a regular expression; there are s, m, i, x and q",
                         *flags);
    }
  }
  if (out->literal) out->options = (out->options & (PCRE2_UTF | PCRE2_CASELESS)) | PCRE2_LITERAL;
  return 0;
}

static int wrong_pattern(int code, orr_error *err) {
  PCRE2_UCHAR message[200];
  pcre2_get_error_message(code, message, sizeof message);
  return error_set(err, ORR_E_EXPRESSION, "the regular expression is wrong: %s",
                   (const char *)message);
}

static int build_code(const char *pattern, size_t size, const pattern_flags *flags,
                      pcre2_code **out, orr_error *err) {
  orr_arena *arena = arena_new(NULL);
  if (!arena) return error_memory(err);
  int rc = 0, code;
  PCRE2_SIZE at;
  if (!flags->literal) {
    pattern = pattern_translate(arena, pattern, size, flags->spaced, flags->options & PCRE2_DOTALL,
                                &size, err);
    if (!pattern) rc = err && err->code ? err->code : ORR_E_EXPRESSION;
  }
  if (!rc) {
    *out = pcre2_compile((PCRE2_SPTR)pattern, size, flags->options, &code, &at, NULL);
    if (!*out) rc = wrong_pattern(code, err);
  }
  arena_free(arena);
  return rc;
}

static bool prepare_match(feel_regex *regex) {
  uint32_t groups = 0;
  pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
  regex->groups = groups;
  regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
  regex->context = pcre2_match_context_create(NULL);
  regex->spans = env_alloc(NULL, (regex->groups + 1) * sizeof *regex->spans);
  if (!regex->data || !regex->context || !regex->spans) return false;
  pcre2_set_match_limit(regex->context, ORR_FEEL_REGEX_STEPS_MAX);
  pcre2_set_heap_limit(regex->context, ORR_FEEL_REGEX_HEAP_KIB_MAX);
  return true;
}

int regex_compile(const char *pattern, size_t size, const char *flags, feel_regex **out,
                  orr_error *err) {
  pattern_flags read;
  int rc = read_flags(flags, &read, err);
  if (rc) return rc;
  feel_regex *regex = env_zalloc(NULL, sizeof *regex);
  if (!regex) return error_memory(err);
  rc = build_code(pattern, size, &read, &regex->code, err);
  if (!rc && !prepare_match(regex)) rc = error_memory(err);
  if (rc) regex_free(regex);
  else *out = regex;
  return rc;
}

/* ---- Matching -------------------------------------------------------------------------------- */

static int match_failure(int rc, orr_error *err) {
  switch (rc) {
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
      return error_set(err, ORR_E_LIMIT,
                       "the regular expression took more than %d steps, or %d KiB, on this text",
                       ORR_FEEL_REGEX_STEPS_MAX, ORR_FEEL_REGEX_HEAP_KIB_MAX);
    case PCRE2_ERROR_NOMEMORY: return error_memory(err);
    default: return error_set(err, ORR_E_ARGUMENT, "the text is no UTF-8");
  }
}

int regex_find(feel_regex *regex, const char *text, size_t size, size_t from,
               const regex_span **spans, orr_error *err) {
  *spans = NULL;
  /* The text is checked once, with the first search in it. */
  uint32_t options = from > 0 ? PCRE2_NO_UTF_CHECK : 0;
  int n =
      pcre2_match(regex->code, (PCRE2_SPTR)text, size, from, options, regex->data, regex->context);
  if (n == PCRE2_ERROR_NOMATCH) return 0;
  if (n < 0) return match_failure(n, err);
  const PCRE2_SIZE *at = pcre2_get_ovector_pointer(regex->data);
  for (size_t i = 0; i <= regex->groups; i++) {
    bool took_part = (int)i < n && at[2 * i] != PCRE2_UNSET;
    regex->spans[i] =
        took_part ? (regex_span){at[2 * i], at[2 * i + 1]} : (regex_span){SIZE_MAX, SIZE_MAX};
  }
  *spans = regex->spans;
  return 0;
}
