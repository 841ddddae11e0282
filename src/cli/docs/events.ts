/** docs/events.md: what can be followed, and the attributes to ask for. */
import { TRANSACTION_EVENTS } from '../../consensus/evm/events.ts'
import { STAKING_EVENTS } from '../../consensus/evm/stakingEvents.ts'
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
    '## Staking',
    "Everything that happens to stake is an event of the contract at `0x0000000000000000000000000000000000001001`. A transaction's events are logs of its receipt (`eth_getLogs`), and events of its result (`tm.event='Tx' AND Delegated.operator='0x…'`).",
    "Punishment comes at the end of a block, with no transaction and so with no receipt: its events, `Slashed`, `Jailed` and `Tombstoned`, are those of the block. Read them in `finalize_block_events` of `/block_results`, search for them with `/block_search`, and subscribe to them: `tm.event='NewBlockEvents' AND Jailed.operator='0x…'`.",
    'Addresses come in EIP-55 spelling and again in lower case, numbers as decimal integers, anything else as `0x` and hex digits.',
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
