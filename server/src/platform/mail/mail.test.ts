// One address, one line: what a header may be made of.

import { describe, expect, it } from 'vitest'
import {
  maskedAddress,
  oneLine,
  parseMailAddress,
  requireSendable,
  showMailAddress,
  Unsendable,
} from './mail.ts'

describe('the address that letters come from', () => {
  it.each(['a@x.example', 'Pirogue <a@x.example>', 'Été à Dakar <a@localhost>'])(
    'is shown as it was read: %s',
    (text) => {
      const read = parseMailAddress(text)
      expect(read && showMailAddress(read)).toBe(text)
    },
  )

  it.each([
    '',
    'Pirogue',
    '@x.example',
    'a@',
    'a@b@c',
    'a @x.example',
    '<a@x.example>, b@x.example',
    'Pirogue <a@x.example>\r\nBcc: b@x.example',
    'Pirogue\nBcc: b@x.example <a@x.example>',
    '"Pirogue <a@x.example>',
  ])('is one, or none: %j', (text) => {
    expect(parseMailAddress(text)).toBeUndefined()
  })
})

describe('a letter', () => {
  const email = (to: string, subject = 'Hello') => ({ to, subject })

  it('goes to one plain address', () => {
    expect(() => requireSendable(email('awa.o+1@shop.example'))).not.toThrow()
    expect(() => requireSendable(email('awa@xn--dk-5ja.example', 'É\u00a0: “à”'))).not.toThrow()
  })

  it.each([
    'awa@shop.example\r\nBcc: all@shop.example',
    'awa@shop.example\nBcc: all@shop.example',
    'awa@shop.example, all@shop.example',
    'x,all@shop.example',
    'Awa <awa@shop.example>',
    'awa@shop.example>',
    'awa',
    '',
  ])('is refused for what may be read as anything else: %j', (to) => {
    expect(() => requireSendable(email(to))).toThrow(Unsendable)
  })

  it.each(['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\u0000'])(
    'is refused for a subject with %j in it, and can be given one line of it',
    (end) => {
      const subject = `Hello${end}Bcc: all@shop.example`
      expect(() => requireSendable(email('awa@shop.example', subject))).toThrow(Unsendable)
      expect(oneLine(subject)).toBe('Hello Bcc: all@shop.example')
    },
  )

  it('says nothing of itself when it is refused', () => {
    expect(() => requireSendable(email('secret@x.example\n', 'hidden'))).toThrow(
      /^(?!.*(secret|hidden))/,
    )
  })
})

it('a masked address shows two letters at most, and no domain', () => {
  expect(maskedAddress('awa@shop.example')).toBe('aw***@…')
  expect(maskedAddress('a@shop.example')).toBe('a***@…')
  expect(maskedAddress('nonsense')).toBe('***@…')
})
