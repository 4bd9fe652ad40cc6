// The edges of a callback's proof: its age to the second, and a signature over garbage.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readSimulatorCallback } from './callback.ts'

const now_s = 1_700_000_000
const callback_secret = 'secret'
const body = JSON.stringify({
  event_id: 'e',
  id: 'SIM1',
  reference: 'key',
  status: 'SUCCESSFUL',
  amount: '10325.00',
  currency: 'XOF',
})

function read(age_s: number, raw = body, late_ms = 0) {
  const timestamp = String(now_s - age_s)
  const signature = createHmac('sha256', callback_secret)
    .update(`${timestamp}.${raw}`)
    .digest('hex')
  const headers = { 'x-sim-timestamp': timestamp, 'x-sim-signature': signature }
  const clock = () => now_s * 1000 + late_ms
  return readSimulatorCallback({ callback_secret, clock }, { body: raw, headers })
}

describe('a signed callback', () => {
  it('is proof for five minutes, to the second, before and after', () => {
    expect(read(300, body, 999).proof).toBe('SIGNED')
    expect(read(301).proof).toBe('UNSIGNED')
    expect(read(-300).proof).toBe('SIGNED')
    expect(read(-301).proof).toBe('UNSIGNED')
  })

  it('says the amount that moved', () => {
    const { key, answer } = read(0)
    expect(key).toBe('key')
    expect(answer).toMatchObject({ is: 'confirmed', amount: 10_325_00n, currency: 'XOF' })
  })

  it.each(['', 'rubbish', '[]', '{"id":"SIM1","status":"SUCCESSFUL"}', '{"id":"a\\u0000"}'])(
    'over garbage (%j) proves nothing',
    (raw) => {
      const unread = { is: 'unknown', because: 'unreadable' }
      expect(read(0, raw)).toEqual({ proof: 'UNSIGNED', key: '', answer: unread })
    },
  )

  it('over an amount nobody can read is proof of no amount', () => {
    const { answer } = read(0, body.replace('10325.00', '10325.50'))
    expect(answer).toEqual({ is: 'unknown', because: 'unreadable amount' })
  })
})
