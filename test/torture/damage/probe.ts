/**
 * A process that opens damaged homes: a signal may end it. Asked for the answers of a whole home, then, per damaged one,
 * what `assay node check` says of it and what a node would serve and sign.
 */
import { developmentKeys } from '../../../src/accounts/development.ts'
import { messageOf } from '../../../src/base/errors.ts'
import { addressOfPrivateKey } from '../../../src/base/secp256k1.ts'
import { homePaths } from '../../../src/config/home.ts'
import { openChainReader } from '../../../src/ledger/store.ts'
import { openChainTables } from '../../../src/ledger/tables.ts'
import { checkHome } from '../../../src/node/mend.ts'
import { openKv } from '../../../src/store/kv.ts'
import { openManualNode, writerTransaction } from '../../support/manualNode.ts'
import { POOL_CHAIN_ID } from '../../support/poolRig.ts'
import { ask, forgeries, type Answers, type Known } from './questions.ts'

export type ProbeRequest =
  | { readonly type: 'learn' | 'check' | 'run'; readonly folder: string }
  /** Checks the home that was run. */
  | { readonly type: 'audit'; readonly folder: string }

export type ProbeAnswer = {
  /** Faults that were named, or the error with which the command refused. */
  readonly faults: readonly string[]
  readonly forged: readonly string[]
  readonly hasSigned: boolean
}

let known: Known = { accounts: [], slots: [] }
let expected: Answers = new Map()
let tip = 0
let nonce = 0n

async function learn(folder: string): Promise<ProbeAnswer> {
  const node = openManualNode(folder)
  const tables = openChainTables(node.kv)
  known = {
    accounts: Array.from(tables.accounts.range({}), ({ key }) => key),
    slots: Array.from(tables.slots.range({}), ({ key }) => [key.slice(0, 20), key.slice(20)]),
  }
  tip = node.store.reader.latestHeight()
  expected = ask(node.store.reader, known, tip)
  const sender = addressOfPrivateKey(developmentKeys()[0] ?? new Uint8Array(0))
  nonce = node.store.latest().account(sender)?.nonce ?? 0n
  await node.stop()
  return { faults: [], forged: [], hasSigned: false }
}

async function check(folder: string): Promise<ProbeAnswer> {
  const faults = await checkHome(homePaths(folder), false, () => undefined).then(
    (report) => report.faults,
    (error: unknown) => [messageOf(error)],
  )
  return { faults, forged: [], hasSigned: false }
}

/** Whether a block with one more transaction was made. */
async function produce(node: ReturnType<typeof openManualNode>): Promise<boolean> {
  try {
    await node.pool.add(writerTransaction(Number(nonce)))
    await node.engine.produceBlock()
    return node.failures.length === 0 && node.published.length > 0
  } catch {
    return false
  }
}

/** What the threads that answer calls would say, from a view of their own. */
async function readAsThread(folder: string): Promise<readonly string[]> {
  const kv = openKv(homePaths(folder).chainStore, { readOnly: true, holdsSnapshots: true })
  try {
    const reader = openChainReader(kv, { chainId: POOL_CHAIN_ID })
    return forgeries(ask(reader, known, tip), expected).map((text) => `a thread: ${text}`)
  } finally {
    await kv.close()
  }
}

async function run(folder: string): Promise<ProbeAnswer> {
  let node: ReturnType<typeof openManualNode>
  try {
    node = openManualNode(folder)
  } catch (error) {
    return { faults: [messageOf(error)], forged: [], hasSigned: false }
  }
  const forged = [...forgeries(ask(node.store.reader, known, tip), expected)]
  const threads = await readAsThread(folder).catch(() => [])
  forged.push(...threads)
  const hasSigned = await produce(node)
  await node.stop().catch(() => undefined)
  return { faults: [], forged, hasSigned }
}

async function answer(request: ProbeRequest): Promise<ProbeAnswer> {
  if (request.type === 'learn') return await learn(request.folder)
  return await (request.type === 'run' ? run(request.folder) : check(request.folder))
}

process.on('message', (request: ProbeRequest) => {
  answer(request).then(
    (result) => process.send?.(result),
    (error: unknown) =>
      process.send?.({ faults: [messageOf(error)], forged: [], hasSigned: false }),
  )
})
