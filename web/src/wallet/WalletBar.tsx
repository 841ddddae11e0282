/** Which account acts: connecting a wallet, and forgetting it. */
import { useState } from 'react'
import { oneLine } from '../format/text.ts'
import { AddressLink } from '../parts/Names.tsx'
import { connect, disconnect, useConnection } from './connection.ts'
import { useWallets } from './providers.ts'

function Choice() {
  const wallets = useWallets()
  const [problem, setProblem] = useState('')
  if (wallets.length === 0)
    return (
      <p className="soft">
        To send transactions, open this page in a browser with a wallet (EIP-6963 or EIP-1193). No
        wallet is needed to read.
      </p>
    )
  return (
    <>
      <span className="soft">Use</span>
      {wallets.map((wallet) => (
        <button
          key={wallet.id}
          type="button"
          className="button"
          onClick={() => {
            setProblem('')
            connect(wallet).catch((error: unknown) =>
              setProblem(error instanceof Error ? error.message : String(error)),
            )
          }}
        >
          Connect <bdi>{oneLine(wallet.name, 60)}</bdi>
        </button>
      ))}
      <output className="problem" aria-live="polite">
        {oneLine(problem, 300)}
      </output>
    </>
  )
}

/** One line above what needs an account. */
export function WalletBar() {
  const connection = useConnection()
  return (
    <section className="wallet" aria-label="Wallet">
      {connection === undefined ? (
        <Choice />
      ) : (
        <>
          <span className="soft">
            Connected as <bdi>{oneLine(connection.wallet.name, 60)}</bdi>
          </span>
          <AddressLink address={connection.account} />
          <button type="button" className="plain" onClick={disconnect}>
            Disconnect
          </button>
        </>
      )}
    </section>
  )
}
