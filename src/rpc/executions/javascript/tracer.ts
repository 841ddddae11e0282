/**
 * Tracers that callers write in JavaScript (D16b), with go-ethereum's objects: setup, step, fault, enter, exit, result.
 * They run in QuickJS compiled to WebAssembly, without any access to the program, under the deadline of the execution.
 *
 * `step` has more than five parameters, which are the core's (evm/wasm/tracing.ts): no object is allocated for a step.
 */
import type { QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { concatBytes, utf8 } from '../../../base/bytes.ts'
import { messageOf } from '../../../base/errors.ts'
import { toHexDigits } from '../../../base/hex.ts'
import { keccak256 } from '../../../base/keccak.ts'
import { contractAddress } from '../../../evm/contractAddress.ts'
import { intrinsicGas } from '../../../evm/gas.ts'
import { isPrecompile } from '../../../evm/tracers/flat.ts'
import { opcodeName, STATICCALL } from '../../../evm/tracers/opcodes.ts'
import type { TracedRun, Tracer, TracerKind } from '../../../evm/tracers/tracer.ts'
import type { TransitionResult } from '../../../evm/transition.ts'
import type { Core } from '../../../evm/wasm/core.ts'
import type { WasmMemory } from '../../../evm/wasm/memory.ts'
import { RpcError } from '../../../wire/errors.ts'
import type { ExecutionWorld } from '../world.ts'
import { inner, outermost, type Contract } from './frames.ts'
import { startMachine, type HostFunction, type HostValue, type Machine } from './machine.ts'
import { PRELUDE } from './prelude.ts'

/** Maximum number of bytes that `memory.slice` reads past the end of the memory, as zeros. */
const MOST_PADDING = 1 << 20
const WORD = 32

/** The step being traced. */
type Seen = {
  core: Core | undefined
  memory: WasmMemory | undefined
  depth: number
  pc: number
  opcode: number
  gas: number
  stack: number
  stackHeight: number
  error: string | undefined
  contract: Contract
}

function memorySlice({ core, memory }: Seen, start: number, end: number): Uint8Array {
  const size = core?.frameMemorySize() ?? 0
  if (!(start >= 0 && start <= end) || end > size + MOST_PADDING)
    throw new RpcError(
      'server',
      `tracer accessed out of bound memory: available ${size}, offset ${start}, size ${end - start}`,
    )
  const out = new Uint8Array(end - start)
  if (core && memory && start < size)
    out.set(memory.slice(core.frameMemory() + start, Math.min(end, size) - start))
  return out
}

function peek({ memory, stack, stackHeight }: Seen, index: number): bigint {
  if (!memory || !(index >= 0 && index < stackHeight))
    throw new RpcError(
      'server',
      `tracer accessed out of bound stack: size ${stackHeight}, index ${index}`,
    )
  return memory.readWord(stack + (stackHeight - 1 - index) * WORD)
}

/** The functions that the prelude's objects call. */
function hostFunctions(
  seen: Seen,
  { state, block }: TracedRun,
): Readonly<Record<string, HostFunction>> {
  // The prelude passes addresses and slots as bytes of the right size, and numbers where declared.
  const on =
    (read: (bytes: Uint8Array, more: Uint8Array) => HostValue): HostFunction =>
    (...args) =>
      read(args[0] as Uint8Array, args[1] as Uint8Array)
  return {
    opcode: () => seen.opcode,
    opcodeName: () => opcodeName(seen.opcode),
    stackLength: () => seen.stackHeight,
    stackPeek: (index) => peek(seen, Number(index)),
    memoryLength: () => seen.core?.frameMemorySize() ?? 0,
    memorySlice: (start, end) => memorySlice(seen, Number(start), Number(end)),
    caller: () => seen.contract.caller,
    address: () => seen.contract.address,
    value: () => seen.contract.value,
    input: () => seen.contract.input,
    pc: () => seen.pc,
    gas: () => seen.gas,
    cost: () => Number(seen.core?.stepCost(seen.opcode, seen.stackHeight, BigInt(seen.gas)) ?? 0n),
    depth: () => seen.depth + 1,
    refund: () => Number(seen.core?.refundCounter() ?? 0n),
    error: () => seen.error,
    balance: on((address) => state.account(address)?.balance ?? 0n),
    nonce: on((address) => Number(state.account(address)?.nonce ?? 0n)),
    code: on((address) => {
      const account = state.account(address)
      return account ? state.code(account.codeHash) : new Uint8Array(0)
    }),
    state: on((address, slot) => state.storage(address, slot)),
    exists: on((address) => state.account(address) !== undefined),
    isPrecompiled: on((address) => isPrecompile(address, block)),
    toContract: (from, nonce) => contractAddress(from as Uint8Array, BigInt(nonce as string)),
    toContract2: (from, salt, code) =>
      keccak256(
        concatBytes(
          Uint8Array.of(0xff),
          from as Uint8Array,
          salt as Uint8Array,
          keccak256(code as Uint8Array),
        ),
      ).subarray(12),
  }
}

/** `ctx` of result(): bytes as hex digits, large numbers as decimal digits. */
function factsOf({ transaction, block, place }: TracedRun, outcome: TransitionResult): string {
  const { sender, to, nonce, data, value, gasLimit } = transaction
  return JSON.stringify({
    type: to === undefined ? 'CREATE' : 'CALL',
    from: toHexDigits(sender),
    to: toHexDigits(to ?? contractAddress(sender, nonce)),
    input: toHexDigits(data),
    gas: Number(gasLimit),
    gasUsed: Number(outcome.gasUsed),
    gasPrice: outcome.effectiveGasPrice.toString(),
    intrinsicGas: Number(intrinsicGas(transaction)),
    value: value.toString(),
    block: block.height,
    coinbase: toHexDigits(block.coinbase),
    output: toHexDigits(outcome.output),
    ...(outcome.status !== 'success' && { error: outcome.error }),
    ...(place && {
      blockHash: toHexDigits(place.blockHash),
      txIndex: place.transactionIndex,
      txHash: toHexDigits(place.transactionHash),
    }),
  })
}

/** The functions of a tracer that the machine holds. */
function openTracer(machine: Machine, source: string, config: string, host: QuickJSHandle) {
  const open = machine.call('setup', machine.evaluate(PRELUDE, 'prelude.js'), host)
  const object = machine.evaluate(`(${source}\n)`, 'tracer.js')
  const configuration = machine.handle(config)
  const tracer = machine.call('setup', open, object, configuration)
  configuration.dispose()
  const run =
    (name: string) =>
    (...args: readonly HostValue[]): unknown => {
      const handles = args.map(machine.handle)
      const result = machine.call(name, target(name), ...handles)
      for (const each of handles) each.dispose()
      return result.consume(machine.read)
    }
  const targets = new Map<string, QuickJSHandle>()
  function target(name: string): QuickJSHandle {
    const known = targets.get(name) ?? machine.property(tracer, name)
    targets.set(name, known)
    return known
  }
  const has = (name: string): boolean => machine.read(machine.property(tracer, name)) === true
  return {
    hasStep: has('hasStep'),
    hasEnter: has('hasEnter'),
    step: run('step'),
    fault: run('fault'),
    enter: run('enter'),
    exit: run('exit'),
    result: run('result'),
    close() {
      for (const each of [tracer, open]) each.dispose()
      machine.close()
    },
  }
}

/**
 * The text that a tracer's result was made, as bytes: it is passed on as it is, however deep. A tracer may have replaced
 * what makes it, so it is read once. Throws RpcError.
 */
function writtenResult(text: unknown): Uint8Array {
  try {
    if (typeof text !== 'string') throw new TypeError('it has no JSON form')
    JSON.parse(text)
    return utf8(text)
  } catch (error) {
    throw new RpcError(
      'server',
      `the tracer's result() did not give a JSON value: ${messageOf(error)}. Return numbers, strings, lists and objects.`,
    )
  }
}

function startTracer(machine: Machine, source: string, config: string, run: TracedRun): Tracer {
  const seen: Seen = {
    core: undefined,
    memory: undefined,
    depth: 0,
    pc: 0,
    opcode: 0,
    gas: 0,
    stack: 0,
    stackHeight: 0,
    error: undefined,
    contract: outermost(run.transaction),
  }
  const tracer = openTracer(machine, source, config, machine.host(hostFunctions(seen, run)))
  const contracts: Contract[] = []
  const gases: bigint[] = []

  /** Reports a failed frame, at its last step. */
  function fault(error: string): void {
    seen.error = error
    tracer.fault()
    seen.error = undefined
  }

  return {
    listener: {
      step(core, memory, depth, pc, opcode, gas, stack, stackHeight) {
        Object.assign(seen, { core, memory, depth, pc, opcode, gas: Number(gas), stack })
        seen.stackHeight = stackHeight
        if (tracer.hasStep) tracer.step()
      },
      end: () => undefined,
    },
    hooks: {
      onEnter(call) {
        contracts.push(seen.contract)
        gases.push(call.gas)
        seen.contract = inner(seen.contract, call)
        const { opcode, from, to, input, gas, value } = call
        if (tracer.hasEnter)
          tracer.enter(
            opcodeName(opcode),
            from,
            to,
            input,
            Number(gas),
            opcode === STATICCALL ? undefined : value,
          )
      },
      onLeave({ status, error, gasLeft, output }) {
        const isOwnFailure = status !== 'success' && seen.depth >= contracts.length
        if (isOwnFailure) fault(error)
        seen.contract = contracts.pop() ?? seen.contract
        const used = (gases.pop() ?? gasLeft) - gasLeft
        if (tracer.hasEnter)
          tracer.exit(Number(used), output, status === 'success' ? undefined : error)
      },
    },
    result(outcome) {
      if (outcome.status !== 'success' && seen.core !== undefined) fault(outcome.error)
      const text = tracer.result(factsOf(run, outcome))
      tracer.close()
      return [writtenResult(text)]
    },
  }
}

/** Time limits of a tracer. */
export type TracerLimits = Pick<ExecutionWorld, 'timeoutMs' | 'limitStep'>

/**
 * QuickJS looks at the time every ten thousand jumps and calls, each of which can be made to take long. Milliseconds after
 * the time limit until the thread is ended instead.
 */
const GRACE_MS = 500

/** Creates a tracer kind from its source, with the time limit of each execution. Throws RpcError for a faulty source. */
export function javascriptTracer(
  quickJs: QuickJSWASMModule,
  source: string,
  config: unknown,
  { timeoutMs, limitStep }: TracerLimits,
): TracerKind {
  const configText = config === undefined || config === null ? '{}' : JSON.stringify(config)
  return {
    watchesSteps: false,
    listensToSteps: true,
    start(run) {
      const end = performance.now() + timeoutMs
      limitStep?.(timeoutMs + GRACE_MS)
      const machine = startMachine(quickJs, () => performance.now() > end)
      const tracer = startTracer(machine, source, configText, run)
      return {
        ...tracer,
        result(outcome) {
          const result = tracer.result(outcome)
          limitStep?.(undefined)
          return result
        },
      }
    },
  }
}
