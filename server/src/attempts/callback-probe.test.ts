// A probe is known by the account that it was made for, for as long as it is good, and by nobody's
// other key.

import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { openKeyring } from '../platform/crypto/seal.ts'
import { probeToken, readProbe } from './callback-probe.ts'
import { callbackToken, readCallbackToken } from './callback-token.ts'

const [ours, theirs] = [1, 2].map(() => openKeyring(randomBytes(32).toString('base64')))
const nonce = randomBytes(16)
const made = { gateway_code: 'mtn_bj', nonce, expires_ms: 60_000 }

it('is known by its account, until it is over, and by nobody else', () => {
  if (ours === undefined || theirs === undefined) throw new Error('no keys')
  const token = probeToken(ours, made)
  const read = (keys: typeof ours, gateway_code: string, now_ms: number, text = token) =>
    readProbe(keys, { gateway_code, token: text }, now_ms)
  expect(read(ours, 'mtn_bj', 60_000)).toBe(nonce.toString('hex'))
  expect(read(ours, 'mtn_bj', 60_001)).toBe(undefined)
  expect(read(ours, 'mtn_ci', 0)).toBe(undefined)
  expect(read(theirs, 'mtn_bj', 0)).toBe(undefined)
  // The last letter of base64url may have bits that say nothing: the first has none.
  const changed = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
  for (const text of ['', 'x', token.slice(1), `${token}AA`, changed]) {
    expect(read(ours, 'mtn_bj', 0, text), text).toBe(undefined)
  }
  // Neither is taken for the other.
  expect(readCallbackToken(ours, token)).toBe(undefined)
  const key = { merchant_id: crypto.randomUUID(), id: crypto.randomUUID() }
  expect(read(ours, 'mtn_bj', 0, callbackToken(ours, key))).toBe(undefined)
})
