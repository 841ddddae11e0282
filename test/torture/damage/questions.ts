/** What a chain's store is asked, and the answers: a forged one differs, a refused one is an error. */
import { toHex } from '../../../src/base/hex.ts'
import type { ChainReader } from '../../../src/chain/reader.ts'

/** Answers by question. */
export type Answers = ReadonlyMap<string, string>

/** Accounts and slots that are asked for. */
export type Known = {
  readonly accounts: readonly Uint8Array[]
  readonly slots: readonly (readonly [address: Uint8Array, slot: Uint8Array])[]
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return `${part}`
    return part instanceof Uint8Array ? toHex(part) : part
  }) ?? 'nothing'

function* questions(
  reader: ChainReader,
  { accounts, slots }: Known,
  tip: number,
): Generator<readonly [string, () => unknown]> {
  for (let height = 0; height <= tip; height++) {
    yield [`header ${height}`, () => reader.header(height)]
    yield [`transactions ${height}`, () => reader.decided(height)]
    yield [`receipts ${height}`, () => reader.receipts(height)]
  }
  const everyLog = { addresses: [], topics: [] }
  yield ['logs', () => Array.from(reader.logs(0, tip, everyLog))]
  for (const height of [Math.floor(tip / 2), tip]) {
    for (const address of accounts) {
      const name = `${toHex(address)} at ${height}`
      yield [`account ${name}`, () => reader.stateAt(height).account(address)]
    }
    for (const [address, slot] of slots) {
      const name = `${toHex(slot)} of ${toHex(address)} at ${height}`
      yield [`slot ${name}`, () => reader.stateAt(height).storage(address, slot)]
    }
  }
}

/** Asks everything up to a height; questions that end in an error have no answer. */
export function ask(reader: ChainReader, known: Known, tip: number): Answers {
  const answers = new Map<string, string>()
  for (const [question, answer] of questions(reader, known, tip))
    try {
      answers.set(question, plain(answer()))
    } catch {
      // Refused: that is allowed.
    }
  return answers
}

/** The questions whose answers are not those of the whole store. */
export function forgeries(answers: Answers, expected: Answers): readonly string[] {
  return [...answers]
    .filter(([question, answer]) => expected.get(question) !== answer)
    .map(([question, answer]) => `${question}: ${answer.slice(0, 80)}`)
}
