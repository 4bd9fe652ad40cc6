// The address a gateway calls back at: it opens the attempt it was made for and no other, and nobody
// else can make one. Without these a stranger could speak for any payment.

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { openKeyring } from '../platform/crypto/seal.ts'
import { newId, uuidToBytes } from '../platform/ids.ts'
import { callbackToken, readCallbackToken } from './callback-token.ts'

const newKey = () => randomBytes(32).toString('base64')
const macs = openKeyring(newKey())
const key = { merchant_id: newId(), id: newId() }

describe('a callback address', () => {
  let token: string
  let bytes: Buffer

  beforeEach(() => {
    token = callbackToken(macs, key)
    bytes = Buffer.from(token, 'base64url')
  })

  it('names the merchant and the attempt, each as what it is', () => {
    expect(readCallbackToken(macs, token)).toEqual(key)
    expect(token).toMatch(/^[A-Za-z0-9_-]{86}$/)
    expect(bytes.subarray(0, 32)).toEqual(
      Buffer.concat([uuidToBytes(key.merchant_id), uuidToBytes(key.id)]),
    )
  })

  it('is the same whenever it is made: the address can be made again', () => {
    expect(callbackToken(macs, key)).toBe(token)
  })

  it('with any bit changed opens nothing', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(readCallbackToken(macs, changed.toString('base64url'))).toBeUndefined()
      }),
    )
  })

  it('of a MAC of any other length opens nothing, even where it would match', () => {
    // The length is checked before anything is computed over what a stranger sent.
    const lax = { mac: macs.mac, macMatches: () => true }
    expect(readCallbackToken(lax, token)).toEqual(key)
    for (const other of [bytes.subarray(0, 63), Buffer.concat([bytes, Buffer.alloc(1)])]) {
      expect(readCallbackToken(lax, other.toString('base64url'))).toBeUndefined()
    }
  })

  it('cut, lengthened, or of anything else opens nothing', () => {
    const cut = Array.from({ length: bytes.length }, (_, end) => bytes.subarray(0, end))
    const longer = Buffer.concat([bytes, Buffer.alloc(1)])
    for (const other of [...cut, longer, Buffer.alloc(64)]) {
      expect(readCallbackToken(macs, other.toString('base64url'))).toBeUndefined()
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCallbackToken(macs, text)).toBeUndefined()
      }),
    )
  })

  it('made by other keys, or as a MAC for another purpose, opens nothing', () => {
    expect(readCallbackToken(openKeyring(newKey()), token)).toBeUndefined()
    const ids = bytes.subarray(0, 32)
    for (const purpose of ['', 'cursor', 'idempotency-fingerprint']) {
      const forged = Buffer.concat([ids, macs.mac(purpose, ids)]).toString('base64url')
      expect(readCallbackToken(macs, forged)).toBeUndefined()
    }
    expect(macs.macMatches('callback-address', ids, bytes.subarray(32))).toBe(true)
  })
})
