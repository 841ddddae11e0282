// SELFDESTRUCT (EIP-6780): sends the balance away; takes the account with it only if this message created it.
import { Account, CREATED, DESTROYED, accountAt, addressOf, balanceOf, beforeChange, transfer, warmUp } from './accounts.as'
import { isDead } from './environment.as'
import { Frame, RETURNED } from './frames.as'
import { COLD_ACCOUNT, NEW_ACCOUNT } from './gas.as'
import { OUT_OF_GAS, WRITE_PROTECTION } from './halts.as'
import { traceEnter, traceLeave } from './trace.as'
import { copyWord, isZero, setSmall } from './words.as'

const SELFDESTRUCT: u32 = 0xff

/** The gas that is left; the frame ends with this opcode. */
export function selfDestruct(frame: Frame, top: usize, gas: i64): i64 {
  if (frame.isStatic) return WRITE_PROTECTION
  const self = frame.self
  const heir = accountAt(top)
  let left = gas
  if (warmUp(heir)) left -= COLD_ACCOUNT
  if (left < 0) return OUT_OF_GAS
  if (isDead(heir) && !isZero(balanceOf(self))) left -= NEW_ACCOUNT
  if (left < 0) return OUT_OF_GAS
  traceEnter(SELFDESTRUCT, addressOf(self), addressOf(heir), balanceOf(self), 0, 0, 0)
  traceLeave(RETURNED, 0, 0, 0, 0)
  bequeath(self, heir)
  if (self.flags & CREATED) {
    beforeChange(self)
    self.flags |= DESTROYED
  }
  return left
}

const inheritance = memory.data(32, 8)

function bequeath(self: Account, heir: Account): void {
  if (heir != self) {
    copyWord(inheritance, balanceOf(self))
    transfer(self, heir, inheritance)
    return
  }
  // An account that is its own heir keeps its balance, unless it goes and the balance with it.
  if (!(self.flags & CREATED)) return
  beforeChange(self)
  setSmall(balanceOf(self), 0)
}
