/** One block: what it holds, and who decided it. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import type { Block as BlockAnswer, Commit, Receipt } from '../chain/types.ts'
import { toQuantity } from '../format/hex.ts'
import { bytes, gasPrice, grouped, percent, utc } from '../format/number.ts'
import { useLive } from '../live/context.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { AddressLink, Hash } from '../parts/Names.tsx'
import { Signers } from '../parts/Signers.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Ago } from '../parts/Time.tsx'
import { TransactionTable } from '../parts/TransactionTable.tsx'
import { HeaderProof } from '../proof/HeaderProof.tsx'
import { Unknown } from './Unknown.tsx'

type Found = {
  readonly block: BlockAnswer
  readonly receipts: readonly Receipt[]
  readonly commit: Commit | undefined
}

async function load({ ethereum, consensus }: Node, id: string): Promise<Found | undefined> {
  const isHash = /^0x[0-9a-fA-F]{64}$/.test(id)
  if (!isHash && !/^\d{1,15}$/.test(id)) return undefined
  const block = (await (isHash
    ? ethereum('eth_getBlockByHash', [id, true])
    : ethereum('eth_getBlockByNumber', [toQuantity(Number(id)), true]))) as BlockAnswer | null
  if (block === null) return undefined
  const [receipts, commit] = await Promise.all([
    ethereum('eth_getBlockReceipts', [block.number]),
    // The genesis has no commit, and pruned ones are gone.
    consensus('commit', { height: String(Number(block.number)) }).catch(() => undefined),
  ])
  return { block, receipts: (receipts ?? []) as Receipt[], commit: commit as Commit | undefined }
}

function Overview({ block, commit }: Found) {
  const header = commit?.signed_header.header
  return (
    <div className="card">
      <Facts
        facts={[
          fact(
            'Time',
            <>
              {utc(Number(block.timestamp))}{' '}
              <span className="soft">
                (<Ago seconds={Number(block.timestamp)} />)
              </span>
            </>,
          ),
          fact('Hash', <Hash value={block.hash} />),
          fact('Fee recipient', <AddressLink address={block.miner} isWhole />),
          fact(
            'Gas used',
            `${grouped(BigInt(block.gasUsed))} of ${grouped(BigInt(block.gasLimit))} (${percent(Number(block.gasUsed), Number(block.gasLimit))})`,
          ),
          fact('Base fee', gasPrice(BigInt(block.baseFeePerGas))),
          fact('Size', bytes(Number(block.size))),
          fact('State root', <Hash value={block.stateRoot} />),
          fact('Transactions root', <Hash value={block.transactionsRoot} />),
          fact('Receipts root', <Hash value={block.receiptsRoot} />),
          fact(
            'Parent',
            Number(block.number) === 0 ? undefined : (
              <Link to={paths.block(Number(block.number) - 1)} className="hash whole">
                {block.parentHash}
              </Link>
            ),
          ),
          fact('App hash', header && <Hash value={header.app_hash} />),
          fact('Data hash', header && <Hash value={header.data_hash} />),
        ]}
      />
    </div>
  )
}

function Neighbours({ height }: { readonly height: number }) {
  const latest = useLive().heads[0]?.height ?? height
  return (
    <nav className="neighbours" aria-label="Neighbouring blocks">
      {height > 0 && (
        <Link to={paths.block(height - 1)} label={`Block ${height - 1}`}>
          ← {grouped(height - 1)}
        </Link>
      )}
      {height < latest && (
        <Link to={paths.block(height + 1)} label={`Block ${height + 1}`}>
          {grouped(height + 1)} →
        </Link>
      )}
    </nav>
  )
}

function Details(found: Found) {
  const { block, receipts, commit } = found
  const height = Number(block.number)
  return (
    <>
      <div className="title">
        <h1>
          <span className="title-kind">Block</span> {grouped(height)}
        </h1>
        <Neighbours height={height} />
      </div>
      <Tabs
        label="Sections of the block"
        tabs={[
          { name: 'Overview', render: () => <Overview {...found} /> },
          {
            name: 'Transactions',
            count: block.transactions.length,
            render: () => (
              <div className="card">
                <TransactionTable transactions={block.transactions} receipts={receipts} />
              </div>
            ),
          },
          {
            name: 'Consensus',
            render: () =>
              commit === undefined ? (
                <p className="card empty">The consensus RPC has no commit for this block.</p>
              ) : (
                <Signers commit={commit} />
              ),
          },
          { name: 'Proof', render: () => <HeaderProof height={height} /> },
        ]}
      />
    </>
  )
}

/** The page of a block, by height or hash. */
export function Block({ id }: { readonly id: string }) {
  const node = useNode()
  const answer = useAnswer(() => load(node, id), [id])
  return (
    <Answered answer={answer}>
      {(found) => (found === undefined ? <Unknown what={`Block ${id}`} /> : <Details {...found} />)}
    </Answered>
  )
}
