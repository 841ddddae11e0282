/**
 * The largest requests for the methods of a development chain (D56), as largestRequests.test.ts has them for the others. What
 * they change may stop a chain for development by their nature; the node answers.
 */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REQUEST_LIMITS } from '../../src/base/jsonBudget.ts'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { DEVELOPMENT_METHODS } from '../../src/rpc/methods/development/table.ts'
import { newHome, rpc } from '../support/assay.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from '../torture/node.ts'
import { singles, type Attack, type Seen } from './attacks.ts'
import { MAX_STRETCH_MS, run, worst } from './campaign.ts'
import { meterOf } from './meter.ts'

const ROOM = { characters: 5_242_880 - 1024, values: REQUEST_LIMITS.values }

let home: string
let node: ChainNode
let urls: NodeUrls
beforeAll(async () => {
  home = newHome()
  await completeHome(homePaths(home), {}, { isDevelopment: true })
  node = startChainNode(home, {}, ['--dev.enable=true', '--metrics.address=127.0.0.1:0'])
  const ready = await node.ready
  if (ready === undefined) throw new Error((await node.ended).output)
  urls = ready
})
afterAll(async () => {
  await stopChainNode(node)
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

test('no request of a method for development holds the node', async () => {
  const seen: Seen = new Set()
  const attacks = Object.entries(DEVELOPMENT_METHODS).flatMap(([name, { params }]) =>
    singles(name, params, ROOM, seen),
  )
  const send = async (body: string, { name }: Attack): Promise<void> => {
    const response = await fetch(urls.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.text(), name).not.toContain('"code":-32603')
  }
  const { pid = 0 } = node.process
  const meter = meterOf({ pid, metrics: urls.metrics ?? '', inspector: '' })
  const findings = await run(attacks, meter, send)
  console.info([`development: ${attacks.length} attacks`, ...worst(findings)].join('\n'))
  expect(attacks.length).toBeGreaterThan(40)
  expect(findings.filter(({ stretchMs }) => stretchMs > MAX_STRETCH_MS)).toEqual([])
  expect(await rpc(urls.rpc, 'eth_blockNumber')).toHaveProperty('result')
})
