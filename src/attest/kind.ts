/** Kinds of evidence; `auto` takes the hardware that the machine has, and `software` where it has none. */
export const EVIDENCE_KINDS = ['auto', 'nitro', 'tdx', 'snp', 'software'] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]
