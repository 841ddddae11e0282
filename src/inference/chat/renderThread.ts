/** The thread that renders one chat template. A template is a stranger's program: nothing but text leaves this thread. */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja'
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import type { RenderAnswer, RenderRequest } from './messages.ts'
import { pythonStrip, rewriteStrips, STRIP } from './pythonStrip.ts'
import { strftime } from './strftime.ts'

const MAX_RANGE = 1_000_000

/** Python's range, as a list. Throws RangeError beyond a million numbers. */
function range(first: unknown, end?: unknown, step: unknown = 1): readonly number[] {
  const [from, to] = end === undefined ? [0, Number(first)] : [Number(first), Number(end)]
  const length = Math.max(0, Math.ceil((to - from) / Number(step)))
  if (!(length <= MAX_RANGE)) throw new RangeError(`a range has more than ${MAX_RANGE} numbers`)
  return Array.from({ length }, (_, i) => from + i * Number(step))
}

/** Renders with the names that transformers gives to templates, but no tools and no documents. */
function render({ template, messages, bos, eos, createdAt }: RenderRequest): string {
  const environment = new Environment()
  const globals: Readonly<Record<string, unknown>> = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    raise_exception: (reason: unknown) => {
      throw new Error(String(reason))
    },
    strftime_now: (format: unknown) => strftime(createdAt, String(format)),
    range,
    [STRIP]: pythonStrip,
    messages,
    bos_token: bos,
    eos_token: eos,
    add_generation_prompt: true,
  }
  for (const [name, value] of Object.entries(globals)) environment.set(name, value)
  const program = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }))
  rewriteStrips(program)
  const result: { readonly value?: unknown } = new Interpreter(environment).run(program)
  return String(result.value)
}

let answer: RenderAnswer
try {
  answer = { text: render(workerData as RenderRequest) }
} catch (error) {
  answer = { reason: messageOf(error).slice(0, 300) }
}
parentPort?.postMessage(answer, [])
