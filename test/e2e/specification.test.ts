/**
 * Every row of part A of the interface specification, by its words, against a running system. It has the system for itself:
 * rows are about nonces and balances of its accounts.
 */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newHome, startAssay, type Running } from '../support/assay.ts'
import * as methods from '../support/specification/methods.ts'
import * as objects from '../support/specification/objects.ts'
import { PERSONAL } from '../support/specification/personal.ts'
import * as rules from '../support/specification/rules.ts'
import { VALIDATOR_EVENTS, VALIDATOR_UPDATE } from '../support/specification/validators.ts'
import { prepareWorld, type Rows, type SpecifiedWorld } from '../support/specification/world.ts'

/** Rows by their heading in the specification. */
const HEADINGS: Readonly<Record<string, Rows>> = {
  'Block (result of eth_getBlockByNumber / eth_getBlockByHash)': objects.BLOCK,
  Transaction: objects.TRANSACTION,
  'Transaction receipt': objects.RECEIPT,
  Log: objects.LOG,
  'Log filter object (eth_getLogs, eth_newFilter)': objects.LOG_FILTER,
  'Proof object (eth_getProof)': objects.PROOF,
  'Transaction call object (eth_sendTransaction, eth_call, eth_estimateGas, personal_sendTransaction)':
    objects.CALL_OBJECT,
  'Validator update (ValidatorSetUpdates event)': VALIDATOR_UPDATE,
  'States and transitions': rules.STATES,
  'personal (all private; see Authentication)': PERSONAL,
  'JSON-RPC envelope (node)': rules.ENVELOPE,
  'web3 and net': methods.WEB3_AND_NET,
  'eth, reads': methods.READS,
  'eth, writes and signing': methods.WRITES,
  'eth, filters': methods.FILTERS,
  'eth, WebSocket only': methods.WEB_SOCKET,
  'Consensus-engine RPC': rules.CONSENSUS,
  Authentication: rules.ACCESS_AND_VERSIONS,
  Events: { ...rules.EVENTS, ...VALIDATOR_EVENTS },
  Errors: rules.ERRORS_AND_LIMITS,
}

let assay: Running
let world: SpecifiedWorld
beforeAll(async () => {
  assay = await startAssay(newHome())
  world = await prepareWorld(assay.up)
})

afterAll(() => assay.stop())

for (const [heading, rows] of Object.entries(HEADINGS))
  describe(heading, () => {
    for (const [row, check] of Object.entries(rows)) test(row, () => check(world))
  })

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const SPECIFICATION = path.resolve(ROOT, '..', 'shared', 'spec', 'interface.md')

/** Headings of part B: the dispatcher and the operators. */
const PART_B = /^(?:Job |Operator configuration|Dispatcher API)/
/** What part A's headings have of part B, or of nobody: heads of tables, classes of machines. */
const NO_ROW =
  /^(?:Field|Method|Subject|Event \(tm\.event value\)|Item|Class|Path|Key) \||^General Purpose|[Dd]ispatcher|Job submission|not shown\.?$/

type Listed = { readonly heading: string; readonly text: string }

/** Rows of tables, and items of lists from the endpoints on, of part A. */
function listedRows(markdown: string): readonly Listed[] {
  const rows: Listed[] = []
  let heading = ''
  let isBehindEndpoints = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
    isBehindEndpoints ||= line === '## Endpoints'
    const isRow = line.startsWith('|') && !/^[|\s-]+$/.test(line)
    const isItem = isBehindEndpoints && /^(?:- |\d+\. )/.test(line)
    if (!isRow && !isItem) continue
    const cells = line.replace(/^(?:- |\d+\. )/, '').split('|')
    const text = cells
      .map((cell) => cell.trim())
      .join(' | ')
      .replace(/^ \| /, '')
      .replace(/ \| $/, '')
      .replaceAll('|  |', '| |')
    if (!PART_B.test(heading) && !NO_ROW.test(text)) rows.push({ heading, text })
  }
  return rows
}

function testSources(folder: string): readonly string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => file.endsWith('.test.ts') || file.includes('specification'))
    .map((file) => fs.readFileSync(path.join(ROOT, folder, file), 'utf8'))
}

/** Rows of these headings stand under them here; the others name their methods, and are in the titles of unit tests. */
function isQuoted({ heading, text }: Listed, sources: string): boolean {
  const here = Object.keys(HEADINGS[heading] ?? {})
  if (here.some((row) => text.startsWith(row))) return true
  const elsewhere = Object.values(HEADINGS).flatMap((rows) => Object.keys(rows))
  const [first = '', second = ''] = text.split(' | ')
  if (second === '') return elsewhere.some((row) => text.startsWith(row))
  // One cell alone is no quotation where it is the name of a field.
  return sources.includes(`${first} | ${second.slice(0, 12)}`) && first.length > 6
}

const isPresent = fs.existsSync(SPECIFICATION)
if (!isPresent) console.warn(`skipped: ${SPECIFICATION} is absent`)

test.skipIf(!isPresent)('no row of part A is without a test that quotes it', () => {
  const listed = listedRows(fs.readFileSync(SPECIFICATION, 'utf8'))
  const sources = [...testSources('src'), ...testSources('test')].join('\n')
  const forgotten = listed.filter((row) => !isQuoted(row, sources))
  expect(forgotten.map(({ heading, text }) => `${heading}: ${text}`)).toEqual([])
  // The count is the result of this test.
  console.warn(`specification: ${listed.length} rows of part A, each quoted by a test`)
  expect(listed.length).toBeGreaterThan(150)
})
