// Every module of a traced build loads this. It keeps which function called which, in each process and each of its threads,
// chapter by chapter: `chapter.json` in the folder ASSAY_SPANS says which one it is. What still runs when a chapter ends may go
// on for one more, and belongs to its own; what runs for longer is a loop, and what it calls belongs to the event loop.
import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import path from 'node:path'
import { isMainThread, threadId } from 'node:worker_threads'

const LOOK_MS = 20
/** How many values of an argument are looked at for a mark: it may be the whole world. */
const MAX_VALUES = 100

const folder = process.env.ASSAY_SPANS
const self = `${process.pid}-${threadId}`
const thread = isMainThread ? '' : path.basename(process.argv[1], '.js')
// Threads get the environment of their process, but arguments of their own.
if (isMainThread) process.env.ASSAY_SPANS_PROGRAM = process.argv[2]
const program = process.env.ASSAY_SPANS_PROGRAM

/** The span that runs. */
const context = new AsyncLocalStorage()
let chapter = 0
let marks = []
/** What the event loop called in each chapter that is not written yet. */
const roots = new Map([[chapter, []]])

function isMarked(bytes) {
  return marks.some((mark) => bytes.includes(mark))
}

function holdsMark(value) {
  const values = [value]
  for (let at = 0; at < values.length && at < MAX_VALUES; at++) {
    const next = values[at]
    if (next instanceof Uint8Array) {
      if (isMarked(Buffer.from(next.buffer, next.byteOffset, next.byteLength))) return true
    } else if (typeof next === 'object' && next !== null) values.push(...Object.values(next))
  }
  return false
}

/** All calls of a function by another one are one span, unless a chapter or a timer is between them. */
function open(number) {
  const current = context.getStore()
  const parent = current !== undefined && current.chapter >= chapter - 1 ? current : undefined
  let span = parent?.calls.get(number)
  if (span === undefined) {
    const at = performance.timeOrigin + performance.now()
    const isRoot = parent === undefined
    span = { number, chapter: parent?.chapter ?? chapter, at, running: 0, isRoot, calls: new Map() }
    if (parent === undefined) roots.get(chapter).push(span)
    else parent.calls.set(number, span)
  }
  span.running++
  return span
}

/** Runs a function's body in its span. */
export function call(number, given, body) {
  const span = open(number)
  let isPending = false
  try {
    if (span.isRoot && marks.length > 0) span.isMarked ||= holdsMark(given())
    const result = context.run(span, body)
    if (result instanceof Promise) {
      isPending = true
      const end = () => span.running--
      result.then(end, end)
    }
    return result
  } finally {
    if (!isPending) span.running--
  }
}

/** Runs a generator's body in its span, step by step. */
export function* steps(number, start) {
  const span = open(number)
  const body = start()
  try {
    let sent
    for (;;) {
      const { done, value } = context.run(span, () => body.next(sent))
      if (done) return value
      sent = yield value
    }
  } finally {
    body.return()
    span.running--
  }
}

// What a timer calls after its setter has returned is called by the event loop.
for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
  const set = globalThis[name]
  const setCut = (action, ...rest) =>
    set(
      (...given) =>
        context.getStore()?.running === 0 ? context.exit(action, ...given) : action(...given),
      ...rest,
    )
  // With their forms for promises, which await as async functions do.
  globalThis[name] = Object.defineProperties(setCut, Object.getOwnPropertyDescriptors(set))
}

function written({ number, at, isMarked, calls }) {
  return { number, at, isMarked, calls: [...calls.values()].map(written) }
}

function writeWhole(file, text) {
  fs.writeFileSync(`${file}.part`, text)
  fs.renameSync(`${file}.part`, file)
}

/** Writes what is complete, turns to the next chapter when it has begun, and says that it has. */
function look() {
  const order = JSON.parse(fs.readFileSync(path.join(folder, 'chapter.json'), 'utf8'))
  if (order.chapter === chapter) return
  const complete = chapter - 1
  if (roots.has(complete)) {
    const spans = roots.get(complete).map(written)
    writeWhole(
      path.join(folder, `${complete}-${self}.json`),
      JSON.stringify({ program, thread, spans }),
    )
    roots.delete(complete)
  }
  chapter = order.chapter
  marks = order.marks.map((hex) => Buffer.from(hex, 'hex'))
  roots.set(chapter, [])
  writeWhole(presence, String(chapter))
}

const presence = path.join(folder, `here-${self}`)
fs.writeFileSync(presence, String(chapter))
process.on('exit', () => fs.rmSync(presence, { force: true }))
setInterval(look, LOOK_MS).unref()
