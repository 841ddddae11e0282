/**
 * The set of a real network changes by transactions: a full node becomes a validator, signs, leaves,
 * comes back, and is slashed for a double sign. Needs CometBFT
 * v0.38.25 in the PATH, or named by ASSAY_COMETBFT.
 */
import fs from 'node:fs'
import path from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toBase64 } from '../../src/base/base64.ts'
import { developmentKeys } from '../../src/accounts/development.ts'
import { fromHex, toHex, toUpperHexDigits } from '../../src/base/hex.ts'
import { keyProofMessage } from '../../src/chain/staking/keyProof.ts'
import { homePaths } from '../../src/config/home.ts'
import { loadValidatorKey, type ValidatorKey } from '../../src/consensus/files/keys.ts'
import { Staking } from '../../src/generated/contracts.ts'
import { parseTime } from '../../src/proof/comet/time.ts'
import { PRECOMMIT, voteSignBytes } from '../../src/proof/comet/vote.ts'
import { eventually, newHome, runAssay } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { getComet, startCometLight } from '../support/cometLight.ts'
import { ethereumBlock, heightOf } from '../support/networkAudit.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const STAKING = { address: '0x0000000000000000000000000000000000001001', abi: Staking.abi } as const
const WAIT_SECONDS = 60

type NodeStatus = { readonly rpc: string; readonly comet: string }

const home = newHome()

async function localnet(...args: readonly string[]): Promise<string> {
  const { code, output } = await runAssay(['localnet', ...args, '--home', home])
  if (code !== 0) throw new Error(output)
  return output
}

let nodes: readonly NodeStatus[] = []

beforeAll(async () => {
  if (!isPresent) return
  await localnet(
    'start',
    '--detach',
    '--validators=3',
    '--full=1',
    '--first-port=0',
    '--block-interval=500ms',
    `--cometbft=${COMETBFT}`,
  )
  nodes = (JSON.parse(await localnet('status', '--json')) as { nodes: NodeStatus[] }).nodes
})

afterAll(async () => {
  if (isPresent) await localnet('stop')
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

async function comet<T>(node: NodeStatus, call: string): Promise<T> {
  const { result } = (await (await fetch(`${node.comet}/${call}`)).json()) as { result: T }
  return result
}

type Validators = { readonly validators: readonly { address: string; voting_power: string }[] }
type Commit = {
  readonly signed_header: {
    readonly header: { readonly time: string }
    readonly commit: { readonly signatures: readonly { validator_address: string }[] }
  }
}
type Results = {
  readonly validator_updates: readonly unknown[] | null
  readonly finalize_block_events: readonly { readonly type: string }[] | null
}
type BlockSearch = {
  readonly blocks: readonly { readonly block: { readonly header: { readonly height: string } } }[]
}

/** Power of a validator as each node tells it; undefined while they differ. */
async function agreedPower(address: string): Promise<string | undefined> {
  const told = await Promise.all(
    nodes.map(async (node) => {
      const { validators } = await comet<Validators>(node, 'validators?per_page=100')
      return validators.find((each) => each.address === address)?.voting_power ?? '0'
    }),
  )
  return new Set(told).size === 1 ? told[0] : undefined
}

/** What the tests have in common: the key of the full node, and the account that makes it a validator. */
function candidate() {
  const [node] = nodes
  if (node === undefined) throw new Error('there is no node')
  const key = loadValidatorKey(homePaths(path.join(home, 'node3')).validatorKey)
  const address = toUpperHexDigits(key.address)
  const account = privateKeyToAccount(toHex(developmentKeys()[0] ?? new Uint8Array(32)))
  const chain = defineChain({
    id: 271_828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [node.rpc] } },
  })
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
  return {
    node,
    key,
    address,
    account,
    client,
    wallet: createWalletClient({ chain, account, transport: http() }),
    async included(hash: `0x${string}`): Promise<bigint> {
      const receipt = await client.waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('success')
      return receipt.blockNumber
    },
    becomes: (power: string) =>
      eventually(
        async () => ((await agreedPower(address)) === power ? power : undefined),
        WAIT_SECONDS,
      ),
    /** The height of a commit that it signed, and the time of that block. */
    signs: () =>
      eventually(async () => {
        const height = (await heightOf(node.rpc)) - 1
        const { header, commit } = (await comet<Commit>(node, `commit?height=${height}`))
          .signed_header
        const signers = commit.signatures.map((each) => each.validator_address)
        return signers.includes(address) ? { height, time: header.time } : undefined
      }, WAIT_SECONDS),
  }
}

/** All nodes go on, with the same blocks. */
async function expectAgreement(): Promise<void> {
  const [first, ...others] = nodes
  if (first === undefined) throw new Error('there is no node')
  const last = await heightOf(first.rpc)
  await eventually(async () => {
    const heights = await Promise.all(nodes.map((each) => heightOf(each.rpc)))
    return heights.every((height) => height > last + 2) || undefined
  }, WAIT_SECONDS)
  for (let height = 1; height <= last + 2; height++) {
    const block = await ethereumBlock(first.rpc, height)
    for (const each of others) expect(await ethereumBlock(each.rpc, height)).toEqual(block)
  }
}

test.runIf(isPresent)(
  'a full node becomes a validator by a transaction, signs blocks, and leaves by another',
  async () => {
    const { wallet, key, account, included, becomes, signs } = candidate()
    const signature = key.signer.sign(keyProofMessage(271_828n, fromHex(account.address)))
    const [r, s] = [toHex(signature.slice(0, 32)), toHex(signature.slice(32))]
    await included(
      await wallet.writeContract({
        ...STAKING,
        functionName: 'proveKey',
        args: [toHex(key.signer.publicKey), r, s],
      }),
    )
    const joined = await included(
      await wallet.writeContract({
        ...STAKING,
        functionName: 'createValidator',
        args: [toHex(key.signer.publicKey), account.address, 500, 2_000, 100],
        value: parseEther('7'),
      }),
    )
    await becomes('7')
    for (const each of nodes) {
      const results = await comet<Results>(each, `block_results?height=${joined}`)
      expect(results.validator_updates).toHaveLength(1)
    }
    await signs()
    await included(
      await wallet.writeContract({
        ...STAKING,
        functionName: 'undelegate',
        args: [account.address, parseEther('7')],
      }),
    )
    await becomes('0')
    await expectAgreement()
  },
  300_000,
)

/** Two votes of one validator for different blocks of a height, as CometBFT takes them by RPC. */
function duplicateVote(
  chainId: string,
  key: ValidatorKey,
  at: { readonly height: number; readonly time: string; readonly index: number },
  powers: { readonly own: bigint; readonly total: bigint },
): object {
  const timeNs = parseTime(at.time) ?? 0n
  const [first, second] = [1, 2].map((byte) => {
    const hash = new Uint8Array(32).fill(byte)
    const blockId = { hash, parts: { total: 1, hash } }
    const vote = { type: PRECOMMIT, height: at.height, round: 0, blockId, timeNs } as const
    return {
      type: PRECOMMIT,
      height: String(at.height),
      round: 0,
      block_id: {
        hash: toUpperHexDigits(hash),
        parts: { total: 1, hash: toUpperHexDigits(hash) },
      },
      timestamp: at.time,
      validator_address: toUpperHexDigits(key.address),
      validator_index: at.index,
      signature: toBase64(key.signer.sign(voteSignBytes(chainId, vote))),
      extension: null,
      extension_signature: null,
    }
  })
  return {
    type: 'tendermint/DuplicateVoteEvidence',
    value: {
      vote_a: first,
      vote_b: second,
      TotalVotingPower: String(powers.total),
      ValidatorPower: String(powers.own),
      Timestamp: at.time,
    },
  }
}

test.runIf(isPresent)(
  'a validator that signed two blocks of one height is slashed and out for ever',
  async () => {
    const { wallet, client, key, address, account, included, becomes, signs, node } = candidate()
    const delegate = { ...STAKING, functionName: 'delegate', args: [account.address] } as const
    await included(await wallet.writeContract({ ...delegate, value: parseEther('7') }))
    await becomes('7')
    const { height, time } = await signs()
    const { validators } = await comet<Validators>(node, `validators?height=${height}`)
    const index = validators.findIndex((each) => each.address === address)
    const total = validators.reduce((sum, each) => sum + BigInt(each.voting_power), 0n)
    const evidence = duplicateVote(
      'assay_271828-1',
      key,
      { height, time, index },
      { own: 7n, total },
    )
    const answer = await fetch(node.comet, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'broadcast_evidence',
        params: { evidence },
      }),
    })
    expect(await answer.json()).toMatchObject({ result: {} })
    await becomes('0')
    const validator = await client.readContract({
      ...STAKING,
      functionName: 'validatorOf',
      args: [account.address],
    })
    expect(validator).toMatchObject({
      isTombstoned: true,
      infractionHeight: BigInt(height),
      tokens: (parseEther('7') * 95n) / 100n,
    })
    const query = encodeURIComponent(`"Tombstoned.operator='${account.address}'"`)
    // Only the node that serves the explorer has an index.
    const [first] = nodes
    if (first === undefined) throw new Error('the network has no nodes')
    const { blocks } = await comet<BlockSearch>(first, `block_search?query=${query}`)
    const [found] = blocks
    for (const each of nodes) {
      const results = await comet<Results>(
        each,
        `block_results?height=${found?.block.header.height}`,
      )
      const types = results.finalize_block_events?.map(({ type }) => type)
      expect([blocks.length, types]).toEqual([1, ['Slashed', 'Jailed', 'Tombstoned']])
    }
    await expect(
      client.simulateContract({ ...delegate, account, value: parseEther('1') }),
    ).rejects.toThrow('AlreadyTombstoned')
    await expectAgreement()
  },
  300_000,
)

test.runIf(isPresent)(
  'light clients follow the chain from its first block across all changes of the validators',
  async () => {
    const [node, witness] = nodes
    if (node === undefined || witness === undefined) throw new Error('there are no nodes')
    const last = (await heightOf(node.rpc)) - 1
    const { signed_header } = await comet<{
      signed_header: { commit: { block_id: { hash: string } } }
    }>(node, 'commit?height=1')
    const { hash } = signed_header.commit.block_id
    for (const mode of [[], ['--sequential']]) {
      const { code, output } = await runAssay([
        'verify',
        'header',
        String(last),
        '--rpc',
        node.comet,
        '--json-rpc',
        node.rpc,
        '--witness',
        witness.comet,
        '--home',
        path.join(home, 'node0'),
        '--trusted-height',
        '1',
        '--trusted-hash',
        hash,
        ...mode,
      ])
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(output).toContain('Proven.')
      const light = await startCometLight([
        'assay_271828-1',
        '--primary',
        node.comet,
        '--witnesses',
        witness.comet,
        '--home-dir',
        path.join(path.dirname(home), `light${mode.length}`),
        '--height',
        '1',
        '--hash',
        hash,
        ...mode,
      ])
      try {
        const sizes = new Set<number>()
        for (let height = 1; height <= last; height += 3) {
          const answer = await light.get(`validators?height=${height}&per_page=100`)
          expect(answer.error).toBeUndefined()
          const known = await getComet(node.comet, `validators?height=${height}&per_page=100`)
          expect(answer.result?.['validators']).toEqual(known.result?.['validators'])
          sizes.add((answer.result?.['validators'] as readonly unknown[] | undefined)?.length ?? 0)
        }
        // It joined and left, twice.
        expect([...sizes].toSorted((a, b) => a - b)).toEqual([3, 4])
        expect(light.output()).not.toMatch(/ATTACK|invalid|panic/i)
      } finally {
        await light.stop()
      }
    }
  },
  200_000,
)
