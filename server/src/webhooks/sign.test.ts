// The signatures a receiver computes for themselves: known answers, and the rules of a rotation.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newSigningSecret, signatureHeaders } from './sign.ts'

const hex = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex')
const standard = (secret: string, text: string) => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

const secret = newSigningSecret()
const delivery = { id: 'dlv_1', event: 'webhook.test', body: '{"é":1}', timestamp_s: 1_700_000_000 }

describe('signatureHeaders', () => {
  it('signs as contract 6.6 says, both ways', () => {
    expect(signatureHeaders({ ...delivery, secret })).toEqual({
      'X-Webhook-Id': 'dlv_1',
      'X-Webhook-Event': 'webhook.test',
      'X-Webhook-Timestamp': '1700000000',
      'X-Webhook-Signature': hex(secret, '1700000000.{"é":1}'),
      'webhook-id': 'dlv_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': standard(secret, 'dlv_1.1700000000.{"é":1}'),
    })
  })

  it('gives a known answer, computed outside this code with OpenSSL', () => {
    const headers = signatureHeaders({
      id: 'msg_1',
      event: 'webhook.test',
      body: '{"test":2432232314}',
      timestamp_s: 1_614_265_330,
      secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    })
    expect(headers['X-Webhook-Signature']).toBe(
      '8604bb46149b2e9a1246979f7d46a1608bb3e5b80b4be5f438733d4490b4e7e4',
    )
    expect(headers['webhook-signature']).toBe('v1,jeIGzz79yccvzSyn7yUwEE30hZxIvF/7Dl8gIINkoOI=')
  })

  it('signs the raw bytes: a text and its UTF-8 bytes have one signature', () => {
    const bytes = { ...delivery, body: Buffer.from(delivery.body), secret }
    expect(signatureHeaders(bytes)).toEqual(signatureHeaders({ ...delivery, secret }))
  })

  it('keeps the old secret in X-Webhook-Signature during an overlap and adds the new', () => {
    const next_secret = newSigningSecret()
    const headers = signatureHeaders({ ...delivery, secret, next_secret })
    const ours = '1700000000.{"é":1}'
    const theirs = 'dlv_1.1700000000.{"é":1}'
    expect(headers['X-Webhook-Signature']).toBe(hex(secret, ours))
    expect(headers['X-Webhook-Signature-Next']).toBe(hex(next_secret, ours))
    expect(headers['webhook-signature']).toBe(
      `${standard(secret, theirs)} ${standard(next_secret, theirs)}`,
    )
  })
})

describe('newSigningSecret', () => {
  it('is whsec_ and the base64 of 32 bytes, never twice the same', () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newSigningSecret()).not.toBe(secret)
  })
})
