/** A bundle of every kind and version, by honest parties, with all that a verifier could know about it. */
import { openSoftwareAttester } from '../../../src/attest/software.ts'
import { toBase64 } from '../../../src/base/base64.ts'
import { concatBytes } from '../../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../../src/base/secp256k1.ts'
import { sha256 } from '../../../src/base/sha256.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../../src/config/contracts.ts'
import { evidenceSubject } from '../../../src/jobs/evidence.ts'
import { executionClaims } from '../../../src/jobs/executionClaims.ts'
import { statementAbout, type AnswerRequest } from '../../../src/jobs/answer.ts'
import type { BundleJson } from '../../../src/proof/bundle/format.ts'
import { runKey } from '../../../src/proof/bundle/runKey.ts'
import type { BundleTrust, Execution } from '../../../src/proof/bundle/trust.ts'
import { canonicalMessages } from '../../../src/proof/job/canonicalMessages.ts'
import { paramsHash, promptHash } from '../../../src/proof/job/hashes.ts'
import { NO_HASH } from '../../../src/proof/job/receipt.ts'
import { vrfPublicKey } from '../../../src/proof/vrf.ts'
import { NOW } from '../evidence.ts'
import { makeSnpDocument } from '../snp.ts'
import { VALIDATORS_HASH, type ChainFacts } from './chain.ts'
import { seal, type Colluders } from './seal.ts'

export type Kind = {
  readonly name: string
  readonly bundle: BundleJson
  readonly colluders: Colluders
  /** What somebody who knows everything from elsewhere trusts. */
  readonly everything: BundleTrust
}

const dispatcherKey = new Uint8Array(32).fill(0x41)
const operatorKey = new Uint8Array(32).fill(0x42)
const dispatcher = toHex(addressOfPrivateKey(dispatcherKey))
const operator = toHex(addressOfPrivateKey(operatorKey))
const CHAIN_ID = 'assay_271828-1'
const PROMPT = canonicalMessages([{ role: 'user', content: 'What is AI?' }])
const PARAMS = {
  temperature: 0.7,
  top_p: 0.9,
  max_tokens: 16,
  raw: true,
  messages: true,
  stop: ['END'],
  seed: 7,
} as const
const SEED = '17'.repeat(32)
const REQUEST_HASH = `0x${'18'.repeat(32)}`
const BLOCK_HASH = `0x${'19'.repeat(32)}`
const RECORDED_AT = NOW / 1000
const RANGE = { start: 0, end: 600_000 } as const
const ENGINE = 'assay-fixed/1'

const facts: ChainFacts = {
  chainId: CHAIN_ID,
  height: 100,
  time: RECORDED_AT + 20,
  receiptsContract: RECEIPTS_ADDRESS,
  registryContract: REGISTRY_ADDRESS,
  dispatcher,
  interval: 7,
  anchoredAt: RECORDED_AT + 10,
  operator,
  range: RANGE,
  drawBlock: 40,
  drawBlockHash: BLOCK_HASH,
}

type Options = {
  readonly jobType: 'opml' | 'tee'
  readonly version: 1 | 2 | 3
  readonly end?: Colluders['end']
  readonly hardware?: true
}

const jobId = toHexDigits(sha256(concatBytes(fromHex(`0x${SEED}`), fromHex(REQUEST_HASH))))
const root = (byte: string) => toHex(fromHex(`0x${byte.repeat(32)}`))
const generation = {
  output: 'AI is a field.',
  tokens: 5,
  promptTokens: 4,
  finishReason: 'stop',
  commitment: { version: 1, modelRoot: root('1a'), traceRoot: root('1b'), trace: [] },
} as const
const claims = executionClaims({ sha256: root('1c') }, generation)

function draft({ jobType, version }: Options): BundleJson {
  const request: AnswerRequest = {
    jobId,
    seed: SEED,
    operator,
    jobType,
    prompt: PROMPT,
    model: 'tiny.gguf',
    params: PARAMS,
    vrfProofHash: NO_HASH,
    clockHash: NO_HASH,
    drawBlockHash: BLOCK_HASH,
    createdAt: RECORDED_AT - 9,
    statementVersion: version,
  }
  const times = { startedAt: RECORDED_AT - 5, finishedAt: RECORDED_AT - 1 }
  const jobClock = { [dispatcher]: '5' }
  return {
    format: 'assay-receipts/2',
    chainId: '271828',
    dispatcher,
    jobId,
    answers: [
      {
        receipt: {
          jobId: `0x${jobId}`,
          requestHash: REQUEST_HASH,
          model: 'tiny.gguf',
          operator,
          round: 0,
          seed: `0x${SEED}`,
          drawBlock: facts.drawBlock,
          drawBlockHash: BLOCK_HASH,
          tag: '',
          position: '',
          rangeStart: RANGE.start,
          rangeEnd: RANGE.end,
          rangeMax: 600_000,
          jobClockHash: NO_HASH,
          statementHash: NO_HASH,
          evidenceHash: NO_HASH,
          recordedAt: RECORDED_AT,
        },
        dispatcherSignature: '',
        statement: statementAbout(request, { engine: ENGINE, ...claims, ...times }),
        operatorSignature: '',
        vrf: {
          selected: true,
          vrf_prompt_hash: promptHash(PROMPT).slice(2),
          vrf_random_value: '',
          vrf_verify_pubkey: toHexDigits(vrfPublicKey(operatorKey)),
          vrf_proof: '',
        },
        jobClock,
        clock: { ...jobClock, [operator]: '1' },
        params: PARAMS,
        output: generation.output,
        ...(jobType === 'tee' && {
          evidence: { level: 'software-insecure' as const, format: '', document: '' },
        }),
      },
    ],
  }
}

/** Evidence that the hardware made for this statement alone. */
function addHardware(bundle: BundleJson): ReturnType<typeof makeSnpDocument>['policy'] {
  const [answer] = bundle.answers
  if (answer === undefined) throw new Error('the bundle has no answer')
  const domain = { chainId: 271828n, dispatcher }
  const { statementHash, nonce } = evidenceSubject(answer.statement, domain)
  const { document, policy } = makeSnpDocument({
    report: { 0x50: concatBytes(statementHash, nonce) },
  })
  answer.evidence = { level: 'hardware', format: 'amd-snp-v1', document: toBase64(document) }
  return policy
}

/** Makes a bundle. `folder` is for the key of the software attester. */
async function makeKind(name: string, options: Options, folder: string): Promise<Kind> {
  const { jobType, end = 'header', hardware } = options
  const attester = openSoftwareAttester(folder, [])
  const software: Colluders = {
    dispatcherKey,
    operatorKey,
    facts,
    end,
    hasOwnChain: false,
    ...(jobType === 'tee' && { attest: (subject) => attester.attest(subject) }),
  }
  const { attest: _, ...withoutAttester } = software
  const colluders = hardware === true ? withoutAttester : software
  let bundle = await seal(draft(options), [], software)
  const policy = hardware === true ? addHardware(bundle) : undefined
  bundle = await seal(bundle, [], colluders)
  const [answer] = bundle.answers
  if (answer === undefined) throw new Error('the bundle has no answer')
  const execution: Execution = {
    engine: ENGINE,
    promptHash: promptHash(PROMPT),
    paramsHash: paramsHash(PARAMS),
    ...claims,
  }
  const stateRoot = answer.anchor?.proof?.stateRoot
  return {
    name,
    bundle,
    colluders,
    everything: {
      chainId: CHAIN_ID,
      validatorsHash: VALIDATORS_HASH,
      ...(stateRoot !== undefined && { stateRoot: fromHex(stateRoot) }),
      nowNs: BigInt(RECORDED_AT + 60) * 1_000_000_000n,
      receiptsContract: RECEIPTS_ADDRESS,
      registryContract: REGISTRY_ADDRESS,
      jobId,
      dispatcher,
      operators: [operator],
      evidence: { software: 'any', ...(policy !== undefined && { hardware: { snp: policy } }) },
      prompt: PROMPT,
      request: {
        requestHash: REQUEST_HASH,
        jobType,
        model: 'tiny.gguf',
        promptHash: promptHash(PROMPT),
        paramsHash: paramsHash(PARAMS),
      },
      modelHash: claims.modelHash,
      executions: new Map([[runKey(answer), execution]]),
    },
  }
}

/** One of each kind and version; between them they have every field that a bundle can have. */
export async function allKinds(folder: string): Promise<readonly Kind[]> {
  const options: Readonly<Record<string, Options>> = {
    'opml of version 1': { jobType: 'opml', version: 1 },
    'opml of version 2': { jobType: 'opml', version: 2 },
    'opml of version 3': { jobType: 'opml', version: 3 },
    'opml that is not anchored': { jobType: 'opml', version: 3, end: 'none' },
    'software of version 1': { jobType: 'tee', version: 1 },
    'software of version 3, on another chain': { jobType: 'tee', version: 3, end: 'state root' },
    'hardware of version 2': { jobType: 'tee', version: 2, hardware: true },
    'hardware of version 3': { jobType: 'tee', version: 3, hardware: true },
  }
  return Promise.all(Object.entries(options).map(([name, each]) => makeKind(name, each, folder)))
}

/** What a verifier may know: everything, the dispatcher, the chain, or nothing. */
export function trustsOf({ everything }: Kind): Readonly<Record<string, BundleTrust>> {
  const { receiptsContract, registryContract, evidence, nowNs } = everything
  const nothing: BundleTrust = { receiptsContract, registryContract, evidence: { software: 'any' } }
  const { chainId, validatorsHash, stateRoot } = everything
  return {
    everything,
    dispatcher: { ...nothing, dispatcher },
    chain: {
      ...nothing,
      evidence,
      ...(chainId !== undefined && { chainId }),
      ...(validatorsHash !== undefined && { validatorsHash }),
      ...(stateRoot !== undefined && { stateRoot }),
      ...(nowNs !== undefined && { nowNs }),
    },
    nothing,
  }
}
