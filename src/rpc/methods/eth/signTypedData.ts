import { eth_signTypedData_v4 } from './signTypedData_v4.ts'

/** The older name: here it takes what version 4 takes. */
export const eth_signTypedData = eth_signTypedData_v4
