// What is packed comes back as it was, byte by byte, whatever was in it.

import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { current_dictionary, dictionaries } from './dictionaries.ts'
import { keptText } from './kept.ts'
import { pack, unpack } from './pack.ts'

const bytes = (text: string) => Buffer.from(text)

/** What stands around an id, and what looks like one. */
const hostile = [
  '',
  '\u0001',
  `\u0001${randomUUID()}`,
  randomUUID(),
  randomUUID() + randomUUID(),
  randomUUID().toUpperCase(),
  randomUUID().replaceAll('-', ''),
  `${randomUUID().slice(0, -1)}g`,
  '01010101-0101-7101-8101-010101010101',
  '00000000-0000-0000-0000-000000000000',
  'É\u2028œ😀\u0000\u0002\u007f\u0080ÿ',
  '\\u0001 \\" \\\\ %_ ',
  '{"id":"","reference":"TXN-20261123-","type":"PAIEMENT"',
  'a'.repeat(100_000),
]

it('texts that stand where ids do, or look like them', () => {
  const inside = hostile.map((text) => `{"id":"${text}","next":"${text}é"}`)
  for (const text of [...hostile, ...inside]) {
    expect(bytes(unpack(pack(text))).equals(bytes(text)), text.slice(0, 100)).toBe(true)
  }
})

it('any text, with ids and scraps of our own JSON in it', () => {
  const dictionary = dictionaries.get(current_dictionary)?.toString() ?? ''
  const scrap = fc
    .tuple(fc.nat(dictionary.length), fc.nat(80))
    .map(([at, length]) => dictionary.slice(at, at + length))
  const piece = fc.oneof(scrap, fc.uuid(), fc.string({ unit: 'binary' }), fc.json())
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (one) => unpack(pack(one)) === one),
    { numRuns: 400 },
  )
})

it('a value as JSON writes it, half a surrogate pair too', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string(), (value, key) => {
      const text = JSON.stringify({ [key]: value, half: '\uD800' })
      return unpack(pack(text)) === text
    }),
  )
})

it('an event of another country needs less than a third of its room', () => {
  const event = {
    ...{ id: randomUUID(), reference: 'TXN-20270204-YT4QY9E6B8', type: 'PAIEMENT' },
    ...{ flow_direction: 'INBOUND', status: 'SUCCESS', amount: '73250.00', fee: '1831.00' },
    ...{ charged: '75081.00', net_amount: '73250.00', fee_charge_mode: 'ADD_ON' },
    ...{ currency: 'XAF', country: 'CM', network: 'orange_cm', msisdn: '+237699000110' },
    ...{ metadata: {}, merchant_reference: 'F-2027-00318', checkout_session: null },
    ...{ payment_link: null, failure_code: '', failure_message: '' },
    ...{ external_reference: 'MP270204.1142.A49211', version: 2 },
  }
  const text = JSON.stringify(event)
  expect(pack(text).length).toBeLessThan(text.length / 3)
})

it('what no dictionary knows costs a few bytes more, and no more', () => {
  const noise = Array.from({ length: 30 }, () => randomUUID().toUpperCase()).join('')
  expect(pack(noise).length).toBeLessThan(noise.length)
  expect(pack('').length).toBeLessThan(8)
})

it('a dictionary is for ever', () => {
  const hashes = [...dictionaries].map(([number, dictionary]) => [
    number,
    createHash('sha256').update(dictionary).digest('hex'),
  ])
  // Whoever has to change a line here makes rows unreadable: add a dictionary instead.
  expect(hashes).toEqual([[1, 'ac4cffb1e3dac0ddf5c4a4af4a5ba9320adfb6aec06f7b2a1b7c2844e4621bc5']])
  const packed = 'AYMmA0bGGfJWDAwFDA0MIPCAEXt0ooWZASjKDA0NlGoB'
  expect(unpack(Buffer.from(packed, 'base64'))).toBe(
    '{"id":"01981f3a-0000-7000-8000-00000000e001","status":"PENDING","msisdn":"+2290101000110"}',
  )
})

it('a dictionary that is not known here is said, and nothing is made up', () => {
  expect(() => unpack(Buffer.of(250, 1, 2, 3))).toThrow('dictionary 250')
  const cut = pack(JSON.stringify({ text: 'é'.repeat(500) })).subarray(0, 9)
  expect(() => unpack(cut)).toThrow()
})

it('a text is kept packed, plain, or not at all', () => {
  expect(keptText({ plain: null, packed: pack('"é"') })).toBe('"é"')
  expect(keptText({ plain: '{}', packed: null })).toBe('{}')
  expect(keptText({ plain: null, packed: null })).toBeNull()
})
