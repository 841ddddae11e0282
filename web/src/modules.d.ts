/** Tables that build/signatureTable.ts makes of lists of signatures. */
declare module '*.signatures' {
  export const SIGNATURES: Readonly<Record<string, string>>
}
