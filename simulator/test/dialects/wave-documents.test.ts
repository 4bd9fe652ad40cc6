// The dialect of Wave Business held to the operator's documents: there is no client of others on npm,
// so what the documents say of each body is written down here, from them alone, and every answer of
// the dialect is compared with it. Nothing is taken from the dialect or the adapter.
// docs.wave.com/checkout, docs.wave.com/payout, docs.wave.com/webhook, docs.wave.com/business.

import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startWave, type Wave, type WaveOptions } from '../../src/dialects/wave/start.ts'

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string' && value.length > 0
const textOf =
  (form: RegExp): Check =>
  (value) =>
    typeof value === 'string' && form.test(value)
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

/** XOF has no decimals, and an amount is a text. */
const amount = textOf(/^(?:0|-?[1-9]\d*)$/)
const time = textOf(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/)
const address = textOf(/^https?:\/\/\S+$/)
const phone = textOf(/^\+\d{8,15}$/)

/** What is wrong with a body: a field that is missing, of another form, or in no document. */
function faultsIn(body: unknown, shape: Shape): string[] {
  if (typeof body !== 'object' || body === null) return ['no object']
  const fields: Readonly<Record<string, unknown>> = { ...body }
  const wrong = Object.entries(shape).filter(([name, check]) => !check(fields[name]))
  const strange = Object.keys(fields).filter((name) => !(name in shape))
  return [...wrong.map(([name]) => `${name}: ${fields[name]}`), ...strange.map((one) => `+${one}`)]
}

const paymentError: Shape = { code: isText, message: isText }

/** Checkout API, "The checkout session object". */
const session: Shape = {
  id: textOf(/^cos-\w+$/),
  amount,
  checkout_status: oneOf('open', 'complete', 'expired'),
  client_reference: orNull(textOf(/^.{1,255}$/)),
  currency: oneOf('XOF'),
  error_url: address,
  last_payment_error: orNull((value) => faultsIn(value, paymentError).length === 0),
  business_name: isText,
  payment_status: oneOf('processing', 'cancelled', 'succeeded'),
  restrict_payer_mobile: optional(phone),
  transaction_id: optional(textOf(/^\w{1,20}$/)),
  success_url: address,
  wave_launch_url: address,
  when_completed: optional(time),
  when_created: time,
  when_expires: time,
}

/** Payout API, "The payout object". */
const payout: Shape = {
  id: textOf(/^pt-\w+$/),
  currency: oneOf('XOF'),
  receive_amount: amount,
  fee: amount,
  mobile: phone,
  name: optional(isText),
  client_reference: optional(textOf(/^.{1,255}$/)),
  payment_reason: optional(textOf(/^.{1,40}$/u)),
  status: oneOf('processing', 'succeeded', 'failed', 'reversed'),
  payout_error: optional(
    (value) => faultsIn(value, { error_code: isText, error_message: isText }).length === 0,
  ),
  timestamp: time,
}

const refusal: Shape = {
  code: textOf(/^[a-z]+(?:-[a-z]+)*$/),
  message: isText,
  details: optional(Array.isArray),
}

const transaction: Shape = {
  timestamp: time,
  transaction_id: textOf(/^\w{1,20}$/),
  transaction_type: oneOf('api_checkout', 'api_checkout_refund', 'api_payout'),
  amount,
  fee: amount,
  currency: oneOf('XOF'),
  checkout_api_session_id: optional(textOf(/^cos-\w+$/)),
  client_reference: optional(isText),
  counterparty_mobile: optional(phone),
  is_reversal: optional((value) => value === true),
}

type Answered = Readonly<{ status: number; type: string | null; body: unknown; text: string }>

let wave: Wave
let seen: string[] = []

/** Every answer of a test, held to its shape. */
const held = (what: string, body: unknown, shape: Shape) => {
  seen.push(...faultsIn(body, shape).map((fault) => `${what} ${fault}`))
}

afterEach(() => {
  expect(seen).toEqual([])
  seen = []
})

async function start(options: Partial<WaveOptions> = {}) {
  wave = await startWave({ port: 0, speed: 50, ...options })
  const { stop } = wave
  onTestFinished(() => stop().catch(() => undefined))
}

async function call(method: string, path: string, body?: object, headers: object = {}) {
  const reply = await fetch(wave.url + path, {
    method,
    headers: {
      authorization: `Bearer ${wave.api_key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  const answered: Answered = {
    ...{ status: reply.status, type: reply.headers.get('content-type'), text },
    body: text === '' ? undefined : JSON.parse(text),
  }
  if (answered.status >= 400) held(`${method} ${path} ${reply.status}`, answered.body, refusal)
  return answered
}

type Fields = Record<string, unknown>
const fieldsOf = ({ body }: Answered): Fields => ({ ...(body as Fields) })

async function create(changes: object = {}): Promise<Fields> {
  const answered = await call('POST', '/v1/checkout/sessions', {
    ...{ amount: '1000', currency: 'XOF', client_reference: randomUUID() },
    ...{ error_url: 'https://example.com/error', success_url: 'https://example.com/success' },
    ...changes,
  })
  expect([answered.status, answered.type]).toEqual([200, 'application/json'])
  held('created', answered.body, session)
  return fieldsOf(answered)
}

const show = async ({ id }: Fields): Promise<Fields> => {
  const answered = await call('GET', `/v1/checkout/sessions/${id}`)
  held('shown', answered.body, session)
  return fieldsOf(answered)
}

const decide = ({ wave_launch_url }: Fields, act: string) =>
  fetch(String(wave_launch_url), {
    ...{ method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' },
  })

const codeOf = (answered: Answered) => [answered.status, fieldsOf(answered)['code']]

describe('a checkout session', () => {
  it('is shown as documented from its making to its refund', async () => {
    await start()
    const made = await create()
    expect(made).toMatchObject({ checkout_status: 'open', payment_status: 'processing' })
    await decide(made, 'fail')
    expect(await show(made)).toMatchObject({
      ...{ checkout_status: 'open', payment_status: 'cancelled' },
      last_payment_error: { code: 'insufficient-funds' },
    })
    const paid = await decide(made, 'pay')
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      'https://example.com/success',
    ])
    const done = await show(made)
    expect(done).toMatchObject({ checkout_status: 'complete', payment_status: 'succeeded' })
    expect([done['when_completed'], done['transaction_id']].every(isText)).toBe(true)
    const search = await call(
      'GET',
      `/v1/checkout/sessions/search?client_reference=${made['client_reference']}`,
    )
    expect(search.body).toEqual({ result: [done] })
    const refund = () => call('POST', `/v1/checkout/sessions/${made['id']}/refund`)
    for (const answered of [await refund(), await refund()]) {
      expect([answered.status, answered.text]).toEqual([200, ''])
    }
    const { body } = await call('GET', '/v1/transactions')
    const { items, page_info } = body as { items: Fields[]; page_info: Fields }
    for (const item of items) held('transaction', item, transaction)
    expect(items.map((item) => [item['transaction_type'], item['amount']])).toEqual([
      ...[
        ['api_checkout', '1000'],
        ['api_checkout_refund', '-1000'],
      ],
    ])
    expect(page_info).toMatchObject({ start_cursor: null, has_next_page: false })
  })

  it('ends by itself or by a call, and can then be paid no more', async () => {
    await start({ session_life_s: 100 })
    const [left, closed] = [await create(), await create()]
    const ended = await call('POST', `/v1/checkout/sessions/${closed['id']}/expire`)
    expect([ended.status, ended.text]).toEqual([200, ''])
    expect((await decide(closed, 'pay')).status).toBe(410)
    await expect.poll(async () => (await show(left))['checkout_status']).toBe('expired')
    for (const one of [await show(left), await show(closed)]) {
      expect(one).toMatchObject({ checkout_status: 'expired', last_payment_error: null })
    }
    const refund = await call('POST', `/v1/checkout/sessions/${closed['id']}/refund`)
    expect(codeOf(refund)).toEqual([400, 'checkout-refund-failed'])
  })

  it('is refused where the documents say so', async () => {
    await start()
    const good = {
      ...{ amount: '1000', currency: 'XOF' },
      ...{ error_url: 'https://e.example/', success_url: 'https://e.example/' },
    }
    const bodies: object[] = [
      { ...good, amount: 1000 },
      { ...good, amount: '1000.50' },
      { ...good, amount: '0100' },
      { ...good, amount: '0' },
      { ...good, currency: 'EUR' },
      { ...good, success_url: 'http://e.example/' },
      { ...good, error_url: undefined },
      { ...good, client_reference: 'x'.repeat(256) },
      { ...good, restrict_payer_mobile: '0770000000' },
      { ...good, metadata: 'x' },
    ]
    for (const body of bodies) {
      const answered = await call('POST', '/v1/checkout/sessions', body)
      expect(codeOf(answered), JSON.stringify(body)).toEqual([400, 'request-validation-error'])
    }
    expect(wave.books()).toEqual([])
    const nothing = await call('GET', '/v1/checkout/sessions/cos-none')
    expect(codeOf(nothing)).toEqual([404, 'checkout-session-not-found'])
    const ask = (authorization: string) => call('GET', '/v1/balance', undefined, { authorization })
    expect(codeOf(await ask('Bearer other'))).toEqual([401, 'no-matching-api-key'])
    expect(codeOf(await ask('Basic abc'))).toEqual([401, 'invalid-auth'])
    expect((await fetch(`${wave.url}/v1/balance`)).status).toBe(401)
  })
})

describe('a payout', () => {
  const body = { currency: 'XOF', receive_amount: '1000', mobile: '+221761110000' }
  const pay = (changes: object = {}, key: string = randomUUID()) =>
    call('POST', '/v1/payout', { ...body, ...changes }, { 'idempotency-key': key })

  it('is one by its key, and found by its id and its reference', async () => {
    await start()
    const made = await pay({ client_reference: 'ref-1', payment_reason: 'Salaire' }, 'key-1')
    held('payout', made.body, payout)
    const again = await pay({ client_reference: 'ref-1', payment_reason: 'Salaire' }, 'key-1')
    expect(again.body).toEqual(made.body)
    const other = await pay({ receive_amount: '2000' }, 'key-1')
    expect(codeOf(other)).toEqual([409, 'idempotency-mismatch'])
    const shown = await call('GET', `/v1/payout/${fieldsOf(made)['id']}`)
    const found = await call('GET', '/v1/payouts/search?client_reference=ref-1')
    expect([shown.body, found.body]).toEqual([made.body, { result: [made.body] }])
    expect(wave.books()).toHaveLength(1)
  })

  it('is refused as the documents list it', async () => {
    await start({ opening_balance: 1_500, misbehaves: true })
    const refusals: [object, number, string][] = [
      [{ mobile: '+221761110002' }, 422, 'recipient-limit-exceeded'],
      [{ mobile: '+221761110003' }, 422, 'recipient-account-inactive'],
      [{ mobile: '+221761110006' }, 429, 'too-many-requests'],
      [{ receive_amount: '1500' }, 422, 'insufficient-funds'],
      [{ currency: 'EUR' }, 400, 'currency-mismatch'],
      [{ payment_reason: 'x'.repeat(41) }, 400, 'request-validation-error'],
      [{ receive_amount: '10.5' }, 400, 'request-validation-error'],
    ]
    for (const [changes, status, code] of refusals) {
      expect(codeOf(await pay(changes))).toEqual([status, code])
    }
    const keyless = await call('POST', '/v1/payout', body)
    expect(keyless.status).toBe(400)
    const failed = await pay({ mobile: '+221761119913' })
    held('failed payout', failed.body, payout)
    expect(fieldsOf(failed)['status']).toBe('failed')
  })
})

describe('a webhook', () => {
  it('is an event with its session, signed over the time and the body by every secret', async () => {
    const received: { headers: Fields; body: string }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const one = { headers: request.headers, body: Buffer.concat(chunks).toString() }
        // Whoever answers late is told again.
        const known = received.some(
          ({ headers, body }) =>
            body === one.body && headers['authorization'] === one.headers['authorization'],
        )
        if (!known) received.push(one)
        response.end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const at = server.address()
    const url = `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}/hook`
    await start()
    wave.register({ url, secrets: ['new', 'old'], strategy: 'SIGNING_SECRET' })
    const made = await create()
    await decide(made, 'fail')
    await decide(made, 'pay')
    await expect.poll(() => received.length).toBe(2)
    expect(await wave.sendTest()).toBe(200)
    const events = received.map(({ body }) => JSON.parse(body))
    for (const { id, type, data, ...more } of events) {
      expect([isText(id), isText(type), more]).toEqual([true, true, {}])
      if (type !== 'test.test_event') held(type, data, session)
    }
    expect(events.map(({ type }) => type).sort()).toEqual([
      ...['checkout.session.completed', 'checkout.session.payment_failed', 'test.test_event'],
    ])
    for (const { headers, body } of received) {
      const [t = '', ...v1] = String(headers['wave-signature']).split(',')
      const signed = ['new', 'old'].map(
        (secret) =>
          `v1=${createHmac('sha256', secret)
            .update(t.slice(2) + body)
            .digest('hex')}`,
      )
      expect(v1).toEqual(signed)
      expect(Math.abs(Number(t.slice(2)) - Date.now() / 1000)).toBeLessThan(60)
    }
    wave.register({ url, secrets: ['shared'], strategy: 'SHARED_SECRET' })
    await wave.sendTest()
    expect(received.at(-1)?.headers['authorization']).toBe('Bearer shared')
  })
})

describe('the dialect', () => {
  it('goes on in the middle of a payment after a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'wave.jsonl')
    await start({ journal })
    const made = await create()
    await decide(made, 'fail')
    await wave.stop()
    await start({ journal })
    expect(await show(made)).toMatchObject({
      payment_status: 'cancelled',
      when_created: made['when_created'],
    })
    const page = String(made['wave_launch_url']).split('/').at(-1)
    await decide({ wave_launch_url: `${wave.url}/c/${page}` }, 'pay')
    expect(await show(made)).toMatchObject({ payment_status: 'succeeded' })
  })

  it('tells the same reference the same story by the same seed', async () => {
    const references = Array.from({ length: 40 }, (_, at) => `story-${at}`)
    const stories = []
    for (let run = 0; run < 2; run += 1) {
      const api_key = 'wave_sn_prod_0123456789abcdef'
      const chaos = { seed: 'told again', rate: 0.5 }
      const here = await startWave({ port: 0, speed: 1_000, chaos, api_key })
      const answers = await Promise.all(
        references.map(async (client_reference) => {
          const reply = await fetch(`${here.url}/v1/checkout/sessions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${api_key}` },
            body: JSON.stringify({
              ...{ amount: '1000', currency: 'XOF', client_reference },
              ...{ error_url: 'https://e.example/', success_url: 'https://e.example/' },
            }),
          }).catch(() => ({ status: 0 }))
          return reply.status
        }),
      )
      stories.push({
        answers,
        books: here
          .books()
          .map(({ reference }) => reference)
          .sort(),
      })
      await here.stop()
    }
    expect(stories[1]).toEqual(stories[0])
    expect(new Set(stories[0]?.answers).size).toBeGreaterThan(2)
  })
})
