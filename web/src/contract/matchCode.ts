/** Whether code on the chain is what sources compile to. */
import { hexToBytes } from '../format/hex.ts'

/** Where the compiler left gaps for values that are known only at deployment: [start, length] in bytes. */
export type Gap = { readonly start: number; readonly length: number }

export type CompiledContract = {
  readonly file: string
  readonly name: string
  readonly abi: unknown
  /** Hex digits; the gaps contain names of libraries. */
  readonly deployed: string
  readonly gaps: readonly Gap[]
}

/** `exact`: also the hash of the sources, which the compiler appends; `code`: everything but that. */
export type Match = 'exact' | 'code' | 'none'

type Json = Readonly<Record<string, unknown>>

function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function gapsOf(references: unknown): Gap[] {
  return Object.values(recordOf(references))
    .flatMap((entry) => (Array.isArray(entry) ? entry : Object.values(recordOf(entry)).flat()))
    .map((entry) => {
      const { start, length } = recordOf(entry)
      return { start: Number(start), length: Number(length) }
    })
}

/** The contracts of a standard-JSON output that have code. */
export function contractsOf(output: unknown): readonly CompiledContract[] {
  return Object.entries(recordOf(recordOf(output)['contracts'])).flatMap(([file, contracts]) =>
    Object.entries(recordOf(contracts)).flatMap(([name, contract]) => {
      const code = recordOf(recordOf(recordOf(contract)['evm'])['deployedBytecode'])
      const deployed = code['object']
      if (typeof deployed !== 'string' || deployed === '') return []
      const gaps = [...gapsOf(code['immutableReferences']), ...gapsOf(code['linkReferences'])]
      return [{ file, name, abi: recordOf(contract)['abi'], deployed, gaps }]
    }),
  )
}

/** Errors of a standard-JSON output, in the compiler's wording. */
export function errorsOf(output: unknown): readonly string[] {
  const { errors } = recordOf(output)
  if (!Array.isArray(errors)) return []
  return errors
    .map(recordOf)
    .filter((error) => error['severity'] === 'error')
    .map((error) => String(error['formattedMessage'] ?? error['message']))
}

/** The length of code without the record of sources and compiler at its end, whose own length its last two bytes are. */
function withoutMetadata(code: Uint8Array): number {
  const length = ((code.at(-2) ?? 0) << 8) | (code.at(-1) ?? 0)
  const end = code.length - length - 2
  // The record is a map of CBOR.
  const isMap = end > 0 && ((code[end] ?? 0) & 0xe0) === 0xa0
  return isMap ? end : code.length
}

/** Compares compiled code with that of the chain (0x and hex digits). */
export function matchCode(contract: CompiledContract, code: string): Match {
  if (contract.deployed.length !== code.length - 2) return 'none'
  const onChain = hexToBytes(code)
  let digits = contract.deployed
  for (const { start, length } of contract.gaps)
    digits = `${digits.slice(0, start * 2)}${'00'.repeat(length)}${digits.slice((start + length) * 2)}`
  if (!/^[0-9a-f]*$/.test(digits)) return 'none'
  const compiled = hexToBytes(digits)
  for (const { start, length } of contract.gaps) onChain.fill(0, start, start + length)
  const end = withoutMetadata(compiled)
  const isSame = (from: number, to: number): boolean =>
    compiled.subarray(from, to).every((byte, at) => byte === onChain[from + at])
  if (!isSame(0, end)) return 'none'
  return isSame(end, compiled.length) ? 'exact' : 'code'
}

/** The input with everything selected that a comparison needs. Throws SyntaxError when it is no standard-JSON input. */
export function completeInput(text: string): string {
  const input: unknown = JSON.parse(text)
  if (recordOf(input)['sources'] === undefined)
    throw new SyntaxError('the file is not a standard JSON input: it has no sources')
  const needed = [
    'abi',
    'evm.deployedBytecode.object',
    'evm.deployedBytecode.immutableReferences',
    'evm.deployedBytecode.linkReferences',
  ]
  return JSON.stringify({
    ...recordOf(input),
    settings: {
      ...recordOf(recordOf(input)['settings']),
      outputSelection: { '*': { '*': needed } },
    },
  })
}
