/** A worker thread that recovers the senders of batches of signatures. */
import { parentPort } from 'node:worker_threads'
import { recoverAddress } from '../../base/secp256k1.ts'
import { packSenders, READY, unpackSignatures } from './protocol.ts'

/**
 * Number of senders in one part of an answer. A batch is answered in parts, so that the main thread adds the first ones
 * to the pool, and their clients send the next, while the others are recovered: otherwise the two threads would take
 * turns waiting for each other.
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
