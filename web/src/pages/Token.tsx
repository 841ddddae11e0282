/** The page of a token: what its contract calls it, its transfers, and who holds it. */
import { Link } from '../app/Link.tsx'
import { useQuery, withParameters } from '../app/navigation.ts'
import { paths } from '../app/routes.ts'
import { useTitle } from '../app/title.ts'
import { useToken, type Token as Metadata } from '../chain/token.ts'
import {
  loadHolders,
  loadSupply,
  loadTokenHistory,
  type Holder,
  type TokenHistory,
} from '../chain/tokenLogs.ts'
import { checksummed } from '../format/checksum.ts'
import { grouped, percent, units } from '../format/number.ts'
import { clip, shorten } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { AddressLink, BlockLink, Hash, TransactionLink } from '../parts/Names.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Untrusted } from '../parts/Untrusted.tsx'
import { Unknown } from './Unknown.tsx'

const EVERY_MS = 5000
const PAGE = 25

function Transfers({
  history,
  decimals,
}: {
  readonly history: TokenHistory
  readonly decimals: number
}) {
  const { page } = useQuery()
  const { transfers, isWhole } = history
  const last = Math.max(1, Math.ceil(transfers.length / PAGE))
  const at = Math.min(last, Math.max(1, /^\d{1,6}$/.test(page ?? '') ? Number(page) : 1))
  const pageOf = (number: number): string =>
    withParameters({ page: number === 1 ? undefined : String(number) })
  return (
    <div className="card">
      <p className="soft">
        {isWhole
          ? `${grouped(transfers.length)} in all.`
          : `The latest ${grouped(transfers.length)}: the node bounds a search.`}
      </p>
      {transfers.length > 0 && (
        <Scrolled label="Transfers">
          <table className="rows cards">
            <thead>
              <tr>
                <th scope="col">Transaction</th>
                <th scope="col">Block</th>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col" className="amount">
                  Amount
                </th>
              </tr>
            </thead>
            <tbody>
              {transfers.slice((at - 1) * PAGE, at * PAGE).map((each) => (
                <tr key={each.place}>
                  <td>
                    <TransactionLink hash={each.transaction} />
                  </td>
                  <td data-label="block">
                    <BlockLink height={each.height} />
                  </td>
                  <td data-label="from">
                    <AddressLink address={each.from} />
                  </td>
                  <td data-label="to">
                    <AddressLink address={each.to} />
                  </td>
                  <td className="amount" data-label="amount">
                    {each.kind === 'ERC-20' ? (
                      clip(units(each.amount, decimals), 40)
                    ) : (
                      <>
                        number <Untrusted text={String(each.id)} limit={24} />
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      <nav className="pages" aria-label="Pages of transfers">
        {at > 1 && <Link to={pageOf(at - 1)}>‹ Newer</Link>}
        {at < last && <Link to={pageOf(at + 1)}>Older ›</Link>}
      </nav>
    </div>
  )
}

type HoldersProps = {
  readonly address: string
  readonly history: TokenHistory
  readonly supply: bigint | undefined
  readonly decimals: number
}

function Holders({ address, history, supply, decimals }: HoldersProps) {
  const node = useNode()
  const answer = useAnswer(
    () => loadHolders(node, address, history.transfers),
    [address, history.transfers.length],
  )
  // Of 10,000 parts: a bigint has no fractions.
  const share = ({ amount }: Holder): string =>
    supply === undefined || supply === 0n
      ? ''
      : percent(Number((amount * 10_000n) / supply), 10_000)
  return (
    <div className="card">
      <Answered answer={answer}>
        {(holders) => (
          <>
            <p className="soft">
              The largest by the balances that the contract states
              {history.isWhole ? '.' : ', of those in the latest transfers.'}
            </p>
            {holders.length === 0 && <p className="empty">Nobody holds it.</p>}
            <Scrolled label="Holders">
              <table className="rows cards">
                <thead>
                  <tr>
                    <th scope="col">Holder</th>
                    <th scope="col" className="amount">
                      Amount
                    </th>
                    <th scope="col" className="amount">
                      Share
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {holders.map((holder) => (
                    <tr key={holder.address}>
                      <td>
                        <AddressLink address={holder.address} />
                      </td>
                      <td className="amount">{clip(units(holder.amount, decimals), 40)}</td>
                      <td className="amount">{share(holder)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolled>
          </>
        )}
      </Answered>
    </div>
  )
}

function nameOf({ name, symbol }: Metadata, address: string): string {
  if (name === '' && symbol === '') return shorten(address, 8, 6)
  return symbol === '' || name === '' ? name || symbol : `${name} (${symbol})`
}

function Details({ address }: { readonly address: string }) {
  const node = useNode()
  const token = useToken(address)
  const supply = useAnswer(() => loadSupply(node, address), [address], EVERY_MS)
  const history = useAnswer(() => loadTokenHistory(node, address), [address], EVERY_MS)
  const total = supply.state === 'here' ? supply.value : undefined
  const { decimals } = token
  useTitle(`Token ${nameOf(token, address)}`)
  return (
    <>
      <div className="title">
        <h1>
          <span className="title-kind">Token</span>{' '}
          <Untrusted text={nameOf(token, address)} limit={60} />
        </h1>
      </div>
      <div className="card account-facts">
        <Facts
          facts={[
            fact('Contract', <Hash value={checksummed(address)} />),
            fact(
              'Symbol',
              token.symbol === '' ? undefined : <Untrusted text={token.symbol} limit={40} />,
            ),
            fact('Supply', total === undefined ? undefined : clip(units(total, decimals), 60)),
            fact('Decimals', String(decimals)),
            fact('Code and calls', <Link to={paths.account(address)}>contract page</Link>),
          ]}
        />
      </div>
      <Answered answer={history}>
        {(found) => (
          <Tabs
            label="Sections of the token"
            tabs={[
              {
                name: 'Transfers',
                count: found.transfers.length,
                render: () => <Transfers history={found} decimals={decimals} />,
              },
              {
                name: 'Holders',
                render: () => (
                  <Holders address={address} history={found} supply={total} decimals={decimals} />
                ),
              },
            ]}
          />
        )}
      </Answered>
    </>
  )
}

/** The page of a token's contract. */
export function Token({ address }: { readonly address: string }) {
  return /^0x[0-9a-f]{40}$/.test(address) ? (
    <Details key={address} address={address} />
  ) : (
    <Unknown what={`Token ${address}`} />
  )
}
