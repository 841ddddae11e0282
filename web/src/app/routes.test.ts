import { expect, test } from 'vitest'
import { paths, routeOf } from './routes.ts'
import { titleOf } from './title.ts'

const ADDRESS = `0x${'aB'.repeat(20)}`
const HASH = `0x${'0c'.repeat(32)}`

// Holds D167.
test('the paths that wallets open lead to the thing (EIP-3091)', () => {
  expect(routeOf(`/address/${ADDRESS}`)).toEqual({
    page: 'account',
    address: ADDRESS.toLowerCase(),
  })
  expect(routeOf(`/token/${ADDRESS}`)).toEqual({ page: 'token', address: ADDRESS.toLowerCase() })
  expect(routeOf(`/tx/${HASH.toUpperCase().replace('0X', '0x')}`)).toEqual({
    page: 'transaction',
    hash: HASH,
  })
  expect(routeOf(`/block/${HASH}`)).toEqual({ page: 'block', id: HASH })
  expect(routeOf('/block/12')).toEqual({ page: 'block', id: '12' })
})

test('a slash at the end and the paths of former releases lead there too', () => {
  expect(routeOf(`/address/${ADDRESS}/`)).toEqual(routeOf(`/address/${ADDRESS}`))
  expect(routeOf(`/account/${ADDRESS}`)).toEqual(routeOf(`/address/${ADDRESS}`))
})

test('links of the page are those of the standard', () => {
  expect(paths.account(ADDRESS)).toBe(`/address/${ADDRESS}`)
  expect(paths.token(ADDRESS)).toBe(`/token/${ADDRESS}`)
})

test('what is no path of the page is said to be unknown, whatever it holds', () => {
  for (const path of ['/what/ever', '/address', '/tx/', '/%zz', '/__proto__/x'])
    expect(routeOf(path).page).toBe('unknown')
})

test('a title names the thing', () => {
  expect(titleOf(routeOf('/block/1234567'))).toBe('Block 1,234,567')
  expect(titleOf(routeOf(`/tx/${HASH}`))).toBe('Transaction 0x0c0c0c0c…0c0c0c')
  expect(titleOf(routeOf(`/address/${ADDRESS}`))).toBe('Account 0xababab…ababab')
  expect(titleOf(routeOf('/block/\u202e'))).toBe('Block \\u{202e}')
  expect(titleOf(routeOf('/'))).toBe('Now')
})
