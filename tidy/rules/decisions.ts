/** Every decision names the code and the test that hold it, and the code cites no decision that does not exist. */
import path from 'node:path'
import type { Checkout } from '../checkout.ts'
import type { Fault } from '../fault.ts'

const LIST = 'docs/decisions.md'
const RULE = 'decisions'

const ENTRY = /^- \*\*(D\d+[a-z]?)\*\*/
const LINK = /\[(code|test)\]\(([^)\s]+)\)/g
const CITE = /\bD\d+[a-z]?\b/g
const CODE = /\.(?:ts|tsx|mjs|sol)$/
/** Where numbers stand for other things: hex digits, keys of a keyboard, names of vectors, these rules' own tests. */
const OTHER_NUMBERS = /^(?:tidy\/rules\/decisions(?:\.test)?\.ts$|bench\/results\/)/
/** What users read, who have nothing to look a number up in. */
const FOR_USERS =
  /^(?:README\.md|docs\/(?:capacity|config|errors|events|key-rotation|methods|metrics|models|explorer|machines|program-upgrades|releases|reverse-proxies|runbooks|scaling|staking|subscriptions|upgrades)\.md|docs\/tutorials\/.*)$/

export type Decision = {
  readonly number: string
  readonly line: number
  readonly code: readonly string[]
  readonly tests: readonly string[]
}

/** The entries of the list, with the files that they link to, from the root of the checkout. */
export function decisionsOf(text: string): readonly Decision[] {
  const out: { number: string; line: number; text: string }[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const number = ENTRY.exec(line)?.[1]
    if (number !== undefined) out.push({ number, line: index + 1, text: line })
    else if (line.startsWith('#')) out.push({ number: '', line: 0, text: '' })
    else {
      const entry = out.at(-1)
      if (entry) entry.text += `\n${line}`
    }
  }
  return out
    .filter(({ number }) => number !== '')
    .map((entry) => {
      const links = [...entry.text.matchAll(LINK)].map(([, kind, target = '']) => ({
        kind,
        file: path.posix.normalize(path.posix.join(path.posix.dirname(LIST), target)),
      }))
      const filesOf = (kind: string) =>
        links.filter((link) => link.kind === kind).map(({ file }) => file)
      return {
        number: entry.number,
        line: entry.line,
        code: filesOf('code'),
        tests: filesOf('test'),
      }
    })
}

function listFaults(checkout: Checkout, decision: Decision): Fault[] {
  const { number, line, code, tests } = decision
  const fault = (message: string): Fault => ({
    file: LIST,
    line,
    rule: RULE,
    subject: number,
    message,
  })
  const out: Fault[] = []
  if (code.length === 0) out.push(fault(`${number} links to no [code](…) that follows it`))
  if (tests.length === 0) out.push(fault(`${number} links to no [test](…) that holds it`))
  for (const file of [...code, ...tests])
    if (!checkout.has(file)) out.push(fault(`${number} links to ${file}, which is not there`))
  const cites = new RegExp(String.raw`\b${number}\b`)
  for (const file of code)
    if (checkout.has(file) && !cites.test(checkout.read(file)))
      out.push(fault(`${number} links to ${file}, which does not cite it`))
  // One of the tests says so itself: whoever changes it learns what it is for.
  const holds = new RegExp(String.raw`Holds [^\n]*\b${number}\b`)
  if (
    tests.length > 0 &&
    !tests.some((file) => checkout.has(file) && holds.test(checkout.read(file)))
  )
    out.push(fault(`${number}: none of its tests says "Holds ${number}"`))
  return out
}

/** Numbers that stand for two decisions, as after two changes that did not know of each other. */
function repeatedNumbers(decisions: readonly Decision[]): Fault[] {
  return decisions
    .filter((each, index) => decisions.findIndex(({ number }) => number === each.number) < index)
    .map(({ number, line }) => ({
      file: LIST,
      line,
      rule: RULE,
      subject: number,
      message: `${number} is there twice`,
    }))
}

/** Decisions without code or test, numbers with two decisions, and citations of none. */
export function decisionFaults(checkout: Checkout): Fault[] {
  const decisions = decisionsOf(checkout.read(LIST))
  const known = new Set(decisions.map(({ number }) => number))
  const out = decisions.flatMap((decision) => listFaults(checkout, decision))
  out.push(...repeatedNumbers(decisions))
  for (const file of checkout.files) {
    const isForUsers = FOR_USERS.test(file)
    if ((!CODE.test(file) && !isForUsers) || OTHER_NUMBERS.test(file)) continue
    for (const [index, line] of checkout.read(file).split('\n').entries()) {
      if (!isForUsers && !/^\s*(?:\/?\*|\/\/)|\/\/ |\/\*\*/.test(line)) continue
      for (const [subject] of line.matchAll(CITE)) {
        const fault = { file, line: index + 1, rule: RULE, subject }
        if (isForUsers && known.has(subject))
          out.push({ ...fault, message: `shows ${subject} to users, who cannot look it up` })
        else if (!isForUsers && !known.has(subject))
          out.push({ ...fault, message: `cites ${subject}, which ${LIST} does not have` })
      }
    }
  }
  return out
}
