/** `assay verify`: proofs against a header that is trusted, from servers that are not. */
import { Command } from 'commander'
import { bigintToFixedBytes } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import { tryFromHex } from '../base/hex.ts'
import { RpcAnswerError } from '../proof/comet/json/answer.ts'
import { LightError } from '../proof/comet/light/errors.ts'
import { ProofError } from '../proof/mpt.ts'
import { readOption } from './options.ts'
import { verifyAccountCommand } from './verify/account.ts'
import { verifyHeaderCommand } from './verify/header.ts'
import { ServerError } from './verify/jsonRpc.ts'
import { addVerifyOptions, hashText, heightNumber, readVerifyOptions } from './verify/options.ts'
import { verifyReceiptCommand } from './verify/receipt.ts'
import { openSession, type Session } from './verify/session.ts'
import { jsonTranscript, lineTranscript, type Facts } from './verify/transcript.ts'
import { verifyTransactionCommand } from './verify/transaction.ts'

/** The code of a failure that is an answer to the question; undefined for a fault of the program. */
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

/** Exit code 0 when it is proven, 1 when it is not. */
async function run(command: Command, prove: (session: Session) => Promise<Facts>): Promise<void> {
  const options = readVerifyOptions(command)
  const write = (text: string) => process.stdout.write(text)
  const transcript = options.json ? jsonTranscript(write) : lineTranscript(write)
  const deadline = AbortSignal.timeout(options.timeoutMs)
  try {
    const session = await openSession(options, transcript, deadline)
    const facts = await prove(session)
    transcript.proven(facts, session.latestTrusted())
  } catch (error) {
    const code = deadline.aborted ? 'noAnswer' : codeOf(error)
    if (code === undefined || !(error instanceof Error)) throw error
    const reason = deadline.aborted
      ? `it took longer than --timeout: ${error.message}`
      : error.message
    transcript.refused(code, `${reason}${ADVICE[code] ?? ''}`)
    process.exitCode = 1
  }
}

function addressOf(text: string): Uint8Array {
  const address = tryFromHex(text)
  if (address?.length !== 20)
    throw new UserError(`"${text}" is not an address`, 'Write 0x and 40 hexadecimal digits.')
  return address
}

function slotOf(text: string): Uint8Array {
  if (!/^(?:0x[0-9a-fA-F]{1,64}|\d{1,77})$/.test(text))
    throw new UserError(`--slot: "${text}" is not a storage slot`, 'Write a number, as 3 or 0x3.')
  return bigintToFixedBytes(BigInt.asUintN(256, BigInt(text)), 32)
}

function accountCommand(): Command {
  return addVerifyOptions(new Command('account'))
    .description('Prove nonce, balance, code hash and storage of an account.')
    .argument('<address>', 'its address')
    .option('--slot <slot...>', 'storage slots to prove as well', [])
    .option('--height <height>', 'state after this block (default: the latest proven one)')
    .action(
      (text: string, flags: { slot: readonly string[]; height?: string }, command: Command) => {
        const address = addressOf(text)
        const slots = flags.slot.map(slotOf)
        const height =
          flags.height === undefined
            ? undefined
            : readOption('--height', heightNumber, flags.height)
        return run(command, (session) => verifyAccountCommand(session, { address, slots, height }))
      },
    )
}

function hashCommand(
  name: string,
  description: string,
  prove: (session: Session, hash: Uint8Array) => Promise<Facts>,
): Command {
  return addVerifyOptions(new Command(name))
    .description(description)
    .argument('<hash>', "the transaction's hash, Ethereum's or the consensus engine's")
    .action((text: string, _flags: unknown, command: Command) => {
      const hash = readOption('<hash>', hashText, text)
      return run(command, (session) => prove(session, hash))
    })
}

function headerCommand(): Command {
  return addVerifyOptions(new Command('header'))
    .description('Prove the header of a height.')
    .argument('[height]', 'its height (default: the latest one)')
    .action((text: string | undefined, _flags: unknown, command: Command) => {
      const height = text === undefined ? 'latest' : readOption('<height>', heightNumber, text)
      return run(command, (session) => verifyHeaderCommand(session, height))
    })
}

/** The command. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('Prove what a chain holds to yourself, trusting one header and no server.')
    .addCommand(accountCommand())
    .addCommand(
      hashCommand('tx', 'Prove that a block holds a transaction.', verifyTransactionCommand),
    )
    .addCommand(hashCommand('receipt', 'Prove what became of a transaction.', verifyReceiptCommand))
    .addCommand(headerCommand())
}
