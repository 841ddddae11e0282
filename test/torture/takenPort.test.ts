/** A network one of whose ports another program has. Needs CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT. */
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../src/base/freePorts.ts'
import { createNetwork } from '../../src/cli/localnet/create.ts'
import { localnetPaths } from '../../src/cli/localnet/plan.ts'
import { newHome, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const NETWORK = { validators: 1, full: 0, blockInterval: '500ms', snapshotInterval: 0 }

const home = newHome()
afterAll(() => fs.rmSync(path.dirname(home), { recursive: true }))

/** A program that has a port, and hangs up at once. */
async function startStranger(port: number): Promise<net.Server> {
  const server = net.createServer((socket) => socket.resume().end()).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function start(folder: string, ...args: readonly string[]) {
  return runAssay(['localnet', 'start', '--home', folder, `--cometbft=${COMETBFT}`, ...args])
}

test.runIf(isPresent)(
  'a network does not start where a port of it is taken, and says whose and which',
  async () => {
    const { nodes } = await createNetwork(localnetPaths(home), { ...NETWORK, firstPort: 0 })
    // The first is the node's own, the others are its CometBFT's.
    for (const [name, ...args] of [['rpc', '--detach'], ['comet'], ['p2p']] as const) {
      const port = nodes[0]?.ports[name] ?? 0
      const stranger = await startStranger(port)
      const complaint = `node0 failed to start: 127.0.0.1:${port} is in use`
      const { code, output } = await start(home, ...args)
      expect(code).toBe(1)
      expect(output).toContain(complaint)
      expect(output).toContain('assay.toml')
      await once(stranger.close(), 'close')
    }
  },
)

test('a node whose ports are a stranger that hangs up is shown as away', async () => {
  const folder = path.join(path.dirname(home), 'strange')
  const { nodes } = await createNetwork(localnetPaths(folder), { ...NETWORK, firstPort: 0 })
  const ports = [nodes[0]?.ports.rpc ?? 0, nodes[0]?.ports.comet ?? 0]
  const strangers = await Promise.all(ports.map(startStranger))
  const { code, output } = await runAssay(['localnet', 'status', '--json', '--home', folder])
  expect(code).toBe(0)
  expect(JSON.parse(output)).toMatchObject({ nodes: [{ name: 'node0', state: 'away' }] })
  await Promise.all(strangers.map((stranger) => once(stranger.close(), 'close')))
})

test.runIf(isPresent)('a new network in the foreground makes its folder first', async () => {
  const folder = path.join(path.dirname(home), 'new')
  const port = await freePort()
  const stranger = await startStranger(port)
  const { output } = await start(folder, '--validators=1', `--first-port=${port}`)
  expect(output).toContain(`127.0.0.1:${port} is in use`)
  await once(stranger.close(), 'close')
})
