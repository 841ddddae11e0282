/** TCP ports for programs that have to be told a number before they listen. Whoever can listen on port 0 needs none of this. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import { codeOf } from './errors.ts'

/** Ports below are those of well-known services. */
const FIRST = 10_000
const LAST = 65_535
/** Too small a range would be the same few ports again and again. */
const MIN_RANGE = 1000

/** First and last port of a range. */
export type PortRange = readonly [first: number, last: number]

/** What the system itself gives to outgoing connections, and to listeners without a port. */
function ephemeralRange(): PortRange {
  try {
    const text = fs.readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    const [first, last] = text.trim().split(/\s+/).map(Number)
    if (first !== undefined && last !== undefined && first < last) return [first, last]
  } catch {
    // Not Linux.
  }
  return [32_768, LAST]
}

/** The larger range that the system gives nothing from: what is free there stays free until somebody asks for that very port. */
export function rangeBeside([first, last]: PortRange): PortRange {
  const below: PortRange = [FIRST, first - 1]
  const above: PortRange = [Math.max(FIRST, last + 1), LAST]
  const sizeOf = ([from, to]: PortRange) => to - from + 1
  const larger = sizeOf(below) >= sizeOf(above) ? below : above
  return sizeOf(larger) >= MIN_RANGE ? larger : [FIRST, LAST]
}

// Processes begin apart from one another, and each counts up, so that none gives a port twice before it is used.
let next: number | undefined

/** Listens on a port of the loopback interface; undefined when somebody else does. */
async function hold(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE' || codeOf(error) === 'EACCES') return undefined
    throw error
  }
}

/**
 * So many different TCP ports of the loopback interface that nobody listens on, all of them at the same moment; none of
 * `except`. Nothing keeps another program from taking one before it is used: whoever uses it says so clearly then. Throws
 * when there are not enough.
 */
export async function freePorts(
  count: number,
  except: ReadonlySet<number> = new Set(),
): Promise<readonly number[]> {
  const [first, last] = rangeBeside(ephemeralRange())
  const held = new Map<number, Server>()
  try {
    for (let tries = 0; held.size < count; tries++) {
      if (tries > last - first) throw new Error(`${count} ports are not free on this machine`)
      const port = next ?? randomInt(first, last + 1)
      next = port >= last ? first : port + 1
      const server = except.has(port) ? undefined : await hold(port)
      if (server !== undefined) held.set(port, server)
    }
    return [...held.keys()]
  } finally {
    await Promise.all([...held.values()].map((server) => once(server.close(), 'close')))
  }
}

/** One such port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
