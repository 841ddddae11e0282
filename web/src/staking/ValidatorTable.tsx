/** All validators: who they are, the stake behind them, and whether they signed and proposed. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { rate } from '../format/amount.ts'
import { grouped, percent } from '../format/number.ts'
import { shorten } from '../format/text.ts'
import { useChainTime } from '../live/context.ts'
import { Badge } from '../parts/Badge.tsx'
import { Money } from '../parts/Money.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { Untrusted } from '../parts/Untrusted.tsx'
import type { ValidatorLine } from './lines.ts'
import { standingOf } from './standing.ts'
import type { Parameters } from './types.ts'
import { missedOf, Votes } from './Votes.tsx'

function Who({
  line,
  parameters,
}: {
  readonly line: ValidatorLine
  readonly parameters: Parameters | undefined
}) {
  const { name, validator, signer } = line
  const now = useChainTime()
  const standing =
    validator === undefined || parameters === undefined
      ? undefined
      : standingOf(validator, parameters, now)
  return (
    <>
      {name !== '' && (
        <span className="validator-name">
          <Untrusted text={name} limit={40} />{' '}
        </span>
      )}
      {validator === undefined ? (
        <span className="hash" title={signer?.address}>
          {shorten(signer?.address ?? '', 10, 6)}
        </span>
      ) : (
        <Link
          to={paths.validator(validator.operator)}
          className="hash"
          title={`Operator ${validator.operator}`}
        >
          {shorten(validator.operator, 8, 6)}
        </Link>
      )}{' '}
      {standing !== undefined && standing.word !== 'in the set' && (
        <Badge tone={standing.tone}>{standing.word}</Badge>
      )}
    </>
  )
}

function Power({ power, all }: { readonly power: bigint; readonly all: bigint }) {
  const share = percent(Number(power), Number(all))
  return (
    <>
      <span className="share" aria-hidden="true">
        <span style={{ width: share.replace(' ', '') }} />
      </span>
      <span className="number">
        {grouped(power)} <span className="soft">{share}</span>
      </span>
    </>
  )
}

function Row({
  line,
  parameters,
  power,
}: {
  readonly line: ValidatorLine
  readonly parameters: Parameters | undefined
  readonly power: bigint
}) {
  const { signer, validator } = line
  return (
    <tr>
      <td>
        <Who line={line} parameters={parameters} />
      </td>
      <td>
        {signer === undefined ? (
          <span className="soft">none</span>
        ) : (
          <Power power={signer.power} all={power} />
        )}
      </td>
      {parameters !== undefined && (
        <>
          <td className="amount">
            {validator !== undefined && <Money amount={validator.tokens} isShort />}
          </td>
          <td className="amount">{validator !== undefined && rate(validator.commission)}</td>
        </>
      )}
      <td className="doing">{signer !== undefined && <Votes row={signer} />}</td>
      <td className="amount">
        {signer !== undefined &&
          (missedOf(signer) === 0 ? '0' : <Badge tone="bad">{missedOf(signer)}</Badge>)}
      </td>
      <td className="amount">{signer !== undefined && grouped(signer.proposed)}</td>
    </tr>
  )
}

/** The table. `power`: that of the whole set. */
export function ValidatorTable({
  lines,
  parameters,
  power,
}: {
  readonly lines: readonly ValidatorLine[]
  /** Undefined on chains without staking. */
  readonly parameters: Parameters | undefined
  readonly power: bigint
}) {
  return (
    <Scrolled label="Validators, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Validator</th>
            <th scope="col">Power</th>
            {parameters !== undefined && (
              <>
                <th scope="col" className="amount">
                  Stake
                </th>
                <th scope="col" className="amount">
                  Commission
                </th>
              </>
            )}
            <th scope="col" className="doing">
              Last blocks
            </th>
            <th scope="col" className="amount">
              Missed
            </th>
            <th scope="col" className="amount">
              Proposed
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Row key={line.publicKey} line={line} parameters={parameters} power={power} />
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}
