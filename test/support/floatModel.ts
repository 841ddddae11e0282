/** A slow reference for models of every architecture, in double precision, written from the papers' formulas. */
import type { ModelPlan } from './architectureModel.ts'

type Vector = readonly number[]

/** The logits after each of the tokens. `capacity` is the length of the context that is planned with. */
export function floatLogits(
  plan: ModelPlan,
  weights: ReadonlyMap<string, Float32Array>,
  tokens: readonly number[],
  capacity: number,
): readonly Vector[] {
  const { width } = plan
  const tensor = (name: string): Float32Array => {
    const found = weights.get(name)
    if (found === undefined) throw new Error(`the reference has no ${name}`)
    return found
  }
  const caches = Array.from({ length: plan.layers }, () => ({
    keys: [] as Vector[][],
    values: [] as Vector[][],
  }))
  const embeddings = tensor('token_embd.weight')
  return tokens.map((token, position) => {
    let x: Vector = Array.from(
      embeddings.subarray(token * width, (token + 1) * width),
      (value) => value * (plan.embeddingScale === 1 ? 1 : Math.sqrt(width)),
    )
    caches.forEach((cache, layer) => {
      const of = (name: string): Float32Array => tensor(`blk.${layer}.${name}`)
      const attended = attention(plan, of, cache, norm(x, of('attn_norm.weight')), {
        layer,
        position,
        capacity,
      })
      x = sum(x, plan.postNorms ? norm(attended, of('post_attention_norm.weight')) : attended)
      const fed = feedForward(plan, of, norm(x, of('ffn_norm.weight')))
      x = sum(x, plan.postNorms ? norm(fed, of('post_ffw_norm.weight')) : fed)
    })
    const output = tensor(plan.tied ? 'token_embd.weight' : 'output.weight')
    const logits = product(output, norm(x, tensor('output_norm.weight')))
    return logits.map((logit) => cap(logit, plan.logitCap))
  })
}

type Place = { readonly layer: number; readonly position: number; readonly capacity: number }

function attention(
  plan: ModelPlan,
  of: (name: string) => Float32Array,
  cache: { readonly keys: Vector[][]; readonly values: Vector[][] },
  x: Vector,
  place: Place,
): Vector {
  const { heads, keyHeads, headSize } = plan
  const sizes = [heads * headSize, keyHeads * headSize, keyHeads * headSize]
  const parts = plan.fused
    ? split(product(of('attn_qkv.weight'), x), sizes)
    : ['q', 'k', 'v'].map((name) => product(of(`attn_${name}.weight`), x))
  const [queries = [], keys = [], values = []] = plan.biases
    ? ['q', 'k', 'v'].map((name, i) => sum(parts[i] ?? [], [...of(`attn_${name}.bias`)]))
    : parts
  const isWindowed =
    plan.window > 0 &&
    (plan.windowPeriod === 0 || place.layer % plan.windowPeriod < plan.windowPeriod - 1)
  const inHeads = (vector: Vector, name: string): Vector[] =>
    split(
      vector,
      Array.from({ length: vector.length / headSize }, () => headSize),
    ).map((head) =>
      rotate(
        plan,
        plan.headNorms ? norm(head, of(`attn_${name}_norm.weight`)) : head,
        place,
        isWindowed,
      ),
    )
  const query = inHeads(queries, 'q')
  cache.keys.push(inHeads(keys, 'k'))
  cache.values.push(
    split(
      values,
      Array.from({ length: keyHeads }, () => headSize),
    ),
  )
  const first = isWindowed ? Math.max(0, place.position + 1 - plan.window) : 0
  const mixed = query.flatMap((head, index) => {
    const shared = Math.floor((index * keyHeads) / heads)
    const scores = cache.keys
      .slice(first)
      .map((all) => cap(dot(head, all[shared] ?? []) / Math.sqrt(headSize), plan.attentionCap))
    const most = Math.max(...scores)
    const powers = scores.map((score) => Math.exp(score - most))
    const total = powers.reduce((a, b) => a + b, 0)
    return head.map(
      (_, i) =>
        powers.reduce(
          (part, power, t) => part + power * (cache.values[first + t]?.[shared]?.[i] ?? 0),
          0,
        ) / total,
    )
  })
  return product(of('attn_output.weight'), mixed)
}

function feedForward(plan: ModelPlan, of: (name: string) => Float32Array, x: Vector): Vector {
  const up = product(of('ffn_up.weight'), x)
  const gates = plan.fused ? up.slice(0, plan.hidden) : product(of('ffn_gate.weight'), x)
  const values = plan.fused ? up.slice(plan.hidden) : up
  const activate = plan.gelu ? gelu : (z: number): number => z / (1 + Math.exp(-z))
  return product(
    of('ffn_down.weight'),
    gates.map((gate, i) => activate(gate) * (values[i] ?? 0)),
  )
}

/** The approximation that models use. */
export function gelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))
}

function rotate(plan: ModelPlan, head: Vector, place: Place, isWindowed: boolean): Vector {
  const { ropeSize, neighbours, ropeGain } = plan
  const hasOwnAngles = isWindowed && plan.architecture === 'gemma3'
  const factors = place.capacity > plan.shortContext ? plan.longFactors : plan.shortFactors
  const out = [...head]
  for (let pair = 0; pair < ropeSize / 2; pair++) {
    const base = hasOwnAngles ? plan.windowRopeBase : plan.ropeBase
    const divisor = hasOwnAngles ? 1 : plan.ropeDivisor * (factors[pair] ?? 1)
    const angle = (place.position * base ** ((-2 * pair) / ropeSize)) / divisor
    const one = neighbours ? 2 * pair : pair
    const two = neighbours ? one + 1 : pair + ropeSize / 2
    const [a = 0, b = 0] = [head[one], head[two]]
    out[one] = (a * Math.cos(angle) - b * Math.sin(angle)) * ropeGain
    out[two] = (a * Math.sin(angle) + b * Math.cos(angle)) * ropeGain
  }
  return out
}

function cap(value: number, bound: number): number {
  return bound === 0 ? value : bound * Math.tanh(value / bound)
}

function norm(x: Vector, gains: Float32Array): Vector {
  const mean = dot(x, x) / x.length
  return x.map((value, i) => (value / Math.sqrt(mean + 1e-6)) * (gains[i] ?? 0))
}

function product(matrix: Float32Array, x: Vector): Vector {
  return Array.from({ length: matrix.length / x.length }, (_, row) =>
    x.reduce((part, value, i) => part + value * (matrix[row * x.length + i] ?? 0), 0),
  )
}

function dot(a: Vector, b: Vector): number {
  return a.reduce((part, value, i) => part + value * (b[i] ?? 0), 0)
}

function sum(a: Vector, b: Vector): Vector {
  return a.map((value, i) => value + (b[i] ?? 0))
}

function split(vector: Vector, sizes: readonly number[]): Vector[] {
  let from = 0
  return sizes.map((size) => vector.slice(from, (from += size)))
}
