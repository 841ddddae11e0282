/** One validator: its status, the stake behind it, and what an account can do with it. */
import { loadValidators, type ValidatorRow } from '../chain/validators.ts'
import { rate } from '../format/amount.ts'
import { grouped, percent } from '../format/number.ts'
import { shorten } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { useChainTime } from '../live/context.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink, Hash } from '../parts/Names.tsx'
import { Untrusted } from '../parts/Untrusted.tsx'
import { consensusAddressOf } from '../staking/consensusAddress.ts'
import { History } from '../staking/History.tsx'
import { linesOf, type ValidatorLine } from '../staking/lines.ts'
import { OperatorForms } from '../staking/OperatorForms.tsx'
import { StakeForms } from '../staking/StakeForms.tsx'
import { slashedSoFar, standingOf } from '../staking/standing.ts'
import type { Staking, Validator as ValidatorState } from '../staking/types.ts'
import { useStaking } from '../staking/useStaking.ts'
import { missedOf, Votes } from '../staking/Votes.tsx'
import { useConnection } from '../wallet/connection.ts'
import { WalletBar } from '../wallet/WalletBar.tsx'
import { Unknown } from './Unknown.tsx'

const EVERY_MS = 2000

function Signing({ row }: { readonly row: ValidatorRow }) {
  return (
    <>
      <Votes row={row} />{' '}
      <span className="soft">
        {missedOf(row) === 0 ? 'none missed' : `${grouped(missedOf(row))} missed`},{' '}
        {grouped(row.proposed)} proposed
      </span>
    </>
  )
}

function About({
  validator,
  signer,
  staking,
}: {
  readonly validator: ValidatorState
  readonly signer: ValidatorRow | undefined
  readonly staking: Staking
}) {
  const standing = standingOf(validator, staking.parameters, useChainTime())
  const slashed = slashedSoFar(validator)
  return (
    <div className="card">
      <Facts
        facts={[
          fact('Status', <span>{standing.about}</span>),
          fact(
            'Stake',
            <>
              <span className="big-number">
                <Money amount={validator.tokens} />
              </span>{' '}
              <span className="soft">
                {percent(Number(validator.tokens), Number(staking.bonded))} of all
              </span>
            </>,
          ),
          fact('Power', grouped(validator.power)),
          fact('Last blocks', signer === undefined ? undefined : <Signing row={signer} />),
          fact(
            'Commission',
            `${rate(validator.commission)}; at most ${rate(validator.maxCommission)}, changing by at most ${rate(validator.maxCommissionChange)} a day`,
          ),
          fact(
            'Slashed so far',
            slashed === undefined ? 'nothing' : `${slashed} of delegated stake`,
          ),
          fact('Operator', <AddressLink address={validator.operator} isWhole />),
          fact('Consensus address', <Hash value={consensusAddressOf(validator.publicKey)} />),
          fact('Public key', <Hash value={validator.publicKey} />),
        ]}
      />
    </div>
  )
}

function Details({
  validator,
  lines,
  staking,
}: {
  readonly validator: ValidatorState
  readonly lines: readonly ValidatorLine[]
  readonly staking: Staking
}) {
  const connection = useConnection()
  const line = lines.find((each) => each.publicKey === validator.publicKey)
  const standing = standingOf(validator, staking.parameters, useChainTime())
  const { parameters } = staking
  return (
    <div className="stack">
      <div className="title">
        <h1>
          <span className="title-kind">Validator</span>{' '}
          {line === undefined || line.name === '' ? (
            <span className="hash">{shorten(validator.operator, 8, 6)}</span>
          ) : (
            <Untrusted text={line.name} limit={40} />
          )}
        </h1>
        <Badge tone={standing.tone}>{standing.word}</Badge>
      </div>
      <About validator={validator} signer={line?.signer} staking={staking} />
      <section className="card" aria-labelledby="stake">
        <h2 id="stake">Your stake here</h2>
        <WalletBar />
        {connection !== undefined && (
          <StakeForms
            key={connection.account}
            connection={connection}
            validator={validator}
            lines={lines}
            parameters={parameters}
          />
        )}
      </section>
      {connection?.account === validator.operator && (
        <OperatorForms connection={connection} validator={validator} parameters={parameters} />
      )}
      <History operator={validator.operator} />
    </div>
  )
}

/** The page of an operator's validator. */
export function Validator({ operator }: { readonly operator: string }) {
  const node = useNode()
  const set = useAnswer(() => loadValidators(node), [], EVERY_MS)
  const known = useStaking()
  return (
    <Answered answer={known}>
      {({ staking, genesis }) => {
        const validator = staking?.validators.find(
          (each) => each.operator === operator.toLowerCase(),
        )
        if (staking === undefined || validator === undefined)
          return <Unknown what={`Validator ${operator}`} />
        const signers = set.state === 'here' ? set.value.rows : []
        return (
          <Details
            validator={validator}
            lines={linesOf(signers, staking.validators, genesis)}
            staking={staking}
          />
        )
      }}
    </Answered>
  )
}
