/** docs/events.md: what can be followed, and the attributes to ask for. */
import { TRANSACTION_EVENTS } from '../../consensus/evm/events.ts'
import { page, table } from './markdown.ts'

/** The page. */
export function eventsPage(): string {
  return page(
    'Events',
    "Subscribe at `/websocket` of the consensus RPC, for example to `tm.event='Tx' AND assay.recipient='0x…'`. A block's events are sent once it is on disk.",
    table(
      ['tm.event', 'content'],
      [
        ['NewBlock', 'block, block_id and result_finalize_block'],
        ['NewBlockHeader', 'header'],
        ['NewBlockEvents', 'height, events, num_txs'],
        ['Tx', 'TxResult of one transaction'],
        ['ValidatorSetUpdates', 'validator_updates'],
      ],
    ),
    '## Attributes of a transaction',
    ...TRANSACTION_EVENTS.flatMap((event) => [
      `**\`${event.type ?? '<chain name>'}\`**: ${event.summary}`,
      table(
        ['attribute', 'indexed', 'meaning'],
        event.attributes.map(({ key, index, summary }) => [
          `\`${key}\``,
          index ? 'yes' : 'no',
          summary,
        ]),
      ),
    ]),
    '## eth_subscribe',
    table(
      ['name', 'argument', 'notification'],
      [
        [
          'newHeads',
          '{includeTransactions?: boolean}',
          'block header, with `transactions` when asked for',
        ],
        ['logs', '{address?, topics?}', 'log'],
        [
          'newPendingTransactions',
          'boolean?',
          'hash of a transaction when it enters the pool, or with `true` the transaction',
        ],
      ],
    ),
  )
}
