// Which addresses an account compares callbacks with, in whatever form one comes, and which
// settings of it are none.

import { describe, expect, it } from 'vitest'
import { expectInBoth } from '../../test/setup/both-languages.ts'
import { adapters, findAdapter } from './adapters.ts'
import { senderFaults, senderFinding, senderListOf, sendersOf } from './callback-senders.ts'

const pawapay = findAdapter('pawapay') ?? {}
const none = {}
const live = { base_url: 'https://api.pawapay.io' }
const sandbox = { base_url: 'https://api.sandbox.pawapay.io' }

describe('the addresses of an account', () => {
  it('are those that its operator publishes for the host that it calls', () => {
    expect(senderListOf(pawapay, sandbox)).toEqual({ ip_list: 'LOG', addresses: ['3.64.89.224'] })
    expect(senderListOf(pawapay, live).addresses).toHaveLength(6)
    expect(senderListOf(pawapay, live).addresses).not.toContain('3.64.89.224')
    for (const base_url of ['http://127.0.0.1:4000', 'https://api.pawapay.io.evil.example', '']) {
      expect(senderListOf(pawapay, { base_url }).addresses).toEqual([])
    }
  })

  it('are not made up: who publishes none has none', () => {
    const publishing = adapters.filter((one) => one.callback_addresses !== undefined)
    expect(publishing.map(({ adapter }) => adapter)).toEqual(['pawapay', 'stripe'])
  })

  it('are those of staff beside them, each once', () => {
    const more = { ...sandbox, ip_list_more: '203.0.113.9/24 , 2001:db8::/33,3.64.89.224' }
    expect(senderListOf(pawapay, more).addresses).toEqual([
      ...['3.64.89.224', '203.0.113.0/24', '2001:db8::/33'],
    ])
    expect(senderFaults(pawapay, more)).toEqual([])
  })

  it('are compared with nothing where there are none, or where nobody is to look', () => {
    expect(sendersOf(none, live)).toBeUndefined()
    expect(sendersOf(pawapay, { ...live, ip_list: 'OFF' })).toBeUndefined()
    expect(sendersOf(pawapay, live)?.enforced).toBe(false)
    expect(sendersOf(pawapay, { ...live, ip_list: 'ENFORCE' })?.enforced).toBe(true)
  })

  it.each([
    ['203.0.113.7', true],
    ['::ffff:203.0.113.7', true],
    ['::FFFF:cb00:7107', true],
    ['203.0.113.8', false],
    ['198.51.100.0', true],
    ['198.51.100.255', true],
    ['::ffff:198.51.100.255', true],
    ['198.51.101.0', false],
    ['2001:db8:1::9', true],
    ['2001:DB8:1:0:ffff::', true],
    ['2001:db8:2::9', false],
    ['::203.0.113.7', false],
    ['', false],
    ['somewhere', false],
  ])('hold an address in whatever form it comes: %s', (ip, isTheirs) => {
    const ip_list_more = '203.0.113.7,198.51.100.0/24,2001:db8:1::/48'
    expect(sendersOf(none, { ip_list_more })?.include(ip)).toBe(isTheirs)
  })
})

describe('a check of the account', () => {
  it('says what is compared and what becomes of the rest, in both languages', () => {
    const all = [
      senderFinding(pawapay, sandbox),
      senderFinding(pawapay, { ...sandbox, ip_list: 'ENFORCE' }),
      senderFinding(pawapay, { ...sandbox, ip_list: 'OFF' }),
      senderFinding(none, sandbox),
    ]
    expectInBoth(all)
    expect(all.map(({ found }) => found.en)).toEqual([
      'LOG: 3.64.89.224; others are taken and counted',
      'ENFORCE: 3.64.89.224; others are refused',
      'OFF: not looked at',
      'not known: the operator publishes none, and ip_list_more is empty',
    ])
  })
})

describe('settings that are none', () => {
  it('are an entry that is no address, or that stands for too many, by its place', () => {
    for (const [ip_list_more, at] of [
      ['203.0.113.7,203.0.113.300', 'entry 2'],
      ['1:2:3', 'entry 1'],
      ['203.0.113.7/33', 'entry 1'],
      ['203.0.113.7,198.51.100.0/24,0.0.0.0/0', 'entry 3'],
      ['::/0', 'entry 1'],
    ] as const) {
      const [fault, ...others] = senderFaults(pawapay, { ...live, ip_list_more })
      expect([fault?.key, others], ip_list_more).toEqual(['ip_list_more', []])
      expect(fault?.text.en).toContain(at)
      expect(fault?.text.en).not.toContain(ip_list_more)
    }
  })

  it('are ENFORCE with nothing to hold anybody to', () => {
    const ip_list = 'ENFORCE'
    expect(senderFaults(none, { ip_list })).toMatchObject([{ key: 'ip_list' }])
    expect(senderFaults(pawapay, { ip_list, base_url: 'http://127.0.0.1:1' })).toHaveLength(1)
    expect(senderFaults(pawapay, { ...live, ip_list })).toEqual([])
    expect(senderFaults(none, { ip_list, ip_list_more: '203.0.113.7' })).toEqual([])
  })
})
