/** The pending block: the proposal that this node would make now (D61), built when somebody asks for it. */
import { setTimeout as delay } from 'node:timers/promises'
import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { BlockHeader } from '../../chain/block.ts'
import type { ChainRules, ExecutedBlock } from '../../chain/executed.ts'
import { nextBaseFee } from '../../chain/fees.ts'
import { encodeHeaderRlp } from '../../chain/headerRlp.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { TransactionPool } from '../../consensus/pool.ts'
import type { Executions } from '../executions/executor.ts'
import { RpcError } from '../../wire/errors.ts'
import type { PendingBlock } from './pendingView.ts'

export type PendingBlocks = {
  /** The pending block, with everything that was pooled when it was asked for. Rejects with RpcError. */
  current(): Promise<PendingBlock>
}

/** The next block, before its transactions. */
export type NextBlock = {
  readonly timeNs: bigint
  /** Decided ahead of the transactions, on a chain for development (D56). */
  readonly edit?: Uint8Array | undefined
}

export type PendingBlocksOptions = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  readonly pool: Pick<TransactionPool, 'chosen' | 'version'>
  readonly executions: Pick<Executions, 'run'>
  /** Consensus address of this node. */
  readonly proposer: Uint8Array
  /** Maximum size of a proposal's transactions. */
  readonly maxTxBytes: number
  readonly next: () => NextBlock
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  /** Whether the time of the next block is set by hand, and nobody but the node's owner asks (D56). */
  readonly isDevelopment: boolean
}

/** How far the block's time may lag behind while pool and head stand; as in go-ethereum. */
const KEPT_NS = 2_000_000_000n

/**
 * After a build none starts for four times as long, at most for two seconds: whoever sends a transaction and asks, over
 * and over, uses a fifth of one thread, unless a build takes longer than half a second.
 */
const REST = 4
const LONGEST_REST_MS = 2000
/** Builds for one request, if the chain goes back during each. */
const ATTEMPTS = 5

type Basis = NextBlock & { readonly parent: BlockHeader; readonly version: number }
type Built = { readonly basis: Basis; readonly block: PendingBlock }

function haveSameEdit(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b)
}

/** The block under the hash of its header, as go-ethereum identifies it: only a decided block has one of consensus. */
function identified(
  chain: ChainReader,
  { header: unfinished, transactions, receipts, decided, effects }: ExecutedBlock,
): PendingBlock {
  const [stateRoot] = chain.roots(unfinished.height - 1, [effects])
  const header = { ...unfinished, stateRoot: stateRoot ?? new Uint8Array(32) }
  const hash = keccak256(encodeHeaderRlp(header))
  return { header: { ...header, hash }, transactions, receipts, decided, effects }
}

/** Builds on demand. One build serves everybody who asks while it waits; none runs beside another. */
export function createPendingBlocks(options: PendingBlocksOptions): PendingBlocks {
  const { chain, rules, pool, executions, proposer, maxTxBytes, isDevelopment, now } = options
  let last: Built | undefined
  /** The build that has not begun yet, and the one that runs. */
  let awaited: Promise<PendingBlock> | undefined
  let running: Promise<unknown> = Promise.resolve()
  let restUntil = 0

  function basisNow(): Basis {
    const parent = chain.header(chain.latestHeight())
    if (parent === undefined) throw new RangeError('the last block is not stored')
    const { timeNs, edit } = options.next()
    const earliest = parent.timeNs + 1n
    return { timeNs: timeNs > earliest ? timeNs : earliest, edit, parent, version: pool.version() }
  }

  function fits(built: Built | undefined, wanted: Basis): built is Built {
    if (built === undefined) return false
    const { parent, version, timeNs, edit } = built.basis
    const lag = wanted.timeNs - timeNs
    return (
      equalBytes(parent.hash, wanted.parent.hash) &&
      version === wanted.version &&
      haveSameEdit(edit, wanted.edit) &&
      lag >= 0n &&
      lag <= (isDevelopment ? 0n : KEPT_NS)
    )
  }

  async function make(basis: Basis): Promise<PendingBlock> {
    const { parent, timeNs, edit } = basis
    const baseFee = nextBaseFee(parent, timeNs - parent.timeNs, rules.minBaseFee)
    const executed = await executions.run({
      kind: 'draft',
      height: parent.height,
      timeNs,
      proposer,
      edit,
      transactions: pool.chosen(baseFee, maxTxBytes),
    })
    return identified(chain, executed as ExecutedBlock)
  }

  async function build(): Promise<PendingBlock> {
    await running
    const rest = restUntil - now()
    if (rest > 0) await delay(rest, undefined, { ref: false })
    awaited = undefined
    const start = now()
    const making = makeOnChain()
    running = making.catch(() => undefined)
    try {
      return await making
    } finally {
      const end = now()
      if (!isDevelopment) restUntil = end + Math.min(REST * (end - start), LONGEST_REST_MS)
    }
  }

  /** Makes a block until its parent is still there afterwards: a chain for development may go back meanwhile. */
  async function makeOnChain(): Promise<PendingBlock> {
    for (let left = ATTEMPTS; left > 0; left--) {
      const basis = basisNow()
      if (fits(last, basis)) return last.block
      const block = await make(basis).catch((error: unknown) => {
        if (isStored(basis.parent)) throw error
      })
      if (block === undefined || !isStored(basis.parent)) continue
      last = { basis, block }
      return block
    }
    throw new RpcError('server', 'pending block is not available')
  }

  function isStored({ height, hash }: BlockHeader): boolean {
    const stored = chain.header(height)
    return stored !== undefined && equalBytes(stored.hash, hash)
  }

  return {
    async current() {
      if (fits(last, basisNow())) return last.block
      awaited ??= build()
      return await awaited
    },
  }
}
