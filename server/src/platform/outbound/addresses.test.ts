// Every range that is not the public internet, in every disguise.

import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuseAddress } from './addresses.ts'

const outside = { allow_private: false, own_ports: () => [8080] }
const inside = { allow_private: true, own_ports: () => [8080] }

const open = ['8.8.8.8', '196.49.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808']
const local = ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']
const near = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd12:3456::1']
const never = [
  ...['0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '240.0.0.1', '198.18.0.1'],
  ...['100.64.0.1', '100.100.100.200', '192.0.0.192', '192.0.2.1', '203.0.113.9'],
  ...['169.254.169.254', '169.254.170.2', '::ffff:169.254.169.254', '168.63.129.16'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ...['::', 'ff02::1', '100::1', '2001:db8::1', '3fff::1', '4000::1', '5f00::1'],
  ...['::7f00:1', '::8.8.8.8', '::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe'],
  ...['64:ff9b::a83f:8110', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:808:808::1'],
  ...['2001::1', '2001:0:808:808::1', 'localhost', '2130706433', '127.1', ''],
]

describe('refuseAddress', () => {
  it.each(open)('lets %s pass, private networks allowed or not', (address) => {
    expect(refuseAddress(address, 443, outside)).toBe(undefined)
    expect(refuseAddress(address, 443, inside)).toBe(undefined)
  })

  it.each([...local, ...near])('lets %s pass only when private networks are allowed', (address) => {
    expect(refuseAddress(address, 443, outside)).toBe('not_public')
    expect(refuseAddress(address, 443, inside)).toBe(undefined)
  })

  it.each(never)('refuses "%s" even when private networks are allowed', (address) => {
    expect(refuseAddress(address, 443, outside)).not.toBe(undefined)
    expect(refuseAddress(address, 443, inside)).not.toBe(undefined)
  })

  it.each(local)(
    'refuses our own ports on %s even when private networks are allowed',
    (address) => {
      expect(refuseAddress(address, 8080, inside)).toBe('own_port')
      expect(refuseAddress(address, 8081, inside)).toBe(undefined)
    },
  )

  it('refuses our own ports on every address of this machine', () => {
    const rows = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    for (const { address } of rows) {
      expect(refuseAddress(address.split('%')[0] ?? '', 8080, inside)).not.toBe(undefined)
    }
    expect(rows.length).toBeGreaterThan(0)
  })

  it('knows the ports that are ours now, not those of its first call', () => {
    const ports: number[] = []
    const rules = { allow_private: true, own_ports: () => ports }
    expect(refuseAddress('127.0.0.1', 9000, rules)).toBe(undefined)
    ports.push(9000)
    expect(refuseAddress('127.0.0.1', 9000, rules)).toBe('own_port')
  })

  it('never lets an IPv4 address pass inside IPv6 that it would refuse bare', () => {
    const prefixes = ['::ffff:', '::', '64:ff9b::', '::ffff:0:', '64:ff9b:1::']
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...prefixes), (address, prefix) => {
        const bare = refuseAddress(address, 443, outside)
        const dressed = refuseAddress(prefix + address, 443, outside)
        if (bare !== undefined) expect(dressed).not.toBe(undefined)
      }),
    )
  })
})
