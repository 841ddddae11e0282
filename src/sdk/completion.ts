/**
 * The text in answers of OpenAI's API: whole ones, and the chunks of streams. What a bundle cannot prove, such as several choices or
 * members besides the text, is refused: a client might show it.
 */

type Members = Readonly<Record<string, unknown>>

/** What is said besides the text and proven by nothing, in a sentence. */
class Unproven extends Error {
  override readonly name = 'Unproven'
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

function onlyChoice(body: unknown): Members | undefined {
  const choices = isObject(body) ? body['choices'] : undefined
  if (!Array.isArray(choices) || choices.length === 0) return undefined
  const [choice] = choices as readonly unknown[]
  if (choices.length > 1 || !isObject(choice) || (choice['index'] ?? 0) !== 0)
    throw new Unproven('the answer has several choices')
  return choice
}

/** The text of a choice, in whichever of the members of OpenAI's API it is. */
function textOf(choice: Members): string | undefined {
  const message = choice['message'] ?? choice['delta'] ?? { content: choice['text'] }
  if (!isObject(message)) throw new Unproven('the answer has no message')
  for (const [name, value] of Object.entries(message))
    if (name !== 'role' && name !== 'content' && value !== null)
      throw new Unproven(`the answer has "${name}", which nothing proves`)
  const { content } = message
  return typeof content === 'string' ? content : undefined
}

/** The text of a whole answer. Throws where there is not exactly one. */
export function textOfAnswer(body: unknown): string {
  const choice = onlyChoice(body)
  const text = choice && textOf(choice)
  if (text === undefined) throw new Unproven('the answer has no text')
  return text
}

export type Chunk = {
  readonly text: string
  /** Whether the text ends with it. */
  readonly isEnd: boolean
  /** Whether it is an error in the place of a chunk. */
  readonly isError: boolean
}

/** Reads the data of an event. Throws for what is no chunk, and for what nothing proves. */
export function readChunk(data: string): Chunk {
  const body: unknown = JSON.parse(data)
  const choice = onlyChoice(body)
  return {
    text: (choice && textOf(choice)) ?? '',
    isEnd: typeof choice?.['finish_reason'] === 'string',
    isError: isObject(body) && body['error'] !== undefined && choice === undefined,
  }
}
