/** The block that tests of the EVM execute in. */
import type { BlockEnvironment } from '../../src/evm/types.ts'

export const EVM_BLOCK: BlockEnvironment = {
  chainId: 271828n,
  height: 1000,
  timestamp: 1_700_000_000n,
  coinbase: new Uint8Array(20).fill(0xcb),
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  prevRandao: new Uint8Array(32).fill(3),
  blobBaseFee: 1n,
  hardfork: 'osaka',
}
