// What may stand in the log of a fault's text, and what is masked of it.

import { expect, it } from 'vitest'
import { withoutPersons } from './client-faults.ts'

it.each([
  ['a number', 'cannot read +229 01 97 00 00 10 here', 'cannot read *** here'],
  [
    'a number as the dashboard writes it',
    'no +229\u00a001\u00a097\u00a000\u00a000\u00a010',
    'no ***',
  ],
  [
    'a number as a person may write it',
    '(+225) 07/00-00 – 00.10, 01\u202f97\u202f00\u202f00',
    '(***, ***',
  ],
  ['a hidden number', '+229\u00a001\u00a097\u00a0••\u00a0••\u00a010', '***'],
  ['an e-mail of an address', 'no awa.diop%40example.com/', 'no ***/'],
  ['a national number', '0197000010 is no date', '*** is no date'],
  ['an e-mail', 'no member awa.diop@example.com', 'no member ***'],
  ['a key', 'Bearer sk_live_abcDEF123 refused', 'Bearer *** refused'],
  ['a signing secret', 'whsec_Zm9vYmFy', '***'],
  ['a token', 'at 3q2-7wXyZ0aBcDeFgHiJkLmNoPq', 'at ***'],
  ['a query', 'GET /payments?search=Awa failed', 'GET /payments?*** failed'],
  ['what a terminal obeys', 'a\u001b[2Jb\u0007c', 'a [2Jb c'],
])('%s is masked', (_, text, shown) => {
  expect(withoutPersons(text)).toBe(shown)
})

it.each([
  'undefined is not an object (evaluating "a.b.c")',
  'at Xa (https://pay.example.org/dashboard/assets/home-Bd4yLChs.js:1:20431)\n  at b (c.js:2:7)',
  'payment 01981f3a-5b60-7c11-9a52-0242ac120301 has no status',
  'Failed to fetch dynamically imported module: https://pay.example.org/assets/links.js',
])('“%s” stays as it is', (text) => {
  expect(withoutPersons(text)).toBe(text)
})
