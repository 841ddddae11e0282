/** Amounts as people type them. */

/** More than the supply of any chain's currency. */
const MOST_DIGITS = 30
const DECIMALS = 18

/** Whole units with up to 18 decimals ("1.5", "1,000"), in the smallest unit; undefined where it is none. */
export function parseAmount(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  if (whole === undefined || whole.length > MOST_DIGITS || fraction.length > DECIMALS)
    return undefined
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'))
}

/** A rate in percent with up to two decimals, in basis points; undefined where it is none. */
export function parseRate(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?\s*%?$/.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const rate = BigInt(whole + fraction.padEnd(2, '0'))
  return rate > 10_000n ? undefined : rate
}

/** Basis points as percent. */
export function rate(points: number): string {
  return `${(points / 100).toFixed(2).replace(/\.?0+$/, '')} %`
}

/** Hours, days and minutes of a time in seconds, in the largest unit that divides it well. */
export function duration(seconds: number): string {
  const [count, unit] =
    seconds >= 172_800
      ? [seconds / 86_400, 'days']
      : seconds >= 7200
        ? [seconds / 3600, 'hours']
        : seconds >= 120
          ? [seconds / 60, 'minutes']
          : [seconds, 'seconds']
  return `${Number(count.toFixed(1))} ${unit}`
}
