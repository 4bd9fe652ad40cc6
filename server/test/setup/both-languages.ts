// What a check found as people of either language read it: nothing is left out of one of them, none
// is a copy of the other, and what is filled in is in both.

import { expect } from 'vitest'
import type { Finding } from '../../src/gateways/gateway.ts'
import type { Text } from '../../src/platform/errors.ts'

/** Throws for a text of theirs that is not the same in both languages. */
export function expectInBoth(findings: readonly Finding[]): void {
  for (const { what, found, fix } of findings) {
    for (const text of [what, found, fix]) {
      const shown = JSON.stringify(text)
      expect(`${text.en}${text.fr}`, shown).not.toMatch(/undefined|NaN|\[object|[$#]\{/)
      expect(text.en === '', shown).toBe(text.fr === '')
      expect(numbersIn(text.fr), shown).toEqual(numbersIn(text.en))
      expect(namesIn(text.fr), shown).toEqual(namesIn(text.en))
      if (isSentence(text)) expect(text.fr, shown).not.toBe(text.en)
    }
  }
}

/** Words beside each other; a command is a name, and so is what an operator calls its wallets. */
const isSentence = ({ en }: Text): boolean =>
  /\b\p{Ll}{2,} \p{Ll}{2,}/u.test(en.replace(/npm run cli -- .*/, ''))

/** `2 000,50` is `2000.50`; a day may be written in another order. */
const numbersIn = (text: string): string[] =>
  [...text.matchAll(/\d[\d\u00a0.,]*\d|\d/g)].map(([one]) => one.replace(/\D/g, '')).sort()

/** Settings, paths, flags, codes. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/--[a-z][\w-]+|https?:\/\/[^\s,;]*[^\s,;:]|\/?\w+[_/][\w/]*/g)]
    .map(([one]) => one)
    .filter((one) => /[a-z]/i.test(one))
    .sort()
