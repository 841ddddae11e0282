import { expect, test } from 'vitest'
import { BACKLOG_LIMITS } from '../dispatcher/listener/backlog.ts'
import { hello, type ModelIdentity } from '../protocol.ts'
import { offerMessage, shortOffer } from './offers.ts'

const identity = (model: string): ModelIdentity => ({
  model,
  type: 'opml',
  sha256: `0x${'ab'.repeat(32)}`,
  modelRoot: `0x${'cd'.repeat(32)}`,
  templateHash: `0x${'ef'.repeat(32)}`,
  tokenListHash: `0x${'01'.repeat(32)}`,
})

// Holds D144.
test('a dispatcher of a former release is told file names alone, and no identities', () => {
  const models = ['tiny.gguf', 'llama3:8b', 'a b.gguf']
  const offer = { workers: ['opml' as const], models, identities: models.map(identity) }
  expect(shortOffer(offer, false)).toEqual({ models: ['tiny.gguf'] })
  expect(offerMessage(offer, { takesIdentities: false })).toEqual({
    workers: ['opml'],
    models: ['tiny.gguf'],
  })
  expect(shortOffer(offer, true)).toEqual({ models, identities: offer.identities })
})

test('a hello of the longest names fits what a dispatcher accepts before the login, and the heartbeat has all', () => {
  const models = Array.from({ length: 1024 }, (_, at) => `${1000 + at}${'😀'.repeat(252)}`)
  const identities = models.map(identity)
  const short = shortOffer({ models, identities }, true)
  const message = {
    type: 'hello',
    protocol: 3,
    operator: `0x${'11'.repeat(20)}`,
    nonce: '22'.repeat(32),
    workers: ['opml', 'tee'],
    ...short,
    slots: 256,
    signature: `0x${'33'.repeat(65)}`,
  }
  expect(hello.safeParse(message).success).toBe(true)
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(BACKLOG_LIMITS.loginBytes)
  expect(short.models.length).toBeGreaterThan(50)
  const long = offerMessage({ workers: ['opml'], models, identities }, { takesIdentities: true })
  expect(long.models).toEqual(models)
  expect(long.identities).toEqual(identities)
})
