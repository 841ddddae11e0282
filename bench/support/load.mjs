// The load: keep-alive connections, each with one request under way, on plain sockets. It writes bytes that were made before
// and looks at answers no more than it must, so that the server and not the client is measured.
import net from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
const ERROR = Buffer.from('"error"')
const EMPTY = Buffer.alloc(0)
const LONGEST_SILENCE_MS = 90_000
const KEPT_FAILURES = 3

/** How much of an answer is looked at. An error is an answer of its own, or stands in a batch, which is shorter. */
const LOOKED_AT = 64 * 1024

/** Bytes of the whole answer whose beginning is `bytes`; 0 while that is unknown, Infinity for one that comes in chunks. */
function answerLength(bytes) {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return 0
  const length = /content-length: *(\d+)/i.exec(bytes.latin1Slice(0, headEnd))
  return length === null ? Infinity : headEnd + HEAD_END.length + Number(length[1])
}

/** One answer after the other: `add` takes the next bytes of a connection and gives an answer's beginning once it is whole. */
function createAnswers() {
  let beginning = EMPTY
  let end = EMPTY
  let received = 0
  let length = 0

  function isWhole() {
    return length === Infinity ? end.equals(LAST_CHUNK) : length > 0 && received >= length
  }

  return {
    add(bytes) {
      received += bytes.length
      if (beginning.length < LOOKED_AT)
        beginning = beginning.length === 0 ? bytes : Buffer.concat([beginning, bytes])
      if (length === 0) length = answerLength(beginning)
      if (length === Infinity)
        end = Buffer.concat([end, bytes.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
      if (!isWhole()) return undefined
      const answer = beginning
      beginning = EMPTY
      end = EMPTY
      received = 0
      length = 0
      return answer
    },
  }
}

function isFailure(answer) {
  // "HTTP/1.1 200": the ninth to eleventh characters are the status.
  return answer.latin1Slice(9, 12) !== '200' || answer.includes(ERROR)
}

/** Sends requests over one connection until `next` gives undefined. */
function drive(port, next, onAnswer) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true })
    const answers = createAnswers()

    function sendNext() {
      const bytes = next()
      if (bytes === undefined) socket.end(resolve)
      else socket.write(bytes)
    }
    socket.on('connect', sendNext)
    socket.on('data', (bytes) => {
      const answer = answers.add(bytes)
      if (answer === undefined) return
      onAnswer(answer)
      sendNext()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.setTimeout(LONGEST_SILENCE_MS, () => socket.destroy(new Error('the server fell silent')))
  })
}

/**
 * Sends what `next` gives over `connections` connections until it gives undefined. Resolves with the number of answers and
 * of errors among them, the beginning of the first of these, and the seconds it took.
 */
export async function load(port, connections, next) {
  let answers = 0
  let failures = 0
  const firstFailures = []
  function onAnswer(answer) {
    answers++
    if (!isFailure(answer)) return
    failures++
    if (firstFailures.length < KEPT_FAILURES) firstFailures.push(answer.toString('utf8', 0, 600))
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, onAnswer)))
  return { answers, failures, firstFailures, seconds: (performance.now() - began) / 1000 }
}

/** Gives the items of a list one after the other, over and over, until `seconds` are over, but each connection's first in any case. */
export function repeatedFor(seconds, requests, connections = 1) {
  const end = performance.now() + seconds * 1000
  let given = 0
  return () =>
    given < connections || performance.now() < end ? requests[given++ % requests.length] : undefined
}

/** Gives each item of a list once, and ends early when `seconds` are over. */
export function each(requests, seconds) {
  const end = performance.now() + seconds * 1000
  let given = 0
  return () => (performance.now() < end ? requests[given++] : undefined)
}
