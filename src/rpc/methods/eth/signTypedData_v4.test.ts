import { test } from 'vitest'
import { expectRefused, expectSigned, NO_TYPED_DATA } from '../../../../test/support/typedData.ts'

test('eth_signTypedData_v4 signs typed data so that libraries recover the signer, from an object or its text', () =>
  expectSigned('eth_signTypedData_v4'))

test.each(NO_TYPED_DATA)('typed data that is none is refused: %j', (given, code) =>
  expectRefused('eth_signTypedData_v4', given, code),
)
