/** New blocks as they are committed, for subscribers: in order, after the commit, and read once for all of them. */
import type { BlockHeader } from '../chain/block.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { CommittedBlock, EventBus } from './bus.ts'

const headers = new WeakMap<CommittedBlock, BlockHeader>()

function headerOf(chain: ChainReader, block: CommittedBlock): BlockHeader | undefined {
  const known = headers.get(block)
  if (known !== undefined) return known
  const header = chain.header(block.height)
  if (header !== undefined) headers.set(block, header)
  return header
}

/**
 * Calls back with the header of each new block, until the signal ends. All listeners are given the same object for the
 * same block, and none of them delays the commit.
 */
export function onNewBlock(
  { bus, chain }: { readonly bus: EventBus; readonly chain: ChainReader },
  listener: (header: BlockHeader) => void,
  signal: AbortSignal,
): void {
  const hear = (block: CommittedBlock): void => {
    setImmediate(() => {
      const header = signal.aborted ? undefined : headerOf(chain, block)
      if (header !== undefined) listener(header)
    })
  }
  bus.on('block', hear)
  signal.addEventListener('abort', () => bus.off('block', hear), { once: true })
}
