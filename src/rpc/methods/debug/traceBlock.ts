import { bytesToBigint, equalBytes } from '../../../base/bytes.ts'
import { toHex } from '../../../base/hex.ts'
import { decodeRlp, RlpError, type RlpItem } from '../../../base/rlp.ts'
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

function isList(item: RlpItem | undefined): item is readonly RlpItem[] {
  return Array.isArray(item)
}

/** The number in a block's header, or undefined when the item is not a block. */
function numberOf(block: RlpItem): bigint | undefined {
  const header = isList(block) ? block[0] : undefined
  const number = isList(header) ? header[NUMBER_FIELD] : undefined
  return number instanceof Uint8Array ? bytesToBigint(number) : undefined
}

function decodeNumber(blockRlp: Uint8Array): bigint {
  try {
    const number = numberOf(decodeRlp(blockRlp))
    if (number !== undefined) return number
    throw new RlpError('not a block')
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
