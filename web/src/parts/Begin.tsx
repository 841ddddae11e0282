/** What to do first with a chain on which nothing has happened yet. */
import { useState } from 'react'
import { Link } from '../app/Link.tsx'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { useWallets, type Wallet } from '../wallet/providers.ts'
import { addChain } from '../wallet/send.ts'
import { Copy } from './Copy.tsx'

function AddTo({ wallet }: { readonly wallet: Wallet }) {
  const node = useNode()
  const [note, setNote] = useState('')
  return (
    <p>
      <button
        type="button"
        className="button"
        onClick={() => {
          addChain(wallet.provider, node).then(
            () => setNote('Added.'),
            (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
          )
        }}
      >
        Add to <bdi>{oneLine(wallet.name, 40)}</bdi>
      </button>{' '}
      <output aria-live="polite">{oneLine(note, 200)}</output>
    </p>
  )
}

function Value({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <p>
      <span className="soft">{name}</span> <code className="whole">{text}</code>{' '}
      <Copy text={text} />
    </p>
  )
}

/** Three cards. */
export function Begin() {
  const { endpoints, ethereum } = useNode()
  const wallets = useWallets()
  const url = `${endpoints.rpc}/ethereum`
  const chainId = useAnswer(async () => Number(await ethereum('eth_chainId')), [])
  const id = chainId.state === 'here' ? String(chainId.value) : '…'
  return (
    <section className="begin" aria-label="First steps">
      <article className="card">
        <h2>Add it to a wallet</h2>
        {wallets.map((wallet) => (
          <AddTo key={wallet.id} wallet={wallet} />
        ))}
        <Value name="RPC URL" text={url} />
        <Value name="Chain id" text={id} />
      </article>
      <article className="card">
        <h2>Deploy a contract</h2>
        <p>With Foundry, and the key of an account that has funds:</p>
        <Value
          name=""
          text={`forge create src/Counter.sol:Counter --broadcast --interactive --rpc-url ${url}`}
        />
      </article>
      <article className="card">
        <h2>Ask a model</h2>
        {endpoints.dispatcher === null ? (
          <p>This node has no dispatcher configured (explorer.dispatcher).</p>
        ) : (
          <p>
            <Link to="/chat">Open a chat</Link>: each answer is signed, and verified in this page.
          </p>
        )}
      </article>
    </section>
  )
}
