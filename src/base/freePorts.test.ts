import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { freePort, freePorts, rangeBeside } from './freePorts.ts'

test('ports are different, also those of later calls, and can be listened on', async () => {
  const ports = [...(await freePorts(30)), await freePort(), await freePort()]
  expect(new Set(ports).size).toBe(32)
  const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
})

test('a port that somebody listens on, or that is excepted, is passed over', async () => {
  const before = await freePort()
  const taken = createServer().listen(before + 1, '127.0.0.1')
  // Unless it is taken already.
  await once(taken, 'listening').catch(() => undefined)
  const ports = await freePorts(20, new Set([before + 2, before + 4]))
  for (const port of [before + 1, before + 2, before + 4]) expect(ports).not.toContain(port)
  taken.close()
})

test('ports that the system gives away by itself are kept clear of, where there are others', () => {
  expect(rangeBeside([32_768, 60_999])).toEqual([10_000, 32_767])
  expect(rangeBeside([10_500, 40_000])).toEqual([40_001, 65_535])
  expect(rangeBeside([1024, 65_535])).toEqual([10_000, 65_535])
})
