// Which addresses a whitelist takes, in which form it keeps them, and whom it lets in: nobody
// beyond its text, in whatever form an address comes.

import { describe, expect, it } from 'vitest'
import { isInside, readNetwork } from './ip-network.ts'

function kept(text: string): string {
  const reading = readNetwork(text)
  return reading.is === 'network' ? reading.network : reading.why.en
}

const wide = 'Is too wide: at most a /8 of IPv4 or a /32 of IPv6.'
const everybody = 'Must not hold 0.0.0.0 or ::, which stand for every address.'
const nonsense = 'Must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.'

describe('an address is kept', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.255/31', '203.0.113.254/31'],
    ['0.0.0.1', '0.0.0.1'],
    ['0.0.1.0/24', '0.0.1.0/24'],
    ['255.255.255.255', '255.255.255.255'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::1/128', '::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['2001:db8::1/32', '2001:db8::/32'],
  ])('in one form: %s is %s', (text, form) => {
    expect(kept(text)).toBe(form)
    expect(kept(form)).toBe(form)
  })

  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7/128', '203.0.113.7'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ])('as IPv4 where it is IPv4 in IPv6 form: %s is %s', (text, form) => {
    expect(kept(text)).toBe(form)
  })
})

describe('an address is refused', () => {
  it.each([
    ['10.0.0.0/7', wide],
    ['0.0.0.0/0', wide],
    ['128.0.0.0/1', wide],
    ['2001:db8::/31', wide],
    ['::/0', wide],
    ['::ffff:10.0.0.0/103', wide],
    ['0.0.0.0', everybody],
    ['0.0.0.0/32', everybody],
    ['0.0.0.0/8', everybody],
    ['0.1.2.3/8', everybody],
    ['0.0.0.1/31', everybody],
    ['::', everybody],
    ['::/128', everybody],
    ['::1/127', everybody],
    ['::1/32', everybody],
    ['::ffff:0.0.0.0', everybody],
    ['::ffff:0:0', everybody],
    ['::ffff:0.1.0.0/104', everybody],
  ])('when it would be too many, or everybody: %s', (text, why) => {
    expect(kept(text)).toBe(why)
  })

  it.each([
    ['::ffff:10.0.0.1/95'],
    ['::ffff:0:0/90'],
    ['::fffe:1:2/95'],
    ['::ffff:10.0.0.1/64'],
    ['::8000:0:0/81'],
  ])('when as a network of IPv6 it would hold all of IPv4: %s', (text) => {
    expect(kept(text)).toBe(everybody)
  })

  it.each([
    [''],
    [' '],
    ['nonsense'],
    ['example.com'],
    ['203.0.113'],
    ['203.0.113.256'],
    ['203.0.113.07'],
    ['0x7f.0.0.1'],
    ['2130706433'],
    ['203.0.113.7/33'],
    ['203.0.113.7/'],
    ['203.0.113.7/-1'],
    ['203.0.113.7/8/8'],
    ['203.0.113.7/255.255.255.0'],
    ['203.0.113.7:443'],
    ['203.0.113.7, 203.0.113.8'],
    ['2001:db8::1/129'],
    ['[2001:db8::1]'],
    ['fe80::1%eth0'],
    [':::1'],
    ['2001:db8'],
  ])('when it is none: "%s"', (text) => {
    expect(kept(text)).toBe(nonsense)
  })
})

describe('who is inside', () => {
  const list = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/33', '::1', '192.0.2.254/31']

  it.each([
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['203.0.112.255', false],
    ['203.0.114.0', false],
    ['198.51.100.7', true],
    ['198.51.100.6', false],
    ['198.51.100.70', false],
    ['192.0.2.254', true],
    ['192.0.2.255', true],
    ['192.0.2.253', false],
    ['::ffff:203.0.113.9', true],
    ['::FFFF:203.0.113.9', true],
    ['::ffff:cb00:7109', true],
    ['::ffff:203.0.114.9', false],
    ['::203.0.113.9', false],
    ['2001:db8::', true],
    ['2001:db8:7fff:ffff:ffff:ffff:ffff:ffff', true],
    ['2001:db8:8000::', false],
    ['2001:DB8::5', true],
    ['::1', true],
    ['::2', false],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['', false],
    ['nonsense', false],
    ['203.0.113.9/24', false],
  ])('%s: %s', (ip, inside) => {
    expect(isInside(list, ip)).toBe(inside)
  })

  it('is nobody while the list is empty', () => {
    expect(isInside([], '127.0.0.1')).toBe(false)
    expect(isInside([], '::1')).toBe(false)
  })

  it('of a kept network is its first and its last address, and not their neighbours', () => {
    for (let bits = 8; bits <= 32; bits += 1) {
      const first = (0b1100_1011 * 2 ** 24 + 0b1010_1010 * 2 ** 16) >>> 0
      const size = 2 ** (32 - bits)
      const low = Math.floor(first / size) * size
      const text = (n: number) => [24, 16, 8, 0].map((by) => (n >>> by) & 255).join('.')
      const network = kept(`${text(first)}/${bits}`)
      const has = (n: number) => isInside([network], text(n))
      expect([has(low - 1), has(low), has(low + size - 1), has(low + size)], network).toEqual([
        false,
        true,
        true,
        false,
      ])
    }
  })
})
