/** Hashes the steps of a model whose layers may be in several memories. */
import type { Kernels } from './kernels.ts'
import { layersIn } from './session.ts'
import { createStepHasher, type StepHasher, type StepSizes } from './stepHasher.ts'
import type { Weights } from './weights.ts'

/**
 * A hasher for the steps of `tokens` tokens, the maximum between two flushes. Each memory buffers the steps of its own layers, and
 * the logits come last, so hashes are appended in the order of the computation.
 */
export function createModelHasher(
  model: Weights,
  sizes: Omit<StepSizes, 'layers'>,
  tokens: number,
): StepHasher {
  const hashers = new Map<Kernels, StepHasher>()
  for (const { kernels } of model.layers)
    if (!hashers.has(kernels)) {
      const layers = layersIn(model, kernels).size
      hashers.set(kernels, createStepHasher(kernels, { ...sizes, layers, logits: 0 }, tokens))
    }
  const last = createStepHasher(model.kernels, { ...sizes, layers: 0 }, tokens)
  return {
    addLayer(position, layer, residual, entry, to) {
      const memory = model.layers[layer]?.kernels ?? model.kernels
      hashers.get(memory)?.addLayer(position, layer, residual, entry, to)
    },
    addLogits: (position, logits, to) => last.addLogits(position, logits, to),
    flush() {
      for (const hasher of hashers.values()) hasher.flush()
      last.flush()
    },
  }
}
