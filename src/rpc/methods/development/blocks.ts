/** What blocks of a chain for development have that others could not. */
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import { decodeStorageKey, storageKey } from '../../parameters/storageKey.ts'
import { amount, doneResult, type World } from './method.ts'

/** As Ethereum has it for every block: base fees are reckoned from half of the limit. */
const LEAST_GAS_LIMIT = 5000n

export const setNextBaseFee = method({
  summary: 'Sets the base fee of the next block.',
  params: { baseFeePerGas: amount },
  result: doneResult,
  handler: ({ development }: World, { baseFeePerGas }) =>
    development.setNextBlock({ baseFeePerGas }),
})

export const setPrevRandao = method({
  summary: 'Sets PREVRANDAO of the next block.',
  params: { prevRandao: storageKey },
  result: doneResult,
  handler: ({ development }: World, { prevRandao }) =>
    development.setNextBlock({ prevRandao: decodeStorageKey(prevRandao) }),
})

export const setCoinbase = method({
  summary: 'Sets the address that receives the tips of the blocks that follow.',
  params: { address },
  result: doneResult,
  handler: ({ development }: World, { address: coinbase }) => development.setBlocks({ coinbase }),
})

export const setBlockGasLimit = method({
  summary: 'Sets the gas limit of the blocks that follow.',
  params: { gasLimit: amount },
  result: doneResult,
  handler: ({ development }: World, { gasLimit }) => {
    if (gasLimit < LEAST_GAS_LIMIT)
      throw new RpcError('invalidParams', `Block gas limit must be at least ${LEAST_GAS_LIMIT}`)
    if (gasLimit >= 1n << 63n) throw new RpcError('invalidParams', 'Block gas limit is too large')
    development.setBlocks({ gasLimit })
  },
})

const refusedResult: Result<never> = { schema: doneResult.schema, encode: () => null }

/** As Hardhat and anvil answer it: there are base fees, and a minimum is the node's own setting. */
export const setMinGasPrice = (name: string) =>
  method({
    summary: 'Always an error: there is a base fee (EIP-1559).',
    params: { gasPrice: amount },
    result: refusedResult,
    handler: () => {
      throw new RpcError('server', `${name} is not supported when EIP-1559 is active`)
    },
  })
