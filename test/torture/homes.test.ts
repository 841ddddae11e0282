/**
 * The homes of `assay network create`, run as deploy/docker/network.yaml runs them, with processes for containers and ports for
 * hosts: nodes behind their own CometBFT, and a job through dispatcher, operators and worker. Needs CometBFT.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePorts } from '../../src/base/freePorts.ts'
import { createLog } from '../../src/base/log.ts'
import { homePaths } from '../../src/config/home.ts'
import { startEmbeddedPostgres } from '../../src/store/sql/embedded.ts'
import { eventually, mainFile, post, rpc, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { readDeploy } from '../support/deployFiles.ts'
import { requireAgreement } from '../support/localnet.ts'
import { heightOf } from '../support/networkAudit.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

type Service = {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-homes-'))
const children: ChildProcess[] = []
const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  const running = children.filter(({ exitCode, signalCode }) => (exitCode ?? signalCode) === null)
  for (const child of running.toReversed()) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  for (const close of closers) await close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const NODES = ['validator0', 'validator1', 'full0'] as const

/** Starts a program, and resolves with the details of its line "ready". */
async function start(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const env = { ...process.env, ASSAY_HOME: home, ASSAY_COMETBFT: COMETBFT, ...environment }
  const child = spawn(process.execPath, [mainFile, ...args], { env })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return await eventually(() => {
    if (child.exitCode !== null) throw new Error(`assay ${args[0]} ended:\n${output}`)
    const line = output.split('\n').find((each) => each.includes('"msg":"ready"'))
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, string>)
  }, 120)
}

/** What a container would be: its address in place of every host and port of the compose file. */
async function addresses() {
  const hosts = new Map<string, string>()
  const places = [
    ...NODES.flatMap((name) => [8545, 8546, 26_656, 26_657, 6060].map((port) => `${name}:${port}`)),
    'dispatcher:8549',
    'dispatcher:8550',
    'worker:8551',
  ]
  for (const [index, port] of (await freePorts(places.length)).entries())
    hosts.set(places[index] ?? '', `127.0.0.1:${port}`)
  const of = (place: string) => hosts.get(place) ?? ''
  const within = (text: string) =>
    [...hosts].reduce((done, [place, address]) => done.replaceAll(place, address), text)
  return { of, within }
}

test.runIf(isPresent)(
  'the homes of a network make one chain, also for a node that has nothing but the genesis, and finish a job',
  async () => {
    const file = parse(readDeploy('docker', 'network.yaml'), { merge: true, maxAliasCount: -1 })
    const { services } = file as { readonly services: Readonly<Record<string, Service>> }
    const database = await startEmbeddedPostgres({
      folder: path.join(folder, 'postgres'),
      log: createLog('test', 'fatal'),
    })
    closers.push(() => database.stop())
    const server = new URL(database.url('postgres'))
    const { password } = server
    server.password = ''
    server.pathname = ''

    const [, , , ...flags] = services['homes']?.command ?? []
    const homes = path.join(folder, 'homes')
    const changed = flags
      .filter((flag) => !/^--(?:fund|validators|full|database|at)=/.test(flag))
      .concat('--validators=2', '--full=1', '--block-interval=500ms', `--database=${server.href}`)
    const created = await runAssay(['network', 'create', homes, ...changed])
    expect(created).toMatchObject({ code: 0 })
    const { of, within } = await addresses()

    const running = NODES.map(async (name) => {
      const home = homePaths(path.join(homes, name))
      // A full node's own keys need not be made before: it gets the genesis and its peers.
      const peers = /persistent-peers = (\[.*\])/.exec(
        fs.readFileSync(home.configFile, 'utf8'),
      )?.[1]
      if (name === 'full0') {
        for (const each of [home.data, home.nodeKey, home.validatorKey, home.configFile])
          fs.rmSync(each, { recursive: true })
      }
      await start(services[name]?.command ?? [], home.folder, {
        ...services[name]?.environment,
        ASSAY_CONSENSUS_ENGINE: 'cometbft',
        ASSAY_EXPLORER_ENABLE: 'false',
        ASSAY_P2P_PERSISTENT_PEERS: (JSON.parse(peers ?? '') as string[])
          .filter((peer) => name === 'full0' || !peer.includes('full0'))
          .map(within)
          .join(','),
        ASSAY_JSON_RPC_ADDRESS: of(`${name}:8545`),
        ASSAY_JSON_RPC_WS_ADDRESS: of(`${name}:8546`),
        ASSAY_RPC_LADDR: `tcp://${of(`${name}:26657`)}`,
        ASSAY_P2P_LADDR: `tcp://${of(`${name}:26656`)}`,
        ASSAY_METRICS_ADDRESS: of(`${name}:6060`),
      })
    })
    await Promise.all(running)
    const nodes = NODES.map((name) => ({ rpc: `http://${of(`${name}:8545`)}` }))
    await eventually(async () => {
      const heights = await Promise.all(nodes.map(({ rpc: url }) => heightOf(url)))
      return heights.every((height) => height >= 3) || undefined
    })
    await requireAgreement(nodes)
    expect((await rpc(`http://${of('full0:8545')}`, 'net_peerCount')).result).toBe(2)

    const jobs = path.join(homes, 'dispatcher')
    const secret = { PGPASSWORD: decodeURIComponent(password) }
    const dispatcher = {
      ...secret,
      ASSAY_DISPATCHER_ADDRESS: of('dispatcher:8549'),
      ASSAY_DISPATCHER_OPERATOR_ADDRESS: of('dispatcher:8550'),
      ASSAY_DISPATCHER_CHAIN_RPC_URL: `http://${of('full0:8545')}`,
      ASSAY_DISPATCHER_CONSENSUS_RPC_URL: `http://${of('full0:26657')}`,
    }
    await start(services['dispatcher']?.command ?? [], jobs, dispatcher)
    const worker = services['worker']?.command.map((flag) =>
      flag.replace('0.0.0.0:8551', of('worker:8551')).replace('0.0.0.0:6060', '127.0.0.1:0'),
    )
    await start(worker ?? [], path.join(homes, 'worker'), {})
    for (const name of ['opml', 'tee']) {
      const home = path.join(homes, name)
      const config = path.join(home, 'operator.toml')
      const text = within(fs.readFileSync(config, 'utf8'))
        .replace('0.0.0.0:6060', '127.0.0.1:0')
        .replaceAll('"/var/lib/assay/', `"${home}/`)
      fs.writeFileSync(config, text)
      const init = `--init=${new URL(`/assay_${name}`, server).href}`
      await start(['operator', init, `--config=${config}`], home, secret)
    }

    const project = await runAssay(['project', 'create', 'demo', '--id=demo'], {
      ...dispatcher,
      ASSAY_HOME: jobs,
    })
    const token = /assay_[\w-]{43}/.exec(project.output)?.[0]
    const api = `http://${of('dispatcher:8549')}`
    const params = { temperature: 0, top_p: 1, max_tokens: 4 }
    for (const tag of ['opml', 'tee']) {
      const job = { tag, prompt: 'What is AI?', model: 'tiny.gguf', params }
      const body = { from: 'demo', tag: '', user: 'user', job, verify: token }
      const { body: submitted } = await post(`${api}/api/job/submit`, body)
      expect(submitted).toMatchObject({ code: 200 })
      const results = await eventually(async () => {
        const question = { job_id: submitted.result, verify: token }
        const answer = (await post(`${api}/api/job/result`, question)).body.result
        return Array.isArray(answer) && answer.length > 0 ? answer : undefined
      })
      expect(results[0]).toMatchObject({ job_type: tag })
    }
  },
)
