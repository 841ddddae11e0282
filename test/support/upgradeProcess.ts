/** Upgrades the store in the folder that is its argument, in small parts, and reports each. */
import { upgradeStore } from '../../src/store/upgrade.ts'

const [, , folder = ''] = process.argv

await upgradeStore(folder, { partSize: 40_000, onProgress: (done) => void process.send?.(done) })
process.disconnect()
