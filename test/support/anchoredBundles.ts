/** Bundles of a real dispatcher on a real chain, for verifiers (D152): two operators' answers to one job, a tee answer, a chat, and one alone. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { developmentKeys } from '../../src/accounts/development.ts'
import { openSoftwareAttester } from '../../src/attest/software.ts'
import { fromHex } from '../../src/base/hex.ts'
import { REGISTRY_ADDRESS } from '../../src/config/contracts.ts'
import { evidenceSubject } from '../../src/jobs/evidence.ts'
import { sendTransaction } from '../../src/jobs/onchain/account.ts'
import { connectChain } from '../../src/jobs/onchain/chain.ts'
import { registerCall } from '../../src/jobs/registry/registry.ts'
import type { BundleJson } from '../../src/proof/bundle/format.ts'
import { startTestChain } from './chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
} from './dispatcher.ts'
import { connectOperator, statementOf, type ScriptedOperator } from './scriptedOperator.ts'
import { waitFor } from './waitFor.ts'

export const PROMPT = 'What is AI?'
const PARAMS = { temperature: 0.7, top_p: 0.9, max_tokens: 6 }

export type AnchoredBundles = {
  readonly bundles: readonly BundleJson[]
  readonly dispatcher: string
  readonly operators: readonly string[]
}

async function bundleOf(
  dispatcher: TestDispatcher,
  id: string,
  isAnchored: boolean,
): Promise<BundleJson> {
  return waitFor(async () => {
    const response = await fetch(`http://${dispatcher.httpAddress}/api/job/receipt/${id}`)
    const { result } = (await response.json()) as { result: BundleJson }
    if (isAnchored && result.answers.some(({ anchor }) => anchor?.proof === undefined))
      throw new Error('not anchored yet')
    return result
  }, 200)
}

async function answerAll(operators: readonly ScriptedOperator[]): Promise<void> {
  for (const operator of operators) {
    operator.send(await operator.answer(await operator.next('dispatch'), 'ünïcode \u{1f600}'))
    await operator.next('recorded')
  }
}

/** Makes them, and stops everything that made them. */
export async function makeAnchoredBundles(): Promise<AnchoredBundles> {
  const { signal } = new AbortController()
  const [postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
  const dispatcher = await startTestDispatcher(postgres, 'anchored', {
    chain: chainOptions(node, { anchorIntervalMs: 1500 }),
  })
  try {
    const attester = openSoftwareAttester(await mkdtemp(join(postgres.folder, 'tee-')), [])
    const domain = { chainId: 271828n, dispatcher: dispatcher.dispatcherAddress }
    const [key = new Uint8Array(32)] = developmentKeys()
    const registration = {
      to: fromHex(REGISTRY_ADDRESS),
      data: registerCall({ start: 0, end: 600_000, types: ['opml'] }, key),
      value: parseEther('60'),
    }
    await sendTransaction(connectChain(node.rpc, signal), key, registration, signal)
    const first = await connectOperator(dispatcher, { privateKey: key })
    const second = await connectOperator(dispatcher)
    const third = await connectOperator(dispatcher, {
      workers: ['tee'],
      async evidence(request) {
        const statement = statementOf(request, 'attested')
        const evidence = await attester.attest(evidenceSubject(statement, domain))
        return { output: 'attested', statement, evidence }
      },
    })
    const job = { prompt: PROMPT, model: 'tiny.gguf', params: PARAMS }
    const watched = await dispatcher.submit(
      { ...job, tag: 'opml' },
      { tag: 'suspicion', user: 'u' },
    )
    await answerAll([first, second])
    const attested = await dispatcher.submit({ ...job, tag: 'tee' })
    await answerAll([third])
    second.socket.close()
    const messages = [{ role: 'user', content: PROMPT }]
    const params = { ...PARAMS, stop: ['\n', 'é'], seed: -3 }
    const chat = await dispatcher.submit({ tag: 'opml', model: 'tiny.gguf', messages, params })
    await answerAll([first])
    const anchored = await Promise.all(
      [watched, attested, chat].map((id) => bundleOf(dispatcher, id, true)),
    )
    const alone = await dispatcher.submit({ ...job, tag: 'opml' })
    await answerAll([first])
    for (const { socket } of [first, third]) socket.close()
    return {
      bundles: [...anchored, await bundleOf(dispatcher, alone, false)],
      dispatcher: dispatcher.dispatcherAddress,
      operators: [first, second, third].map(({ address }) => address),
    }
  } finally {
    await dispatcher.close()
    await node.stop()
    await postgres.stop()
  }
}
