/** Draws by the fastest library that this machine has (D38, D153). */
import { loadNativePoints } from '../base/secp256k1NativePoints.ts'
import { noblePoints } from '../base/secp256k1Points.ts'
import { createVrf, type Vrf } from '../proof/vrf.ts'

const native = loadNativePoints()

/** Of the native library, where it is there. */
export const vrf: Vrf = native === undefined ? createVrf(noblePoints) : createVrf(native)
