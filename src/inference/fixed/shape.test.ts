/** Refusals: each names what a file has or lacks, and what would run. */
import { expect, test } from 'vitest'
import {
  architectureModel,
  PLANS,
  type ModelPlan,
} from '../../../test/support/architectureModel.ts'
import { parseModelHead, type MetadataValue, type ModelHead, type TensorInfo } from './modelFile.ts'
import { readShape } from './shape.ts'
import { shapeOptions } from './shapeOptions.ts'
import { checkTensors } from './tensors.ts'

type Change = {
  readonly metadata?: Readonly<Record<string, MetadataValue>>
  /** Undefined takes the tensor away. */
  readonly tensors?: Readonly<Record<string, Partial<TensorInfo> | undefined>>
}

function headOf(plan: string, { metadata = {}, tensors = {} }: Change = {}): ModelHead {
  const { file } = architectureModel(PLANS[plan] as ModelPlan, 1)
  const head = parseModelHead(file, file.length)
  const changed = new Map(head.tensors)
  const [some] = head.tensors.values()
  for (const [name, change] of Object.entries(tensors)) {
    const before = head.tensors.get(name) ?? { ...(some as TensorInfo), name }
    if (change === undefined) changed.delete(name)
    else changed.set(name, { ...before, ...change })
  }
  return {
    ...head,
    metadata: new Map([...head.metadata, ...Object.entries(metadata)]),
    tensors: changed,
  }
}

const LLAMA = 'llama, as in Llama 2'

test.each<readonly [reason: string, plan: string, change: Change]>([
  [
    'its architecture is "mamba"; supported: llama, qwen2, qwen3, phi3, gemma, gemma2, gemma3',
    LLAMA,
    { metadata: { 'general.architecture': 'mamba' } },
  ],
  [
    'its architecture is "toString"; supported',
    LLAMA,
    { metadata: { 'general.architecture': 'toString' } },
  ],
  [
    'its rotary angles are scaled by "yarn"; supported: none, linear, longrope',
    'qwen2',
    { metadata: { 'qwen2.rope.scaling.type': 'yarn' } },
  ],
  [
    'llama.rope.scaling.factor is not between 1 and 65536',
    LLAMA,
    { metadata: { 'llama.rope.scaling.type': 'linear' } },
  ],
  ['it has 8 experts; supported: models without', LLAMA, { metadata: { 'llama.expert_count': 8 } }],
  [
    'a head has 512 numbers, not a multiple of 8 up to 256',
    'gemma2',
    { metadata: { 'gemma2.attention.key_length': 512, 'gemma2.attention.value_length': 512 } },
  ],
  [
    'a head has 16 numbers for keys and 32 for values; supported: as many',
    LLAMA,
    { metadata: { 'llama.attention.value_length': 32 } },
  ],
  [
    'it rotates 8 of the 16 numbers of a head; supported: all of them',
    LLAMA,
    { metadata: { 'llama.rope.dimension_count': 8 } },
  ],
  [
    'its attention.sliding_window_pattern does not say which layers have a window',
    'gemma3',
    { metadata: { 'gemma3.attention.sliding_window_pattern': [true, false] } },
  ],
  [
    'gemma2.attn_logit_softcapping is not between 0 and 127',
    'gemma2',
    { metadata: { 'gemma2.attn_logit_softcapping': 1000 } },
  ],
  [
    'qwen2.attention.head_count_kv is not an integer from 1 to 32768',
    'qwen2',
    { metadata: { 'qwen2.attention.head_count_kv': [1, 2] } },
  ],
  ['it has no tensor blk.1.attn_q.bias', 'qwen2', { tensors: { 'blk.1.attn_q.bias': undefined } }],
  [
    'it has the tensor blk.0.attn_output.bias, which has no place in its architecture, qwen2',
    'qwen2',
    { tensors: { 'blk.0.attn_output.bias': {} } },
  ],
  [
    'it has the tensor output.weight, which has no place in its architecture, gemma2',
    'gemma2',
    { tensors: { 'output.weight': {} } },
  ],
  [
    'the tensor blk.0.attn_qkv.weight has 100 rows of 64, not 192 of 64',
    'phi3',
    { tensors: { 'blk.0.attn_qkv.weight': { rows: 100 } } },
  ],
  [
    'the tensor blk.0.ffn_up.weight has the encoding IQ4_XS; supported: F32, F16, Q4_0,',
    LLAMA,
    { tensors: { 'blk.0.ffn_up.weight': { type: 23 } } },
  ],
  [
    'the tensor blk.2.attn_q_norm.weight has the encoding F16; supported: F32',
    'qwen3',
    { tensors: { 'blk.2.attn_q_norm.weight': { type: 1 } } },
  ],
])('it is said that %s', (reason, plan, change) => {
  const head = headOf(plan, change)
  const read = (): void => checkTensors(head, readShape(head))
  expect(read).toThrow(`the fixed engine cannot run this model: ${reason}`)
})

// Holds D128.
test('each option of a model is in its root, and a plain Llama has none', () => {
  const options = (plan: string, change?: Change): string =>
    shapeOptions(readShape(headOf(plan, change)))
  expect(options(LLAMA)).toBe('')
  const plain = options('gemma3')
  for (const change of [
    { 'gemma3.attention.sliding_window': 9 },
    { 'gemma3.attention.sliding_window_pattern': 3 },
    { 'gemma3.final_logit_softcapping': 30 },
    { 'gemma3.attn_logit_softcapping': 50 },
    { 'gemma3.rope.freq_base_swa': 20_000 },
    { 'gemma3.rope.scaling.factor': 4 },
    { 'gemma3.rope.scaling.attn_factor': 2 },
    { 'gemma3.rope.scaling.original_context_length': 100 },
    { 'gemma3.rope.dimension_count': 128 },
    { 'general.architecture': 'gemma3' },
  ])
    expect(options('gemma3', { metadata: change }) === plain).toBe('general.architecture' in change)
})

test('a window as long as the context, or of no length, is none', () => {
  const windowed = (value: number): boolean =>
    readShape(
      headOf(LLAMA, { metadata: { 'llama.attention.sliding_window': value } }),
    ).windowed.includes(true)
  expect(windowed(511)).toBe(true)
  expect(windowed(512)).toBe(false)
  expect(windowed(0)).toBe(false)
})
