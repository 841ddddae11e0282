/** eth_createAccessList: runs a message until its access list contains everything that it touches. */
import { equalBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { runCall } from '../../chain/callTransaction.ts'
import { contractAddress } from '../../evm/contractAddress.ts'
import { isPrecompile } from '../../evm/tracers/flat.ts'
import { watchTouches } from '../../evm/tracers/touched.ts'
import type { AccessListEntry } from '../../evm/types.ts'
import { prepareCall } from './prepareCall.ts'
import type { AccessListAnswer, CallInput } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

/** Only a contract that inspects its gas takes more rounds than this. */
const MAX_ROUNDS = 16

/** Slots by account, both in hex digits. */
type Touched = Map<string, Set<string>>

function touchedBy(list: readonly AccessListEntry[]): Touched {
  return new Map(
    list.map(({ address, storageKeys }) => [
      toHexDigits(address),
      new Set(storageKeys.map(toHexDigits)),
    ]),
  )
}

function sizeOf(touched: Touched): number {
  return [...touched.values()].reduce((sum, slots) => sum + 1 + slots.size, 0)
}

/** Sender, target, coinbase and precompiles are always warm; they are listed only for their slots. */
function listOf(touched: Touched, isWarm: (address: Uint8Array) => boolean): AccessListEntry[] {
  return [...touched].flatMap(([key, slots]) => {
    const address = fromHex(key)
    if (slots.size === 0 && isWarm(address)) return []
    return [{ address, storageKeys: [...slots].map((slot) => fromHex(slot)) }]
  })
}

/** The list and the gas used with it. Throws like a call. */
export function createAccessList(world: ExecutionWorld, input: CallInput): AccessListAnswer {
  const { world: state, block, transaction } = prepareCall(world, input)
  const { sender, nonce } = transaction
  const top = transaction.to ?? contractAddress(sender, nonce)
  const isWarm = (address: Uint8Array): boolean =>
    isPrecompile(address, block) ||
    [sender, top, block.coinbase].some((warm) => equalBytes(warm, address))
  world.engines.deadline.restart(world.timeoutMs)
  const { engine, observe } = world.engines.traced({ watchesSteps: true })

  let accessList = transaction.accessList
  for (let round = 1; ; round++) {
    const touched = touchedBy(accessList)
    const before = sizeOf(touched)
    const slotsOf = (address: Uint8Array): Set<string> => {
      const key = toHexDigits(address)
      const slots = touched.get(key) ?? new Set<string>()
      if (!touched.has(key) && !isWarm(address)) touched.set(key, slots)
      return slots
    }
    const run = { transaction: { ...transaction, accessList }, block, state, firstLogIndex: 0 }
    const touches = {
      account: (address: Uint8Array) => void slotsOf(address),
      slot(address: Uint8Array, slot: Uint8Array) {
        touched.set(toHexDigits(address), slotsOf(address).add(toHexDigits(slot)))
      },
    }
    observe(watchTouches(run, touches, top))
    const { status, error, gasUsed } = runCall(engine, block, run.transaction, state)
    accessList = listOf(touched, isWarm)
    if (sizeOf(touched) === before || round === MAX_ROUNDS)
      return { accessList, gasUsed, error: status === 'success' ? '' : error }
  }
}
