/** Who decides blocks, and whether they did: the validator set and the signatures of the last blocks. */
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import type { Commit } from './types.ts'

const PAGE = 100
/** Number of blocks whose signatures are examined. */
export const BLOCKS = 50

type ValidatorsAnswer = {
  readonly block_height: string
  readonly total: string
  readonly validators: readonly {
    readonly address: string
    readonly voting_power: string
    readonly proposer_priority: string
    readonly pub_key: { readonly type: string; readonly value: string }
  }[]
}

export type Vote = 'signed' | 'absent' | 'nil'

export type ValidatorRow = {
  readonly address: string
  readonly publicKey: string
  readonly power: bigint
  /** Votes of the last blocks, the oldest first; undefined for heights at which it was no validator. */
  readonly votes: readonly { readonly height: number; readonly vote: Vote | undefined }[]
  /** How many of these blocks it proposed. */
  readonly proposed: number
}

export type ValidatorSet = {
  readonly height: number
  readonly power: bigint
  readonly rows: readonly ValidatorRow[]
}

const VOTES: Readonly<Record<number, Vote>> = { 1: 'absent', 2: 'signed', 3: 'nil' }

/** Commits never change: known ones are not requested again. */
const commits = new Map<number, Commit>()

async function lastCommits({ endpoints }: Node, latest: number): Promise<readonly Commit[]> {
  const first = Math.max(1, latest - BLOCKS + 1)
  const heights = Array.from({ length: Math.max(0, latest - first + 1) }, (_, at) => first + at)
  for (const height of commits.keys()) if (height < first) commits.delete(height)
  const missing = heights.filter((height) => !commits.has(height))
  const answers = await askMany(
    endpoints.comet,
    'commit',
    missing.map((height) => ({ height: String(height) })),
  )
  answers.forEach((answer, index) => {
    const height = missing[index]
    if (height !== undefined && answer !== null) commits.set(height, answer as Commit)
  })
  return heights.map((height) => commits.get(height)).filter((each) => each !== undefined)
}

/** Those who decide the next block. The set of the latest one would be old for as long as no block comes. */
async function allValidators({ consensus }: Node): Promise<ValidatorsAnswer['validators']> {
  const validators: ValidatorsAnswer['validators'][number][] = []
  // Later pages are of the height that the first was of.
  let height: { readonly height?: string } = {}
  for (let page = 1; ; page++) {
    const answer = (await consensus('validators', {
      ...height,
      page: String(page),
      per_page: String(PAGE),
    })) as ValidatorsAnswer
    height = { height: answer.block_height }
    validators.push(...answer.validators)
    if (validators.length >= Number(answer.total) || answer.validators.length === 0)
      return validators
  }
}

/** The votes of a validator. An absent one has no address in a commit: only its place in the set tells. */
function voteOf(commit: Commit, address: string, place: number): Vote | undefined {
  const { signatures } = commit.signed_header.commit
  const own = signatures.find(({ validator_address: signer }) => signer === address)
  const entry = own ?? (signatures[place]?.block_id_flag === 1 ? signatures[place] : undefined)
  return entry === undefined ? undefined : VOTES[entry.block_id_flag]
}

/** The set of the next block, with what each did in the blocks before. */
export async function loadValidators(node: Node): Promise<ValidatorSet> {
  const latest = Number(await node.ethereum('eth_blockNumber'))
  const [validators, blocks] = await Promise.all([allValidators(node), lastCommits(node, latest)])
  const rows = validators.map((validator, place): ValidatorRow => ({
    address: validator.address,
    publicKey: validator.pub_key.value,
    power: BigInt(validator.voting_power),
    votes: blocks.map((commit) => ({
      height: Number(commit.signed_header.header.height),
      vote: voteOf(commit, validator.address, place),
    })),
    proposed: blocks.filter(
      (commit) => commit.signed_header.header.proposer_address === validator.address,
    ).length,
  }))
  return { height: latest, power: rows.reduce((sum, row) => sum + row.power, 0n), rows }
}
