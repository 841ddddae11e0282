/** How much an answer is worth, in words (D34, D35). */
import type { Level } from '../../../src/proof/bundle/report.ts'
import type { Tone } from '../parts/Badge.tsx'

type Words = { readonly tone: Tone; readonly name: string; readonly about: string }

/** What a receipt bundle shows of an answer, once all of its checks hold. */
export const LEVELS: Readonly<Record<Level, Words>> = {
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
    about: 'Your own execution had the same weights, steps and text.',
  },
  'signed only': {
    tone: 'plain',
    name: 'Signed',
    about: 'Signed by the operator and the dispatcher. Nothing else is proven.',
  },
}

/** What is known of an answer by the kind of its job, before anything is checked. */
export function unverified(jobType: string): Words {
  return jobType === 'opml'
    ? {
        tone: 'plain',
        name: 'Re-executable',
        about:
          'Made by an integer-only engine: anyone who re-runs it gets the same text, or can show the first step that differs (assay job replay).',
      }
    : {
        tone: 'plain',
        name: 'Attested',
        about: 'A worker attested to it with evidence. Verify the receipt to see what that proves.',
      }
}
