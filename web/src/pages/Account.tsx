/** One account or contract. */
import { useAbi } from '../abi/store.ts'
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { useTitle } from '../app/title.ts'
import { loadBalances, loadTransfers } from '../chain/history.ts'
import { useToken } from '../chain/token.ts'
import { checksummed } from '../format/checksum.ts'
import { grouped } from '../format/number.ts'
import { shorten } from '../format/text.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Activity } from '../parts/Activity.tsx'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Internal } from '../parts/Internal.tsx'
import { Money } from '../parts/Money.tsx'
import { Hash } from '../parts/Names.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { TokenAmount, Transfers } from '../parts/Transfers.tsx'
import { Untrusted } from '../parts/Untrusted.tsx'
import { ContractPanel } from '../contract/ContractPanel.tsx'
import { loadStake } from '../staking/stake.ts'
import { StakeOf } from '../staking/StakeOf.tsx'
import { AccountProof } from '../proof/AccountProof.tsx'
import { Unknown } from './Unknown.tsx'

const EVERY_MS = 3000
const MAX_TOKENS = 50

type Found = { readonly balance: bigint; readonly nonce: bigint; readonly code: string }

async function load({ ethereum }: Node, address: string): Promise<Found> {
  const [balance, nonce, code] = (await Promise.all(
    ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) =>
      ethereum(method, [address, 'latest']),
    ),
  )) as [string, string, string]
  return { balance: BigInt(balance), nonce: BigInt(nonce), code }
}

/** Code of an account that acts by another one's code (EIP-7702). */
function delegateOf(code: string): string | undefined {
  return code.startsWith('0xef0100') && code.length === 48 ? `0x${code.slice(8)}` : undefined
}

function Tokens({ address }: { readonly address: string }) {
  const node = useNode()
  const answer = useAnswer(async () => {
    const transfers = await loadTransfers(node, address)
    const fungible = transfers.filter(({ kind }) => kind === 'ERC-20').map(({ token }) => token)
    const tokens = [...new Set(fungible)].filter((token) => token !== undefined)
    const balances = await loadBalances(node, address, tokens.slice(0, MAX_TOKENS))
    return { transfers, balances }
  }, [address])
  return (
    <Answered answer={answer}>
      {({ transfers, balances }) => (
        <div className="stack">
          <section className="card" aria-label="Balances">
            <h2>Balances</h2>
            {balances.length === 0 && <p className="empty">No ERC-20 tokens.</p>}
            <ul className="balances">
              {balances.map(({ token, amount }) => (
                <li key={token}>
                  <TokenAmount token={token} amount={amount} />
                </li>
              ))}
            </ul>
          </section>
          <Transfers title="Transfers" transfers={transfers} empty="No token transfers." />
        </div>
      )}
    </Answered>
  )
}

/** A link to the token's page, where the contract names itself one. */
function AsToken({ address }: { readonly address: string }) {
  const { name, symbol } = useToken(address)
  if (symbol === '' && name === '') return null
  return (
    <Link to={paths.token(address)} className="as-token">
      Token <Untrusted text={symbol === '' ? name : symbol} limit={30} />
    </Link>
  )
}

function AtStake({ address }: { readonly address: string }) {
  const node = useNode()
  const answer = useAnswer(() => loadStake(node, address.toLowerCase()), [address], EVERY_MS)
  return <Answered answer={answer}>{(stake) => <StakeOf stake={stake} />}</Answered>
}

function Details({ address, found }: { readonly address: string; readonly found: Found }) {
  const { balance, nonce, code } = found
  const delegate = delegateOf(code)
  const isContract = code !== '0x' && delegate === undefined
  const abi = useAbi(address)
  const kind = isContract ? 'Contract' : 'Account'
  useTitle(`${kind} ${abi?.name || shorten(address, 8, 6)}`)
  return (
    <>
      <div className="title">
        <h1>
          <span className="title-kind">{kind}</span>{' '}
          {abi === undefined || abi.name === '' ? (
            <span className="hash">{shorten(address, 8, 6)}</span>
          ) : (
            <Untrusted text={abi.name} limit={40} />
          )}
        </h1>
        {isContract && <AsToken address={address} />}
        {abi?.origin === 'verified' && <Badge tone="good">source verified in this browser</Badge>}
        {abi?.origin === 'genesis' && <Badge tone="plain">in genesis</Badge>}
      </div>
      <div className="card account-facts">
        <Facts
          facts={[
            fact('Address', <Hash value={checksummed(address)} />),
            fact(
              'Balance',
              <span className="big-number">
                <Money amount={balance} />
              </span>,
            ),
            fact(isContract ? 'Contracts created' : 'Transactions sent', grouped(nonce)),
            fact(
              'Code delegated to',
              delegate === undefined ? undefined : <Hash value={delegate} />,
            ),
            fact('Code', isContract ? `${grouped(code.length / 2 - 1)} bytes` : undefined),
          ]}
        />
      </div>
      <Tabs
        label="Sections of the account"
        tabs={[
          ...(isContract
            ? [{ name: 'Contract', render: () => <ContractPanel address={address} code={code} /> }]
            : []),
          { name: 'Transactions', render: () => <Activity address={address} /> },
          { name: 'Tokens', render: () => <Tokens address={address} /> },
          { name: 'Internal', render: () => <Internal address={address} /> },
          { name: 'Stake', render: () => <AtStake address={address} /> },
          { name: 'Proof', render: () => <AccountProof address={address} /> },
        ]}
      />
    </>
  )
}

/** The page of an address. */
export function Account({ address }: { readonly address: string }) {
  const node = useNode()
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address)
  const answer = useAnswer(
    async () => (isAddress ? await load(node, address) : undefined),
    [address],
    EVERY_MS,
  )
  return (
    <Answered answer={answer}>
      {(found) =>
        found === undefined ? (
          <Unknown what={`Account ${address}`} />
        ) : (
          <Details address={address} found={found} />
        )
      }
    </Answered>
  )
}
