/** debug_storageRangeAt: the storage of a contract between two transactions, in the order of the trie. */
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { runFirst } from '../../ledger/replay.ts'
import { RpcError } from '../../wire/errors.ts'
import { createHashPage } from './hashPage.ts'
import type { Execution, StorageRange } from './protocol.ts'
import { requireBlock } from './trace.ts'
import type { ExecutionWorld } from './world.ts'

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0)
}

/**
 * A page of slots. The state is keyed by slot, not by the slot's hash: all slots of the account are scanned, within the
 * time of one execution. Throws RpcError.
 */
export function storageRange(
  world: ExecutionWorld,
  {
    height,
    index,
    address,
    start,
    limit,
  }: Omit<Extract<Execution, { kind: 'storageRange' }>, 'kind'>,
): StorageRange {
  const { deadline } = world.engines
  deadline.restart(world.timeoutMs)
  const block = requireBlock(world, height)
  const { transactions, header } = block
  if (index > 0 && index >= transactions.length)
    throw new RpcError(
      'server',
      `transaction index ${index} out of range for block 0x${toHexDigits(header.hash)}`,
    )
  runFirst(world.engines.plain(), block, index)
  const effect = block.world.effects().get(toHexDigits(address))
  const page = createHashPage<{ key: Uint8Array; slot: Uint8Array; value: Uint8Array }>(
    start,
    limit,
  )
  const add = (slot: Uint8Array, value: Uint8Array): void => {
    deadline.poll()
    if (!isZero(value)) page.add({ key: keccak256(slot), slot, value })
  }
  for (const [digits, value] of effect?.storage ?? []) add(fromHex(digits), value)
  if (effect?.storageCleared !== true)
    for (const { slot, value } of world.chain.slots(height - 1, address))
      if (effect?.storage.has(toHexDigits(slot)) !== true) add(slot, value)
  const { items, next } = page.page()
  return { slots: items.map(({ key, slot, value }) => ({ hash: key, slot, value })), next }
}
