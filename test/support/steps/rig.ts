/** The steps of the integer engine as a contract computes them (contracts/InferenceSteps.sol), on an EVM in this process. */
import {
  decodeErrorResult,
  getAbiItem,
  prepareEncodeFunctionData,
  encodeFunctionData,
  type Abi,
  type AbiFunction,
} from 'viem'
import { fromHex, toHex, toHexDigits } from '../../../src/base/hex.ts'
import { keccak256 } from '../../../src/base/keccak.ts'
import { createEngine } from '../../../src/evm/createEngine.ts'
import { emptyState } from '../../../src/evm/emptyState.ts'
import { floorGas, intrinsicGas } from '../../../src/evm/gas.ts'
import { overlay } from '../../../src/evm/overlay.ts'
import { InferenceSteps } from '../../../src/generated/contracts.ts'
import { EVM_BLOCK } from '../evmBlock.ts'

const ABI: Abi = InferenceSteps.abi
const ADDRESS = new Uint8Array(20).fill(0x57)
const CALLER = new Uint8Array(20).fill(0xaa)
const WORD = 32

export type StepName = Extract<
  (typeof InferenceSteps.abi)[number],
  { readonly type: 'function' }
>['name']

/** What a call came to: its numbers, or the name of its error; the gas of a transaction that makes it, and that of its code alone. */
export type StepResult = {
  readonly values: readonly bigint[]
  readonly error: string | undefined
  readonly transactionGas: bigint
  readonly codeGas: bigint
}

export type Steps = {
  call(name: StepName, ...args: readonly unknown[]): StepResult
  /** The numbers of a call. Throws when it reverts. */
  compute(name: StepName, ...args: readonly unknown[]): readonly bigint[]
  /** The first of them. */
  one(name: StepName, ...args: readonly unknown[]): bigint
}

/** A contract on an EVM of its own. */
export function openSteps(): Steps {
  const world = overlay(emptyState)
  const code = fromHex(InferenceSteps.deployedBytecode)
  world.apply(
    new Map([
      [
        toHexDigits(ADDRESS),
        {
          address: ADDRESS,
          account: { nonce: 1n, balance: 0n, codeHash: keccak256(code) },
          code,
          storageCleared: false,
          storage: new Map(),
        },
      ],
    ]),
  )
  const engine = createEngine()
  const prepared = new Map(
    ABI.filter((item): item is AbiFunction => item.type === 'function').map(({ name }) => {
      const item = getAbiItem({ abi: ABI, name }) as AbiFunction
      return [name, { item, call: prepareEncodeFunctionData({ abi: [item], functionName: name }) }]
    }),
  )

  const call = (name: StepName, ...args: readonly unknown[]): StepResult => {
    const { item, call: encoder } = prepared.get(name) as NonNullable<
      ReturnType<typeof prepared.get>
    >
    const data = fromHex(encodeFunctionData({ ...encoder, args }))
    const { status, output, gasUsed, error } = engine.execute(
      {
        caller: CALLER,
        to: ADDRESS,
        value: 0n,
        data,
        gasLimit: 30_000_000n,
        gasPrice: 0n,
        origin: CALLER,
        nonce: 0n,
        accessList: [],
      },
      EVM_BLOCK,
      world,
      'result',
    )
    const intrinsic = intrinsicGas({ to: ADDRESS, data, accessList: [], authorizationList: [] })
    const floor = floorGas(data, EVM_BLOCK)
    const gas = intrinsic + gasUsed
    const spent = { transactionGas: gas > floor ? gas : floor, codeGas: gasUsed }
    if (status === 'success') return { ...spent, error: undefined, values: decode(item, output) }
    if (status === 'halt' || output.length === 0)
      throw new Error(`${name}(${args.join(', ')}) ends with ${error || 'no reason'}`)
    const { errorName } = decodeErrorResult({ abi: ABI, data: toHex(output) })
    return { ...spent, error: errorName, values: [] }
  }
  const compute = (name: StepName, ...args: readonly unknown[]): readonly bigint[] => {
    const { error, values } = call(name, ...args)
    if (error !== undefined) throw new Error(`${name}(${args.join(', ')}) reverts with ${error}`)
    return values
  }
  return { call, compute, one: (name, ...args) => compute(name, ...args)[0] as bigint }
}

/** Every output is a number, or an array of numbers of a fixed length. */
function decode({ outputs }: AbiFunction, bytes: Uint8Array): readonly bigint[] {
  const isSigned = outputs[0]?.type.startsWith('int') === true
  return Array.from({ length: bytes.length / WORD }, (_, i) => {
    const value = BigInt(toHex(bytes.subarray(i * WORD, (i + 1) * WORD)))
    return isSigned ? BigInt.asIntN(256, value) : value
  })
}
