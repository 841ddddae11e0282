// Powers and logarithms to base 2.

/** log2(e) with 20 fractional bits. */
@inline export const LOG2_E: i64 = 1512775

/** 2^-value: the value is Q20 and not negative, the result Q30. The error is below 2^-26; 0 gives exactly 1. */
export function powerOfHalf(value: i64): i64 {
  if (value == 0) return 1 << 30
  const whole = value >> 20
  if (whole > 30) return 0
  return fraction(((value & 0xfffff) - 0x80000) << 10) >> whole
}

/** 2^-value: the value is Q30 and not negative, the result Q30. The error is below 2^-26; 0 gives exactly 1. */
export function powerOfHalfFine(value: i64): i64 {
  if (value == 0) return 1 << 30
  const whole = value >> 30
  if (whole > 30) return 0
  return fraction((value & 0x3fffffff) - 0x20000000) >> whole
}

/** 2^-(u + 1/2) for u within [-1/2, 1/2), both Q30: Taylor's series around one half. Coefficients: 2^-0.5 * ln(2)^i / i!, Q30. */
@inline function fraction(u: i64): i64 {
  let sum: i64 = 11581
  sum = 116951 - ((sum * u) >> 30)
  sum = 1012351 - ((sum * u) >> 30)
  sum = 7302566 - ((sum * u) >> 30)
  sum = 42141501 - ((sum * u) >> 30)
  sum = 182392005 - ((sum * u) >> 30)
  sum = 526272083 - ((sum * u) >> 30)
  return 759250125 - ((sum * u) >> 30)
}

/** -log2(value / 2^33) as Q30, for an odd value below 2^33. The error is below 2^-26. */
export function negativeLog2(value: u64): u64 {
  const length: u64 = 64 - clz<u64>(value)
  // The mantissa is in [1, 2) as Q31. Each squaring yields the next bit of its logarithm.
  let mantissa = length > 32 ? value >> (length - 32) : value << (32 - length)
  let fraction: u64 = 0
  for (let i = 0; i < 30; i++) {
    mantissa = (mantissa * mantissa) >> 31
    fraction <<= 1
    if (mantissa >> 32 != 0) {
      mantissa >>= 1
      fraction |= 1
    }
  }
  return ((34 - length) << 30) - fraction
}
