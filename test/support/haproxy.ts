/** HAProxy with the configuration of deploy/proxies, in front of other ports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { freePorts } from '../../src/base/freePorts.ts'
import { eventually } from './assay.ts'
import { readDeploy } from './deployFiles.ts'

/** The JSON-RPC and WebSocket URLs of a full node. */
export type Upstream = { readonly rpc: string; readonly ws: string }

const PORTS = [
  [8545, 8546],
  [8555, 8556],
  [8565, 8566],
] as const
const FRONTENDS = [8080, 8081] as const

/** Starts it in front of three nodes. Resolves with its URL once it listens. */
export async function startHaproxy(
  nodes: readonly Upstream[],
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const frontends = await freePorts(FRONTENDS.length)
  const changes = new Map<number, string>(
    FRONTENDS.map((port, index) => [port, String(frontends[index])]),
  )
  for (const [index, [rpc, ws]] of PORTS.entries()) {
    changes.set(rpc, new URL(nodes[index]?.rpc ?? '').port)
    changes.set(ws, new URL(nodes[index]?.ws ?? '').port)
  }
  const text = readDeploy('proxies', 'haproxy.cfg').replaceAll(
    /(127\.0\.0\.1:|port )(\d+)/g,
    (all, before: string, port: string) => {
      const other = changes.get(Number(port))
      return other === undefined ? all : before + other
    },
  )
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-haproxy-'))
  const file = path.join(folder, 'haproxy.cfg')
  fs.writeFileSync(file, text)
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const [port = 0] = frontends
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`haproxy ended:\n${output}`)
    return (await isListening(port)) || undefined
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      fs.rmSync(folder, { recursive: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
