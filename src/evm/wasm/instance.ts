/** One instance of the core with the host functions that feed it from a state view. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { storedBlockHash } from '../blockHashes.ts'
import { emptyState } from '../emptyState.ts'
import { EngineMemoryError } from '../engineMemoryError.ts'
import type { Hooks } from '../hooks.ts'
import { HARDFORKS, type Hardfork } from '../rules.ts'
import type { BlockEnvironment, StateView } from '../types.ts'
import { createHotCode } from './hotCode.ts'
import { instantiateCore } from './core.ts'
import type { Machine } from './machine.ts'
import { EXCHANGE, wasmMemory } from './memory.ts'
import { PRECOMPILES } from './precompiles/table.ts'
import { tracingHost, type StepListener } from './tracing.ts'

export type EngineOptions = Hooks & {
  /** Mixed into the core's hash tables: must be secret if strangers choose the code. */
  readonly seed?: bigint
  /** Called every few million gas, and before a precompile with its cost (otherwise 0); throws to end the execution. */
  readonly poll?: (precompileGas: bigint) => void
  /** The polling intervals: gas of a frame, and number of frames. */
  readonly polling?: { readonly gas: bigint; readonly frames: number }
  /**
   * Whether hot loops are compiled. Results do not change, but it takes time and memory that no gas pays for: not for
   * executing blocks. Not together with steps.
   */
  readonly compilesHotCode?: boolean
  /** After a message that used more bytes of heap or memory, the instance is dropped, because memory never shrinks. */
  readonly mostKept?: number
  /** Told about every step, like `onStep`, for tracers that read the core's memory themselves. */
  readonly listener?: StepListener
}

export type Instance = Machine & {
  /** Reads from this view from now on. */
  open(view: StateView): void
  /** The block whose environment is in memory. */
  block: BlockEnvironment | undefined
}

const OUT_OF_GAS = -1n
const PRECOMPILE_FAILED = -15n

function runPrecompile(
  address: number,
  input: Uint8Array,
  gas: bigint,
  hardfork: Hardfork,
  poll: (precompileGas: bigint) => void,
): { readonly left: bigint; readonly output: Uint8Array } {
  const precompile = PRECOMPILES.get(address)
  if (precompile === undefined) throw new RangeError(`no precompile at ${address}`)
  const cost = precompile.gas(input, hardfork)
  const left = gas - cost
  if (left < 0n) return { left: OUT_OF_GAS, output: EMPTY_BYTES }
  poll(cost)
  let output: Uint8Array | undefined
  try {
    output = precompile.run(input, hardfork)
  } catch {
    // The libraries throw at points off the curve and numbers out of range.
  }
  return output === undefined ? { left: PRECOMPILE_FAILED, output: EMPTY_BYTES } : { left, output }
}

/** A new instance for a fork. */
export function createInstance(hardfork: Hardfork, options: EngineOptions): Instance {
  const { seed = 0n, poll = () => undefined, polling } = options
  let view = emptyState
  let code: Uint8Array = EMPTY_BYTES
  /** The state whose slots the core has cached, and its number there. */
  const known: { storage: object | undefined; number: number } = { storage: undefined, number: 0 }

  const address = (): Uint8Array => memory.slice(EXCHANGE, 20)

  const core = instantiateCore({
    loadAccount() {
      const account = view.account(address())
      if (account === undefined) return 0
      memory.view().setBigUint64(EXCHANGE, account.nonce, true)
      memory.writeWord(EXCHANGE + 8, account.balance)
      memory.bytes().set(account.codeHash, EXCHANGE + 40)
      return 1
    },
    loadStorage() {
      const value = view.storage(address(), memory.slice(EXCHANGE + 32, 32))
      memory.bytes().set(value, EXCHANGE)
    },
    hasStorage: () => (view.hasStorage(address()) ? 1 : 0),
    loadCode() {
      code = view.code(memory.slice(EXCHANGE, 32))
      return code.length
    },
    copyCode(to) {
      memory.bytes().set(code, to)
    },
    blockHash(height) {
      memory.bytes().set(storedBlockHash(view, height), EXCHANGE)
    },
    runPrecompile(number, input, length, gas) {
      const bytes = memory.slice(input, length)
      const { left, output } = runPrecompile(number, bytes, gas, hardfork, poll)
      const to = core.allocateReturnData(output.length)
      memory.bytes().set(output, to)
      return left
    },
    outOfMemory() {
      throw new EngineMemoryError()
    },
    poll: () => poll(0n),
    compile: (...request) => hot?.compile(...request) ?? 0,
    ...tracingHost(options, () => ({ core, memory })),
  })
  const memory = wasmMemory(core.memory)
  const hot = options.compilesHotCode === true ? createHotCode(core, memory) : undefined
  core.initialise(HARDFORKS.indexOf(hardfork), seed)
  core.setTracing((options.onStep ?? options.listener) !== undefined)
  core.setCompiling(hot !== undefined)
  core.setCallTracing((options.onEnter ?? options.onLeave ?? options.onLog) !== undefined)
  if (polling !== undefined) core.setPolling(polling.gas, polling.frames)
  return {
    core,
    memory,
    open(next) {
      view = next
      hot?.begin()
      const storageIdentity = next.storageIdentity?.()
      if (storageIdentity !== undefined && storageIdentity !== known.storage) {
        known.storage = storageIdentity
        known.number++
      }
      core.setKnownState(storageIdentity === undefined ? 0 : known.number)
    },
    block: undefined,
  }
}
