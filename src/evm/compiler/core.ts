/**
 * The parts of the core that compiled code uses: the frame (core/frames.as.ts), words of the environment, and
 * functions.
 */
import { I32, I64, type ImportedFunction } from './encoding.ts'

/** Offsets in a frame. */
export const FRAME = {
  pause: 8,
  pc: 16,
  sp: 20,
  stack: 24,
  code: 28,
  memory: 40,
  memorySize: 44,
  inputLength: 52,
  self: 56,
  isStatic: 64,
  caller: 112,
  value: 144,
} as const

/** The offset of the address in an account (core/accounts.as.ts). */
export const ACCOUNT_ADDRESS = 8

const ENVIRONMENT = 0x10800

/** Addresses of words that opcodes push unchanged (core/layout.as.ts). */
export const ENVIRONMENT_WORDS: ReadonlyMap<number, number> = new Map([
  [0x32, ENVIRONMENT], // ORIGIN
  [0x3a, ENVIRONMENT + 32], // GASPRICE
  [0x41, ENVIRONMENT + 64], // COINBASE
  [0x42, ENVIRONMENT + 96], // TIMESTAMP
  [0x43, ENVIRONMENT + 128], // NUMBER
  [0x44, ENVIRONMENT + 160], // PREVRANDAO
  [0x45, ENVIRONMENT + 192], // GASLIMIT
  [0x46, ENVIRONMENT + 224], // CHAINID
  [0x48, ENVIRONMENT + 256], // BASEFEE
])

const onWords = (name: string, count: number): ImportedFunction => ({
  name,
  parameters: Array.from({ length: count }, () => I32),
  results: [],
})

/** Takes the available gas as last argument and returns the remaining gas, or a halt. */
const withGas = (name: string, count: number): ImportedFunction => ({
  name,
  parameters: [...Array.from({ length: count }, () => I32), I64],
  results: [I64],
})

/** Functions of the core (core/main.as.ts), whose arguments are addresses of words. */
export const CORE_FUNCTIONS: readonly ImportedFunction[] = [
  onWords('multiply', 3),
  onWords('divide', 2),
  onWords('divideSigned', 2),
  onWords('modulo', 2),
  onWords('moduloSigned', 2),
  onWords('addModulo', 3),
  onWords('multiplyModulo', 3),
  onWords('signExtend', 2),
  onWords('byteAt', 2),
  onWords('shiftLeft', 2),
  onWords('shiftRight', 2),
  onWords('shiftRightSigned', 2),
  onWords('loadInput', 2),
  withGas('keccak', 2),
  withGas('loadSlot', 2),
  withGas('storeSlot', 3),
]

/** The number of a function of the core. */
export function coreFunction(name: string): number {
  const index = CORE_FUNCTIONS.findIndex((each) => each.name === name)
  if (index < 0) throw new RangeError(`the core has no function ${name}`)
  return index
}
