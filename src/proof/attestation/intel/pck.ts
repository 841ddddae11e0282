/** What Intel certified about a platform: the SGX extensions of a PCK certificate (PCK Certificate and CRL Profile, 1.3.5). */
import { toHexDigits } from '../../../base/hex.ts'
import {
  DerError,
  expectTag,
  readDer,
  readOid,
  readSequence,
  readSmallInteger,
  TAG,
  type DerValue,
} from '../der.ts'
import type { Certificate } from '../x509.ts'

const SGX = '1.2.840.113741.1.13.1'
const TCB = `${SGX}.2`
const PCE_ID = `${SGX}.3`
const FMSPC = `${SGX}.4`
const COMPONENTS = 16

export type PckFacts = {
  /** Security versions of the platform's 16 components. */
  readonly componentSvns: readonly number[]
  readonly pceSvn: number
  /** Hex digits. */
  readonly pceId: string
  readonly fmspc: string
}

function readPairs(value: DerValue | undefined): ReadonlyMap<string, DerValue> {
  const pairs = new Map<string, DerValue>()
  for (const item of readSequence(value)) {
    const [oid, content] = readSequence(item)
    const name = readOid(oid)
    if (content === undefined || pairs.has(name))
      throw new DerError('the SGX extensions are malformed')
    pairs.set(name, content)
  }
  return pairs
}

/** Reads the extensions. Throws DerError. */
export function readPck({ extensions }: Certificate): PckFacts {
  const extension = extensions.get(SGX)
  if (extension === undefined) throw new DerError('the PCK certificate lacks the SGX extensions')
  const facts = readPairs(readDer(extension.value, TAG.sequence))
  const tcb = readPairs(facts.get(TCB))
  const svn = (part: number) => readSmallInteger(tcb.get(`${TCB}.${part}`))
  const octets = (oid: string) => toHexDigits(expectTag(facts.get(oid), TAG.octetString).contents)
  return {
    componentSvns: Array.from({ length: COMPONENTS }, (_, i) => svn(i + 1)),
    pceSvn: svn(COMPONENTS + 1),
    pceId: octets(PCE_ID),
    fmspc: octets(FMSPC),
  }
}
