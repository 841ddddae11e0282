import { test } from 'vitest'
import { expectRefused, expectSigned, NO_TYPED_DATA } from '../../../../test/support/typedData.ts'

test('eth_signTypedData signs typed data so that libraries recover the signer, from an object or its text', () =>
  expectSigned('eth_signTypedData'))

test.each(NO_TYPED_DATA)('typed data that is none is refused: %j', (given, code) =>
  expectRefused('eth_signTypedData', given, code),
)
