import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { encodeFunctionData } from 'viem'
import { afterAll, expect, test } from 'vitest'
import {
  openApplicationNode,
  OPERATORS,
  proposedBlock,
  PROPOSERS,
  testGenesis,
} from '../../../test/support/applicationNode.ts'
import { senderAddress, signedTransfer } from '../../../test/support/poolRig.ts'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { STAKING_ADDRESS } from '../../chain/predeploys.ts'
import { Staking } from '../../generated/contracts.ts'
import { openKv } from '../../store/kv.ts'
import type { Misbehavior } from '../application.ts'
import { createEvmBlockSource } from './source.ts'

const genesis = testGenesis([{ address: senderAddress(0) }])
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-staking-events-'))
const kv = openKv(folder, { isScratch: true })
afterAll(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true })
})

const [operator = new Uint8Array(20)] = OPERATORS
const [consensus = new Uint8Array(20)] = PROPOSERS
const addresses = (key: string, address: Uint8Array) =>
  [toChecksumAddress(address), toHex(address)].map((value) => ({ key, value, index: true }))

test('stake that moves is told with its transaction, punishment with its block, and both again when asked for later', async () => {
  const node = openApplicationNode({ genesis, kv })
  node.application.initChain(genesis.initChain)
  const data = fromHex(
    encodeFunctionData({
      abi: Staking.abi,
      functionName: 'delegate',
      args: [toHex(operator)],
    }),
  )
  const fields = { to: STAKING_ADDRESS, value: 7n, data, gasLimit: 500_000n }
  const delegation = signedTransfer(0, 0, fields).raw
  const first = await node.decide(proposedBlock(genesis, 1, [delegation]))
  expect(first.events).toEqual([])
  expect(first.txResults[0]?.events.slice(3)).toEqual([
    {
      type: 'Delegated',
      attributes: [
        ...addresses('delegator', senderAddress(0)),
        ...addresses('operator', operator),
        { key: 'amount', value: '7', index: false },
        { key: 'shares', value: '7', index: false },
      ],
    },
  ])
  const offence: Misbehavior = {
    type: 'duplicate-vote',
    validatorAddress: consensus,
    validatorPower: 10n,
    height: 1,
    time: genesis.timeNs,
    totalVotingPower: 40n,
  }
  const second = await node.decide({ ...proposedBlock(genesis, 2, []), misbehavior: [offence] })
  expect(second.events).toEqual([
    {
      type: 'Slashed',
      attributes: [
        ...addresses('operator', operator),
        { key: 'amount', value: ((10n ** 19n + 7n) / 20n).toString(), index: false },
      ],
    },
    {
      type: 'Jailed',
      attributes: [
        ...addresses('operator', operator),
        { key: 'until', value: (2n ** 64n - 1n).toString(), index: false },
      ],
    },
    {
      type: 'Tombstoned',
      attributes: [
        ...addresses('operator', operator),
        { key: 'infractionHeight', value: '1', index: false },
      ],
    },
  ])
  const source = createEvmBlockSource(genesis.state.chainName, node.store.reader)
  for (const [index, response] of [first, second].entries())
    expect(JSON.stringify(source.results(index + 1), asText)).toBe(JSON.stringify(response, asText))
})

const asText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value
