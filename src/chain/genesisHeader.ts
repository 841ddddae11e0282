/** Block 0: the genesis as a block, parent of block 1 (D44). */
import type { BlockHeader } from './block.ts'
import { BLOOM_SIZE } from './bloom.ts'
import type { ChainRules } from './executed.ts'
import { HEADER_SIZE } from './headerSize.ts'
import { listRoot } from './listRoot.ts'

/** Header facts of block 0; the store adds the root. `hash` is the SHA-256 of genesis.json. */
export function genesisHeader(
  rules: ChainRules,
  genesis: { readonly hash: Uint8Array; readonly timeNs: bigint },
): Omit<BlockHeader, 'stateRoot'> {
  return {
    height: 0,
    hash: genesis.hash,
    parentHash: new Uint8Array(32),
    timeNs: genesis.timeNs,
    proposer: new Uint8Array(20),
    coinbase: new Uint8Array(20),
    transactionsRoot: listRoot([]),
    receiptsRoot: listRoot([]),
    logsBloom: new Uint8Array(BLOOM_SIZE),
    gasLimit: rules.blockGasLimit,
    gasUsed: 0n,
    baseFeePerGas: rules.initialBaseFee,
    prevRandao: new Uint8Array(32),
    size: HEADER_SIZE,
  }
}
