/** Numbers for people. */

const GROUPED = new Intl.NumberFormat('en')
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** 1234567 as 1,234,567. */
export function grouped(value: number | bigint): string {
  return GROUPED.format(value)
}

/** 1234567 as 1.2M. */
export function compact(value: number): string {
  return COMPACT.format(value)
}

/** An amount in units of 10^decimals, exact, without zeros at its end. */
export function units(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '−' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = grouped(BigInt(digits.slice(0, digits.length - decimals)))
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Decimals that people read. */
const FEW = 6

/** The same with at most six decimals, cut off; what is less than that, but not nothing, says so. */
export function roughly(amount: bigint, decimals: number): string {
  const unit = 10n ** BigInt(Math.max(0, decimals - FEW))
  if (amount > 0n && amount < unit) return `<${units(unit, decimals)}`
  return units(amount - (amount % unit), decimals)
}

/** A price of gas: whole units of 10^9, or of 1 where it is smaller than a thousandth. */
export function gasPrice(price: bigint): string {
  if (price !== 0n && price < 1_000_000n) return `${grouped(price)} wei`
  return `${units(price, 9)} gwei`
}

/** A share in percent. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((part / whole) * 100).toFixed(part === whole ? 0 : 1)} %`
}

/** Bytes with their unit. */
export function bytes(count: number): string {
  return count < 1024 ? `${count} B` : `${(count / 1024).toFixed(1)} KiB`
}

/** How long ago, in one unit. */
export function ago(seconds: number): string {
  const past = Math.max(0, seconds)
  if (past < 60) return `${Math.floor(past)} s ago`
  if (past < 3600) return `${Math.floor(past / 60)} min ago`
  if (past < 86_400) return `${Math.floor(past / 3600)} h ago`
  return `${Math.floor(past / 86_400)} d ago`
}

/** A time since 1970 in seconds, as UTC. */
export function utc(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.000Z$/, ' UTC')
    .replace('Z', ' UTC')
}
