/** Whom to count together when limits are per caller. */
import { isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * The part of a remote address that one caller holds: an IPv4 address, also in its IPv6 form, or the /64 of an IPv6
 * address (RFC 6177), since whoever has one address of it has them all.
 */
export function addressGroup(remote: string | undefined): string {
  if (remote === undefined) return ''
  const mapped = MAPPED.exec(remote)?.[1]
  if (mapped !== undefined) return mapped
  const plain = remote.split('%')[0] ?? remote
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const words = [...first, ...Array<string>(missing).fill('0'), ...last].slice(0, 4)
  return `${words.map((word) => Number.parseInt(word, 16).toString(16)).join(':')}::/64`
}
