// A webhook's secret changes without a delivery that nobody can verify (contract 6.6), and one that
// we switch off is not switched off in silence.

import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/platform/db.ts'
import { findWebhook, updateNextSecret } from '../../src/webhooks/registrations/store.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder } from '../mail-server.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { untilServed } from '../setup/until-served.ts'
import { type Got, type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let mail: MailFolder
let app: TestApp
let shop: Shop
let receiver: Receiver
let webhook: Json
const ends = createEnds()

beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
})
afterAll(async () => {
  await receiver?.close()
  await ends.all()
  await app?.stop()
  await mail?.remove()
})
beforeEach(async () => {
  await receiver?.close()
  shop = await heldToPublished(await app.shop({ live: true }))
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

const off = /a webhook was disabled$/
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
    await app.owner`
      update webhooks set overlap_until = now() - interval '1 second' where id = ${webhook.id}`
    expectSignedBy(await delivered(), first.signing_secret)
    expect((await shop.get(`/merchant-webhooks/${webhook.id}/`)).data.overlap_until).toBeNull()
    const { data: second } = await rotate()
    const both = await delivered()
    expect(both.headers['x-webhook-signature']).toBe(ours(both, first.signing_secret))
    expect(both.headers['x-webhook-signature-next']).toBe(ours(both, second.signing_secret))
  })

  it('asked for again replaces the secret that was to come, and never the one in use', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => untilServed(rotate)))
    const secrets = replies.map(({ data }) => data.signing_secret)
    expect(new Set(secrets).size).toBe(20)
    // Each has an end of its own, by which it is confirmed, also where two began at once.
    expect(new Set(replies.map(({ data }) => data.overlap_until)).size).toBe(20)
    const got = await delivered()
    expect(got.headers['x-webhook-signature']).toBe(ours(got, webhook.signing_secret))
    const next = secrets.filter((one) => got.headers['x-webhook-signature-next'] === ours(got, one))
    expect(next).toHaveLength(1)
  })

  it('is confirmed by whoever has read it, not where another secret has replaced it since', async () => {
    const { overlap_until: first } = (await rotate()).data
    const { overlap_until, signing_secret: young } = (await rotate()).data
    expect(overlap_until).not.toBe(first)
    const replaced = await rotate({ confirm: true, overlap_until: first })
    expect(codeOf(replaced)).toEqual([409, 'rotation_replaced'])
    const both = await delivered()
    expect(both.headers['x-webhook-signature']).toBe(ours(both, webhook.signing_secret))
    expect(both.headers['x-webhook-signature-next']).toBe(ours(both, young))
    // It names what is confirmed: without that it would ask for yet another secret.
    for (const body of [{ overlap_until }, { overlap_until, confirm: false }]) {
      const unsure = await rotate(body)
      expect([unsure.status, Object.keys(unsure.error)]).toEqual([400, ['overlap_until']])
    }
    const confirmed = await rotate({ confirm: true, overlap_until: overlap_until.toLowerCase() })
    expect(confirmed).toMatchObject({ status: 200, data: { overlap_until: null } })
    expectSignedBy(await delivered(), young)
    const late = await rotate({ confirm: true, overlap_until })
    expect(codeOf(late)).toEqual([409, 'no_rotation'])
  })

  it('has an end of its own whenever its transaction began', async () => {
    const { id, environment } = webhook
    const key = { merchant_id: shop.merchant_id, environment, id }
    const ends_at = await inTransaction(app.service.db, async (tx) => {
      const ends: (Date | null | undefined)[] = []
      for (const secret of ['one', 'two', 'three']) {
        await updateNextSecret(tx, key, Buffer.from(secret))
        ends.push((await findWebhook(tx, key))?.overlap_until)
      }
      return ends.map((one) => one?.getTime())
    })
    const [first = 0] = ends_at
    expect(ends_at).toEqual([first, first + 1, first + 2])
  })

  it('is refused with a confirm that is no truth, and to others', async () => {
    expect(Object.keys((await rotate({ confirm: 'yes' })).error)).toEqual(['confirm'])
    const path = `/merchant-webhooks/${webhook.id}/rotate-secret/`
    expect(codeOf(await (await app.shop()).post(path))).toEqual([403, 'permission_denied'])
    const unknown = `/merchant-webhooks/${shop.merchant_id}/rotate-secret/`
    expect(codeOf(await shop.post(unknown))).toEqual([404, 'not_found'])
    expect(codeOf(await shop.post(unknown, { confirm: true }))).toEqual([404, 'not_found'])
  })

  it('leaves its lines in the audit log, and no secret', async () => {
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
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
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    receiver.answerWith((response) => response.writeHead(status).end())
    if (reason === 'FAILING') {
      const { log } = await delivered()
      await stands(log, 'FAILED')
      await failsFor(failing_for)
    }
    const got = await delivered()
    const path = `/merchant-webhooks/${webhook.id}/`
    await eventually(async () =>
      expect((await shop.get(path)).data).toMatchObject({
        is_active: false,
        switched_off_reason: reason,
      }),
    )
    const email = await mail.emailTo(owner.email, off)
    expect(email.text).toMatch(why)
    expect(email.text).toContain(receiver.url)
    expect(email.text).toContain('turn the webhook on again on its page in the dashboard')
    expect(email.text).not.toMatch(/LIVE|SANDBOX|is_active|\/events/)
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
    expect((await mail.emailTo(owner.email, off, 2)).text).toMatch(/410 Gone/)
    expect(await mail.emailsTo(owner.email)).toHaveLength(2)
  })
})

/** A delivery's log, once it is in that status and has been tried so often. */
const stands = (log: string, status: string, attempt = 1) =>
  eventually(async () => {
    const { data } = await shop.get(`/webhook-logs/${log}/`)
    expect(data).toMatchObject({ status, attempt })
    return data
  })

const failsFor = (interval: string) => app.owner`
  update webhooks set failing_since = now() - ${interval}::text::interval
   where id = ${webhook.id}`

/** Whatever of the merchant's waits for another try is due now. */
async function hurry(): Promise<void> {
  const { merchant_id } = shop
  await app.owner`
    update deliveries set due_at = now() - interval '1 second'
     where merchant_id = ${merchant_id} and due_at is not null`
  await app.owner`
    update webhook_lanes set due_at = now() - interval '1 second', marks = marks + 1
     where merchant_id = ${merchant_id}`
}

describe('five days of failures', () => {
  it('are not counted over days without a try: one failure after them is tried again', async () => {
    await failsFor('6 days')
    receiver.answerWith((response) => response.writeHead(503).end())
    const { log } = await delivered()
    await stands(log, 'FAILED')
    receiver.answerWith((response) => response.end())
    await hurry()
    await stands(log, 'SUCCESS', 2)
    const { data } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(data).toMatchObject({ is_active: true, failing_since: null })
  })

  it('begin with the first failure after them', async () => {
    await failsFor('6 days')
    receiver.answerWith((response) => response.writeHead(503).end())
    const { log } = await delivered()
    await stands(log, 'FAILED')
    await hurry()
    await stands(log, 'FAILED', 2)
    const { data } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(data.is_active).toBe(true)
    expect(Date.now() - Date.parse(data.failing_since)).toBeLessThan(60_000)
  })
})

describe('a webhook that its merchant changes while a try is under way', () => {
  /** Answers the first call only when told to, and all others at once. */
  function holdFirst(): (status: number) => void {
    let first: ((status: number) => void) | undefined
    receiver.answerWith((response, _got, nth) => {
      if (nth > 1) return response.end()
      first = (status) => response.writeHead(status).end()
    })
    return (status) => first?.(status)
  }

  it('is not switched off by a 410 of the address it had', async () => {
    const { url } = receiver
    const answer = holdFirst()
    const asked = await delivered()
    const waiting = await shop.post(`/merchant-webhooks/${webhook.id}/test/`)
    const moved = await ends.keep(startReceiver())
    expect((await patch(shop, webhook.id, { url: moved.url })).status).toBe(200)
    answer(410)
    await stands(waiting.data.webhook_log, 'SUCCESS')
    expect(moved.received.map(({ body }) => body.id)).toEqual([waiting.data.id])
    expect(await stands(asked.log, 'FAILED')).toMatchObject({ http_status: 410, url })
    const { data } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(data).toMatchObject({ is_active: true, switched_off_reason: '', failing_since: null })
    await hurry()
    expect(await stands(asked.log, 'SUCCESS', 2)).toMatchObject({ url: moved.url })
  })

  it('is not switched off by the 410 to a try from before it was switched on', async () => {
    const answer = holdFirst()
    const asked = await delivered()
    const waiting = await shop.post(`/merchant-webhooks/${webhook.id}/test/`)
    expect((await patch(shop, webhook.id, { is_active: true })).status).toBe(200)
    answer(410)
    await stands(waiting.data.webhook_log, 'SUCCESS')
    expect(await stands(asked.log, 'FAILED')).toMatchObject({ http_status: 410 })
    const { data } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(data).toMatchObject({ is_active: true, switched_off_reason: '' })
  })
})

const patch = (who: Shop, id: string, body: object) =>
  who.call('PATCH', `/merchant-webhooks/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** Written from contract 8.2: base64 after `whsec_`, else the string's own bytes. */
const bytesOf = (secret: string) =>
  /^whsec_([A-Za-z0-9+/]{4})+$/.test(secret) ? Buffer.from(secret.slice(6), 'base64') : secret

function expectSignedByOwn(got: Got, secret: string): void {
  expect(got.headers['x-webhook-signature']).toBe(ours(got, secret))
  expect(got.headers['x-webhook-signature-next']).toBeUndefined()
  const signed = `${got.body.id}.${got.headers['x-webhook-timestamp']}.${got.raw}`
  const mac = createHmac('sha256', bytesOf(secret)).update(signed).digest('base64')
  expect(got.headers['webhook-signature']).toBe(`v1,${mac}`)
}

const brought = {
  'a plain text': 'correct horse battery staple 2026!',
  'letters beyond ASCII': 'la clé que personne ne devinera, même à Abomey',
  'whsec_ and base64': `whsec_${Buffer.from('k'.repeat(24)).toString('base64')}`,
  'whsec_ and what is no base64': 'whsec_this-is-not-base64-but-a-secret',
  'whsec_ and too little for base64': `whsec_${'A'.repeat(29)}`,
} as const

describe('a secret that a merchant brings', () => {
  it.each(Object.entries(brought))('signs from the first delivery: %s', async (_, secret) => {
    const { url } = receiver
    const made = await shop.post('/merchant-webhooks/', { url, signing_secret: secret })
    expect(made).toMatchObject({ status: 201, data: { signing_secret: secret } })
    webhook = made.data
    expectSignedByOwn(await delivered(), secret)
    const read = await shop.get(`/merchant-webhooks/${webhook.id}/`)
    expect(JSON.stringify(read.body)).not.toContain(secret)
  })

  it('set later is in force at once, ends the overlap, and is written down', async () => {
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    await rotate()
    const secret = brought['a plain text']
    const set = await patch(shop, webhook.id, { signing_secret: secret })
    expect(set).toMatchObject({
      status: 200,
      data: { signing_secret: secret, overlap_until: null, id: webhook.id },
    })
    expectSignedByOwn(await delivered(), secret)
    expect(codeOf(await rotate({ confirm: true }))).toEqual([409, 'no_rotation'])
    const other = await patch(shop, webhook.id, { description: 'x' })
    expect(other.data).not.toHaveProperty('signing_secret')

    const lines = await owner.get(`/audit-logs/?target_id=${webhook.id}`)
    expect(lines.data.results.map(({ action }: Json) => action)).toEqual([
      'webhook.changed',
      'webhook.secret_set',
      'webhook.secret_rotated',
      'webhook.registered',
    ])
    expect(JSON.stringify(lines.data)).not.toContain(secret)
  })

  it('cannot be taken away: null is refused by its field, and changes nothing', async () => {
    const path = `/merchant-webhooks/${webhook.id}/`
    const reply = await shop.call('PATCH', path, {
      body: JSON.stringify({ signing_secret: null, description: 'without' }),
      headers: { 'content-type': 'application/json' },
    })
    expect([reply.status, Object.keys(reply.error ?? {})]).toEqual([400, ['signing_secret']])
    expect((await shop.get(path)).data.description).not.toBe('without')
  })

  it('comes with a rotation too, and then waits out the overlap', async () => {
    const secret = brought['a plain text']
    const rotated = await rotate({ signing_secret: secret })
    expect(rotated).toMatchObject({ status: 200, data: { signing_secret: secret } })
    const both = await delivered()
    expect(both.headers['x-webhook-signature']).toBe(ours(both, webhook.signing_secret))
    expect(both.headers['x-webhook-signature-next']).toBe(ours(both, secret))
    const two = await rotate({ confirm: true, signing_secret: secret })
    expect([two.status, Object.keys(two.error)]).toEqual([400, ['signing_secret']])
  })

  it.each([
    ['short', 'x'.repeat(31)],
    ['empty', ''],
    ['long', 'x'.repeat(256)],
    ['a line end', `${'x'.repeat(40)}\n`],
    ['a control sign', `${'x'.repeat(40)}\u0007`],
    ['a zero-width sign', `${'x'.repeat(40)}\u200b`],
    ['a number', 12345],
  ])('is refused by its field when it is %s', async (_, signing_secret) => {
    const { url } = receiver
    const replies = [
      await shop.post('/merchant-webhooks/', { url, signing_secret }),
      await patch(shop, webhook.id, { signing_secret }),
      await rotate({ signing_secret }),
    ]
    for (const { status, error } of replies) {
      expect([status, Object.keys(error)]).toEqual([400, ['signing_secret']])
      expect(error.signing_secret[0]).toMatch(/32|255|printable|string/i)
    }
    expectSignedBy(await delivered(), webhook.signing_secret)
  })

  it('is a key’s to set in LIVE only with scope BOTH and from a listed address', async () => {
    const { merchant_id } = shop
    const keys = { merchant_id, environment: 'LIVE' } as const
    const [payin, both] = [
      await app.shop({ ...keys, scope: 'PAYIN' }),
      await app.shop({ ...keys, scope: 'BOTH' }),
    ]
    const member = await app.member({ ...keys, second_factor: 'FRESH' })
    const body = { url: 'https://hooks.example.com/in', signing_secret: brought['a plain text'] }
    const { data: live } = await both.post('/merchant-webhooks/', { url: body.url })
    const { signing_secret } = body
    const requests = (who: Shop) => [
      who.post('/merchant-webhooks/', body),
      patch(who, live.id, { signing_secret }),
      who.post(`/merchant-webhooks/${live.id}/rotate-secret/`, { signing_secret }),
    ]
    for (const reply of await Promise.all(requests(payin))) {
      expect(codeOf(reply)).toEqual([403, 'api_key_scope_forbidden'])
    }
    for (const reply of await Promise.all(requests(both))) {
      expect(codeOf(reply)).toEqual([403, 'ip_not_whitelisted'])
    }
    // What is no secret of their own stays open to any key, and a session is no stolen key.
    expect((await payin.post('/merchant-webhooks/', { url: body.url })).status).toBe(201)
    expect((await member.post('/merchant-webhooks/', body)).status).toBe(201)
    const list = '/merchant-ip-whitelist/'
    expect((await member.post(list, { ip_address: '127.0.0.1' })).status).toBe(201)
    expect((await Promise.all(requests(both))).map(({ status }) => status)).toEqual([201, 200, 200])
    expect(codeOf(await patch(payin, live.id, { signing_secret }))).toEqual([
      403,
      'api_key_scope_forbidden',
    ])
  })
})

describe('a LIVE webhook', () => {
  it('is told of to the owners when it is made, moved, switched on or given a secret', async () => {
    const { merchant_id } = shop
    const live = { merchant_id, environment: 'LIVE' } as const
    const owner = await app.member({ ...live, second_factor: 'FRESH' })
    const developer = await app.member({ ...live, role: 'DEVELOPER', second_factor: 'FRESH' })
    const key = await app.shop({ ...live, scope: 'PAYIN' })
    const signing_secret = brought['a plain text']
    // In the sandbox nothing can be lost by it, and anybody may have an account there.
    expect((await patch(shop, webhook.id, { signing_secret })).status).toBe(200)
    const { data } = await key.post('/merchant-webhooks/', { url: 'https://one.example.com/x?t=1' })
    const first = await mail.emailTo(owner.email, /live webhook/)
    expect(first.text).toContain('one.example.com')
    expect(first.text).toContain(`${key.key.slice(0, 12)}…${key.key.slice(-4)}`)
    expect(first.text).not.toContain('t=1')

    expect((await patch(developer, data.id, { url: 'https://two.example.com/' })).status).toBe(200)
    const second = await mail.emailTo(owner.email, /live webhook/, 2)
    expect(second.text).toContain('two.example.com')
    expect(second.text).toContain(developer.email)

    await patch(developer, data.id, { is_active: false, description: 'quiet' })
    await patch(developer, data.id, { is_active: true, url: 'https://two.example.com/' })
    expect((await mail.emailTo(owner.email, /live webhook/, 3)).text).toMatch(/enabled/)
    await developer.post(`/merchant-webhooks/${data.id}/rotate-secret/`)
    expect((await mail.emailTo(owner.email, /live webhook/, 4)).text).toMatch(/secret/)
    // A session of the other environment may make one too.
    const elsewhere = await app.member({ merchant_id, second_factor: 'FRESH' })
    const body = { url: 'https://three.example.com/', environment: 'LIVE' }
    expect((await elsewhere.post('/merchant-webhooks/', body)).status).toBe(201)
    expect((await mail.emailTo(owner.email, /live webhook/, 5)).text).toContain('three.example')
    await patch(developer, data.id, { signing_secret })
    const set = await mail.emailTo(owner.email, /live webhook/, 6)
    expect(set.text).toMatch(/secret/)
    expect(set.text).not.toContain(signing_secret)
    const subjects = (await mail.emailsTo(owner.email)).map(({ headers }) => headers['subject'])
    expect(subjects.filter((one) => /sandbox|test webhook/i.test(one ?? ''))).toEqual([])
    // What changes nothing of it is not told of, nor is a test webhook.
    await patch(developer, data.id, { is_active: true, url: 'https://two.example.com/' })
    await patch(developer, data.id, { is_active: false, events: ['transaction.success'] })
    await shop.post('/merchant-webhooks/', { url: receiver.url })
    await developer.post(`/merchant-webhooks/${data.id}/test/`)
    expect(await mail.emailsTo(owner.email)).toHaveLength(6)
  })
})
