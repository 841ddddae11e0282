import { z } from 'zod'
import { utf8 } from '../../../base/bytes.ts'
import { method } from '../../../wire/method.ts'
import { rawJson, type RawJson } from '../../../wire/rawJson.ts'
import type { World } from '../../world.ts'
import { openRpcDocument } from './openRpc.ts'

const document = z.looseObject({ openrpc: z.string(), methods: z.array(z.looseObject({})) })

/** Made once for a table: a batch may ask for it a thousand times (D72). */
const documents = new WeakMap<World['methods'], RawJson>()

function documentOf(methods: World['methods']): RawJson {
  const made = documents.get(methods)
  if (made !== undefined) return made
  const text = JSON.stringify(openRpcDocument(methods)).replaceAll(
    /[^\0-\x7f]/g,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  )
  const written = rawJson([utf8(text)])
  documents.set(methods, written)
  return written
}

export const rpc_discover = method({
  summary: 'All methods as an OpenRPC document.',
  params: {},
  result: { schema: document, encode: (openRpc: RawJson) => openRpc },
  handler: ({ methods }: Pick<World, 'methods'>) => documentOf(methods),
})
