import { eth_signTypedData_v4 } from './signTypedData_v4.ts'

/** The older name: here it accepts the same as version 4. */
export const eth_signTypedData = eth_signTypedData_v4
