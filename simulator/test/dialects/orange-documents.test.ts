// The dialect of Orange Money Web Payment held to what is written of its operator: there is no client
// of others that could drive it here. No official text of this API is public, so most of it is what
// integrations of others have written down of its answers, marked T; O is Orange's own text on all of
// its APIs, ? is told by nobody. Nothing is taken from the dialect or the adapter.
// T1 github.com/Foris-master/orange-money-sdk, and an answer that a user of it reports there.
// T2 docs.4pay.online/docs/clients/providers/mobile-money/orange_money.
// T3 afro.tools/providers/orangemoney-mali.
// T4 a copy of Orange's "Getting started" of the sandbox, 2019, and integrations that quote its samples.
// O1 developer.orange.com/resources/orange-apis-error-handling.
// O2 developer.orange.com/apis/cri-dev/getting-started, the part on tokens.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Orange, type OrangeOptions, startOrange } from '../../src/dialects/orange/start.ts'

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const textOf =
  (form: RegExp): Check =>
  (value) =>
    typeof value === 'string' && form.test(value)
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0

const token: Shape = {
  token_type: oneOf('Bearer'), // O2
  access_token: textOf(/^[\w.-]{20,}$/), // T4
  expires_in: isCount, // O2: an hour; T4: ninety days
}
const created: Shape = {
  status: oneOf(201), // T1, T4
  message: oneOf('OK'), // T1, T4
  pay_token: textOf(/^[0-9a-f]{64}$/), // T4
  payment_url: textOf(/^https?:\/\/\S+\/payment\/pay_token\/[0-9a-f]{64}$/), // T4
  notif_token: textOf(/^[0-9a-f]{32}$/), // T4
}
/** Never an amount: T1, T4. */
const status: Shape = {
  status: oneOf('INITIATED', 'PENDING', 'EXPIRED', 'SUCCESS', 'FAILED'), // T2, T4
  order_id: textOf(/^\S{1,30}$/), // T4
  txnid: textOf(/^(?:|MP\d{6}\.\d{4}\.[A-Z]\d{5})$/), // T4; what it is before an end: ?
}
const notice: Shape = {
  status: oneOf('SUCCESS', 'FAILED'), // T4
  notif_token: textOf(/^[0-9a-f]{32}$/), // T4
  txnid: textOf(/^(?:|MP\d{6}\.\d{4}\.[A-Z]\d{5})$/), // T4
}
const error: Shape = {
  code: isCount, // O1
  message: textOf(/./), // O1
  description: textOf(/./), // O1
}
/** What a code is called, and with which status: O1; 23 as it came: T1. Of others nobody tells. */
const codes: Readonly<Record<number, Readonly<{ status: number; message?: string }>>> = {
  23: { status: 400, message: 'Missing body field' },
  40: { status: 401 },
  41: { status: 401, message: 'Invalid credentials' },
  42: { status: 401, message: 'Expired credentials' },
}

/** What is wrong with a body: a field that is missing, of another form, or in no document. */
function faultsIn(body: unknown, shape: Shape): string[] {
  if (typeof body !== 'object' || body === null) return ['no object']
  const fields: Readonly<Record<string, unknown>> = { ...body }
  const wrong = Object.entries(shape).filter(([name, check]) => !check(fields[name]))
  const strange = Object.keys(fields).filter((name) => !(name in shape))
  return [...wrong.map(([name]) => `${name}: ${fields[name]}`), ...strange.map((one) => `+${one}`)]
}

type Fields = Record<string, unknown>
type Answered = Readonly<{ status: number; fields: Fields }>

let orange: Orange
let bearer = ''
let seen: string[] = []

const held = (what: string, body: unknown, shape: Shape) => {
  seen.push(...faultsIn(body, shape).map((fault) => `${what} ${fault}`))
}

afterEach(() => {
  expect(seen).toEqual([])
  seen = []
})

async function start(options: Partial<OrangeOptions> = {}): Promise<void> {
  orange = await startOrange({ port: 0, speed: 50, ...options })
  const { stop } = orange
  onTestFinished(() => stop().catch(() => undefined))
  const answered = await askToken()
  expect(answered.status).toBe(200)
  held('token', answered.fields, token)
  bearer = String(answered.fields['access_token'])
}

const basic = ({ client_id, client_secret }: Pick<Orange, 'client_id' | 'client_secret'>) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

/** T1, O2: a form, with the pair of the application. */
async function askToken(headers: Readonly<Record<string, string>> = {}, body = '') {
  const reply = await fetch(`${orange.url}/oauth/v3/token`, {
    method: 'POST',
    headers: {
      authorization: basic(orange),
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: body || 'grant_type=client_credentials',
  })
  return { status: reply.status, fields: (await reply.json()) as Fields }
}

async function call(name: string, body: object, headers: object = {}): Promise<Answered> {
  const reply = await fetch(`${orange.url}/orange-money-webpay/dev/v1/${name}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      accept: 'application/json',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  expect(reply.headers.get('content-type')).toContain('application/json')
  const answered = { status: reply.status, fields: (await reply.json()) as Fields }
  if (reply.status < 400) return answered
  held(`${name} ${reply.status}`, answered.fields, error)
  const told = codes[Number(answered.fields['code'])]
  if (told !== undefined) {
    const { status: with_status, message = answered.fields['message'] } = told
    expect([reply.status, answered.fields['message']]).toEqual([with_status, message])
  }
  return answered
}

/** T1, T4: the fields of a create in the sandbox. */
const good = (order_id: string = newOrder()) => ({
  merchant_key: orange.merchant_key,
  currency: 'OUV',
  order_id,
  amount: 1_200,
  return_url: 'http://shop.example/return',
  cancel_url: 'http://shop.example/cancel',
  notif_url: 'http://127.0.0.1:9/notif',
  lang: 'fr',
  reference: 'Shop',
})
const newOrder = () => randomUUID().slice(0, 30)

async function create(changes: object = {}): Promise<Fields> {
  const wanted = { ...good(), ...changes }
  const answered = await call('webpayment', wanted)
  expect(answered.status).toBe(201)
  held('created', answered.fields, created)
  expect(String(answered.fields['payment_url']).endsWith(`${answered.fields['pay_token']}`)).toBe(
    true,
  )
  return { ...wanted, ...answered.fields }
}

async function show({ order_id, amount, pay_token }: Fields): Promise<Fields> {
  const answered = await call('transactionstatus', { order_id, amount, pay_token })
  // T4 has it with 201; others read any success.
  expect([200, 201]).toContain(answered.status)
  held('shown', answered.fields, status)
  expect(answered.fields['order_id']).toBe(order_id)
  return answered.fields
}

const decide = ({ payment_url }: Fields, act: string) =>
  fetch(String(payment_url), {
    ...{ method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' },
  })

describe('a token', () => {
  it('is given to the application alone, for a grant that it knows', async () => {
    await start()
    const wrong = { authorization: basic({ client_id: 'x', client_secret: 'y' }) }
    expect((await askToken(wrong)).status).toBe(401)
    expect((await askToken({}, 'grant_type=password')).status).toBe(400)
    // O2: without this header it is 406.
    expect((await askToken({ accept: 'text/html' })).status).toBe(406)
  })

  it('is refused once its time is over, by the code for it', async () => {
    await start()
    orange.dropTokens()
    const answered = await call('webpayment', good())
    expect([answered.status, answered.fields['code']]).toEqual([401, 42])
  })
})

describe('a payment', () => {
  it('is shown as it is written from its making to its end', async () => {
    await start()
    const made = await create()
    expect(await show(made)).toMatchObject({ status: 'INITIATED' })
    await fetch(String(made['payment_url']))
    expect(await show(made)).toMatchObject({ status: 'PENDING' })
    const gone = await decide(made, 'pay')
    expect(gone.headers.get('location')).toBe('http://shop.example/return')
    const done = await show(made)
    expect([done['status'], String(done['txnid']).slice(0, 2)]).toEqual(['SUCCESS', 'MP'])
    const other = await create()
    const refused = await decide(other, 'fail')
    expect(refused.headers.get('location')).toBe('http://shop.example/cancel')
    expect(await show(other)).toMatchObject({ status: 'FAILED' })
  })

  it('expires, and can then be paid no more', async () => {
    await start({ page_life_s: 10 })
    const made = await create()
    await expect.poll(async () => (await show(made))['status']).toBe('EXPIRED')
    expect((await decide(made, 'pay')).status).toBe(410)
    expect(await show(made)).toMatchObject({ status: 'EXPIRED' })
  })

  it('is refused where it is not as it must be, and nothing is made', async () => {
    await start()
    const missing = Object.keys(good()).map((name) => ({ [name]: undefined }))
    for (const changes of missing) {
      const answered = await call('webpayment', { ...good(), ...changes })
      expect([answered.status, answered.fields['code']]).toEqual([400, 23])
    }
    const wrong: object[] = [
      ...[{ amount: '1200' }, { amount: 12.5 }, { amount: 0 }, { currency: 'XOF' }],
      ...[{ order_id: 'x'.repeat(31) }, { reference: 'x'.repeat(31) }, { notif_url: 'shop' }],
    ]
    for (const changes of wrong) {
      const answered = await call('webpayment', { ...good(), ...changes })
      expect(answered.status, JSON.stringify(changes)).toBe(400)
    }
    const key = await call('webpayment', { ...good(), merchant_key: 'another' })
    expect([key.status, orange.books()]).toEqual([401, []])
  })

  it('has an order id of its own: a second is 403, whatever became of the first', async () => {
    await start() // T3
    const made = await create()
    const again = await call('webpayment', good(String(made['order_id'])))
    expect([again.status, orange.books().length]).toEqual([403, 1])
    orange.loseCreates(1)
    const lost = good()
    await expect(call('webpayment', lost)).rejects.toThrow()
    expect((await call('webpayment', lost)).status).toBe(403)
  })

  it('is told of to whoever has its order, its amount and its token', async () => {
    await start()
    const made = await create()
    const { order_id, amount, pay_token } = made
    const named = { order_id, amount, pay_token }
    for (const name of Object.keys(named)) {
      // As it came to T1.
      const answered = await call('transactionstatus', { ...named, [name]: undefined })
      expect([answered.status, answered.fields['code']]).toEqual([400, 23])
    }
    const others: object[] = [
      ...[{ order_id: newOrder() }, { amount: 1_201 }, { pay_token: 'f'.repeat(64) }],
    ]
    for (const other of others) {
      const answered = await call('transactionstatus', { ...named, ...other })
      expect(answered.status).toBeGreaterThanOrEqual(400)
    }
  })
})

describe('a notice', () => {
  it('brings the token of its payment, and no order, amount or signature', async () => {
    const came: { fields: Fields; headers: Fields }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const fields = JSON.parse(Buffer.concat(chunks).toString())
        came.push({ fields, headers: request.headers })
        response.end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const at = server.address()
    const notif_url = `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}/notif`
    await start()
    const [one, two] = [await create({ notif_url }), await create({ notif_url })]
    await decide(one, 'pay')
    await expect.poll(() => came.length).toBe(1)
    await decide(two, 'fail')
    await expect.poll(() => came.length).toBe(2)
    for (const { fields, headers } of came) {
      held('notice', fields, notice)
      expect(headers['content-type']).toContain('application/json')
    }
    expect(came.map(({ fields }) => [fields['status'], fields['notif_token']])).toEqual([
      ...[
        ['SUCCESS', one['notif_token']],
        ['FAILED', two['notif_token']],
      ],
    ])
  })
})

describe('the dialect', () => {
  it('goes on in the middle of a payment after a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'orange.jsonl')
    await start({ journal })
    const made = await create()
    await fetch(String(made['payment_url']))
    await orange.stop()
    await start({ journal })
    expect(await show(made)).toMatchObject({ status: 'PENDING' })
    const path = new URL(String(made['payment_url'])).pathname
    await decide({ payment_url: `${orange.url}${path}` }, 'pay')
    expect(await show(made)).toMatchObject({ status: 'SUCCESS' })
  })
})
