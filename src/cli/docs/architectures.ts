/** docs/architectures.md: which models the integer engine runs, and what they need. */
import { ARCHITECTURES, type Architecture } from '../../inference/fixed/architectures.ts'
import { matrixBytes } from '../../inference/fixed/matrixForms.ts'
import { ENCODINGS } from '../../inference/fixed/tensors.ts'
import { PRE_TOKENIZERS } from '../../inference/fixed/tokenizer/preTokenizers.ts'
import { page, table } from './markdown.ts'

const INTRODUCTION = `Jobs of the type \`opml\` are computed by the integer engine, which gives the same bits on every machine. It runs the GGUF files that
this page describes. \`assay model add FILE\` says of a file whether it runs, and otherwise what it has that is missing here; \`tee\` jobs and
operators with \`engine = "llama"\` run whatever llama.cpp runs.`

const ARCHITECTURE_NOTES = `The architecture is \`general.architecture\` of the file. Models with experts, with rotary angles that are scaled by "yarn", and with adapters
do not run. A sliding window is honoured where the file names one, also for Phi-3, where llama.cpp leaves it out.`

const ENCODING_NOTES = `Matrices may have any of these encodings, mixed in one file as llama.cpp's quantizer mixes them; norms and biases are F32. Of each encoding the
table has the bits that a weight takes in the file and, for a matrix of 4,096 by 4,096, in memory. Plain numbers take as many bytes as
their range asks for.`

const TOKENIZER_NOTES = `\`tokenizer.ggml.model\` is \`llama\` (SentencePiece: Llama 2, Phi-3, Gemma) or \`gpt2\` (byte-level BPE). For the latter, \`tokenizer.ggml.pre\` is one of:`

const MEMORY = `An operator reckons from the head of a file what its weights and the context of a job take, and refuses a job that does not fit, with the
figures; another operator may take it. \`memory_mb\` and \`max_context\` in an operator's [configuration](config.md) set the limits. Of a
context each token takes 4 bytes per layer for each number of its keys: about 24 KB for SmolLM2-135M, 128 KB for Llama 3.1 8B.`

const AGREEMENT = `Tests compare small models of every architecture with a reference in double precision and with llama.cpp. Differences to llama.cpp come from
its own rounding: it rounds activations to 8 bits, this engine to 15.`

/** In what an architecture differs from Llama. */
function features(architecture: Architecture): string {
  const { pairs, activation, windowPeriod, attentionCap, windowRopeBase } = architecture
  const named: readonly (readonly [boolean | undefined, string])[] = [
    [pairs === 'halves', 'rotates halves'],
    [architecture.hasBiases, 'biases of queries, keys and values'],
    [architecture.hasHeadNorms, 'norms per head'],
    [architecture.hasPostNorms, 'norms after each part'],
    [architecture.isFused, 'fused tensors, factors of angles for short and long contexts'],
    [activation === 'gelu', 'GELU'],
    [architecture.scalesEmbedding, 'scaled embeddings'],
    [windowPeriod !== undefined, `a window in all layers but the last of each ${windowPeriod}`],
    [windowRopeBase !== undefined, 'angles of their own in layers with a window'],
    [attentionCap !== undefined, 'bounds of scores and logits'],
  ]
  return named
    .filter(([has]) => has)
    .map(([, name]) => name)
    .join(', ')
}

const bits = (bytes: number, weights: number): string => ((bytes * 8) / weights).toFixed(2)
const SIDE = 4096

/** The page. */
export function architecturesPage(): string {
  return page(
    'Models that run',
    INTRODUCTION,
    '## Architectures',
    table(
      ['architecture', 'models', 'what is not as in Llama'],
      Object.values(ARCHITECTURES).map((architecture) => [
        `\`${architecture.name}\``,
        architecture.models,
        features(architecture),
      ]),
    ),
    ARCHITECTURE_NOTES,
    '## Encodings',
    ENCODING_NOTES,
    table(
      ['encoding', 'bits in the file', 'bits in memory'],
      Object.entries(ENCODINGS).map(([type, encoding]) => [
        encoding.name,
        bits(encoding.bytes, encoding.block),
        encoding.isNumbers === true ? '' : bits(matrixBytes(Number(type), SIDE, SIDE), SIDE * SIDE),
      ]),
    ),
    '## Tokenizers',
    TOKENIZER_NOTES,
    `${[...PRE_TOKENIZERS.keys()].map((name) => `\`${name}\``).join(', ')}.`,
    '## Memory',
    MEMORY,
    '## Agreement',
    AGREEMENT,
  )
}
