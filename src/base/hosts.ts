/** Guards against web pages that try to reach a local node: DNS rebinding and cross-site WebSockets (D50). */
import { isIP } from 'node:net'

function nameOf(host: string): string {
  const bracketed = /^\[(.*)\](?::\d+)?$/.exec(host)
  return (bracketed?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase()
}

/**
 * Whether a request with this Host header may be served: IP addresses and localhost always, since a rebound name is
 * neither, and the names of the list ("*" for all). A request without a Host header is not from a browser.
 */
export function createHostGuard(names: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  if (allowed.has('*')) return () => true
  // Nearly all requests name the same host.
  let lastAllowed = ''
  return (host = '') => {
    if (host === lastAllowed || host === '') return true
    const name = nameOf(host)
    if (!allowed.has(name) && isIP(name) === 0) return false
    lastAllowed = host
    return true
  }
}

/** Whether a web origin is in the list ("*" for all). */
export function createOriginGuard(origins: readonly string[]): (origin: string) => boolean {
  const allowed = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
  return (origin) => allowed.has('*') || allowed.has(origin.toLowerCase())
}

/** Whether an address is an IP address of the loopback interface, or the name localhost. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}
