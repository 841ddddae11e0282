/** Says which header all proofs begin with, and lets the user name another one. */
import { useState, type FormEvent } from 'react'
import { fieldOf } from '../format/form.ts'
import { grouped } from '../format/number.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { forgetTrust, readTrust, writeTrust, type Trust } from './trust.ts'

type Status = { readonly node_info: { readonly network: string } }

function explain(trust: Trust | undefined): string {
  if (trust === undefined)
    return 'This browser does not trust a header of this chain yet. The first proof trusts the earliest header the node serves, and remembers it.'
  const { height, hash, origin } = trust
  const how = origin === 'named' ? 'you chose' : 'the node served first (trust on first use)'
  return `Proofs start from header ${grouped(height)} (${hash.slice(0, 16)}…), which ${how}.`
}

/** The note, with a form behind it. */
export function TrustNote() {
  const { consensus } = useNode()
  const status = useAnswer(() => consensus('status', {}) as Promise<Status>, [])
  const [version, setVersion] = useState(0)
  const [problem, setProblem] = useState('')
  if (status.state !== 'here') return null
  const chainId = status.value.node_info.network
  const trust = readTrust(chainId)

  const keep = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const height = Number(fieldOf(form, 'height'))
    const hash = fieldOf(form, 'hash').trim().replace(/^0x/i, '').toUpperCase()
    if (!Number.isSafeInteger(height) || height < 1 || !/^[0-9A-F]{64}$/.test(hash)) {
      setProblem('Enter a height and 64 hex digits.')
      return
    }
    writeTrust(chainId, { height, hash, origin: 'named' })
    setProblem('')
    setVersion(version + 1)
  }

  return (
    <div className="trust">
      <p className="soft">{explain(trust)}</p>
      <details>
        <summary>Choose a header you know from another source</summary>
        <form className="fields" onSubmit={keep}>
          <label>
            Height
            <input name="height" inputMode="numeric" required />
          </label>
          <label className="wide">
            Hash
            <input name="hash" className="hash" required spellCheck={false} />
          </label>
          <button type="submit" className="button">
            Trust it
          </button>
          {trust !== undefined && (
            <button
              type="button"
              className="plain"
              onClick={() => {
                forgetTrust(chainId)
                setVersion(version + 1)
              }}
            >
              Forget the trusted header
            </button>
          )}
          <output aria-live="polite">{problem}</output>
        </form>
      </details>
    </div>
  )
}
