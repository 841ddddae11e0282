/**
 * What OpenAI's API has and this one has not: refused by name where it would change the answer, else answered with a warning
 * (D139).
 */
import { ApiError } from '../apiError.ts'

type Rule = {
  /** Whether this value asks for nothing. */
  readonly isIdle: (value: unknown) => boolean
  readonly refusal: string
}

const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value)
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
const isTextFormat = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'
const isTextOnly = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => each === 'text')

const TOOLS = 'tool calls are not supported: the answer is text'
const ONE = 'only one answer is made: send several requests for several answers'
const LOGPROBS = 'log probabilities are not part of what operators sign, and are not sent'
const PENALTIES = 'the engines choose tokens by temperature, top_p and seed alone'

/** Refused unless idle. */
const REFUSED: Readonly<Record<string, Rule>> = {
  tools: { isIdle: isEmpty, refusal: TOOLS },
  functions: { isIdle: isEmpty, refusal: TOOLS },
  tool_choice: { isIdle: oneOf('none', 'auto'), refusal: TOOLS },
  function_call: { isIdle: oneOf('none', 'auto'), refusal: TOOLS },
  n: { isIdle: oneOf(1), refusal: ONE },
  best_of: { isIdle: oneOf(1), refusal: ONE },
  logprobs: { isIdle: oneOf(false), refusal: LOGPROBS },
  top_logprobs: { isIdle: oneOf(0), refusal: LOGPROBS },
  response_format: {
    isIdle: isTextFormat,
    refusal: 'only the format "text" is supported: no engine holds an answer to a grammar',
  },
  logit_bias: { isIdle: isEmpty, refusal: PENALTIES },
  presence_penalty: { isIdle: oneOf(0), refusal: PENALTIES },
  frequency_penalty: { isIdle: oneOf(0), refusal: PENALTIES },
  modalities: { isIdle: isTextOnly, refusal: 'the models read and write text alone' },
  audio: { isIdle: () => false, refusal: 'the models read and write text alone' },
  web_search_options: { isIdle: () => false, refusal: 'operators search nothing' },
  echo: { isIdle: oneOf(false), refusal: 'the prompt is not repeated in the answer' },
  suffix: { isIdle: oneOf(''), refusal: 'text is continued at its end alone' },
}

/** What has no effect on an answer. */
const IDLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  metadata: () => true,
  prompt_cache_key: () => true,
  parallel_tool_calls: () => true,
  service_tier: oneOf('auto', 'default'),
  store: oneOf(false),
}

const MAX_WARNINGS = 32
const MAX_NAME = 64

/** Throws ApiError 400 that names what cannot be done. Returns a warning for every member that is ignored. */
export function checkSupported(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): readonly string[] {
  const asked = Object.entries(body).filter(
    ([name, value]) => !known.has(name) && value !== null && value !== undefined,
  )
  for (const [name, value] of asked) {
    const rule = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
    if (rule !== undefined && !rule.isIdle(value))
      throw new ApiError(400, `${name}: ${rule.refusal}`, {
        param: name,
        reason: 'unsupported_parameter',
      })
  }
  return asked
    .filter(([name, value]) => {
      const isIdle = Object.hasOwn(IDLE, name) ? IDLE[name] : undefined
      return !Object.hasOwn(REFUSED, name) && isIdle?.(value) !== true
    })
    .slice(0, MAX_WARNINGS)
    .map(([name]) => `${name.slice(0, MAX_NAME)} is not supported and was ignored`)
}
