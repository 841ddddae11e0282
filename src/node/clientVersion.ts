/** `Assay/v<version>/<os>-<arch>/node<version>` (D1): what web3_clientVersion returns on this machine. */
export function clientVersion(version: string): string {
  return `Assay/v${version}/${process.platform}-${process.arch}/node${process.versions.node}`
}
