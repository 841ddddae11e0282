/** One transaction: its request, its outcome, and its execution. */
import { useState } from 'react'
import { decodeCall, decodeEvent, decodeRevert } from '../abi/book.ts'
import { itemsOf } from '../abi/store.ts'
import { deedOf, failureOf, type Failure } from '../chain/deed.ts'
import { findTransfers, transfersOfCalls } from '../chain/transfers.ts'
import type { Call, Receipt, StateDiff, Transaction as TransactionAnswer } from '../chain/types.ts'
import { gasPrice, grouped, percent } from '../format/number.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { CallTree } from '../parts/CallTree.tsx'
import { Events } from '../parts/Events.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink, BlockLink, Hash } from '../parts/Names.tsx'
import { Sentence } from '../parts/Sentence.tsx'
import { StateChanges } from '../parts/StateChanges.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Ago } from '../parts/Time.tsx'
import { Transfers } from '../parts/Transfers.tsx'
import { Bytes, DecodedView } from '../parts/Values.tsx'
import { TransactionProof } from '../proof/TransactionProof.tsx'
import { Unknown } from './Unknown.tsx'

type Found = {
  readonly transaction: TransactionAnswer
  readonly receipt: Receipt | null
  readonly time: number | undefined
  readonly consensusHash: string | undefined
  readonly failure: Failure | undefined
}

/** The outermost call of a failed transaction; undefined where the node does not trace. */
async function tracedCall({ ethereum }: Node, receipt: Receipt | null): Promise<Call | undefined> {
  if (receipt === null || receipt.status === '0x1') return undefined
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const traced = ethereum('debug_traceTransaction', [receipt.transactionHash, options])
  return (await traced.catch(() => undefined)) as Call | undefined
}

const PENDING_MS = 500

async function load(node: Node, hash: string): Promise<Found | undefined> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) return undefined
  const { ethereum } = node
  const [transaction, receipt] = (await Promise.all([
    ethereum('eth_getTransactionByHash', [hash]),
    ethereum('eth_getTransactionReceipt', [hash]),
  ])) as [TransactionAnswer | null, Receipt | null]
  if (transaction === null) return undefined
  const [block, raw, call] = await Promise.all([
    transaction.blockNumber === null
      ? undefined
      : (ethereum('eth_getBlockByNumber', [transaction.blockNumber, false]) as Promise<{
          timestamp: string
        } | null>),
    ethereum('debug_getRawTransaction', [hash]).catch(() => undefined),
    tracedCall(node, receipt),
  ])
  const { consensusHashOf } = await import('../chain/consensusHash.ts')
  return {
    transaction,
    receipt,
    time: block === undefined || block === null ? undefined : Number(block.timestamp),
    consensusHash: typeof raw === 'string' ? consensusHashOf(raw) : undefined,
    failure: failureOf(transaction, receipt, call),
  }
}

function Status({ receipt, failure }: Pick<Found, 'receipt' | 'failure'>) {
  if (receipt === null) return <Badge tone="warn">pending</Badge>
  return failure === undefined ? (
    <Badge tone="good">success</Badge>
  ) : (
    <Badge tone="bad">{failure.kind}</Badge>
  )
}

function Overview({ transaction, receipt, time, consensusHash, failure }: Found) {
  const { to, input } = transaction
  const created = receipt?.contractAddress
  const price = receipt?.effectiveGasPrice ?? transaction.gasPrice
  const fee =
    receipt === null ? undefined : BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  const decoded = to === null ? undefined : decodeCall(itemsOf, to, input)
  return (
    <div className="stack">
      {failure?.call !== undefined && failure.kind !== 'out of gas' && (
        <Revert call={failure.call} />
      )}
      {failure?.kind === 'out of gas' && (
        <p className="card notice-bad">
          It used all of its {grouped(BigInt(transaction.gas))} gas before it ended. Send it again
          with a higher gas limit.
        </p>
      )}
      <div className="card">
        <Facts
          facts={[
            fact('Result', <Status receipt={receipt} failure={failure} />),
            fact(
              'Block',
              transaction.blockNumber === null ? undefined : (
                <>
                  <BlockLink height={Number(transaction.blockNumber)} />
                  {time !== undefined && (
                    <span className="soft">
                      {' '}
                      · <Ago seconds={time} />
                    </span>
                  )}
                </>
              ),
            ),
            fact('From', <AddressLink address={transaction.from} isWhole />),
            fact('To', to === null ? undefined : <AddressLink address={to} isWhole />),
            fact(
              'New contract',
              typeof created === 'string' ? <AddressLink address={created} isWhole /> : undefined,
            ),
            fact('Value', <Money amount={BigInt(transaction.value)} />),
            fact('Fee', fee === undefined ? undefined : <Money amount={fee} />),
            fact(
              'Gas',
              receipt === null
                ? `at most ${grouped(BigInt(transaction.gas))}`
                : `${grouped(BigInt(receipt.gasUsed))} of ${grouped(BigInt(transaction.gas))} (${percent(Number(receipt.gasUsed), Number(transaction.gas))})`,
            ),
            fact('Gas price', price === undefined ? undefined : gasPrice(BigInt(price))),
            fact('Nonce', grouped(BigInt(transaction.nonce))),
            fact('Type', String(Number(transaction.type))),
            fact('Ethereum hash', <Hash value={transaction.hash} />),
            fact(
              'Consensus hash',
              consensusHash === undefined ? undefined : <Hash value={consensusHash} />,
            ),
          ]}
        />
      </div>
      {input !== '0x' && (
        <section className="card" aria-label="Input">
          <h2>{to === null ? 'Code of the new contract' : 'Call'}</h2>
          {decoded === undefined ? (
            <Bytes hex={input} label="Input data" />
          ) : (
            <DecodedView decoded={decoded} />
          )}
        </section>
      )}
    </div>
  )
}

function Calls({ hash }: { readonly hash: string }) {
  const { ethereum } = useNode()
  const answer = useAnswer(
    () => ethereum('debug_traceTransaction', [hash, { tracer: 'callTracer' }]) as Promise<Call>,
    [hash],
  )
  return (
    <Answered answer={answer}>
      {(root) => (
        <div className="stack">
          {root.error !== undefined && <Revert call={root} />}
          <div className="card">
            <CallTree root={root} />
          </div>
          <Transfers
            title="Internal transfers"
            transfers={transfersOfCalls(root)}
            empty="No internal call transferred value."
          />
        </div>
      )}
    </Answered>
  )
}

function Revert({ call }: { readonly call: Call }) {
  const decoded =
    call.output === undefined ? undefined : decodeRevert(itemsOf, call.to ?? '', call.output)
  return (
    <section className="card notice-bad" aria-label="Revert reason">
      <h2>Revert reason</h2>
      {decoded === undefined ? (
        <Bytes hex={call.output ?? call.error ?? ''} label="Return data of the call" />
      ) : (
        <DecodedView decoded={decoded} />
      )}
    </section>
  )
}

function State({ hash }: { readonly hash: string }) {
  const { ethereum } = useNode()
  const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const answer = useAnswer(
    () => ethereum('debug_traceTransaction', [hash, options]) as Promise<StateDiff>,
    [hash],
  )
  return <Answered answer={answer}>{(diff) => <StateChanges diff={diff} />}</Answered>
}

function Details(found: Found) {
  const { transaction, receipt, failure } = found
  const { to, input } = transaction
  const decoded = to === null ? undefined : decodeCall(itemsOf, to, input)
  const logs = receipt?.logs ?? []
  const events = logs.map((log) => ({ log, decoded: decodeEvent(itemsOf, log) }))
  const tabs = [
    { name: 'Overview', render: () => <Overview {...found} /> },
    ...(receipt === null
      ? []
      : [
          {
            name: 'Events',
            count: logs.length,
            render: () => (
              <div className="stack">
                <Transfers title="Token transfers" transfers={findTransfers(logs)} />
                <Events events={events} />
              </div>
            ),
          },
          { name: 'Calls', render: () => <Calls hash={transaction.hash} /> },
          { name: 'State', render: () => <State hash={transaction.hash} /> },
          { name: 'Proof', render: () => <TransactionProof hash={transaction.hash} /> },
        ]),
  ]
  return (
    <>
      <div className="title">
        <h1>
          <span className="title-kind">Transaction</span>{' '}
          <span className="hash">{transaction.hash.slice(0, 18)}…</span>
        </h1>
        <Status receipt={receipt} failure={failure} />
      </div>
      <Sentence
        from={transaction.from}
        deed={deedOf(transaction, receipt, decoded)}
        isPending={receipt === null}
        failure={failure}
      />
      <Tabs label="Sections of the transaction" tabs={tabs} />
    </>
  )
}

/** The page of a transaction; a pending one is polled until it is in a block. */
export function Transaction({ hash }: { readonly hash: string }) {
  const node = useNode()
  const [isPending, setPending] = useState(true)
  const answer = useAnswer(
    async () => {
      const found = await load(node, hash)
      setPending(found !== undefined && found.receipt === null)
      return found
    },
    [hash],
    isPending ? PENDING_MS : undefined,
  )
  return (
    <Answered answer={answer}>
      {(found) =>
        found === undefined ? <Unknown what={`Transaction ${hash}`} /> : <Details {...found} />
      }
    </Answered>
  )
}
