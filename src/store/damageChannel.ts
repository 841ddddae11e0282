/** How threads that read a store tell the one that owns it about a damaged record (D85). */
import fs from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import { KvCorruptionError } from './kvError.ts'

type Damage = Pick<KvCorruptionError, 'table' | 'key' | 'reason'>

export type DamageChannel = {
  report(error: KvCorruptionError): void
  close(): void
}

/**
 * The channel of the store in a folder. With `onCorruption`, it is called for what this thread reports, and for what
 * other threads of this process do.
 */
export function openDamageChannel(
  folder: string,
  onCorruption: ((error: KvCorruptionError) => void) | undefined,
): DamageChannel {
  const name = `assay-store ${fs.realpathSync(folder)}`
  const channel = new BroadcastChannel(name)
  channel.unref()
  if (onCorruption === undefined)
    return {
      report({ table, key, reason }) {
        const damage: Damage = { table, key, reason }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
        channel.postMessage(damage)
      },
      close: () => channel.close(),
    }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- Node's type of channels has none
  channel.onmessage = (event) => {
    const { table, key, reason } = (event as { readonly data: Damage }).data
    onCorruption(new KvCorruptionError(table, key, reason))
  }
  return { report: onCorruption, close: () => channel.close() }
}
