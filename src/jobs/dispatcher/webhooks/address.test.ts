import { expect, test } from 'vitest'
import { isPublicAddress } from './address.ts'

test('addresses of the public internet pass', () => {
  for (const address of ['1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])
    expect(isPublicAddress(address)).toBe(true)
})

test('private, loopback, link-local, shared, multicast and mapped addresses do not', () => {
  const refused = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '2001:0:7f00:1::',
    '2002:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
    '2130706433',
    '0x7f.1',
  ]
  for (const address of refused)
    expect([address, isPublicAddress(address)]).toEqual([address, false])
})
