/** What is known of an answer, in words (D34, D35, D66). */
import type { Fact } from '../../../src/proof/bundle/report.ts'
import type { Tone } from '../parts/Badge.tsx'

type Words = { readonly tone: Tone; readonly name: string; readonly about: string }

/** What a receipt bundle establishes about an answer, once all of its checks hold. */
export const FACT_WORDS: Readonly<Record<Fact, Words>> = {
  signed: {
    tone: 'good',
    name: 'Signed',
    about: 'A dispatcher that you named vouches for it, and its operator signed it.',
  },
  anchored: {
    tone: 'good',
    name: 'Anchored',
    about: 'The chain holds its receipt, so the time at which it existed is proven.',
  },
  refereed: {
    tone: 'good',
    name: 'Refereed',
    about: 'A second engine found it plausible, token by token.',
  },
  hardware: {
    tone: 'good',
    name: 'Attested by hardware',
    about: 'The processor signed what ran, and that this statement came from it.',
  },
  software: {
    tone: 'warn',
    name: 'Software only, insecure',
    about: 'An attestation without hardware behind it. It proves nothing about the machine.',
  },
  're-executed': {
    tone: 'good',
    name: 'Re-executed',
    about: 'Your own execution had everything that the statement claims: model, steps and text.',
  },
}
