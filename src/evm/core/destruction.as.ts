// SELFDESTRUCT: sends the balance away; from Cancun on it removes the account only if this message created it
// (EIP-6780).
import {
  Account,
  CREATED,
  DESTROYED,
  accountAt,
  addressOf,
  balanceOf,
  beforeChange,
  transfer,
  warmUp,
} from './accounts.as'
import { isDead } from './environment.as'
import { Frame, RETURNED } from './frames.as'
import { CANCUN, LONDON, includes } from './forks.as'
import { COLD_ACCOUNT, EARLIER_DESTRUCTION_REFUND, NEW_ACCOUNT } from './gas.as'
import { OUT_OF_GAS, WRITE_PROTECTION } from './halts.as'
import { refundCounter, setRefundCounter } from './storage.as'
import { traceEnter, traceLeave } from './trace.as'
import { copyWord, isZero, setSmall } from './words.as'

const SELFDESTRUCT: u32 = 0xff

/** Returns the remaining gas; the frame ends with this opcode. */
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
  if (takesAccount(self)) destroy(self)
  return left
}

/** Whether the account is removed, too. */
function takesAccount(self: Account): bool {
  return (self.flags & CREATED) != 0 || !includes(CANCUN)
}

function destroy(self: Account): void {
  if (!includes(LONDON) && !(self.flags & DESTROYED))
    setRefundCounter(refundCounter() + EARLIER_DESTRUCTION_REFUND)
  beforeChange(self)
  self.flags |= DESTROYED
}

const inheritance = memory.data(32, 8)

function bequeath(self: Account, heir: Account): void {
  if (heir != self) {
    copyWord(inheritance, balanceOf(self))
    transfer(self, heir, inheritance)
    return
  }
  // An account that is its own beneficiary keeps its balance, unless it is removed along with it.
  if (!takesAccount(self)) return
  beforeChange(self)
  setSmall(balanceOf(self), 0)
}
