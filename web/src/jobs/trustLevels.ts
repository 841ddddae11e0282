/** How much an answer is worth, in words (D34, D35). */
import type { Level } from '../../../src/proof/bundle/report.ts'
import type { Tone } from '../parts/Badge.tsx'

type Words = { readonly tone: Tone; readonly name: string; readonly about: string }

/** What a receipt bundle shows of an answer, once all of its checks hold. */
export const LEVELS: Readonly<Record<Level, Words>> = {
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
    name: 'Executed again',
    about: 'Your own execution came to the same weights, steps and text.',
  },
  'signed only': {
    tone: 'plain',
    name: 'Signed',
    about: 'Its operator and the dispatcher put their names under it. That alone is proven.',
  },
}

/** What is known of an answer by the kind of its job, before anything is checked. */
export function unverified(jobType: string): Words {
  return jobType === 'opml'
    ? {
        tone: 'plain',
        name: 'Re-executable',
        about:
          'Made by an engine of integers: whoever runs it again gets the same text, or can show the first step that differs (assay job replay).',
      }
    : {
        tone: 'plain',
        name: 'Attested',
        about:
          'A worker vouched for it with evidence. Check the receipt to see what that is worth.',
      }
}
