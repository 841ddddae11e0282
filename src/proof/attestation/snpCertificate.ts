/** Extensions of VCEK and VLEK certificates (AMD: Versioned Chip Endorsement Key Certificate and KDS Interface, 57230, tables 8 and 9). */
import { concatBytes } from '../../base/bytes.ts'
import { DerError, readDer, readSmallInteger, TAG } from './der.ts'
import type { Certificate } from './x509.ts'

const AMD = '1.3.6.1.4.1.3704.1'
const PRODUCT = `${AMD}.2`
const CHIP_ID = `${AMD}.4`
const PROVIDER = `${AMD}.5`
const IA5_STRING = 0x16
const CHIP_ID_LENGTH = 64

/** Security versions of the parts of a chip's firmware. `fmc` exists from Turin on. */
export type SnpTcb = {
  readonly bootloader: number
  readonly tee: number
  readonly snp: number
  readonly microcode: number
  readonly fmc: number
}

/** What AMD certified about the key of a report: a VCEK of one chip, or a VLEK that it gave to a provider for all of its chips. */
export type EndorsementFacts = {
  /** "Milan-B0", "Genoa-B1", "Turin-B0", ... */
  readonly product: string
  readonly tcb: SnpTcb
  /** 64 bytes; shorter identities (Turin has 8) are followed by zeros. Undefined for a VLEK. */
  readonly chipId: Uint8Array | undefined
  /** The cloud service provider of a VLEK. */
  readonly provider: string | undefined
}

function extension(certificate: Certificate, oid: string): Uint8Array {
  const found = certificate.extensions.get(oid)
  if (found === undefined) throw new DerError(`the certificate lacks extension ${oid}`)
  return found.value
}

const textOf = (value: Uint8Array): string =>
  String.fromCharCode(...readDer(value, IA5_STRING).contents.subarray(0, 64))

/** Reads the certificate of a key. Throws DerError. */
export function readEndorsement(certificate: Certificate): EndorsementFacts {
  const version = (part: number) =>
    readSmallInteger(readDer(extension(certificate, `${AMD}.3.${part}`), TAG.integer))
  const product = textOf(extension(certificate, PRODUCT))
  const chip = certificate.extensions.get(CHIP_ID)?.value
  const provider = certificate.extensions.get(PROVIDER)?.value
  if ((chip === undefined) === (provider === undefined))
    throw new DerError('the certificate names not exactly one of chip and provider')
  if (chip !== undefined && chip.length > CHIP_ID_LENGTH)
    throw new DerError('the chip identity is too long')
  return {
    product,
    tcb: {
      bootloader: version(1),
      tee: version(2),
      snp: version(3),
      microcode: version(8),
      fmc: product.startsWith('Turin') ? version(9) : 0,
    },
    chipId: chip && concatBytes(chip, new Uint8Array(CHIP_ID_LENGTH - chip.length)),
    provider: provider && textOf(provider),
  }
}

/** TCB_VERSION of a report (56860, tables 3 and 4); its layout changed with Turin. */
export function readTcbVersion(bytes: Uint8Array, product: string): SnpTcb {
  const at = (offset: number) => bytes[offset] ?? 0
  const turin = product.startsWith('Turin')
  return {
    fmc: turin ? at(0) : 0,
    bootloader: at(turin ? 1 : 0),
    tee: at(turin ? 2 : 1),
    snp: at(turin ? 3 : 6),
    microcode: at(7),
  }
}
