/** `assay job replay`: re-executes an answer, and shows the first step that differs. */
import { Command } from 'commander'
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import type { Divergence } from '../../inference/fixed/trace.ts'
import type { BundleAnswer } from '../../proof/bundle/format.ts'
import { addClientOptions, openClient, readBundle, readText, type ClientFlags } from './client.ts'
import { requireOneInput } from './inputText.ts'

type Flags = ClientFlags & { readonly promptFile: string; readonly model: string }

const traces = z.array(z.object({ operator: z.string(), round: z.number(), trace: z.string() }))

type Traces = z.infer<typeof traces>

/** The steps that operators sent, from the dispatcher; none if it is not asked or does not return them. */
async function claimedTraces(id: string, source: string, flags: Flags): Promise<Traces> {
  try {
    return traces.parse(await openClient(flags).get(`/api/job/trace/${id}`))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (source === id) process.stdout.write(`no steps to compare with: ${error.message}\n`)
    return []
  }
}

function stepText({ position, step, layer }: Divergence): string {
  const at = `token ${position}`
  if (step === 'layer') return `${at}, layer ${layer}: the computation differs`
  if (step === 'logits') return `${at}: the layers agree, the logits differ`
  if (step === 'choice') return `${at}: the logits agree, a different token was chosen`
  return step === 'end' ? `${at}: one execution ends here` : `${at}: the tokens differ`
}

/** Replays one answer and prints the outcome; returns whether it agrees. */
async function replay(answer: BundleAnswer, claimed: Traces, flags: Flags): Promise<boolean> {
  const { replayAnswer } = await import('../../jobs/replay.ts')
  const { compareTraces } = await import('../../inference/fixed/trace.ts')
  const { decodeTrace } = await import('../../inference/fixed/traceBytes.ts')
  const { promptHash } = await import('../../proof/job/hashes.ts')
  const { promptText } = await import('../../proof/job/canonicalMessages.ts')
  const { statement, receipt } = answer
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  const prompt = promptText(readText(flags.promptFile) ?? '', answer.params)
  say(`answer of ${statement.operator}, engine ${statement.engine}`)
  if (promptHash(prompt) !== statement.promptHash) {
    say(
      '  the prompt differs from the one in the statement: is there a line break at the end of the file?',
    )
    return false
  }
  const from = { prompt, modelFile: flags.model }
  const own = await replayAnswer(answer, from, new AbortController().signal)
  const row = (name: string, mine: string | number, stated?: string | number): boolean => {
    say(
      `  ${name.padEnd(14)}${mine === stated ? `the same, ${mine}` : `${mine} here, ${stated ?? 'nothing'} in the statement`}`,
    )
    return mine === stated
  }
  const agrees = [
    row('model file', own.modelHash, statement.modelHash),
    row('engine', own.engine, statement.engine),
    row('parameters', own.paramsHash, statement.paramsHash),
    row('weights', own.modelRoot, statement.modelRoot),
    row('steps', own.traceRoot, statement.traceRoot),
    row('output', own.outputHash, statement.outputHash),
    row('tokens', own.tokens, statement.tokens),
    row('finish reason', own.finishReason, statement.finishReason),
  ].every(Boolean)
  const sent = claimed.find(
    ({ operator, round }) => operator === receipt.operator && round === receipt.round,
  )
  const steps = sent && decodeTrace(Buffer.from(sent.trace, 'base64'))
  const difference = steps && compareTraces(own.trace, steps)
  if (difference !== undefined) say(`  first step that differs: ${stepText(difference)}`)
  else if (steps !== undefined)
    say(`  all ${steps.length} tokens with ${steps[0]?.layers.length ?? 0} layers each agree`)
  return agrees
}

async function run(source: string, flags: Flags): Promise<void> {
  requireOneInput(source, flags.promptFile)
  const { bundle } = await import('../../proof/bundle/format.ts')
  const { InferenceError } = await import('../../inference/errors.ts')
  const parsed = bundle.safeParse(await readBundle(source, flags))
  if (!parsed.success) throw new UserError(`${source} is not a receipt bundle`)
  const { answers, jobId } = parsed.data
  const opml = answers.filter(({ statement }) => statement.jobType === 'opml')
  if (opml.length === 0)
    throw new UserError('the job has no opml answer; only opml answers can be replayed')
  const claimed = await claimedTraces(jobId, source, flags)
  let agrees = true
  for (const answer of opml)
    try {
      agrees = (await replay(answer, claimed, flags)) && agrees
    } catch (error) {
      if (error instanceof InferenceError) throw new UserError(messageOf(error))
      throw error
    }
  process.stdout.write(agrees ? 'The execution is the same.\n' : 'THE EXECUTION DIFFERS.\n')
  if (!agrees) process.exitCode = 1
}

/** The command. */
export function replayCommand(): Command {
  return addClientOptions(new Command('replay'))
    .description('Re-execute an opml answer and show the first step that differs.')
    .argument('<job>', 'job id, or bundle file')
    .requiredOption(
      '--prompt-file <file>',
      'file with the prompt (- for standard input), exactly as submitted; of a conversation the messages as JSON',
    )
    .requiredOption('--model <file>', 'model file')
    .action(run)
}
