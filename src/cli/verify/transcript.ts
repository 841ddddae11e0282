/** The output of a verification: each check as it passes, then what is proven, or why not. */
import { toUpperHexDigits } from '../../base/hex.ts'
import type { Attack } from '../../proof/comet/light/evidence.ts'
import type { LightBlock } from '../../proof/comet/light/types.ts'

/** A proven fact: its name and its value as text. */
export type Facts = Readonly<Record<string, string | readonly string[] | null>>

export type Transcript = {
  /** A check that passed. */
  check(text: string): void
  /** The end: everything is proven. `trust` is a header to start from next time. */
  proven(facts: Facts, trust: LightBlock): void
  /** The end: it is not proven; with evidence if two signed blocks contradict each other. */
  refused(code: string, reason: string, evidence?: readonly Attack[]): void
}

// Strings from a hostile server reach the terminal here: remove control characters.
const clean = (text: string) => text.replace(/\p{Cc}/gu, '?')

function trustOf({ header, commit }: LightBlock) {
  return { height: header.height, hash: toUpperHexDigits(commit.blockId.hash) }
}

function evidenceOf({ kind, conflicting, commonHeight, byzantineValidators }: Attack) {
  return {
    kind,
    commonHeight,
    conflicting: trustOf(conflicting),
    byzantineValidators: byzantineValidators.map(({ address }) => toUpperHexDigits(address)),
  }
}

/** Lines for people, on standard output as they arrive. */
export function lineTranscript(write: (text: string) => void): Transcript {
  const line = (text: string) => write(`${clean(text)}\n`)
  return {
    check: (text) => line(`ok  ${text}`),
    proven(facts, trust) {
      for (const [name, value] of Object.entries(facts))
        line(`    ${name}: ${typeof value === 'string' ? value : (value?.join(', ') ?? 'none')}`)
      const { height, hash } = trustOf(trust)
      line('Proven.')
      line(`To start there next time: --trusted-height ${height} --trusted-hash ${hash}`)
    },
    refused(_code, reason, evidence = []) {
      line(`NOT PROVEN: ${reason}`)
      for (const { kind, conflicting, byzantineValidators } of evidence.map(evidenceOf)) {
        const signers = byzantineValidators.join(', ') || 'unknown'
        line(`    ${kind} attack with block ${conflicting.hash}, attributed to: ${signers}`)
      }
    },
  }
}

/** One JSON object at the end. */
export function jsonTranscript(write: (text: string) => void): Transcript {
  const checks: string[] = []
  const end = (fields: object) => write(`${JSON.stringify({ ...fields, checks }, undefined, 2)}\n`)
  return {
    check: (text) => checks.push(clean(text)),
    proven: (facts, trust) => end({ proven: true, facts, trusted: trustOf(trust) }),
    refused: (code, reason, evidence = []) =>
      end({ proven: false, code, reason: clean(reason), evidence: evidence.map(evidenceOf) }),
  }
}
