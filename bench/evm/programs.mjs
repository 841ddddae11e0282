// Programs that want as much time for their gas as they can get. Each is an endless loop: it ends when its gas does.
import { fromHex, toHexDigits } from '../../dist/base/hex.js'
import { EMPTY_CODE_HASH } from '../../dist/evm/types.js'
import { PRECOMPILE_INPUTS } from './precompileInputs.mjs'
import { TARGET, worldOf } from './world.mjs'

const SELF = toHexDigits(TARGET)
const CHILD = 'cc'.repeat(20)
const LONGEST_CODE = 24_576
const NEGATIVE = 2n ** 256n - 12_345n
const LARGE = 2n ** 256n - 189n
const ODD = 2n ** 191n + 2n ** 100n + 7n

const hexByte = (value) => value.toString(16).padStart(2, '0')

/** PUSH with as many bytes as the number needs. */
function push(value) {
  const digits = BigInt(value).toString(16)
  const bytes = digits.length % 2 === 1 ? `0${digits}` : digits
  return `${hexByte(0x5f + bytes.length / 2)}${bytes}`
}

/** Pushes values, the first one on top. */
const stack = (...values) => values.toReversed().map(push).join('')
/** STATICCALL without taking the output; with all gas unless some is given. */
const call = (address, inputLength = 0, gas) =>
  `${stack(0, inputLength, 0, 0)}73${address}${gas === undefined ? '5a' : push(gas)}fa50`
const times = (count, code) => code.repeat(count)
/** Code that does something once, then something else over and over. */
const endless = (body, first = '') => `${first}5b${body}${push(first.length / 2)}56`
/** An opcode on operands that are pushed once and copied, its result dropped. */
const flood = (opcode, ...operands) =>
  endless(times(100, `${times(operands.length, hexByte(0x7f + operands.length))}${opcode}50`), stack(...operands)) // prettier-ignore
/** Runs in a loop with a counter, from 1 on, that the body finds on top and leaves there. */
const counting = (body) => endless(`600101${body}`, push(0))

/**
 * A world in which every address that begins with the byte 0xdd is a contract of its own, whose code is as long as allowed and
 * stops at once. The codes are one array with another number in it each time: making them must cost nothing here.
 */
function worldOfManyCodes(code, filling) {
  const caller = fromHex(code)
  const many = fromHex(
    `00${'00'.repeat(4)}${filling.repeat(LONGEST_CODE).slice(0, 2 * (LONGEST_CODE - 5))}`,
  )
  return {
    ...worldOf({ [SELF]: caller }, (address) =>
      address[0] === 0xdd
        ? { nonce: 1n, balance: 1n, codeHash: Uint8Array.from([...address, ...new Uint8Array(12)]) }
        : undefined,
    ),
    code(hash) {
      if (hash[0] !== 0xdd) return caller
      many.set(hash.subarray(16, 20), 1)
      return many
    },
  }
}

/** The counter on top of the stack as the address of another contract. */
const NEXT_CODE = `8073dd${'00'.repeat(19)}01`

const program = (name, code, child = '00') => ({
  name,
  data: new Uint8Array(0),
  state: worldOf({ [SELF]: fromHex(code), [CHILD]: fromHex(child) }),
})
const bomb = (name, filling) => ({
  name,
  data: new Uint8Array(0),
  state: worldOfManyCodes(counting(`${stack(0, 0, 0, 0)}84${NEXT_CODE.slice(2)}5afa50`), filling),
})
const everyAccountExists = (name, code) => ({
  name,
  data: new Uint8Array(0),
  state: worldOf({ [SELF]: fromHex(code) }, () => ({
    nonce: 1n,
    balance: 1n,
    codeHash: EMPTY_CODE_HASH,
  })),
})

/** Programs outside of the precompiles. */
export const PROGRAMS = [
  program('MUL', flood('02', LARGE, ODD)),
  program('DIV by 192 bits', flood('04', LARGE, ODD)),
  program('SDIV', flood('05', NEGATIVE, ODD)),
  program('MOD by 64 bits', flood('06', LARGE, 2n ** 63n + 1n)),
  program('SMOD', flood('07', NEGATIVE, ODD)),
  program('ADDMOD', flood('08', LARGE, LARGE - 3n, ODD)),
  program('MULMOD', flood('09', LARGE, LARGE - 3n, ODD)),
  program('MULMOD by 256 bits', flood('09', LARGE, LARGE - 3n, LARGE - 9n)),
  program('EXP', flood('0a', 3n, LARGE)),
  program('SIGNEXTEND', flood('0b', 3n, LARGE)),
  program('SAR', flood('1d', 77n, NEGATIVE)),
  program('KECCAK256 of 32 bytes', flood('20', 0n, 32n)),
  program('KECCAK256 of 4 KiB', flood('20', 0n, 4096n)),
  program('JUMP', endless('')),
  program('calls to the greatest depth', endless(call(SELF))),
  program('calls of an empty account', endless(times(50, call('ee'.repeat(20))))),
  program('calls of a contract that stops', endless(times(50, call(CHILD)))),
  program('memory growth', endless('5f5952')),
  program('memory growth in callees', endless(call(CHILD)), `5f${push(200_000)}5200`),
  program('MLOAD', flood('51', 64n)),
  program('MCOPY of 32 KiB', endless(times(20, `${stack(0, 32, 32_768)}5e`))),
  bomb('jump tables of 24 KiB of JUMPDEST', '5b'),
  bomb('jump tables of 24 KiB of PUSH1', '60'),
  bomb('jump tables of 24 KiB of JUMPDEST PUSH2', '5b615b5b'),
  program('return data of 64 KiB', endless(call(CHILD)), `${push(65_536)}5ff3`),
  program('RETURNDATACOPY of 32 KiB', endless(times(50, `${stack(0, 0, 32_768)}3e`), call(CHILD)), `${push(32_768)}5ff3`), // prettier-ignore
  program('EXTCODECOPY of 24 KiB', endless(times(50, `${stack(BigInt(`0x${CHILD}`), 0, 0, LONGEST_CODE)}3c`)), '5b'.repeat(LONGEST_CODE)), // prettier-ignore
  program('CREATE of nothing', endless(times(20, `${stack(0, 0, 0)}f050`))),
  program('CREATE with 48 KiB of JUMPDEST', endless(`${stack(0, 0, 49_152)}f050`, `${stack(0, 0, 0, 49_152)}73${CHILD}3c`), `00${'5b'.repeat(LONGEST_CODE - 1)}`), // prettier-ignore
  program('CREATE2 with 48 KiB', counting(`80${stack(0, 0, 49_152)}f550`)),
  program('BALANCE of missing accounts', counting('803150')),
  everyAccountExists('BALANCE of accounts', counting('803150')),
  program('SLOAD, cold', counting('805450')),
  program('SLOAD, warm', flood('54', 1n)),
  program('SSTORE, fresh', counting('808055')),
  program('SSTORE, warm', counting('805f55')),
  program('TSTORE of new slots', counting('80805d')),
  program('TLOAD of new slots', counting('805c50')),
  program('LOG0 of nothing', endless(times(100, `${stack(0, 0)}a0`))),
  program('LOG4 of nothing', endless(times(50, `${stack(0, 0, 1, 2, 3, 4)}a4`))),
  program('LOG0 of 8 KiB', endless(times(20, `${stack(0, 8192)}a0`))),
  program('BLOCKHASH', flood('40', 1n)),
]

/** One program for every precompile and size of input. */
export const PRECOMPILE_PROGRAMS = PRECOMPILE_INPUTS.map(([name, address, data, gas]) => ({
  name,
  data,
  state: worldOf({
    [SELF]: fromHex(
      endless(
        times(20, call(address.toString(16).padStart(40, '0'), data.length, gas)),
        `${push(data.length)}5f5f37`,
      ),
    ),
  }),
}))
