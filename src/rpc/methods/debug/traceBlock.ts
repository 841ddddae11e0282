import { equalBytes } from '../../../base/bytes.ts'
import { toHex } from '../../../base/hex.ts'
import { RlpError } from '../../../base/rlp.ts'
import { openRlpList } from '../../../base/rlpReader.ts'
import { encodeBlockRlp } from '../../../chain/headerRlp.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { findHeader } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

/** Position of the number among the fields of a header. */
const NUMBER_FIELD = 8

/** The number in a block's header. Nothing behind it is read: there may be millions of items, and no block of this chain. */
function numberOf(blockRlp: Uint8Array): bigint {
  const block = openRlpList(blockRlp, 0)
  try {
    const header = block.list('header')
    for (let field = 0; field < NUMBER_FIELD; field++) header.bytes('field')
    return header.uint(64, 'number')
  } catch (error) {
    throw error instanceof RlpError ? new RlpError('not a block') : error
  }
}

function decodeNumber(blockRlp: Uint8Array): bigint {
  try {
    return numberOf(blockRlp)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new RpcError('server', `could not decode block: ${error.message}`)
  }
}

export const debug_traceBlock = method({
  // See D16.
  summary:
    'Re-executes all transactions of a block of this chain, given as RLP (debug_getRawBlock), and returns the trace of each.',
  params: { blockRlp: data, config: traceConfig },
  result: blockTracesResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { blockRlp, config }) => {
    const header = findHeader(chain, { number: decodeNumber(blockRlp) })
    const known = header && encodeBlockRlp(header, chain.transactions(header.height) ?? [])
    if (!header || !known || !equalBytes(known, blockRlp))
      throw new RpcError('server', 'block not found: only blocks of this chain can be traced')
    const height = requireTraceable(header.height, toHex(header.hash))
    return executions.run({ kind: 'traceBlock', height, config })
  },
})
