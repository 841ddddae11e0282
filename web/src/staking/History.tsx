/** What happened at a validator, by transactions and at the end of blocks, in words. */
import type { ReactNode } from 'react'
import { rate } from '../format/amount.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../parts/Names.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { loadPunishments, type Punishment } from './punishments.ts'
import { loadEvents, parameterOf, topicOf, type StakingEvent } from './logs.ts'

const EVERY_MS = 3000
const SHOWN = 50

type Of = (name: string) => string

const money = (of: Of, name = 'amount'): ReactNode => <Money amount={BigInt(of(name))} />
const who = (of: Of, name = 'delegator'): ReactNode => <AddressLink address={of(name)} />

const SENTENCES: Readonly<Record<string, (of: Of, operator: string) => ReactNode>> = {
  ValidatorCreated: (of) => <>Created, with a commission of {rate(Number(of('commission')))}</>,
  ConsensusKeyChanged: () => <>Consensus key changed</>,
  ConsensusKeyProven: () => <>Consensus key proven</>,
  CommissionChanged: (of) => (
    <>
      Commission from {rate(Number(of('from')))} to {rate(Number(of('to')))}
    </>
  ),
  CommissionWithdrawn: (of) => <>Commission paid: {money(of)}</>,
  Delegated: (of) => (
    <>
      {who(of)} delegated {money(of)}
    </>
  ),
  Undelegated: (of) => (
    <>
      {who(of)} undelegated {money(of)}
    </>
  ),
  Redelegated: (of, operator) =>
    of('from') === operator ? (
      <>
        {who(of)} moved {money(of)} to <AddressLink address={of('to')} />
      </>
    ) : (
      <>
        {who(of)} moved {money(of)} here from <AddressLink address={of('from')} />
      </>
    ),
  UnbondedWithdrawn: (of) => (
    <>
      {who(of)} was paid {money(of)}
      {of('slashed') !== '0' && <>, {money(of, 'slashed')} were slashed</>}
    </>
  ),
  RewardsWithdrawn: (of) => (
    <>
      {who(of)} withdrew rewards of {money(of)}
    </>
  ),
  RedelegationSlashed: (of) => (
    <>
      {money(of)} of {who(of)} slashed, for a fault of the validator it was moved from
    </>
  ),
  Unjailed: () => <>Unjailed</>,
  UpgradeApproved: (of) => <>Approved an upgrade at height {grouped(BigInt(of('height')))}</>,
}

function Words({ event, operator }: { readonly event: StakingEvent; readonly operator: string }) {
  const { name } = event.decoded.item
  const sentence = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined
  return sentence === undefined ? (
    <>{oneLine(name, 60)}</>
  ) : (
    <>{sentence((parameter) => parameterOf(event, parameter), operator)}</>
  )
}

function Punished({ punishment: { kind, values } }: { readonly punishment: Punishment }) {
  if (kind === 'Jailed') return <>Jailed</>
  if (kind === 'Slashed')
    return (
      <>
        Slashed by <Money amount={BigInt(values['amount'] ?? '0')} isShort />
      </>
    )
  return (
    <>Tombstoned for signing two blocks of height {oneLine(values['infractionHeight'] ?? '', 20)}</>
  )
}

type Entry = {
  readonly key: string
  readonly height: number
  readonly words: ReactNode
  /** None: it came at the end of the block. */
  readonly transaction?: string
}

/** Both kinds of events, the latest first: what comes at the end of a block is later than its transactions. */
async function loadHistory(node: Node, operator: string): Promise<readonly Entry[]> {
  const topic = topicOf(operator)
  const [events, punishments] = await Promise.all([
    loadEvents(node, [
      [null, topic],
      [null, null, topic],
      [null, null, null, topic],
    ]),
    loadPunishments(node, operator),
  ])
  const punished = punishments.map((punishment): Entry => ({
    key: `${punishment.height}-${punishment.kind}`,
    height: punishment.height,
    words: (
      <Badge tone="bad">
        <Punished punishment={punishment} />
      </Badge>
    ),
  }))
  const done = events.map((event): Entry => ({
    key: `${event.log.blockNumber}-${event.log.logIndex}`,
    height: Number(event.log.blockNumber),
    words: <Words event={event} operator={operator} />,
    transaction: event.log.transactionHash,
  }))
  return [...punished, ...done].sort((a, b) => b.height - a.height)
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Scrolled label="Events of the validator, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">Event</th>
            <th scope="col">Transaction</th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, SHOWN).map(({ key, height, words, transaction }) => (
            <tr key={key}>
              <td>
                <BlockLink height={height} />
              </td>
              <td>{words}</td>
              <td>
                {transaction === undefined ? (
                  <span className="soft">end of the block</span>
                ) : (
                  <TransactionLink hash={transaction} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** The latest events of a validator, punishments among them. */
export function History({ operator }: { readonly operator: string }) {
  const node = useNode()
  const answer = useAnswer(() => loadHistory(node, operator), [operator], EVERY_MS)
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Answered answer={answer}>
        {(entries) =>
          entries.length === 0 ? (
            <p className="empty">No events yet: its stake is from genesis.</p>
          ) : (
            <Entries entries={entries} />
          )
        }
      </Answered>
    </section>
  )
}
