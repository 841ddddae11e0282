/** A worker thread that recovers the senders of batches of signatures. */
import { parentPort } from 'node:worker_threads'
import { recoverAddress } from '../../base/secp256k1.ts'
import { packSenders, READY, unpackSignatures } from './protocol.ts'

/**
 * Senders of one answer. A batch is answered in such parts, so that the main thread takes the first ones into the pool, and
 * their clients send the next, while the others are recovered: otherwise both threads would wait for each other in turns.
 */
const PART = 16

parentPort?.on('message', (bytes: Uint8Array) => {
  const signatures = unpackSignatures(bytes)
  for (let start = 0; start < signatures.length; start += PART) {
    const part = signatures.slice(start, start + PART)
    const answer = packSenders(
      part.map(({ digest, compact, yParity }) => recoverAddress(digest, compact, yParity)),
    )
    parentPort?.postMessage(answer, [answer.buffer])
  }
})
parentPort?.postMessage(READY, [])
