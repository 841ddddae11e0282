/** How much the evidence of an answer is worth, in words (D34, D35). */
import type { Tone } from '../parts/Badge.tsx'

export type TrustLevel = 'hardware' | 'software' | 're-executed' | 'signed'

export const TRUST: Readonly<
  Record<TrustLevel, { readonly tone: Tone; readonly name: string; readonly about: string }>
> = {
  hardware: {
    tone: 'good',
    name: 'Attested by hardware',
    about: 'A processor signed what ran, and that this statement came from there.',
  },
  software: {
    tone: 'warn',
    name: 'Software only, insecure',
    about:
      'The form of an attestation without hardware behind it. It proves nothing about the machine.',
  },
  're-executed': {
    tone: 'good',
    name: 'Re-executable',
    about:
      'Made by an engine of integers: anyone who runs it again gets the same text, or can prove that it was another.',
  },
  signed: {
    tone: 'plain',
    name: 'Signed only',
    about:
      'The operator put its name under the answer, and its draw is verifiable. That is all that is known here.',
  },
}

/** What is known of an answer without its receipt: an opml one can be re-executed, of a tee one only the signature is shown. */
export function levelOf(jobType: string): TrustLevel {
  return jobType === 'opml' ? 're-executed' : 'signed'
}
