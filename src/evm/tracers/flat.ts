/** flatCallTracer: calls as a flat list in the format of OpenEthereum's trace module. */
import { bytesToBigint } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { includesFork, type Hardfork } from '../rules.ts'
import { recordFrames, type CallFrame } from './frames.ts'
import { CALL, CREATE, CREATE2, opcodeName, SELFDESTRUCT, STATICCALL } from './opcodes.ts'
import type { TracedRun, TracerKind } from './tracer.ts'

export type FlatTracerConfig = {
  /** Errors in OpenEthereum's wording. */
  readonly convertParityErrors?: boolean | undefined
  /** Keep calls of precompiles. */
  readonly includePrecompiles?: boolean | undefined
}

/** The last precompile of Cancun, and the last one of BLS12-381 (EIP-2537). */
const POINT_EVALUATION = 0x0an
const LAST_OF_BLS = 0x11n
/** EIP-7951 */
const P256VERIFY = 0x100n

const PARITY_ERRORS: Readonly<Record<string, string>> = {
  'contract creation code storage out of gas': 'Out of gas',
  'out of gas': 'Out of gas',
  'gas uint64 overflow': 'Out of gas',
  'max code size exceeded': 'Out of gas',
  'invalid jump destination': 'Bad jump destination',
  'execution reverted': 'Reverted',
  'return data out of bounds': 'Out of bounds',
  'stack limit reached 1024 (1023)': 'Out of stack',
  'invalid precompile input': 'Built-in failed',
}

function parityError(error: string): string {
  if (error.startsWith('out of gas:')) return 'Out of gas'
  if (error.startsWith('invalid opcode:')) return 'Bad instruction'
  if (error.startsWith('stack underflow')) return 'Stack underflow'
  return PARITY_ERRORS[error] ?? error
}

/** Whether there is a precompile at the address. */
export function isPrecompile(address: Uint8Array, rules: { readonly hardfork: Hardfork }): boolean {
  const number = bytesToBigint(address)
  const last = includesFork(rules, 'prague') ? LAST_OF_BLS : POINT_EVALUATION
  return (number >= 1n && number <= last) || (number === P256VERIFY && includesFork(rules, 'osaka'))
}

function describe(frame: CallFrame): { type: string; action: object; result?: object } {
  const { opcode, from, to, value = 0n, input, gas, gasUsed, output, error } = frame
  const name = opcodeName(opcode).toLowerCase()
  if (opcode === SELFDESTRUCT) {
    const action = { address: toHex(from), balance: toQuantity(value), refundAddress: toHex(to) }
    return { type: 'suicide', action }
  }
  const common = { from: toHex(from), gas: toQuantity(gas), value: toQuantity(value) }
  if (opcode === CREATE || opcode === CREATE2)
    return {
      type: 'create',
      action: { creationMethod: name, ...common, init: toHex(input) },
      result: {
        ...(error === '' && { address: toHex(to) }),
        code: toHex(output),
        gasUsed: toQuantity(gasUsed),
      },
    }
  return {
    type: 'call',
    action: { callType: name, ...common, input: toHex(input), to: toHex(to) },
    result: { gasUsed: toQuantity(gasUsed), output: toHex(output) },
  }
}

function encodePlace({ place }: TracedRun): object {
  if (place === undefined)
    return { blockHash: null, blockNumber: 0, transactionHash: null, transactionPosition: 0 }
  return {
    blockHash: toHex(place.blockHash),
    blockNumber: place.blockNumber,
    transactionHash: toHex(place.transactionHash),
    transactionPosition: place.transactionIndex,
  }
}

function* flatten(
  frame: CallFrame,
  traceAddress: readonly number[],
  place: object,
  config: FlatTracerConfig,
): Generator<object> {
  const { type, action, result } = describe(frame)
  const { error, calls } = frame
  // Revert data may tell why; any other failure has no result.
  const keepsResult = error === '' || error === 'execution reverted'
  yield {
    action,
    ...place,
    ...(error !== '' && {
      error: config.convertParityErrors === true ? parityError(error) : error,
    }),
    ...(keepsResult && result && { result }),
    subtraces: calls.length,
    traceAddress,
    type,
  }
  for (const [index, call] of calls.entries())
    yield* flatten(call, [...traceAddress, index], place, config)
}

/** The tracer. */
export function flatCallTracer(config: FlatTracerConfig): TracerKind {
  const isHidden = ({ opcode, to }: CallFrame, { block }: TracedRun): boolean =>
    config.includePrecompiles !== true &&
    (opcode === CALL || opcode === STATICCALL) &&
    isPrecompile(to, block)
  return {
    watchesSteps: false,
    start(run) {
      const { hooks, finish } = recordFrames(run, (frame) => !isHidden(frame, run))
      return {
        hooks: { ...hooks, onLog: undefined },
        result: (outcome) => [...flatten(finish(outcome), [], encodePlace(run), config)],
      }
    },
  }
}
