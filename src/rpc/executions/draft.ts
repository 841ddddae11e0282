/** Executes the block that a node would propose now (D61). */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { decoderOf } from '../../chain/development/unsigned.ts'
import { executeBlock } from '../../chain/execute.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import { HEADER_SIZE } from '../../chain/headerSize.ts'
import { RpcError } from '../../wire/errors.ts'
import type { BlockDraft } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

/**
 * The next block, on the state after `height`, as if every validator had signed the last one. A transaction that is
 * refused is left out, as a proposal leaves it out. Throws RpcError for an unknown height, and StateUnavailableError.
 */
export async function draftBlock(
  { chain, rules, engines, timeoutMs }: ExecutionWorld,
  { height, timeNs, proposer, edit, transactions }: BlockDraft,
): Promise<ExecutedBlock> {
  const parent = chain.header(height)
  if (parent === undefined) throw new RpcError('server', 'header not found')
  const known = new Map(transactions.map((transaction) => [transaction.raw, transaction]))
  const decode = decoderOf(rules)
  const raws = transactions.map(({ raw }) => raw)
  engines.deadline.restart(timeoutMs)
  const block = await executeBlock(
    { engine: engines.plain(), rules },
    parent,
    {
      height: height + 1,
      hash: EMPTY_BYTES,
      timeNs,
      proposer,
      txs: edit === undefined ? raws : [edit, ...raws],
      absent: [],
      doubleSigns: [],
    },
    chain.stateAt(height),
    {
      decode: (raw) => known.get(raw) ?? decode(raw),
      // The limit is one of each transaction; the gas of a block limits their number.
      pause() {
        engines.deadline.restart(timeoutMs)
        return undefined
      },
    },
  )
  const decided = block.decided.filter(
    ({ raw, transactionIndex }) => transactionIndex !== undefined || raw === edit,
  )
  const size = decided.reduce((sum, { raw }) => sum + raw.length, HEADER_SIZE)
  return { ...block, decided, header: { ...block.header, size } }
}
