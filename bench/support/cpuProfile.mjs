// Reading .cpuprofile files: where the time went, by function.
import fs from 'node:fs'
import path from 'node:path'

const IDLE = new Set(['(idle)', '(root)', '(program)'])
const AREAS = 15

/** Where a function stands: its file, shortened to what tells it apart. Undefined for what has none, such as native code. */
function fileOf(url) {
  if (url === '') return undefined
  if (url.includes('/node_modules/')) return url.replace(/^.*\/node_modules\//, '')
  return url.replace(/^file:\/\//, '').replace(/^.*\/dist\//, '')
}

function placeOf({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName
  const file = fileOf(url)
  return file === undefined ? name : `${name} ${file}:${lineNumber + 1}`
}

/** The package, our own folder, or the part of Node that a function belongs to. */
function areaOf({ functionName, url }) {
  const file = fileOf(url)
  if (file === undefined) return functionName
  if (url.startsWith('wasm:')) return 'WebAssembly'
  if (url.startsWith('node:')) return url.startsWith('node:internal/') ? 'node:internal' : url
  const [first, second] = file.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

/** Each node's time of samples taken later than `from` (both in microseconds), by id. */
function timesOf({ samples, timeDeltas, startTime }, from) {
  const times = new Map()
  let clock = startTime
  samples.forEach((id, index) => {
    clock += timeDeltas[index]
    if (clock >= from) times.set(id, (times.get(id) ?? 0) + timeDeltas[index])
  })
  return times
}

function sumBy(times, namesOf) {
  const sums = new Map()
  for (const [id, time] of times)
    for (const name of namesOf(id)) sums.set(name, (sums.get(name) ?? 0) + time)
  return sums
}

/** For each node's id the distinct functions of ours on the stack, itself included. */
function stacksOf(nodes) {
  const stacks = new Map()
  // Parents come before their children.
  for (const { id, callFrame, children = [] } of nodes) {
    const isOurs = callFrame.url.includes('/dist/') && !callFrame.url.includes('/node_modules/')
    const stack = new Set(stacks.get(id))
    if (isOurs) stack.add(placeOf(callFrame))
    stacks.set(id, stack)
    for (const child of children) stacks.set(child, stack)
  }
  return stacks
}

function table(heading, sums, total, count) {
  const lines = [...sums]
    .filter(([name]) => !IDLE.has(name))
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(
      ([name, time]) =>
        `| ${((time / total) * 100).toFixed(1)} % | ${(time / 1000).toFixed(0)} ms | ${name} |`,
    )
  return [`| share | time | ${heading} |`, '| --- | --- | --- |', ...lines, ''].join('\n')
}

function summarise(profile, from, count) {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const stacks = stacksOf(profile.nodes)
  const times = timesOf(profile, from)
  const areas = sumBy(times, (id) => [areaOf(frames.get(id))])
  const total = [...areas].reduce((sum, [name, time]) => sum + (IDLE.has(name) ? 0 : time), 0)
  return [
    // CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile
    `### thread ${profile.name.split('.')[4]}`,
    '',
    table('area, by itself', areas, total, AREAS),
    table(
      'function, by itself',
      sumBy(times, (id) => [placeOf(frames.get(id))]),
      total,
      count,
    ),
    table(
      'function of ours, with all that it calls',
      sumBy(times, (id) => stacks.get(id)),
      total,
      count,
    ),
  ].join('\n')
}

/**
 * Markdown: for each thread's profile in a folder, the busiest areas and functions. `fromMs` is where to begin, after the
 * start of the process. Time in which another process had the processor counts too, so only shares mean something.
 */
export function summariseProfiles(folder, { fromMs, count }) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  const profiles = names
    .toSorted()
    .map((name) => ({ name, ...JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) }))
  const from = Math.min(...profiles.map(({ startTime }) => startTime)) + fromMs * 1000
  return profiles.map((profile) => summarise(profile, from, count)).join('\n')
}
