/** Headers with their commits and validators, from a chain's consensus RPC, as bundles contain them. */
import type { z } from 'zod'
import type { AnchorJson } from '../../../proof/bundle/format.ts'
import { commitAnswer, validatorsAnswer } from '../../../proof/comet/json/block.ts'
import { jsonRpcCaller } from '../../onchain/jsonRpc.ts'

const PAGE = 100
const ANSWER_MS = 5_000

/** A header, its commit and its validators, in CometBFT's JSON. */
export type SignedHeaderJson = NonNullable<NonNullable<AnchorJson['proof']>['signedHeader']>

/** The header of a height, or the latest. Rejects when the consensus RPC does not have it, or not respond. */
export async function signedHeaderAt(url: URL, height?: number): Promise<SignedHeaderJson> {
  const ask = jsonRpcCaller(url, 'the consensus RPC', {
    deadline: AbortSignal.timeout(ANSWER_MS),
  })
  const answer = await ask('commit', height === undefined ? {} : { height: String(height) })
  commitAnswer.parse(answer)
  const { header, commit } = (answer as z.input<typeof commitAnswer>).signed_header
  const validators: SignedHeaderJson['validators'] = []
  for (let page = 1; ; page++) {
    const params = { height: header.height, page: String(page), per_page: String(PAGE) }
    const part = await ask('validators', params)
    validatorsAnswer.parse(part)
    const given = part as z.input<typeof validatorsAnswer>
    // The position in the rotation is not covered by any hash, so no one could verify it.
    for (const { address, pub_key, voting_power } of given.validators)
      validators.push({ address, pub_key, voting_power })
    if (validators.length >= Number(given.total)) break
  }
  const { height: at, round, block_id, signatures } = commit
  return { header, commit: { height: at, round, block_id, signatures }, validators }
}
