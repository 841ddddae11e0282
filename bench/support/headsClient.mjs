// A process with many WebSocket clients, each subscribed to newHeads: node headsClient.mjs PORT CLIENTS. Tells its parent
// when all are subscribed, and for each block when the first and the last of them had it (milliseconds of the clock).
import { once } from 'node:events'
import net from 'node:net'

const [port, clients] = process.argv.slice(2).map(Number)
const AT_ONCE = 50

const SUBSCRIBE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_subscribe',
  params: ['newHeads'],
})

/** A text frame as clients send it; a mask of zeros leaves the text as it is. */
function maskedFrame(text) {
  return Buffer.concat([Buffer.of(0x81, 0x80 | text.length, 0, 0, 0, 0), Buffer.from(text)])
}

/** Calls back with each text message of a server. Answers no pings: the bench is shorter than their interval. */
function createFrameReader(onText) {
  let rest = Buffer.alloc(0)
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    while (rest.length >= 4) {
      const short = rest[1] & 0x7f
      const [start, length] = short < 126 ? [2, short] : [4, rest.readUInt16BE(2)]
      if (rest.length < start + length) return
      if ((rest[0] & 0x0f) === 1) onText(rest.subarray(start, start + length))
      rest = rest.subarray(start + length)
    }
  }
}

const blocks = new Map()

function hear(text) {
  const number = /"number":"(0x[0-9a-f]+)"/.exec(text.toString('latin1'))?.[1]
  if (number === undefined) return
  const now = performance.timeOrigin + performance.now()
  const block = blocks.get(number) ?? { number, count: 0, first: now, bytes: text.length }
  blocks.set(number, block)
  block.count++
  if (block.count < clients) return
  process.send({ ...block, last: now })
  blocks.delete(number)
}

async function connect() {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', (error) => {
    throw error
  })
  socket.setNoDelay(true)
  socket.write(
    'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const [answer] = await once(socket, 'data')
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString())
  await new Promise((resolve) => {
    socket.on(
      'data',
      createFrameReader((text) => {
        resolve()
        hear(text)
      }),
    )
    socket.write(maskedFrame(SUBSCRIBE))
  })
}

for (let open = 0; open < clients; open += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, clients - open) }, connect))
process.send('subscribed')
