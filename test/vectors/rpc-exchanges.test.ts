/**
 * Sends the requests of ethereum/execution-apis' tests. Their chain has other blocks, so results differ; errors must be the
 * same, and whatever is asked, there is a proper answer.
 */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { METHODS } from '../../src/rpc/table.ts'
import { RpcError } from '../../src/wire/errors.ts'
import { createTestNode, withThreeBlocks, type TestNode } from '../support/rpcNode.ts'

const FOLDER = path.resolve(
  process.env.ASSAY_VECTORS ?? '../shared/vectors',
  'execution-apis/tests',
)
const isPresent = fs.existsSync(FOLDER)
if (!isPresent && process.env.ASSAY_VECTORS_REQUIRED === '1') throw new Error(`no ${FOLDER}`)
if (!isPresent) console.warn(`skipped: ${FOLDER} is absent (set ASSAY_VECTORS)`)

type Exchange = {
  readonly file: string
  readonly request: { readonly method: string; readonly params?: readonly unknown[] }
  readonly answer: { readonly error?: { readonly code: number; readonly message: string } }
}

function exchangesOf(file: string): readonly Exchange[] {
  const lines = fs.readFileSync(path.join(FOLDER, file), 'utf8').split('\n')
  const found: Exchange[] = []
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    if (line.startsWith('>> ') && next?.startsWith('<< '))
      found.push({ file, request: JSON.parse(line.slice(3)), answer: JSON.parse(next.slice(3)) })
  }
  return found
}

const exchanges = isPresent
  ? fs
      .readdirSync(FOLDER)
      .filter((folder) => METHODS[folder])
      .flatMap((folder) =>
        fs.readdirSync(path.join(FOLDER, folder)).map((file) => `${folder}/${file}`),
      )
      .filter((file) => file.endsWith('.io'))
      .flatMap(exchangesOf)
  : []

/** As long as the chain that the requests are about. */
const HEIGHT = 0x36

function nodeAtHeight(): TestNode {
  const node = withThreeBlocks(createTestNode())
  while (node.chain.latestHeight() < HEIGHT) node.chain.append()
  return node
}

/** Errors that depend on their chain, or speak of what this chain refuses altogether. */
const OTHER_CHAIN = /eip4844|blob|insufficient|nonce/i

describe.skipIf(!isPresent)('execution-apis', () => {
  test.each(exchanges)('$file', async ({ file, request, answer }) => {
    const node = nodeAtHeight()
    let error: unknown
    try {
      await node.request(request.method, ...(request.params ?? []))
    } catch (thrown) {
      error = thrown
    }
    if (error !== undefined) expect(error).toBeInstanceOf(RpcError)
    if (answer.error?.code !== -32603) expect(error).not.toMatchObject({ code: -32603 })
    if (!answer.error) expect(error).not.toMatchObject({ code: -32602 })
    else if (!OTHER_CHAIN.test(file) && answer.error.code === -32602)
      expect(error).toMatchObject(answer.error)
  })

  test('all of them ran', () => {
    console.log(`execution-apis: ${exchanges.length} exchanges`)
    expect(exchanges.length).toBeGreaterThan(0)
  })
})
