/* FEEL's numbers beyond int64: IEEE 754 decimals of 34 digits, exponents from -6176 to 6111. A
 * decimal here is always finite and stripped of zeros at its end, so that equal ones are equal
 * bits; its maker asks first whether it is a whole number that fits int64, since those are
 * kept as integers. Operations that have no finite answer (1/0, the root of -1, an overflow) give
 * false. */
#ifndef ORR_FEEL_DECIMAL_H
#define ORR_FEEL_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct feel_decimal {
  uint64_t low, high;
} feel_decimal;

/* Plain text of any decimal, with its sign, point and zero bytes. */
#define DECIMAL_TEXT 6200
/* What decimal_round takes: the most and the fewest digits behind the point. */
#define DECIMAL_SCALE_MIN (-6111)
#define DECIMAL_SCALE_MAX 6176

typedef enum decimal_rounding {
  ROUND_HALF_EVEN,
  ROUND_FLOOR,
  ROUND_CEILING,
  ROUND_DOWN, /* towards zero */
  ROUND_UP,   /* away from it */
  ROUND_HALF_UP,
  ROUND_HALF_DOWN,
} decimal_rounding;

/* Exact. */
feel_decimal decimal_from_integer(int64_t n);
/* "-12.5", "1e3", rounded to 34 digits; false: it is no number, or too large. */
bool decimal_parse(const char *text, size_t size, feel_decimal *out);
/* The shortest text that gives the same double again is the value. False: not finite. */
bool decimal_from_double(double n, feel_decimal *out);
/* The integer that it is; false: it is not whole, or too large. */
bool decimal_to_integer(feel_decimal d, int64_t *out);
/* The nearest double; beyond its range infinity. */
double decimal_to_double(feel_decimal d);
/* Without an exponent, NUL-terminated; its length. */
size_t decimal_format(feel_decimal d, char out[DECIMAL_TEXT]);

/* Rounded half to even to 34 digits; false, with `out` undefined, when the result is no finite
 * number: */
bool decimal_add(feel_decimal a, feel_decimal b, feel_decimal *out);
bool decimal_sub(feel_decimal a, feel_decimal b, feel_decimal *out);
bool decimal_mul(feel_decimal a, feel_decimal b, feel_decimal *out);
bool decimal_div(feel_decimal a, feel_decimal b, feel_decimal *out);
bool decimal_pow(feel_decimal a, feel_decimal b, feel_decimal *out);
/* With the sign of `b`; false for a `b` of 0. */
bool decimal_modulo(feel_decimal a, feel_decimal b, feel_decimal *out);
/* As the four operations; false outside what the function is defined for: */
bool decimal_sqrt(feel_decimal a, feel_decimal *out);
bool decimal_exp(feel_decimal a, feel_decimal *out);
bool decimal_log(feel_decimal a, feel_decimal *out);
/* To so many digits behind the point, or before it when `scale` is negative; false: the scale is
 * out of range, or the answer too large. */
bool decimal_round(feel_decimal a, int scale, decimal_rounding rounding, feel_decimal *out);
/* < 0, 0, > 0 */
int decimal_compare(feel_decimal a, feel_decimal b);
int decimal_sign(feel_decimal a); /* < 0, 0, > 0 */

#endif
