/** One question to untrusted servers, and the command's output and exit code. */
import { RpcAnswerError } from '../../proof/comet/json/answer.ts'
import { LightError } from '../../proof/comet/light/errors.ts'
import { LightAttackError } from '../../proof/comet/light/witnesses.ts'
import { ProofError } from '../../proof/mpt.ts'
import { proveAccount, type AccountQuestion } from './account.ts'
import { proveHeader } from './header.ts'
import type { VerifyOptions } from './options.ts'
import { proveReceipt } from './receipt.ts'
import { jsonRpcCaller, ServerError } from '../../jobs/onchain/jsonRpc.ts'
import { openSession, type Servers, type Session } from './session.ts'
import { proveTransaction } from './transaction.ts'
import { jsonTranscript, lineTranscript, type Facts } from './transcript.ts'

/** What to prove. Hashes have 32 bytes and are Ethereum's or the consensus engine's. */
export type Question =
  | { readonly kind: 'header'; readonly height: number | 'latest' }
  | ({ readonly kind: 'account' } & AccountQuestion)
  | { readonly kind: 'tx' | 'receipt'; readonly hash: Uint8Array }

function prove(session: Session, question: Question): Promise<Facts> {
  switch (question.kind) {
    case 'header':
      return proveHeader(session, question.height)
    case 'account':
      return proveAccount(session, question)
    case 'tx':
      return proveTransaction(session, question.hash)
    default:
      return proveReceipt(session, question.hash)
  }
}

function serversOf({ rpc, jsonRpc, witnesses }: VerifyOptions, deadline: AbortSignal): Servers {
  const at = (url: URL, label: string) => jsonRpcCaller(url, label, { deadline })
  return {
    askConsensus: at(rpc, 'the consensus RPC'),
    askEthereum: at(jsonRpc, 'the Ethereum JSON-RPC'),
    witnesses: witnesses.map((url) => ({ name: url.host, ask: at(url, 'the witness') })),
  }
}

/** The code of a failure that is an answer to the question; undefined for a fault of the program or of the user. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof LightError) return error.code
  if (error instanceof ProofError) return 'proof'
  if (error instanceof RpcAnswerError) return 'refused'
  return error instanceof ServerError ? 'noAnswer' : undefined
}

const ADVICE: Readonly<Record<string, string>> = {
  expired: ' (trust a newer header, or pass a longer --trusting-period)',
  notEnoughTrust: ' (trust a newer header)',
}

/** Prints the answer on standard output. The exit code is 0 if it is proven, 1 if not. Throws UserError. */
export async function runVerification(options: VerifyOptions, question: Question): Promise<void> {
  const write = (text: string) => process.stdout.write(text)
  const transcript = options.json ? jsonTranscript(write) : lineTranscript(write)
  const deadline = AbortSignal.timeout(options.timeoutMs)
  try {
    const session = await openSession(serversOf(options, deadline), options, transcript, deadline)
    const facts = await prove(session, question)
    transcript.proven(facts, session.latestTrusted())
  } catch (error) {
    const code = deadline.aborted ? 'noAnswer' : codeOf(error)
    if (code === undefined || !(error instanceof Error)) throw error
    const late = deadline.aborted ? 'it took longer than --timeout: ' : ''
    const evidence = error instanceof LightAttackError ? error.evidence : []
    transcript.refused(code, `${late}${error.message}${ADVICE[code] ?? ''}`, evidence)
    process.exitCode = 1
  }
}
