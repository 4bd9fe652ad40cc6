// A webhook's secret changes without a delivery that nobody can verify (decisions 6.6), and one that
// we switch off is not switched off in silence.

import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, type House, type Json, type Shop, startHouse } from '../harness.ts'
import { type MailFolder, openMailFolder } from '../mail-stand.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { type Got, type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let mail: MailFolder
let house: House
let shop: Shop
let receiver: Receiver
let webhook: Json

beforeAll(async () => {
  mail = await openMailFolder()
  house = await startHouse({ env: { DATA_DIR: mail.data_dir } })
})
afterAll(async () => {
  receiver?.close()
  await house?.stop()
  await mail?.remove()
})
beforeEach(async () => {
  receiver?.close()
  shop = await heldToPublished(await house.shop({ live: true }))
  receiver = await startReceiver()
  webhook = (await shop.post('/merchant-webhooks/', { url: receiver.url })).data
})

const rotate = (body: object = {}) =>
  shop.post(`/merchant-webhooks/${webhook.id}/rotate-secret/`, body)

/** A fresh test delivery, as it arrived, and where its log is. */
async function delivered(): Promise<Got & { log: string }> {
  const { data } = await shop.post(`/merchant-webhooks/${webhook.id}/test/`)
  return eventually(async () => {
    const got = receiver.received.find(({ body }) => body.id === data.id)
    if (got === undefined) throw new Error('not yet')
    return { ...got, log: data.webhook_log }
  })
}

const ours = ({ headers, raw }: Got, secret: string) =>
  createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${raw}`).digest('hex')

function standard({ headers, raw, body }: Got, secret: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${body.id}.${headers['x-webhook-timestamp']}.${raw}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** Signed by one secret alone. */
function expectSignedBy(got: Got, secret: string): void {
  expect(got.headers['x-webhook-signature']).toBe(ours(got, secret))
  expect(got.headers['x-webhook-signature-next']).toBeUndefined()
  expect(got.headers['webhook-signature']).toBe(standard(got, secret))
}

describe('the guide’s own lines for Node', () => {
  it('verify a real delivery, and nothing that was changed', async () => {
    const guide = new URL('../../../docs/guides/webhooks.md', import.meta.url)
    const [, code = ''] = /```js\n(.*?)```/s.exec(await readFile(guide, 'utf8')) ?? []
    const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const { headers, raw } = await delivered()
    const secret = webhook.signing_secret
    expect(isOurs(headers, Buffer.from(raw), secret)).toBe(true)
    expect(isOurs(headers, Buffer.from(`${raw} `), secret)).toBe(false)
    expect(isOurs(headers, Buffer.from(raw), `${secret}x`)).toBe(false)
    const late = { ...headers, 'x-webhook-timestamp': '1700000000' }
    expect(isOurs(late, Buffer.from(raw), secret)).toBe(false)
    expect(isOurs({}, Buffer.from(raw), secret)).toBe(false)
  })
})

const off = /a webhook was switched off$/
const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]

describe('a rotation', () => {
  it('signs by both secrets until it is confirmed, then by the new one alone', async () => {
    const old = webhook.signing_secret
    expectSignedBy(await delivered(), old)
    const rotated = await rotate()
    expect(rotated.status).toBe(200)
    const { signing_secret: young, overlap_until } = rotated.data
    expect(young).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(young).not.toBe(old)
    const hours = (Date.parse(overlap_until) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThan(24.1)

    const both = await delivered()
    expect(both.headers['x-webhook-signature']).toBe(ours(both, old))
    expect(both.headers['x-webhook-signature-next']).toBe(ours(both, young))
    expect(both.headers['webhook-signature']).toBe(
      `${standard(both, old)} ${standard(both, young)}`,
    )

    const confirmed = await rotate({ confirm: true })
    expect(confirmed).toMatchObject({ status: 200, data: { overlap_until: null } })
    expect(confirmed.data).not.toHaveProperty('signing_secret')
    expectSignedBy(await delivered(), young)
    expect(codeOf(await rotate({ confirm: true }))).toEqual([409, 'no_rotation'])
    const { data: read } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(read).not.toHaveProperty('signing_secret')
  })

  it('ends by itself after 24 hours, and the next one begins from there', async () => {
    const { data: first } = await rotate()
    await house.owner`
      update webhooks set overlap_until = now() - interval '1 second' where id = ${webhook.id}`
    expectSignedBy(await delivered(), first.signing_secret)
    expect((await shop.get(`/merchant-webhooks/${webhook.id}/`)).data.overlap_until).toBeNull()
    const { data: second } = await rotate()
    const both = await delivered()
    expect(both.headers['x-webhook-signature']).toBe(ours(both, first.signing_secret))
    expect(both.headers['x-webhook-signature-next']).toBe(ours(both, second.signing_secret))
  })

  it('asked for again replaces the secret that was to come, and never the one in use', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, () => rotate()))
    const secrets = asked.map(({ data }) => data.signing_secret)
    expect(new Set(secrets).size).toBe(20)
    const got = await delivered()
    expect(got.headers['x-webhook-signature']).toBe(ours(got, webhook.signing_secret))
    const next = secrets.filter((one) => got.headers['x-webhook-signature-next'] === ours(got, one))
    expect(next).toHaveLength(1)
  })

  it('is refused with a confirm that is no truth, and to others', async () => {
    expect(Object.keys((await rotate({ confirm: 'yes' })).error)).toEqual(['confirm'])
    const path = `/merchant-webhooks/${webhook.id}/rotate-secret/`
    expect(codeOf(await (await house.shop()).post(path))).toEqual([403, 'permission_denied'])
    const unknown = `/merchant-webhooks/${shop.merchant_id}/rotate-secret/`
    expect(codeOf(await shop.post(unknown))).toEqual([404, 'not_found'])
    expect(codeOf(await shop.post(unknown, { confirm: true }))).toEqual([404, 'not_found'])
  })

  it('leaves its lines in the audit log, and no secret', async () => {
    const owner = await house.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    const { data } = await rotate()
    await rotate({ confirm: true })
    const lines = await owner.get(`/audit-logs/?target_id=${webhook.id}`)
    expect(lines.data.results.map(({ action }: Json) => action)).toEqual([
      'webhook.secret_confirmed',
      'webhook.secret_rotated',
      'webhook.registered',
    ])
    expect(JSON.stringify(lines.data)).not.toContain(data.signing_secret.slice(6))
  })
})

describe('a webhook that we switch off', () => {
  it.each([
    ['GONE', 410, '0 hours', /410 Gone/],
    ['FAILING', 500, '121 hours', /five days/],
  ] as const)('because %s is told of, once, and works again when switched on', async (...row) => {
    const [reason, status, failing_for, why] = row
    const owner = await house.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    receiver.answerWith((response) => response.writeHead(status).end())
    if (reason === 'FAILING') {
      await house.owner`
        update webhooks set failing_since = now() - ${failing_for}::text::interval
         where id = ${webhook.id}`
    }
    const got = await delivered()
    const path = `/merchant-webhooks/${webhook.id}/`
    await eventually(async () =>
      expect((await shop.get(path)).data).toMatchObject({
        is_active: false,
        switched_off_reason: reason,
      }),
    )
    const letter = await mail.letterTo(owner.email, off)
    expect(letter.text).toMatch(why)
    expect(letter.text).toContain(receiver.url)
    const lines = await owner.get(
      `/audit-logs/?target_id=${webhook.id}&action=webhook.switched_off`,
    )
    expect(lines.data.results).toMatchObject([
      { actor: { kind: 'SYSTEM' }, after: { is_active: false, switched_off_reason: reason } },
    ])

    receiver.answerWith((response) => response.end())
    const on = await shop.call('PATCH', path, {
      body: '{"is_active":true}',
      headers: { 'content-type': 'application/json' },
    })
    expect(on.data).toMatchObject({ is_active: true, switched_off_reason: '' })
    expect((await shop.post(`/webhook-logs/${got.log}/resend/`)).status).toBe(200)
    await eventually(async () => {
      const { data } = await shop.get(`/webhook-logs/${got.log}/`)
      expect(data).toMatchObject({ status: 'SUCCESS', attempt: 2 })
    })
    // Switched off once more, it is told of once more.
    receiver.answerWith((response) => response.writeHead(410).end())
    await delivered()
    expect((await mail.letterTo(owner.email, off, 2)).text).toMatch(/410 Gone/)
    expect(await mail.lettersTo(owner.email)).toHaveLength(2)
  })
})
