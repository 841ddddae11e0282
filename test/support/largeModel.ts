/** A file with the sizes of a model of seven billion weights, which are all zero: it takes no room on the disk. */
import fs from 'node:fs'
import { generatedMetadata } from '../../src/inference/generateModel.ts'
import { encodeGgufHead } from '../../src/inference/ggufWriter.ts'
import { TOKENS } from '../../src/inference/tinyVocabulary.ts'

const F32 = 0
const Q4_0 = 2
const WIDTH = 4096
const HIDDEN = 11_008
const ALIGNMENT = 32

/** Writes the file, with so many layers of Llama 2 7B. Returns the number of its weights. */
export function writeLargeModel(file: string, layers: number): number {
  const shape = {
    width: WIDTH,
    layers,
    heads: 32,
    keyHeads: 32,
    hidden: HIDDEN,
    contextLength: 4096,
  }
  const matrix = (name: string, rows: number, columns: number) => ({
    name,
    dimensions: [columns, rows],
    type: Q4_0,
    size: (rows * columns * 18) / 32,
  })
  const norm = (name: string) => ({ name, dimensions: [WIDTH], type: F32, size: WIDTH * 4 })
  const tensors = [
    matrix('token_embd.weight', TOKENS.length, WIDTH),
    ...Array.from({ length: layers }, (_, i) => [
      norm(`blk.${i}.attn_norm.weight`),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) =>
        matrix(`blk.${i}.${name}.weight`, WIDTH, WIDTH),
      ),
      norm(`blk.${i}.ffn_norm.weight`),
      matrix(`blk.${i}.ffn_gate.weight`, HIDDEN, WIDTH),
      matrix(`blk.${i}.ffn_up.weight`, HIDDEN, WIDTH),
      matrix(`blk.${i}.ffn_down.weight`, WIDTH, HIDDEN),
    ]).flat(),
    norm('output_norm.weight'),
  ]
  const head = encodeGgufHead(generatedMetadata(shape, 'Large', 'Q4_0'), tensors)
  const padded = tensors.reduce((sum, { size }) => sum + Math.ceil(size / ALIGNMENT) * ALIGNMENT, 0)
  fs.writeFileSync(file, head)
  fs.truncateSync(file, head.length + padded)
  return tensors.reduce((sum, { dimensions }) => sum + dimensions.reduce((a, b) => a * b, 1), 0)
}
