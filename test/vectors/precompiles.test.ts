/** go-ethereum's vectors of the precompiled contracts, through the engine: output and gas, and inputs that must fail. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { emptyState } from '../../src/evm/emptyState.ts'
import { LATEST_HARDFORK, type Hardfork } from '../../src/evm/rules.ts'
import type { BlockEnvironment, Engine, Outcome } from '../../src/evm/types.ts'

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

const FAILING = 'fail-'

/** Addresses by the names of files, which begin with `fail-` where every input must fail. */
const ADDRESSES: Readonly<Record<string, number>> = {
  ecRecover: 0x01,
  modexp: 0x05,
  modexp_eip2565: 0x05,
  modexp_eip7883: 0x05,
  bn256Add: 0x06,
  bn256ScalarMul: 0x07,
  bn256Pairing: 0x08,
  blake2F: 0x09,
  blake2f: 0x09,
  pointEvaluation: 0x0a,
  blsG1Add: 0x0b,
  blsG1Mul: 0x0c,
  blsG1MultiExp: 0x0c,
  blsG2Add: 0x0d,
  blsG2Mul: 0x0e,
  blsG2MultiExp: 0x0e,
  blsPairing: 0x0f,
  blsMapG1: 0x10,
  blsMapG2: 0x11,
  p256Verify: 0x100,
}
/** Prices of older forks. Those of modexp itself are from before Berlin: only its outputs count. */
const PRICES: Readonly<Record<string, Hardfork>> = { modexp: 'berlin', modexp_eip2565: 'berlin' }
const WITHOUT_PRICES: ReadonlySet<string> = new Set(['modexp'])

const BLOCK: Omit<BlockEnvironment, 'hardfork'> = {
  chainId: 1n,
  height: 1,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: GAS,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
}

async function call(
  engine: Engine,
  address: number,
  input: string,
  hardfork: Hardfork,
): Promise<Outcome> {
  const caller = new Uint8Array(20).fill(0xaa)
  return engine.execute(
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
    { ...BLOCK, hardfork },
    emptyState,
  )
}

const present = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort()
  : []
if (present.length === 0 && !REQUIRED)
  console.warn(`skipped: ${FOLDER} is missing; set ASSAY_VECTORS to the folder of the vectors`)

test.runIf(REQUIRED)('the vectors are there', () => {
  expect(present.length).toBeGreaterThan(0)
})

test.runIf(present.length > 0).each(present)(
  'every vector of %s gives the listed result',
  async (file) => {
    const name = file.startsWith(FAILING) ? file.slice(FAILING.length) : file
    const address = ADDRESSES[name]
    if (address === undefined) throw new Error(`${file} is about a precompile that is not listed`)
    const engine = createEngine()
    const all = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as Vector[]
    const step = FULL ? 1 : Math.ceil(all.length / SAMPLE)
    const vectors = all.filter((_, index) => index % step === 0)
    const failures: string[] = []
    for (const vector of vectors) {
      const { status, output, gasUsed } = await call(
        engine,
        address,
        vector.Input,
        PRICES[name] ?? LATEST_HARDFORK,
      )
      const agrees =
        vector.ExpectedError === undefined
          ? status === 'success' &&
            toHexDigits(output) === vector.Expected &&
            (WITHOUT_PRICES.has(name) || gasUsed === BigInt(vector.Gas ?? 0))
          : status === 'halt' && gasUsed === GAS
      if (!agrees) failures.push(`${vector.Name}: ${status}, ${gasUsed} gas`)
    }
    console.log(`${file}: ${vectors.length - failures.length} of ${vectors.length} cases pass`)
    expect(failures).toEqual([])
  },
)
