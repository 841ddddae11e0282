/** Follows the chain: the latest blocks as they come, and how pool, peers and rounds are. */
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { subscribe, type SubscriptionState } from '../net/subscription.ts'
import { createFrameStore, type FrameStore } from './frames.ts'
import { mergeHeads, readHead, type Head } from './head.ts'

/** A sample of what blocks do not contain. */
export type Sample = {
  readonly pending: number
  readonly queued: number
  readonly peers: number
  /** Round in which the latest block was decided: 0 unless a proposer was late. */
  readonly round: number
}

export type Live = {
  readonly state: SubscriptionState
  /** The latest first. */
  readonly heads: readonly Head[]
  /** The oldest first. */
  readonly samples: readonly Sample[]
}

/** Blocks that are kept. */
const KEPT = 600
/** Number of blocks that are requested at the start. */
const BEFORE = 90
const SAMPLES = 60
const SAMPLE_MS = 1000

async function earlierHeads({ endpoints, ethereum }: Node): Promise<Head[]> {
  const latest = Number(await ethereum('eth_blockNumber'))
  const heights = Array.from({ length: Math.min(BEFORE, latest + 1) }, (_, back) => latest - back)
  const blocks = await askMany(
    endpoints.rpc,
    'eth_getBlockByNumber',
    heights.map((height) => [`0x${height.toString(16)}`, false]),
  )
  return blocks.map(readHead).filter((head) => head !== undefined)
}

type CommitAnswer = { readonly signed_header?: { readonly commit?: { readonly round?: number } } }

async function sample({ ethereum, consensus }: Node): Promise<Sample> {
  const [pool, peers, commit] = await Promise.all([
    ethereum('txpool_status').catch(() => ({})),
    ethereum('net_peerCount'),
    consensus('commit', {}),
  ])
  const { pending = '0x0', queued = '0x0' } = pool as Record<string, string>
  return {
    pending: Number(pending),
    queued: Number(queued),
    peers: Number(peers),
    round: (commit as CommitAnswer)?.signed_header?.commit?.round ?? 0,
  }
}

/** Starts following, until the signal is aborted. */
export function follow(node: Node, signal: AbortSignal): FrameStore<Live> {
  const store = createFrameStore<Live>({ state: 'connecting', heads: [], samples: [] })
  const add = (news: readonly Head[]) =>
    store.update((live) => ({ ...live, heads: mergeHeads(live.heads, news, KEPT) }))
  const fill = () => {
    earlierHeads(node).then(add, () => undefined)
  }

  subscribe(
    node.endpoints.ws,
    ['newHeads', { includeTransactions: true }],
    {
      onItem(item) {
        const head = readHead(item)
        if (head !== undefined) add([head])
      },
      onState(state) {
        store.update((live) => ({ ...live, state }))
        // Blocks that arrived while it was disconnected.
        if (state === 'live') fill()
      },
    },
    signal,
  )

  const look = async (): Promise<void> => {
    const next = document.hidden ? undefined : await sample(node).catch(() => undefined)
    if (next !== undefined)
      store.update((live) => ({ ...live, samples: [...live.samples, next].slice(-SAMPLES) }))
    if (!signal.aborted) setTimeout(() => void look(), SAMPLE_MS)
  }
  void look()
  return store
}
