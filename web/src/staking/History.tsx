/** What happened at a validator by transactions, in words. */
import type { ReactNode } from 'react'
import { rate } from '../format/amount.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../parts/Names.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { loadEvents, parameterOf, topicOf, type StakingEvent } from './logs.ts'

const EVERY_MS = 3000
const SHOWN = 50

type Of = (name: string) => string

const money = (of: Of, name = 'amount'): ReactNode => <Money amount={BigInt(of(name))} />
const who = (of: Of, name = 'delegator'): ReactNode => <AddressLink address={of(name)} />

const SENTENCES: Readonly<Record<string, (of: Of, operator: string) => ReactNode>> = {
  ValidatorCreated: (of) => <>Created, with a commission of {rate(Number(of('commission')))}</>,
  ConsensusKeyChanged: () => <>Another consensus key</>,
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
      {who(of)} takes out {money(of)}
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
      {who(of)} fetched rewards of {money(of)}
    </>
  ),
  RedelegationSlashed: (of) => (
    <>
      {money(of)} of {who(of)} slashed, for the validator that it came from
    </>
  ),
  Unjailed: () => <>Back from jail</>,
  UpgradeApproved: (of) => <>Approved of an upgrade at height {grouped(BigInt(of('height')))}</>,
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

/** The latest events of a validator. */
export function History({ operator }: { readonly operator: string }) {
  const node = useNode()
  const topic = topicOf(operator)
  const answer = useAnswer(
    () =>
      loadEvents(node, [
        [null, topic],
        [null, null, topic],
        [null, null, null, topic],
      ]),
    [operator],
    EVERY_MS,
  )
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <Answered answer={answer}>
        {(events) =>
          events.length === 0 ? (
            <p className="empty">Nothing yet: its stake is that of genesis.</p>
          ) : (
            <Scrolled label="Events of the validator, as a table">
              <table className="rows">
                <thead>
                  <tr>
                    <th scope="col">Block</th>
                    <th scope="col">What</th>
                    <th scope="col">Transaction</th>
                  </tr>
                </thead>
                <tbody>
                  {events.slice(0, SHOWN).map((event) => (
                    <tr key={`${event.log.blockNumber}-${event.log.logIndex}`}>
                      <td>
                        <BlockLink height={Number(event.log.blockNumber)} />
                      </td>
                      <td>
                        <Words event={event} operator={operator} />
                      </td>
                      <td>
                        <TransactionLink hash={event.log.transactionHash} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolled>
          )
        }
      </Answered>
      <p className="soft footnote">
        Punishment comes with no transaction, so it is not in this list: the standing above tells of
        it.
      </p>
    </section>
  )
}
