/** Who gave what to whom. */
import type { Transfer } from '../chain/transfers.ts'
import { useToken } from '../chain/token.ts'
import { clip } from '../format/text.ts'
import { grouped, units } from '../format/number.ts'
import { Money } from './Money.tsx'
import { AddressLink } from './Names.tsx'
import { Untrusted } from './Untrusted.tsx'
import { Scrolled } from './Scrolled.tsx'

const SHOWN = 100

/** An amount of a token, with what its contract calls itself. */
export function TokenAmount({
  token,
  amount,
}: {
  readonly token: string
  readonly amount: bigint
}) {
  const { symbol, decimals } = useToken(token)
  return (
    <>
      <span className="number">{clip(units(amount, decimals), 40)}</span>{' '}
      {symbol === '' ? (
        <AddressLink address={token} />
      ) : (
        <AddressLink address={token} name={symbol} />
      )}
    </>
  )
}

function What({ transfer }: { readonly transfer: Transfer }) {
  if (transfer.token === undefined) return <Money amount={transfer.amount} />
  if (transfer.kind === 'ERC-20')
    return <TokenAmount token={transfer.token} amount={transfer.amount} />
  return (
    <>
      {transfer.amount === 1n ? '' : `${grouped(transfer.amount)} × `}
      number <Untrusted text={String(transfer.id)} limit={24} /> of{' '}
      <AddressLink address={transfer.token} />
    </>
  )
}

type Props = {
  readonly title: string
  readonly transfers: readonly Transfer[]
  /** What to say when there are none; nothing is drawn without it. */
  readonly empty?: string
}

/** The transfers of a transaction or an account. */
export function Transfers({ title, transfers, empty }: Props) {
  if (transfers.length === 0 && empty === undefined) return null
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {transfers.length === 0 && <p className="empty">{empty}</p>}
      {transfers.length > 0 && (
        <Scrolled label="Transfers, as a table">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col">Amount</th>
                <th scope="col">Kind</th>
              </tr>
            </thead>
            <tbody>
              {transfers.slice(0, SHOWN).map((transfer) => (
                <tr key={transfer.place}>
                  <td>
                    <AddressLink address={transfer.from} />
                  </td>
                  <td>
                    <AddressLink address={transfer.to} />
                  </td>
                  <td>
                    <What transfer={transfer} />
                  </td>
                  <td className="soft">{transfer.kind}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      {transfers.length > SHOWN && (
        <p className="soft">
          The first {SHOWN} of {grouped(transfers.length)}.
        </p>
      )}
    </section>
  )
}
