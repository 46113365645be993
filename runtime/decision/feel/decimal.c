/* Decimals over Intel's library, in its binary encoding: sign, 14 bits of exponent with a bias, 113
 * bits of coefficient. */
#include "decision/feel/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments by value, rounding and flags as parameters: the library keeps no state. */
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

#define BIAS 6176
#define EXPONENT_MAX 6111
#define SIGN (UINT64_C(1) << 63)
#define COEFFICIENT_HIGH ((UINT64_C(1) << 49) - 1)

enum { NEAREST_EVEN = 0, TOWARDS_MINUS = 1, TOWARDS_PLUS = 2, TOWARDS_ZERO = 3, NEAREST_AWAY = 4 };

typedef unsigned __int128 coefficient;

/* ---- Parts ----------------------------------------------------------------------------------- */

static BID_UINT128 to_bid(feel_decimal d) {
  BID_UINT128 x;
  x.w[0] = d.low;
  x.w[1] = d.high;
  return x;
}

static int exponent_of(feel_decimal d) { return (int)(d.high >> 49 & 0x3FFF) - BIAS; }
static coefficient coefficient_of(feel_decimal d) {
  return (coefficient)(d.high & COEFFICIENT_HIGH) << 64 | d.low;
}

static feel_decimal compose(bool negative, coefficient digits, int exponent) {
  return (feel_decimal){(uint64_t)digits, (negative ? SIGN : 0) |
                                              (uint64_t)(exponent + BIAS) << 49 |
                                              (uint64_t)(digits >> 64)};
}

/* Takes a result of the library, if it is finite, without trailing zeros. */
static bool settle_decimal(BID_UINT128 x, feel_decimal *out) {
  if (!bid128_isFinite(x)) return false;
  feel_decimal d = {x.w[0], x.w[1]};
  bool negative = d.high & SIGN;
  if (bid128_isZero(x)) {
    *out = compose(false, 0, 0);
    return true;
  }
  coefficient digits = coefficient_of(d);
  int exponent = exponent_of(d);
  while (digits % 10 == 0 && exponent < EXPONENT_MAX) {
    digits /= 10;
    exponent++;
  }
  *out = compose(negative, digits, exponent);
  return true;
}

feel_decimal decimal_from_integer(int64_t n) {
  feel_decimal d;
  settle_decimal(bid128_from_int64(n), &d);
  return d;
}

bool decimal_to_integer(feel_decimal d, int64_t *out) {
  coefficient digits = coefficient_of(d), most = (coefficient)INT64_MAX + (d.high & SIGN ? 1 : 0);
  int exponent = digits == 0 ? 0 : exponent_of(d);
  if (exponent < 0 || exponent > 18) return false;
  for (; exponent > 0 && digits <= most; exponent--) digits *= 10;
  if (digits > most) return false;
  *out = (int64_t)(d.high & SIGN ? -(uint64_t)digits : (uint64_t)digits);
  return true;
}

int decimal_sign(feel_decimal a) { return coefficient_of(a) == 0 ? 0 : a.high & SIGN ? -1 : 1; }

int decimal_compare(feel_decimal a, feel_decimal b) {
  _IDEC_flags flags = 0;
  if (bid128_quiet_equal(to_bid(a), to_bid(b), &flags)) return 0;
  return bid128_quiet_less(to_bid(a), to_bid(b), &flags) ? -1 : 1;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

bool decimal_parse(const char *text, size_t size, feel_decimal *out) {
  enum { LONGEST = 8192 };
  char copy[LONGEST];
  _IDEC_flags flags = 0;
  if (size == 0 || size >= LONGEST || strspn(text, "+-.0123456789eE") < size) return false;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return settle_decimal(bid128_from_string(copy, NEAREST_EVEN, &flags), out);
}

bool decimal_from_double(double n, feel_decimal *out) {
  char text[40];
  if (!isfinite(n)) return false;
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, n);
    if (strtod(text, NULL) == n) break;
  }
  for (char *comma = strchr(text, ','); comma; comma = NULL)
    *comma = '.'; /* of the host program's locale */
  return decimal_parse(text, strlen(text), out);
}

double decimal_to_double(feel_decimal d) {
  _IDEC_flags flags = 0;
  return bid128_to_binary64(to_bid(d), NEAREST_EVEN, &flags);
}

static size_t write_digits(coefficient digits, char out[40]) {
  char reversed[40];
  size_t n = 0;
  do reversed[n++] = (char)('0' + (int)(digits % 10));
  while ((digits /= 10) != 0);
  for (size_t i = 0; i < n; i++) out[i] = reversed[n - 1 - i];
  return n;
}

static char *zeros(char *at, int n) {
  for (; n > 0; n--) *at++ = '0';
  return at;
}

static char *copy_digits(char *at, const char *digits, size_t n) {
  memcpy(at, digits, n);
  return at + n;
}

size_t decimal_format(feel_decimal d, char out[DECIMAL_TEXT]) {
  char digits[40], *at = out;
  int n = (int)write_digits(coefficient_of(d), digits),
      exponent = coefficient_of(d) == 0 ? 0 : exponent_of(d);
  if (d.high & SIGN) *at++ = '-';
  if (exponent >= 0) {
    at = zeros(copy_digits(at, digits, (size_t)n), exponent);
  } else if (-exponent >= n) {
    *at++ = '0';
    *at++ = '.';
    at = copy_digits(zeros(at, -exponent - n), digits, (size_t)n);
  } else {
    at = copy_digits(at, digits, (size_t)(n + exponent));
    *at++ = '.';
    at = copy_digits(at, digits + n + exponent, (size_t)-exponent);
  }
  *at = '\0';
  return (size_t)(at - out);
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

bool decimal_add(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_add(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
}

bool decimal_sub(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_sub(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
}

bool decimal_mul(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_mul(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
}

bool decimal_div(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_div(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
}

bool decimal_sqrt(feel_decimal a, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_sqrt(to_bid(a), NEAREST_EVEN, &flags), out);
}

bool decimal_exp(feel_decimal a, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_exp(to_bid(a), NEAREST_EVEN, &flags), out);
}

bool decimal_log(feel_decimal a, feel_decimal *out) {
  _IDEC_flags flags = 0;
  return settle_decimal(bid128_log(to_bid(a), NEAREST_EVEN, &flags), out);
}

/* By squaring, exact while the answer has no more than 34 digits; the library's own pow is not. */
static bool integer_power(feel_decimal base, uint64_t n, feel_decimal *out) {
  feel_decimal result = decimal_from_integer(1);
  for (;;) {
    if (n & 1 && !decimal_mul(result, base, &result)) return false;
    n >>= 1;
    if (n == 0) break;
    if (!decimal_mul(base, base, &base)) return false;
  }
  *out = result;
  return true;
}

bool decimal_pow(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  int64_t n;
  feel_decimal power;
  if (!decimal_to_integer(b, &n) || n > 999999999 || n < -999999999)
    return settle_decimal(bid128_pow(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
  if (!integer_power(a, (uint64_t)(n < 0 ? -n : n), &power))
    return n < 0 && settle_decimal(bid128_pow(to_bid(a), to_bid(b), NEAREST_EVEN, &flags), out);
  if (n >= 0) {
    *out = power;
    return true;
  }
  return decimal_sign(power) != 0 && decimal_div(decimal_from_integer(1), power, out);
}

bool decimal_modulo(feel_decimal a, feel_decimal b, feel_decimal *out) {
  _IDEC_flags flags = 0;
  if (!settle_decimal(bid128_fmod(to_bid(a), to_bid(b), &flags), out)) return false;
  if (decimal_sign(*out) == 0 || decimal_sign(*out) == decimal_sign(b)) return true;
  return decimal_add(*out, b, out);
}

/* ---- Rounding -------------------------------------------------------------------------------- */

static unsigned library_rounding(feel_decimal a, decimal_rounding rounding) {
  switch (rounding) {
    case ROUND_HALF_EVEN: return NEAREST_EVEN;
    case ROUND_FLOOR: return TOWARDS_MINUS;
    case ROUND_CEILING: return TOWARDS_PLUS;
    case ROUND_DOWN: return TOWARDS_ZERO;
    case ROUND_UP: return decimal_sign(a) < 0 ? TOWARDS_MINUS : TOWARDS_PLUS;
    case ROUND_HALF_UP:
    case ROUND_HALF_DOWN: return NEAREST_AWAY;
  }
  return NEAREST_EVEN;
}

/* The library knows no half down: towards zero, unless what is lost is more than a half. */
static bool round_half_down(feel_decimal a, int scale, feel_decimal *out) {
  feel_decimal low, rest;
  if (!decimal_round(a, scale, ROUND_DOWN, &low) || !decimal_sub(a, low, &rest)) return false;
  rest.high &= ~SIGN;
  if (scale < DECIMAL_SCALE_MAX && decimal_compare(rest, compose(false, 5, -scale - 1)) > 0)
    return decimal_round(a, scale, ROUND_UP, out);
  *out = low;
  return true;
}

bool decimal_round(feel_decimal a, int scale, decimal_rounding rounding, feel_decimal *out) {
  _IDEC_flags flags = 0;
  if (scale < DECIMAL_SCALE_MIN || scale > DECIMAL_SCALE_MAX) return false;
  if (decimal_sign(a) == 0 || exponent_of(a) >= -scale) { /* it has no more digits than that */
    *out = a;
    return true;
  }
  if (rounding == ROUND_HALF_DOWN) return round_half_down(a, scale, out);
  return settle_decimal(bid128_quantize(to_bid(a), to_bid(compose(false, 1, -scale)),
                                        library_rounding(a, rounding), &flags),
                        out);
}
