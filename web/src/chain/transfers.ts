/**
 * Transfers: tokens by the events of ERC-20, ERC-721 and ERC-1155, and the chain's currency by calls within a
 * transaction.
 */
import { decodeValues } from '../abi/decode.ts'
import { parseType } from '../abi/parse.ts'
import { AbiError, type AbiValue } from '../abi/types.ts'
import { hexToBytes } from '../format/hex.ts'
import type { Call, Log } from './types.ts'

export type Transfer = {
  /** The token's contract; undefined for the chain's own currency. */
  readonly token: string | undefined
  readonly kind: 'money' | 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Of ERC-721 and ERC-1155. */
  readonly id: bigint | undefined
  /** Its position in the list, to distinguish equal ones. */
  readonly place: string
}

/** Topics of Transfer(address,address,uint256), TransferSingle and TransferBatch. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

const UINT = parseType('uint256')
const UINTS = parseType('uint256[]')

function addressOf(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(-40)}`
}

function ofTransfer(log: Log): Transfer[] {
  const [, from, to, id] = log.topics
  const common = {
    token: log.address,
    from: addressOf(from),
    to: addressOf(to),
    place: log.logIndex,
  }
  if (log.topics.length === 4)
    return [{ ...common, kind: 'ERC-721', amount: 1n, id: BigInt(id ?? '0x0') }]
  if (log.topics.length !== 3) return []
  const [amount] = decodeValues([UINT], hexToBytes(log.data))
  return [{ ...common, kind: 'ERC-20', amount: amount as bigint, id: undefined }]
}

function ofMany(log: Log, ids: readonly AbiValue[], amounts: readonly AbiValue[]): Transfer[] {
  const [, , from, to] = log.topics
  return ids.map((id, index) => ({
    token: log.address,
    kind: 'ERC-1155',
    from: addressOf(from),
    to: addressOf(to),
    amount: (amounts[index] as bigint | undefined) ?? 0n,
    id: id as bigint,
    place: `${log.logIndex}-${index}`,
  }))
}

function transfersOf(log: Log): Transfer[] {
  if (log.topics[0] === TRANSFER) return ofTransfer(log)
  if (log.topics[0] === TRANSFER_SINGLE) {
    const [id, amount] = decodeValues([UINT, UINT], hexToBytes(log.data))
    return ofMany(log, [id ?? 0n], [amount ?? 0n])
  }
  if (log.topics[0] === TRANSFER_BATCH) {
    const [ids, amounts] = decodeValues([UINTS, UINTS], hexToBytes(log.data))
    return ofMany(log, ids as readonly AbiValue[], amounts as readonly AbiValue[])
  }
  return []
}

/** The transfers of tokens among logs. Logs that only look like one are skipped. */
export function findTransfers(logs: readonly Log[]): readonly Transfer[] {
  return logs.flatMap((log) => {
    try {
      return transfersOf(log)
    } catch (error) {
      if (error instanceof AbiError) return []
      throw error
    }
  })
}

/** Kinds of calls that move their value. */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** Internal transfers of a transaction, without the value of the transaction itself and without reverted calls. */
export function transfersOfCalls(root: Call): readonly Transfer[] {
  const out: Transfer[] = []
  const visit = (call: Call, path: string): void => {
    if (call.error !== undefined) return
    if (path !== '' && MOVING.has(call.type) && BigInt(call.value ?? '0x0') > 0n)
      out.push({
        token: undefined,
        kind: 'money',
        from: call.from,
        to: call.to ?? '',
        amount: BigInt(call.value ?? '0x0'),
        id: undefined,
        place: path,
      })
    call.calls?.forEach((inner, index) => visit(inner, `${path}.${index}`))
  }
  visit(root, '')
  return out
}
