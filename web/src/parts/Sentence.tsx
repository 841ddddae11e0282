/** What a transaction does, as a sentence. */
import type { ReactNode } from 'react'
import type { Deed, Failure } from '../chain/deed.ts'
import { Money } from './Money.tsx'
import { AddressLink } from './Names.tsx'
import { TokenAmount } from './Transfers.tsx'
import { Untrusted } from './Untrusted.tsx'

/** How the verb and the end of a sentence go. */
type Tense = 'past' | 'tried' | 'pending'

const VERBS = {
  send: { past: 'sent', tried: 'tried to send', pending: 'is sending' },
  create: { past: 'created', tried: 'tried to create', pending: 'is creating' },
  call: { past: 'called', tried: 'tried to call', pending: 'is calling' },
} as const

const ENDS: Readonly<Record<Failure['kind'], string>> = {
  reverted: ', which was reverted',
  'out of gas': ', and ran out of gas',
  failed: ', which failed',
}

function Along({ value }: { readonly value: bigint }) {
  if (value === 0n) return null
  return (
    <>
      {' '}
      with <Money amount={value} />
    </>
  )
}

function wordsOf(deed: Deed, tense: Tense): ReactNode {
  switch (deed.kind) {
    case 'transfer':
      return (
        <>
          {VERBS.send[tense]} <Money amount={deed.value} /> to <AddressLink address={deed.to} />
        </>
      )
    case 'token':
      return (
        <>
          {VERBS.send[tense]} <TokenAmount token={deed.token} amount={deed.amount} /> to{' '}
          <AddressLink address={deed.to} />
        </>
      )
    case 'create':
      return (
        <>
          {VERBS.create[tense]} the contract{' '}
          {deed.created !== undefined && <AddressLink address={deed.created} />}
          <Along value={deed.value} />
        </>
      )
    default:
      return (
        <>
          {VERBS.call[tense]}{' '}
          {deed.method !== '' && (
            <>
              <code>
                <Untrusted text={deed.method} limit={40} />
              </code>{' '}
              of{' '}
            </>
          )}
          <AddressLink address={deed.to} />
          <Along value={deed.value} />
        </>
      )
  }
}

type Props = {
  readonly from: string
  readonly deed: Deed
  readonly isPending: boolean
  readonly failure: Failure | undefined
}

/** The sentence. */
export function Sentence({ from, deed, isPending, failure }: Props) {
  const tense = isPending ? 'pending' : failure === undefined ? 'past' : 'tried'
  const who = deed.kind === 'token' ? deed.from : from
  return (
    <p className="sentence">
      <AddressLink address={who} /> {wordsOf(deed, tense)}
      {failure !== undefined && <span className="problem">{ENDS[failure.kind]}</span>}.
    </p>
  )
}
