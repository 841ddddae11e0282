/** The commitment to a model: a Merkle root over the rows of its weights, as stored in the file, and its sizes. */
import type { FileHandle } from 'node:fs/promises'
import { bigintToFixedBytes, concatBytes, utf8 } from '../../base/bytes.ts'
import { sha256 } from '../../base/sha256.ts'
import type { ReportBytes } from '../models.ts'
import { merkleRoot, TAG } from './merkle.ts'
import type { ModelHead, TensorInfo } from './modelFile.ts'
import { unsupported, type ModelShape } from './shape.ts'
import { shapeOptions } from './shapeOptions.ts'
import { rowBytes } from './tensors.ts'

const CHUNK = 4 * 1024 * 1024

/**
 * The 32-byte root over the leaf of the shape, and one leaf per tensor by name. `report` is told the progress of
 * reading. Rejects if the file has become shorter.
 */
export async function modelRoot(
  file: FileHandle,
  head: ModelHead,
  shape: ModelShape,
  report: ReportBytes = () => undefined,
): Promise<Uint8Array> {
  const leaves = [shapeLeaf(shape)]
  const tensors = [...head.tensors.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const tensor of tensors) {
    leaves.push(await tensorLeaf(file, tensor))
    report(tensor.offset + tensor.rows * rowBytes(tensor), head.size)
  }
  return merkleRoot(leaves)
}

/**
 * The sizes as integers of 8 bytes; the base of the angles times 2^24, which is exact for single precision. Then, as text, what a
 * plain Llama does not have: nothing for one, so that its root is what it always was (D128).
 */
function shapeLeaf(shape: ModelShape): Uint8Array {
  const { width, layers, heads, keyHeads, hidden, vocabulary, epsilon, ropeBase } = shape
  const sizes = [width, layers, heads, keyHeads, hidden, vocabulary, ropeBase * 2 ** 24].map(BigInt)
  const fields = [...sizes, epsilon].map((field) => bigintToFixedBytes(field, 8))
  return sha256(concatBytes(Uint8Array.of(TAG.shape), ...fields, utf8(shapeOptions(shape))))
}

/** Tag, encoding, rows, columns, Merkle root of the rows, name. */
async function tensorLeaf(file: FileHandle, tensor: TensorInfo): Promise<Uint8Array> {
  const sizes = [tensor.type, tensor.rows, tensor.columns].map((size) =>
    bigintToFixedBytes(BigInt(size), 8),
  )
  const root = merkleRoot(await rowLeaves(file, tensor))
  return sha256(concatBytes(Uint8Array.of(TAG.tensor), ...sizes, root, utf8(tensor.name)))
}

/** SHA-256 over the tag and the bytes of each row, scales included. */
async function rowLeaves(file: FileHandle, tensor: TensorInfo): Promise<readonly Uint8Array[]> {
  const perRow = rowBytes(tensor)
  const most = Math.max(1, Math.floor(CHUNK / perRow))
  const buffer = Buffer.alloc(Math.min(most, tensor.rows) * perRow)
  const row = new Uint8Array(1 + perRow)
  row[0] = TAG.row
  const leaves: Uint8Array[] = []
  for (let first = 0; first < tensor.rows; first += most) {
    const rows = Math.min(most, tensor.rows - first)
    const length = rows * perRow
    const { bytesRead } = await file.read(buffer, 0, length, tensor.offset + first * perRow)
    if (bytesRead !== length) throw unsupported('its file shrank while being read')
    for (let i = 0; i < rows; i++) {
      row.set(buffer.subarray(i * perRow, (i + 1) * perRow), 1)
      leaves.push(sha256(row))
    }
  }
  return leaves
}
