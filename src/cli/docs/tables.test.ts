/** What the references promise exists: the program uses every entry of a table. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PROCESS_METRICS } from '../../base/processMetrics.ts'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { nodeKeys } from '../../config/node.ts'
import { optionalOperatorKeys, requiredOperatorKeys } from '../../config/operatorKeys.ts'
import { DISPATCHER_METRICS } from '../../jobs/dispatcher/metrics.ts'
import { OPERATOR_METRICS } from '../../jobs/operator/metrics.ts'
import { WORKER_METRICS } from '../../jobs/worker/metrics.ts'
import { NODE_METRICS } from '../../node/metrics.ts'
import { RPC_ERRORS } from '../../wire/errors.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** The program's source text without its tests, and without the files in `skipped`. */
function textWithout(skipped: (file: string) => boolean): string {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => !file.startsWith('generated') && !skipped(file))
    .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
    .join('\n')
}

test('every configuration key is read', () => {
  const text = textWithout((file) => file.startsWith('config') || file.startsWith('cli/docs'))
  // A key without a dot may be a property: config.moniker.
  const isQuoted = (name: string): boolean =>
    text.includes(`'${name}'`) || text.includes(`config.${name}`)
  const isNamed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
  const unread = [
    ...Object.keys({ ...nodeKeys, ...dispatcherKeys }).filter((name) => !isQuoted(name)),
    ...Object.keys({ ...requiredOperatorKeys, ...optionalOperatorKeys }).filter(
      (name) => !isNamed(name),
    ),
  ]
  expect(unread.map((name) => `nothing reads the key ${name}`)).toEqual([])
})

test('every JSON-RPC error is thrown somewhere, and has a code of its own', () => {
  const text = textWithout((file) => file === 'wire/errors.ts')
  const unthrown = Object.keys(RPC_ERRORS).filter((kind) => !text.includes(`'${kind}'`))
  expect(unthrown.map((kind) => `nothing throws the error ${kind}`)).toEqual([])
  const codes = Object.values(RPC_ERRORS).map(({ code }) => code)
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
})

test('every metric is counted', () => {
  const text = textWithout(() => false)
  const names = Object.keys({
    ...NODE_METRICS,
    ...DISPATCHER_METRICS,
    ...OPERATOR_METRICS,
    ...WORKER_METRICS,
    ...PROCESS_METRICS,
  })
  const uncounted = names.filter((name) => !text.includes(`'${name}'`))
  expect(uncounted.map((name) => `nothing counts the metric ${name}`)).toEqual([])
})
