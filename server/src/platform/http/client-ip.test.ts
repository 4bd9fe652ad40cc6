// Which address a request comes from (contract 3.5): callers cannot choose their own.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientIpReader, normaliseIp } from './client-ip.ts'

const behindNobody = clientIpReader({ is: 'nobody' })
const behindOne = clientIpReader({ is: 'hops', count: 1 })
const behindTwo = clientIpReader({ is: 'hops', count: 2 })
const behindNetwork = clientIpReader({
  is: 'networks',
  cidrs: ['10.0.0.0/8', '::1', '2001:db8::/32'],
})

describe('the client address', () => {
  it('is the peer when no proxy is trusted, whatever is forwarded', () => {
    fc.assert(
      fc.property(fc.string(), (forwarded) => {
        expect(behindNobody('203.0.113.7', forwarded)).toBe('203.0.113.7')
      }),
    )
  })

  it('is what the trusted number of proxies appended, never what the client wrote', () => {
    const forwarded = '192.168.0.1, 198.51.100.2, 10.0.0.1'
    expect(behindOne('10.0.0.9', forwarded)).toBe('10.0.0.1')
    expect(behindTwo('10.0.0.9', forwarded)).toBe('198.51.100.2')
    expect(behindTwo('10.0.0.9', ['192.168.0.1', '198.51.100.2, 10.0.0.1'])).toBe('198.51.100.2')
  })

  it('is the first that is no trusted network, seen from us', () => {
    const forwarded = '192.168.0.1, 198.51.100.2, 10.0.0.1'
    expect(behindNetwork('10.0.0.9', forwarded)).toBe('198.51.100.2')
    expect(behindNetwork('::1', '2001:db8::5, ::ffff:10.1.1.1')).toBe('2001:db8::5')
    expect(behindNetwork('198.51.100.77', forwarded)).toBe('198.51.100.77')
  })

  it('is the nearest readable one when a forwarded entry is no address', () => {
    expect(behindTwo('10.0.0.9', 'unknown, 10.0.0.1')).toBe('10.0.0.1')
    expect(behindOne('10.0.0.9', '')).toBe('10.0.0.9')
    expect(behindOne('10.0.0.9', undefined)).toBe('10.0.0.9')
  })

  it('is the last there is when fewer proxies stood in between', () => {
    expect(behindTwo('10.0.0.9', '198.51.100.2')).toBe('198.51.100.2')
  })

  it.each([
    ['198.51.100.2:4711', '198.51.100.2'],
    ['[2001:db8:1::9]:443', '2001:db8:1::9'],
    ['2001:DB8:1::9', '2001:db8:1::9'],
    ['::ffff:198.51.100.2', '198.51.100.2'],
  ])('is read from %s as %s', (forwarded, ip) => {
    expect(behindOne('10.0.0.9', forwarded)).toBe(ip)
  })
})

describe('an address', () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['192.0.2.1', '192.0.2.1'],
  ])('%s is written %s', (text, normal) => {
    expect(normaliseIp(text)).toBe(normal)
  })
})
