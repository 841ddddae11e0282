// Verifies a bundle in a process of its own; prints processor milliseconds as JSON: loading the verifier, the first time, from
// the start of the process until then, and the median of many more. Arguments: file, chain id, dispatcher's address, prompt.
import fs from 'node:fs'
import { median } from './measure.mjs'

const ROUNDS = 100
const [file, chainId, dispatcher, prompt] = process.argv.slice(2)

const milliseconds = (start) => {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

let start = process.cpuUsage()
const { verifyBundle } = await import('../../dist/proof/bundle/verify.js')
const { nodeContext } = await import('../../dist/jobs/bundleContext.js')
const { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } = await import('../../dist/config/contracts.js')
const load = milliseconds(start)

const text = fs.readFileSync(file, 'utf8')
const trust = {
  chainId,
  dispatcher,
  prompt,
  receiptsContract: RECEIPTS_ADDRESS,
  registryContract: REGISTRY_ADDRESS,
  evidence: { software: 'any' },
}
let report
let whole
const times = []
for (let round = 0; round <= ROUNDS; round++) {
  start = process.cpuUsage()
  report = await verifyBundle(JSON.parse(text), trust, nodeContext)
  times.push(milliseconds(start))
  whole ??= milliseconds()
}
if (!report.holds) throw new Error(`the bundle does not hold: ${JSON.stringify(report.lines)}`)
const [first, ...again] = times
process.stdout.write(
  JSON.stringify({
    bytes: text.length,
    lines: report.lines.length,
    load,
    first,
    whole,
    again: median(again),
  }),
)
