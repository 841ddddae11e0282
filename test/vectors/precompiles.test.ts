/** go-ethereum's vectors of the precompiled contracts, through the engine: output and gas, and inputs that must fail. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { emptyState } from '../../src/evm/emptyState.ts'
import type { BlockEnvironment, Outcome } from '../../src/evm/types.ts'

type Vector = {
  readonly Name: string
  readonly Input: string
  readonly Expected?: string
  readonly Gas?: number
  readonly ExpectedError?: string
}

const FOLDER = join(process.env['ASSAY_VECTORS'] ?? '../shared/vectors', 'precompiles')
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
const FULL = process.env['ASSAY_VECTORS_FULL'] === '1'
const GAS = 1_000_000_000n

/** Most cases per file unless all are asked for: large modular exponentiations take a while. */
const SAMPLE = 12

/** Files by address. modexp.json and modexp_eip2565.json list the prices of older forks: only their outputs count. */
const FILES: readonly (readonly [string, number, 'gas' | 'output'])[] = [
  ['ecRecover', 0x01, 'gas'],
  ['modexp', 0x05, 'output'],
  ['modexp_eip2565', 0x05, 'output'],
  ['modexp_eip7883', 0x05, 'gas'],
  ['bn256Add', 0x06, 'gas'],
  ['bn256ScalarMul', 0x07, 'gas'],
  ['bn256Pairing', 0x08, 'gas'],
  ['blake2F', 0x09, 'gas'],
  ['fail-blake2f', 0x09, 'gas'],
  ['pointEvaluation', 0x0a, 'gas'],
  ['blsG1Add', 0x0b, 'gas'],
  ['fail-blsG1Add', 0x0b, 'gas'],
  ['blsG1Mul', 0x0c, 'gas'],
  ['blsG1MultiExp', 0x0c, 'gas'],
  ['blsG2Add', 0x0d, 'gas'],
  ['blsG2Mul', 0x0e, 'gas'],
  ['fail-blsG2Mul', 0x0e, 'gas'],
  ['blsG2MultiExp', 0x0e, 'gas'],
  ['fail-blsG2MultiExp', 0x0e, 'gas'],
  ['blsPairing', 0x0f, 'gas'],
  ['fail-blsPairing', 0x0f, 'gas'],
  ['blsMapG1', 0x10, 'gas'],
  ['fail-blsMapG1', 0x10, 'gas'],
  ['blsMapG2', 0x11, 'gas'],
  ['fail-blsMapG2', 0x11, 'gas'],
  ['p256Verify', 0x100, 'gas'],
]

const BLOCK: BlockEnvironment = {
  chainId: 1n,
  height: 1,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: GAS,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
}

const engine = createEngine()

async function call(address: number, input: string): Promise<Outcome> {
  const caller = new Uint8Array(20).fill(0xaa)
  return await engine.execute(
    {
      caller,
      to: fromHex(address.toString(16).padStart(40, '0')),
      value: 0n,
      data: fromHex(input),
      gasLimit: GAS,
      gasPrice: 0n,
      origin: caller,
      nonce: 0n,
      accessList: [],
    },
    BLOCK,
    emptyState,
  )
}

const present = FILES.filter(([name]) => existsSync(join(FOLDER, `${name}.json`)))
if (present.length === 0 && !REQUIRED)
  console.warn(`skipped: ${FOLDER} is missing; set ASSAY_VECTORS to the folder of the vectors`)

test.runIf(REQUIRED)('the vectors are there', () => {
  expect(present.length).toBeGreaterThan(0)
})

test.runIf(present.length > 0).each(present)(
  'every vector of %s gives the listed result',
  async (name, address, compared) => {
    const all = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Vector[]
    const step = FULL ? 1 : Math.ceil(all.length / SAMPLE)
    const vectors = all.filter((_, index) => index % step === 0)
    const failures: string[] = []
    for (const vector of vectors) {
      const { status, output, gasUsed } = await call(address, vector.Input)
      const agrees =
        vector.ExpectedError === undefined
          ? status === 'success' &&
            toHexDigits(output) === vector.Expected &&
            (compared === 'output' || gasUsed === BigInt(vector.Gas ?? 0))
          : status === 'halt' && gasUsed === GAS
      if (!agrees) failures.push(`${vector.Name}: ${status}, ${gasUsed} gas`)
    }
    console.log(`${name}: ${vectors.length - failures.length} of ${vectors.length} cases pass`)
    expect(failures).toEqual([])
  },
)
