/**
 * The consensus events of an included EVM transaction (D3). They are derived from transaction and receipt whenever they are
 * needed, and never stored.
 */
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { toHex } from '../../base/hex.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { ApplicationEvent } from '../application.ts'

/** Inputs for the attributes of a transaction's events. */
export type EventFacts = {
  readonly transaction: Transaction
  readonly receipt: Pick<Receipt, 'status' | 'gasUsed' | 'contractAddress'>
  /** Index among the block's Ethereum transactions. */
  readonly transactionIndex: number
  /** Why it failed, as in the consensus result; empty when it succeeded. */
  readonly log: string
}

type AttributeRow = {
  readonly key: string
  readonly index: boolean
  readonly summary: string
  /** One attribute per value; an empty list omits the key. */
  readonly values: (facts: EventFacts) => readonly string[]
}

/** One kind of event; an undefined `type` means the name of the chain. */
export type EventRow = {
  readonly type: string | undefined
  readonly summary: string
  readonly attributes: readonly AttributeRow[]
}

// Queries compare bytes: an address can be found in its checksummed spelling and in lower case.
const spellings = (address: Uint8Array) => [toChecksumAddress(address), toHex(address)]

const recipientOf = ({ transaction, receipt }: EventFacts): readonly string[] => {
  const recipient = transaction.to ?? receipt.contractAddress
  return recipient === undefined ? [] : spellings(recipient)
}

/** Keys of the indexed attributes, which searches find. */
export const SENDER_KEY = 'sender'
export const RECIPIENT_KEY = 'recipient'
export const HASH_KEY = 'ethereumTxHash'

const SENDER: AttributeRow = {
  key: SENDER_KEY,
  index: true,
  summary: 'Address of the signer, in EIP-55 checksum case and again in lower case.',
  values: ({ transaction }) => spellings(transaction.sender),
}
const RECIPIENT: AttributeRow = {
  key: RECIPIENT_KEY,
  index: true,
  summary: 'Address that was called, or of the new contract; in both cases.',
  values: recipientOf,
}
const AMOUNT: AttributeRow = {
  key: 'amount',
  index: false,
  summary: 'Value transferred, as a decimal integer in the smallest unit.',
  values: ({ transaction }) => [transaction.value.toString()],
}
const HASH: AttributeRow = {
  key: HASH_KEY,
  index: true,
  summary: 'Keccak-256 hash of the transaction, as Ethereum clients use it.',
  values: ({ transaction }) => [toHex(transaction.hash)],
}

/** Every event of an included transaction, in the order of emission. */
export const TRANSACTION_EVENTS: readonly EventRow[] = [
  {
    type: undefined,
    summary:
      'A transaction was included in a block. The event type is the name of the chain, `assay` by default.',
    attributes: [SENDER, RECIPIENT, AMOUNT, HASH],
  },
  {
    type: 'ethereum_tx',
    summary: 'The result of its execution.',
    attributes: [
      HASH,
      {
        key: 'txIndex',
        index: false,
        summary: 'Index among the Ethereum transactions of the block.',
        values: ({ transactionIndex }) => [String(transactionIndex)],
      },
      RECIPIENT,
      AMOUNT,
      {
        key: 'txGasUsed',
        index: false,
        summary: 'Gas charged for.',
        values: ({ receipt }) => [receipt.gasUsed.toString()],
      },
      {
        key: 'ethereumTxFailed',
        index: false,
        summary: 'Why it failed; absent on success.',
        values: ({ receipt, log }) => (receipt.status === 1 ? [] : [log]),
      },
    ],
  },
  {
    type: 'message',
    summary: 'The module that handled it, for Cosmos clients.',
    attributes: [
      { key: 'module', index: false, summary: 'Always `evm`.', values: () => ['evm'] },
      SENDER,
      {
        key: 'action',
        index: false,
        summary: 'Always `ethereum_tx`.',
        values: () => ['ethereum_tx'],
      },
    ],
  },
]

/** The events of one included transaction. */
export function transactionEvents(
  chainName: string,
  facts: EventFacts,
): readonly ApplicationEvent[] {
  return TRANSACTION_EVENTS.map(({ type, attributes }) => ({
    type: type ?? chainName,
    attributes: attributes.flatMap(({ key, index, values }) =>
      values(facts).map((value) => ({ key, value, index })),
    ),
  }))
}
