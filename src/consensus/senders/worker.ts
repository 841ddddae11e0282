/** A worker thread that recovers the senders of batches of signatures. */
import { parentPort } from 'node:worker_threads'
import { recoverAddress } from '../../base/secp256k1.ts'
import { packSenders, READY, unpackSignatures } from './protocol.ts'

parentPort?.on('message', (bytes: Uint8Array) => {
  const senders = unpackSignatures(bytes).map(({ digest, compact, yParity }) =>
    recoverAddress(digest, compact, yParity),
  )
  const answer = packSenders(senders)
  parentPort?.postMessage(answer, [answer.buffer])
})
parentPort?.postMessage(READY, [])
