/** A provider over the consensus RPC: `commit`, and all pages of `validators`. */
import { readAnswer, RpcAnswerError, type AskRpc } from '../json/answer.ts'
import { commitAnswer, validatorsAnswer } from '../json/block.ts'
import type { Validator } from '../types.ts'
import { LightError } from './errors.ts'
import type { Provider, SignedHeader } from './types.ts'

const PAGE = 100

// CometBFT's messages for a future height, and for one that was pruned.
const TOO_HIGH = /height \d+ must be less than or equal to/
const MISSING = /height \d+ is not available|could not find/

function explain(error: unknown): unknown {
  if (!(error instanceof RpcAnswerError)) return error
  const code = TOO_HIGH.test(error.data)
    ? 'tooHigh'
    : MISSING.test(error.data)
      ? 'unavailable'
      : undefined
  return new LightError(code ?? 'unavailable', error.message, { cause: error })
}

async function askOrExplain(ask: AskRpc, method: string, params: Record<string, unknown>) {
  try {
    return await ask(method, params)
  } catch (error) {
    throw explain(error)
  }
}

async function signedHeader(ask: AskRpc, height: number | 'latest'): Promise<SignedHeader> {
  const params = height === 'latest' ? {} : { height: String(height) }
  const answer = await askOrExplain(ask, 'commit', params)
  // A node that has no block yet answers null.
  if (answer === null || answer === undefined)
    throw new LightError('tooHigh', `commit: there is no block at ${height} yet`)
  return readAnswer('commit', commitAnswer, answer).signed_header
}

async function validatorSet(ask: AskRpc, height: number): Promise<readonly Validator[]> {
  const validators: Validator[] = []
  for (let page = 1; ; page++) {
    const params = { height: String(height), page: String(page), per_page: String(PAGE) }
    const answer = readAnswer(
      'validators',
      validatorsAnswer,
      await askOrExplain(ask, 'validators', params),
    )
    if (answer.block_height !== height)
      throw new LightError(
        'malformed',
        `validators: the response is for height ${answer.block_height}, not ${height}`,
      )
    validators.push(...answer.validators)
    // Each page has at least one, and the total is bounded, so this terminates.
    if (validators.length >= answer.total) return validators
  }
}

/** The provider. Its blocks are complete and well-formed, but not verified. */
export function rpcProvider(ask: AskRpc): Provider {
  return async (height) => {
    const signed = await signedHeader(ask, height)
    return { ...signed, validators: await validatorSet(ask, signed.header.height) }
  }
}
