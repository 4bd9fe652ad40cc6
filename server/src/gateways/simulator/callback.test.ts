// The edges of a callback's proof: its age to the second, and a signature over garbage.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { receivedOf } from '../conformance-bench.ts'
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

const sign = (timestamp: string, raw = body) =>
  createHmac('sha256', callback_secret).update(`${timestamp}.${raw}`).digest('hex')

function readWith(headers: Record<string, string>, raw = body, late_ms = 0) {
  const received = receivedOf({ body: raw, headers }, now_s * 1000 + late_ms)
  return readSimulatorCallback({ callback_secret }, received)
}

function read(age_s: number, raw = body, late_ms = 0) {
  const timestamp = String(now_s - age_s)
  const headers = { 'x-sim-timestamp': timestamp, 'x-sim-signature': sign(timestamp, raw) }
  return readWith(headers, raw, late_ms)
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

describe('a callback whose signature proves nothing', () => {
  const now = String(now_s)
  const right = sign(now)

  it.each([`${now}.0`, `${now}x`, ` ${now}`, `x${now}`, `-${now}`, '', '0'.repeat(13)])(
    'is one whose time is not in whole seconds (%j), though it was signed',
    (timestamp) => {
      const headers = { 'x-sim-timestamp': timestamp, 'x-sim-signature': sign(timestamp) }
      expect(readWith(headers).proof).toBe('UNSIGNED')
    },
  )

  it.each([
    ['', 'none'],
    [right.toUpperCase(), 'in other letters'],
    [right.slice(0, 62), 'cut'],
    [`${right}00`, 'longer'],
    [`${right}zz`, 'followed by something'],
    [`zz${right}`, 'preceded by something'],
  ])('is one with a signature %s (%s)', (signature) => {
    const headers = { 'x-sim-timestamp': now, 'x-sim-signature': signature }
    expect(readWith({ ...headers, 'x-sim-signature': right }).proof).toBe('SIGNED')
    expect(readWith(headers).proof).toBe('UNSIGNED')
  })

  it('is one without either header, and it is heard all the same', () => {
    expect(readWith({})).toMatchObject({ proof: 'UNSIGNED', key: 'key' })
    expect(readWith({ 'x-sim-timestamp': now }).proof).toBe('UNSIGNED')
    expect(readWith({ 'x-sim-signature': right }).proof).toBe('UNSIGNED')
    expect(readWith({}).answer).toMatchObject({ is: 'confirmed' })
  })

  it('is one by another secret, or over another body', () => {
    const headers = { 'x-sim-timestamp': now, 'x-sim-signature': right }
    expect(readWith(headers, body.replace('10325.00', '1.00')).proof).toBe('UNSIGNED')
    const received = receivedOf({ body, headers }, now_s * 1000)
    expect(readSimulatorCallback({ callback_secret: 'other' }, received).proof).toBe('UNSIGNED')
  })
})
