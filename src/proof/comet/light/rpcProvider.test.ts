import { expect, test } from 'vitest'
import {
  at,
  LIGHT_OPTIONS,
  NOW_NS,
  steadyChain,
  type Powers,
} from '../../../../test/support/lightChain.ts'
import { encodeCommit, encodeHeader } from '../../../consensusRpc/encode/block.ts'
import { encodeValidator } from '../../../consensusRpc/encode/validator.ts'
import { RpcAnswerError, type AskRpc } from '../json/answer.ts'
import { rpcProvider } from './rpcProvider.ts'
import { LightError } from './errors.ts'
import type { LightBlock, Provider } from './types.ts'
import { verifyForward } from './verify.ts'

type Params = Readonly<Record<string, unknown>>

/** A server of a chain; `alter` changes a response in transit. */
function serverOf(
  chain: readonly LightBlock[],
  alter: (method: string, answer: object, params: Params) => unknown = (_method, answer) => answer,
): AskRpc {
  return async (method, params) => {
    const height = Number(params['height'] ?? chain.length)
    if (height > chain.length)
      throw new RpcAnswerError(
        'Internal error',
        `height ${height} must be less than or equal to the current blockchain height ${chain.length}`,
      )
    const { header, commit, validators } = at(chain, height)
    if (method === 'commit') {
      const signed = { header: encodeHeader(header), commit: encodeCommit(commit) }
      return alter(method, { signed_header: signed, canonical: true }, params)
    }
    const from = (Number(params['page']) - 1) * Number(params['per_page'])
    const page = validators.slice(from, from + Number(params['per_page']))
    const answer = {
      block_height: String(height),
      validators: page.map(encodeValidator),
      count: String(page.length),
      total: String(validators.length),
    }
    return alter(method, answer, params)
  }
}

const chain = steadyChain(3)

test('a light block is read as it was written, the latest one too', async () => {
  const provide = rpcProvider(serverOf(chain))
  expect(await provide(2)).toEqual(at(chain, 2))
  expect(await provide('latest')).toEqual(at(chain, 3))
})

test('a set of 250 validators is read from its three pages', async () => {
  const powers: Powers = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`v${index}`, 1n]),
  )
  const large = steadyChain(1, powers)
  const pages: unknown[] = []
  const server = serverOf(large, (method, answer, params) => {
    if (method === 'validators') pages.push(params['page'])
    return answer
  })
  expect((await rpcProvider(server)(1)).validators).toEqual(at(large, 1).validators)
  expect(pages).toEqual(['1', '2', '3'])
})

test("CometBFT's words for heights that are not there are understood", async () => {
  await expect(rpcProvider(serverOf(chain))(4)).rejects.toMatchObject({ code: 'tooHigh' })
  const pruned: AskRpc = async () => {
    throw new RpcAnswerError('Internal error', 'height 1 is not available, lowest height is 2')
  }
  await expect(rpcProvider(pruned)(1)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(rpcProvider(async () => null)('latest')).rejects.toMatchObject({ code: 'tooHigh' })
})

test('a set whose pages never end is given up', async () => {
  const endless = serverOf(chain, (method, answer) =>
    method === 'validators' ? { ...answer, total: '10000' } : answer,
  )
  await expect(rpcProvider(endless)(2)).rejects.toMatchObject({ code: 'malformed' })
  const huge = serverOf(chain, (method, answer) =>
    method === 'validators' ? { ...answer, total: '10001' } : answer,
  )
  await expect(rpcProvider(huge)(2)).rejects.toThrow('total')
})

type Json = Record<string, unknown> | unknown[]

/** Every place in a JSON value, as the keys that lead there. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]))]
}

function replaceAt(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Json
  const record = copy as Record<string, unknown>
  record[key] = replaceAt(record[key], rest, by)
  return copy
}

const WRONG = [undefined, {}, [], true, 1.5, -1, 'zz', '99999999999999999999', '\u0000']

const withoutPriorities = (block: LightBlock): LightBlock => ({
  ...block,
  validators: block.validators.map((each) => ({ ...each, proposerPriority: 0n })),
})

async function judge(provide: Provider): Promise<LightBlock | string> {
  try {
    const block = await provide(2)
    verifyForward(LIGHT_OPTIONS, at(chain, 1), block, NOW_NS)
    return withoutPriorities(block)
  } catch (error) {
    if (error instanceof LightError) return error.code
    throw error
  }
}

test.each(['commit', 'validators'])(
  'another value anywhere in %s is refused, or verified away',
  async (method) => {
    const params = { height: '2', page: '1', per_page: '100' }
    const original = await serverOf(chain)(method, params)
    const refused: Record<string, number> = {}
    for (const path of placesIn(original))
      for (const wrong of WRONG) {
        const server = serverOf(chain, (asked, answer) =>
          asked === method ? replaceAt(answer, path, wrong) : answer,
        )
        const judged = await judge(rpcProvider(server))
        if (typeof judged === 'string') refused[judged] = (refused[judged] ?? 0) + 1
        // These are not covered by any signature.
        else expect(judged).toEqual(at(chain, 2))
      }
    expect(refused['malformed']).toBeGreaterThan(100)
  },
)
