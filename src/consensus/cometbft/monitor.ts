/** Monitors a CometBFT over its RPC: whether it answers, whether it is catching up, and which peers it has. */
import { UserError } from '../../base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { isSupported } from './binary.ts'
import type { CometPeer, CometRpcClient, CometStatus } from './rpc.ts'

/** Poll interval; shorter until the first answer. */
const INTERVAL_MS = 1000
const IMPATIENT_MS = 100

export type Monitor = {
  /** The latest status; undefined before the first answer. */
  status(): CometStatus | undefined
  /** Peers connected at the last poll; none while it does not answer. */
  peers(): readonly CometPeer[]
  /** The highest block that this CometBFT or one of its peers has, as far as known while it catches up. */
  highestBlock(): number
  /**
   * Resolves with the first answer. Rejects with UserError when it comes from another chain, or from another CometBFT.
   */
  readonly first: Promise<CometStatus>
}

function check(status: CometStatus, chainId: string): void {
  if (status.chainId !== chainId)
    throw new UserError(
      `CometBFT runs chain ${status.chainId}, but this home folder is of chain ${chainId}`,
      'Attach to a node of the same chain (--consensus.comet-rpc), with the same genesis.json.',
    )
  if (!isSupported(status.version))
    throw new UserError(
      `CometBFT is version ${status.version}; version 0.38, 0.39 or 0.40 is required`,
    )
}

/** Polls until the signal ends. `onPeers` is called with the peers of each poll that is answered. */
export function createMonitor(
  client: Pick<CometRpcClient, 'status' | 'peers' | 'peerHeights'>,
  chainId: string,
  clock: Clock,
  signal: AbortSignal,
  onPeers: (peers: readonly CometPeer[]) => void = () => undefined,
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
      onPeers(peers)
      highest = Math.max(highest, status.height)
      // A peer that decides on a height has the previous block. The response is large, and only of interest while
      // catching up.
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
