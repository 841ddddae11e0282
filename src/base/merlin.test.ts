import { expect, test } from 'vitest'
import { utf8 } from './bytes.ts'
import { toHexDigits } from './hex.ts'
import { createTranscript } from './merlin.ts'

// Expected values: tests `equivalence_simple` and `equivalence_complex` of the merlin crate.
test('a transcript gives the challenge of the reference', () => {
  const transcript = createTranscript('test protocol')
  transcript.append('some label', utf8('some data'))
  expect(toHexDigits(transcript.challenge('challenge', 32))).toBe(
    'd5a21972d0d5fe320c0d263fac7fffb8145aa640af6e9bca177c03c7efcf0615',
  )
})

test('a long transcript with challenges in between gives the challenge of the reference', () => {
  const transcript = createTranscript('test protocol')
  transcript.append('step1', utf8('some data'))
  let challenge = new Uint8Array(0)
  for (let i = 0; i < 32; i++) {
    challenge = Uint8Array.from(transcript.challenge('challenge', 32))
    transcript.append('bigdata', new Uint8Array(1024).fill(99))
    transcript.append('challengedata', challenge)
  }
  expect(toHexDigits(challenge)).toBe(
    'a8c933f54fae76e3f9bea93648c1308e7dfa2152dd51674ff3ca438351cf003c',
  )
})
