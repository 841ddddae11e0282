/** Watches a CometBFT over its RPC: whether it answers, whether it catches up, and which peers it has. */
import { UserError } from '../../base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import type { CometPeer, CometRpcClient, CometStatus } from './rpc.ts'

/** Between two looks; while nobody answers yet, more often. */
const INTERVAL_MS = 1000
const IMPATIENT_MS = 100

export type Monitor = {
  /** What was seen last; undefined before the first answer. */
  status(): CometStatus | undefined
  /** Those connected when it was asked last; none while it does not answer. */
  peers(): readonly CometPeer[]
  /** The last block that this CometBFT or one of its peers has, as far as they told while it catches up. */
  highestBlock(): number
  /** Resolves with the first answer. Rejects with UserError when it is that of another chain, or of another CometBFT. */
  readonly first: Promise<CometStatus>
}

function check(status: CometStatus, chainId: string): void {
  if (status.chainId !== chainId)
    throw new UserError(
      `CometBFT is of chain ${status.chainId}, this home of ${chainId}`,
      'Attach to a node of the same chain (--consensus.comet-rpc), with the same genesis.json.',
    )
  if (!status.version.startsWith('0.38.'))
    throw new UserError(`CometBFT is version ${status.version}; version 0.38 is needed`)
}

/** Watches until the signal ends. */
export function createMonitor(
  client: Pick<CometRpcClient, 'status' | 'peers' | 'peerHeights'>,
  chainId: string,
  clock: Clock,
  signal: AbortSignal,
): Monitor {
  let last: CometStatus | undefined
  let peers: readonly CometPeer[] = []
  let highest = 0
  let resolveFirst: (status: CometStatus) => void = () => undefined
  let rejectFirst: (error: unknown) => void = () => undefined
  const first = new Promise<CometStatus>((resolve, reject) => {
    resolveFirst = resolve
    rejectFirst = reject
  })
  first.catch(() => undefined)

  async function look(): Promise<void> {
    try {
      const status = await client.status()
      check(status, chainId)
      last = status
      peers = await client.peers()
      highest = Math.max(highest, status.height)
      // A peer that decides on a height has the block before. It is much to read, and of no interest otherwise.
      if (status.isCatchingUp)
        highest = Math.max(highest, ...(await client.peerHeights()).map((height) => height - 1))
      resolveFirst(status)
    } catch (error) {
      peers = []
      if (error instanceof UserError || signal.aborted) rejectFirst(error)
    }
    if (!signal.aborted)
      clock.setTimer(last === undefined ? IMPATIENT_MS : INTERVAL_MS, () => void look())
  }
  void look()
  signal.addEventListener('abort', () => rejectFirst(new Error('stopped')), { once: true })

  return { status: () => last, peers: () => peers, highestBlock: () => highest, first }
}
