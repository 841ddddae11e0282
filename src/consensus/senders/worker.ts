/** A worker thread that recovers the senders of batches of signatures. */
import { parentPort } from 'node:worker_threads'
import { recoverAddress } from '../../base/secp256k1.ts'
import { packSenders, READY, unpackSignatures, type Batch } from './protocol.ts'

parentPort?.on('message', ({ id, bytes }: Batch) => {
  const senders = unpackSignatures(bytes).map(({ digest, compact, yParity }) =>
    recoverAddress(digest, compact, yParity),
  )
  const answer: Batch = { id, bytes: packSenders(senders) }
  parentPort?.postMessage(answer, [answer.bytes.buffer])
})
parentPort?.postMessage(READY, [])
