/** Reads the outcome of a message: its result, its logs (core/logs.as.ts) and its effects (core/effects.as.ts). */
import { addressDigits } from '../../base/addressDigits.ts'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import {
  EMPTY_CODE_HASH,
  type AccountEffect,
  type Effects,
  type Log,
  type Message,
  type Outcome,
  type OutcomeScope,
} from '../types.ts'
import type { Machine } from './machine.ts'
import { MESSAGE, type WasmMemory } from './memory.ts'
import { haltReason } from './reasons.ts'

/** How a frame ends, by the numbers of core/frames.as.ts. */
export const STATUS = ['success', 'revert', 'halt'] as const
const WORD = 32
const EXISTS = 1
const STORAGE_CLEARED = 2
const CODE_DEPLOYED = 4
const ACCOUNT_RECORD = 112
const LOG_RECORD = 40

/** One log record (core/logs.as.ts). */
export function readLog(memory: WasmMemory, at: number): Log {
  const view = memory.view()
  const topicCount = view.getUint32(at + 4, true)
  const dataAt = at + LOG_RECORD + topicCount * WORD
  const topics: Uint8Array[] = []
  for (let topic = at + LOG_RECORD; topic < dataAt; topic += WORD)
    topics.push(memory.slice(topic, WORD))
  return {
    address: memory.slice(at + 16, 20),
    topics,
    data: memory.slice(dataAt, view.getUint32(at + 8, true)),
  }
}

function readLogs(memory: WasmMemory, last: number): Log[] {
  const logs: Log[] = []
  for (let at = last; at !== 0; at = memory.view().getUint32(at, true))
    logs.push(readLog(memory, at))
  return logs.reverse()
}

function readStorage(memory: WasmMemory, from: number, count: number): Map<string, Uint8Array> {
  const storage = new Map<string, Uint8Array>()
  const bytes = memory.bytes()
  for (let at = from; at < from + count * 2 * WORD; at += 2 * WORD)
    storage.set(toHexDigits(bytes.subarray(at, at + WORD)), memory.slice(at + WORD, WORD))
  return storage
}

/** The code hash at an address. Most accounts have no code: they share one array. */
function readCodeHash(memory: WasmMemory, at: number): Uint8Array {
  const bytes = memory.bytes()
  for (let i = 0; i < WORD; i++)
    if (bytes[at + i] !== EMPTY_CODE_HASH[i]) return memory.slice(at, WORD)
  return EMPTY_CODE_HASH
}

function readAccount(memory: WasmMemory, at: number, slots: number): AccountEffect {
  const view = memory.view()
  const flags = view.getUint32(at + 20, true)
  const exists = (flags & EXISTS) !== 0
  return {
    address: memory.slice(at, 20),
    account: exists
      ? {
          nonce: view.getBigUint64(at + 24, true),
          balance: memory.readWord(at + 32),
          codeHash: readCodeHash(memory, at + 64),
        }
      : undefined,
    storageCleared: (flags & STORAGE_CLEARED) !== 0,
    storage: readStorage(memory, at + ACCOUNT_RECORD, slots),
    ...((flags & CODE_DEPLOYED) !== 0 && {
      code: memory.slice(view.getUint32(at + 96, true), view.getUint32(at + 100, true)),
    }),
  }
}

function readEffects({ core, memory }: Machine): Effects {
  const effects = new Map<string, AccountEffect>()
  let at = core.writeEffects()
  const end = core.effectsEnd()
  while (at < end) {
    const slots = memory.view().getUint32(at + 104, true)
    const effect = readAccount(memory, at, slots)
    effects.set(addressDigits(effect.address), effect)
    at += ACCOUNT_RECORD + slots * 2 * WORD
  }
  return effects
}

const NO_EFFECTS: Effects = new Map()

/** The outcome of the message that the core has executed. `target` is what it called or created. */
export function readOutcome(
  machine: Machine,
  message: Message,
  target: Uint8Array,
  scope: OutcomeScope,
): Outcome {
  const { core, memory } = machine
  const view = memory.view()
  const status = STATUS[view.getInt32(MESSAGE + 120, true)]
  if (status === undefined) throw new RangeError('the core gave no result')
  const isSuccess = status === 'success'
  const reason = view.getInt32(MESSAGE + 124, true)
  const output = memory.slice(
    view.getUint32(MESSAGE + 144, true),
    view.getUint32(MESSAGE + 148, true),
  )
  return {
    status,
    error: isSuccess
      ? ''
      : status === 'revert'
        ? 'execution reverted'
        : haltReason(reason, {
            opcode: view.getUint32(MESSAGE + 152, true),
            stackHeight: view.getUint32(MESSAGE + 156, true),
            stackNeed: view.getUint32(MESSAGE + 160, true),
          }),
    gasUsed: message.gasLimit - view.getBigInt64(MESSAGE + 128, true),
    gasRefund: view.getBigInt64(MESSAGE + 136, true),
    output: status === 'halt' ? EMPTY_BYTES : output,
    logs: isSuccess && scope === 'everything' ? readLogs(memory, core.lastLog()) : [],
    effects: isSuccess && scope === 'everything' ? readEffects(machine) : NO_EFFECTS,
    createdAddress: message.to === undefined ? target : undefined,
  }
}
