/** Kinds of evidence; `auto` uses the hardware that the machine has, or `software` if it has none. */
export const EVIDENCE_KINDS = ['auto', 'nitro', 'tdx', 'snp', 'software'] as const
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]
