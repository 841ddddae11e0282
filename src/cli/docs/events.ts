/** docs/events.md: what can be subscribed to, and the attributes to query. */
import { TRANSACTION_EVENTS } from '../../consensus/evm/events.ts'
import { STAKING_EVENTS } from '../../consensus/evm/stakingEvents.ts'
import { page, table } from './markdown.ts'

/** The page. */
export function eventsPage(): string {
  return page(
    'Events',
    "Subscribe at `/websocket` of the consensus RPC, for example to `tm.event='Tx' AND assay.recipient='0x…'`. The events of a block are sent once the block is on disk.",
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
    '## Staking',
    "Every change of stake is an event of the contract at `0x0000000000000000000000000000000000001001`. The events of a transaction are logs in its receipt (`eth_getLogs`) and events in its result (`tm.event='Tx' AND Delegated.operator='0x…'`).",
    "Validators are punished at the end of a block, without a transaction and so without a receipt: the events `Slashed`, `Jailed` and `Tombstoned` belong to the block. Read them from `finalize_block_events` of `/block_results`, search for them with `/block_search`, or subscribe to them with `tm.event='NewBlockEvents' AND Jailed.operator='0x…'`.",
    'Addresses are given in EIP-55 checksum case and again in lower case, numbers as decimal integers, anything else as `0x` and hex digits.',
    table(
      ['event', 'indexed attributes', 'other attributes'],
      STAKING_EVENTS.map(({ name, inputs }) => [
        `\`${name}\``,
        ...[true, false].map((isIndexed) =>
          inputs
            .filter(({ indexed }) => indexed === isIndexed)
            .map((input) => `\`${input.name}\``)
            .join(', '),
        ),
      ]),
    ),
    '## eth_subscribe',
    table(
      ['name', 'argument', 'notification'],
      [
        [
          'newHeads',
          '{includeTransactions?: boolean}',
          'block header, with `transactions` if requested',
        ],
        ['logs', '{address?, topics?}', 'log'],
        [
          'newPendingTransactions',
          'boolean?',
          'hash of a transaction that enters the pool; with `true`, the full transaction',
        ],
      ],
    ),
  )
}
