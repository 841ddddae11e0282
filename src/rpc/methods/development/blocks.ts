/** Block settings that only a development chain allows. */
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import { decodeStorageKey, storageKey } from '../../parameters/storageKey.ts'
import { amount, doneResult, type DevelopmentParts } from './method.ts'

/** As in Ethereum for every block: base fees are computed from half of the limit. */
const LEAST_GAS_LIMIT = 5000n

export const setNextBaseFee = method({
  summary: 'Sets the base fee of the next block.',
  params: { baseFeePerGas: amount },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { baseFeePerGas }) =>
    development.setNextBlock({ baseFeePerGas }),
})

export const setPrevRandao = method({
  summary: 'Sets PREVRANDAO of the next block.',
  params: { prevRandao: storageKey },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { prevRandao }) =>
    development.setNextBlock({ prevRandao: decodeStorageKey(prevRandao) }),
})

export const setCoinbase = method({
  summary: 'Sets the address that receives the tips of the following blocks.',
  params: { address },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address: coinbase }) =>
    development.setBlocks({ coinbase }),
})

export const setBlockGasLimit = method({
  summary: 'Sets the gas limit of the following blocks.',
  params: { gasLimit: amount },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { gasLimit }) => {
    if (gasLimit < LEAST_GAS_LIMIT)
      throw new RpcError('invalidParams', `Block gas limit must be at least ${LEAST_GAS_LIMIT}`)
    if (gasLimit >= 1n << 63n) throw new RpcError('invalidParams', 'Block gas limit is too large')
    development.setBlocks({ gasLimit })
  },
})

const refusedResult: Result<never> = { schema: doneResult.schema, encode: () => null }

/** As in Hardhat and anvil: there are base fees, and the minimum price is a setting of the node. */
export const setMinGasPrice = (name: string) =>
  method({
    summary: 'Always returns an error: the chain has a base fee (EIP-1559).',
    params: { gasPrice: amount },
    result: refusedResult,
    handler: () => {
      throw new RpcError('server', `${name} is not supported when EIP-1559 is active`)
    },
  })
