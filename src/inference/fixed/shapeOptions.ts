/** The part of the model root that says in what a model differs from a plain Llama (D128). */
import type { ModelShape } from './shape.ts'

/**
 * Names and values as JSON, in a fixed order; empty for a plain Llama. What the name of the architecture implies is not
 * repeated.
 */
export function shapeOptions(shape: ModelShape): string {
  const { architecture, headSize, contextLength, ropeBase, window } = shape
  const options: readonly (readonly [name: string, value: unknown, plain: unknown])[] = [
    ['architecture', architecture.name, 'llama'],
    ['headSize', headSize, shape.width / shape.heads],
    ['ropeSize', shape.ropeSize, headSize],
    ['ropeDivisor', shape.ropeDivisor, 1],
    ['ropeGain', shape.ropeGain, 1],
    ['shortContext', shape.shortContext, contextLength],
    ['windowRopeBase', shape.windowRopeBase, ropeBase],
    ['window', window, 0],
    ['windowed', shape.windowed.map(Number).join(''), '0'.repeat(shape.layers)],
    ['scoreDivisor', shape.scoreDivisor, headSize],
    ['attentionCap', shape.attentionCap, 0],
    ['logitCap', shape.logitCap, 0],
  ]
  const differing = options.filter(([, value, plain]) => value !== plain)
  return differing.length === 0
    ? ''
    : JSON.stringify(differing.map(([name, value]) => [name, value]))
}
