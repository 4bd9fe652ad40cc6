// What an operator sends is kept as the bytes that came, and is believed as far as its proof goes:
// a signature is evidence, a token that came back wakes, and anything else is a hint.

import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { matchCallbacks } from '../../src/attempts/match-callbacks.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import type { CallbackDeps, SignedCallback } from '../../src/attempts/receive-callback.ts'
import type { CallbackReading, Received } from '../../src/gateways/gateway.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import type { Json } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import {
  collected,
  openPaymentFixture,
  type PaymentFixture,
  paid,
  refusedBy,
  softpayOf,
  waits,
} from '../setup/scripted-operator.ts'
import { type CallbackServer, callbackAuthority, serveCallbacks } from '../setup/serve-callbacks.ts'

let fixture: PaymentFixture
let server: CallbackServer
let deps: CallbackDeps
let url: string
/** Whose callbacks came, as the process notes it. */
const noted: string[] = []
let ids: ReadonlyMap<string, { id: string; environment: 'SANDBOX' }>

const path = '/callbacks/simulator_a'
const secret = 'only the operator has it'

/** What its signature covers: the request as it was meant, and each byte of the body. */
const signatureOf = ({ method, authority, path, body }: Omit<Received, 'headers' | 'at_ms'>) =>
  createHmac('sha256', secret).update(`${method} ${authority} ${path}\n`).update(body).digest('hex')

/** `paid <key>` or `refused <key>`, and then bytes of any kind. */
function readCallback(received: Received): CallbackReading {
  const [, said = '', key = ''] = /^(paid|refused) (\S+)/.exec(received.body.toString()) ?? []
  const isSigned = received.headers['x-signature'] === signatureOf(received)
  const isBearer = received.headers['x-token'] === 'ours'
  const answer = said === 'paid' ? paid(collected) : refusedBy('payer')
  return {
    proof: isSigned ? 'SIGNED' : isBearer ? 'BEARER' : 'UNSIGNED',
    key,
    answer: said === '' ? { is: 'unknown', because: 'unreadable' } : answer,
  }
}

beforeAll(async () => {
  fixture = await openPaymentFixture('STATIC')
  const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
  ids = new Map(rows.map(({ id, code }) => [code, { id, environment: 'SANDBOX' }]))
  Object.assign(fixture.one, {
    readCallback,
    facts: { ...fixture.one.facts, signature_headers: ['x-signature', 'x-token'] },
  })
  deps = {
    ...fixture.deps,
    gateways: { ...fixture.deps.gateways, noteCallback: (code) => void noted.push(code) },
    gateway_ids: ids,
    apply: (signed: SignedCallback) => applyCallback(fixture.deps, signed),
    wakePoller: () => undefined,
    limits: { unmatched_callbacks_per_ip_hour: 500, unmatched_callbacks_per_gateway_hour: 500 },
    tally: newTally(() => 0),
  }
  server = await serveCallbacks(deps)
  url = `${server.url}${path}`
})
afterAll(async () => {
  await server?.close()
  await fixture?.stop()
})
beforeEach(() => {
  fixture.one.queried.length = 0
  fixture.one.script.ask.length = 0
})

const bytes = (said: string, key: string): Buffer =>
  Buffer.concat([Buffer.from(`${said} ${key} `), Buffer.from([0x00, 0xff, 0xfe, 0x0a])])

type Sending = Readonly<{ method?: string; headers?: Record<string, string> }>

const post = async (body: Buffer, { method = 'POST', headers = {} }: Sending = {}) =>
  (await fetch(url, { method, body: new Uint8Array(body), headers })).status

const signedFor = (body: Buffer, changes: Partial<Received> = {}) => ({
  'x-signature': signatureOf({
    ...{ method: 'POST', authority: callbackAuthority, path, query: '', body },
    ...changes,
  }),
})

const token = { 'x-token': 'ours' }

async function openPayment(): Promise<Json> {
  const { body } = await fixture.call('initialize', { body: softpayOf() })
  const [attempt] = await fixture.attemptsOf(body.id)
  return { ...attempt, transaction_id: body.id }
}

async function statusOf({ transaction_id }: Json): Promise<string> {
  const [row] = await fixture.owner`select status from transactions where id = ${transaction_id}`
  return row?.['status']
}

const keptOf = ({ id }: Json) => fixture.owner<Json[]>`
  select proof, outcome, raw, request, body from gateway_callbacks where attempt_id = ${id}`

/** The poller's question, once it is due. */
const ask = ({ id }: Json) =>
  queryAttempt(
    fixture.deps,
    { ...fixture.caller, id },
    { triggered_by: 'POLLER', request_id: 'test' },
  )

/** In seconds from now; below one when it is due. */
async function dueIn({ id }: Json): Promise<number> {
  const [row] = await fixture.owner<{ due_s: number }[]>`
    select extract(epoch from due_at - now())::float8 as due_s from attempts where id = ${id}`
  return row?.due_s ?? Number.NaN
}

describe('a signed callback', () => {
  it('is evidence: it settles without a question, and is kept to the byte', async () => {
    const attempt = await openPayment()
    const body = bytes('paid', attempt['our_key'])
    const headers = { ...signedFor(body), authorization: 'Bearer not-to-be-kept' }
    expect(await post(body, { headers })).toBe(200)
    expect(await statusOf(attempt)).toBe('SUCCESS')
    expect(fixture.one.queried).toEqual([])
    const [kept] = await keptOf(attempt)
    expect(kept).toMatchObject({ proof: 'SIGNED', outcome: 'APPLIED', body: '' })
    expect(Buffer.compare(kept.raw, body)).toBe(0)
    expect(kept.request).toEqual({
      ...{ method: 'POST', authority: callbackAuthority, path, query: '' },
      at_ms: expect.any(Number),
      headers: signedFor(body),
    })
  })

  it('counts once, however often and however many at once', async () => {
    const attempt = await openPayment()
    const body = bytes('paid', attempt['our_key'])
    const all = Array.from({ length: 8 }, () => post(body, { headers: signedFor(body) }))
    expect(await Promise.all(all)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(await statusOf(attempt)).toBe('SUCCESS')
    expect(await keptOf(attempt)).toHaveLength(1)
    const [booked] = await fixture.owner`
      select count(*)::int as n from transaction_status_logs
       where transaction_id = ${attempt['transaction_id']} and to_status = 'SUCCESS'`
    expect(booked).toEqual({ n: 1 })
  })

  it('settles before the answer of the call that made it, once', async () => {
    fixture.one.script.collect.push(async () => {
      const sent = fixture.one.sent.at(-1)
      const body = bytes('paid', sent?.our_key ?? '')
      expect(await post(body, { headers: signedFor(body) })).toBe(200)
      return waits
    })
    const attempt = await openPayment()
    expect(await statusOf(attempt)).toBe('SUCCESS')
    expect(await keptOf(attempt)).toHaveLength(1)
  })

  it('late, after a success, takes nothing back: the operator is asked', async () => {
    const attempt = await openPayment()
    const yes = bytes('paid', attempt['our_key'])
    await post(yes, { headers: signedFor(yes) })
    const no = bytes('refused', attempt['our_key'])
    expect(await post(no, { headers: signedFor(no) })).toBe(200)
    expect(await statusOf(attempt)).toBe('SUCCESS')
    expect(await dueIn(attempt)).toBeLessThan(1)
    fixture.one.script.ask.push(paid(collected))
    await ask(attempt)
    expect(await statusOf(attempt)).toBe('SUCCESS')
  })

  it('takes the place of the same bytes that came without a signature', async () => {
    const attempt = await openPayment()
    const body = bytes('paid', attempt['our_key'])
    await post(body)
    expect(await keptOf(attempt)).toMatchObject([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
    await post(body, { headers: signedFor(body) })
    expect(await keptOf(attempt)).toMatchObject([
      { proof: 'SIGNED', outcome: 'APPLIED', request: { headers: signedFor(body) } },
    ])
    expect(await statusOf(attempt)).toBe('SUCCESS')
  })
})

describe('a callback of any form', () => {
  const evil = { host: 'evil.example' }
  const long = (said: string, key: string) =>
    Buffer.concat([bytes(said, key), Buffer.alloc(60_000, 0)])
  const forms: Readonly<Record<string, (body: Buffer) => Sending>> = {
    'by PUT': (body) => ({ method: 'PUT', headers: signedFor(body, { method: 'PUT' }) }),
    'with a forged Host': (body) => ({ headers: { ...signedFor(body), ...evil } }),
    'by PUT, with a forged Host': (body) => ({
      method: 'PUT',
      headers: { ...signedFor(body, { method: 'PUT' }), ...evil },
    }),
  }

  it.each(Object.entries(forms))(
    '%s, before its create is answered, twice at once: kept as it came, settled once',
    async (...of) => {
      const [, sendingOf] = of
      let body = Buffer.alloc(0)
      fixture.one.script.collect.push(async () => {
        body = long('paid', fixture.one.sent.at(-1)?.our_key ?? '')
        const sending = sendingOf(body)
        expect(await Promise.all([sent(body, sending), sent(body, sending)])).toEqual([200, 200])
        return waits
      })
      const attempt = await openPayment()
      expect(await statusOf(attempt)).toBe('SUCCESS')
      const [kept, ...others] = await keptOf(attempt)
      expect(others).toEqual([])
      expect(kept).toMatchObject({ proof: 'SIGNED', outcome: 'APPLIED' })
      expect(kept.request.authority).toBe(callbackAuthority)
      expect(Buffer.compare(kept.raw, body)).toBe(0)
      expect(await successesOf(attempt)).toBe(1)
    },
  )

  it('signed for the Host that it forges proves nothing', async () => {
    const attempt = await openPayment()
    const body = long('paid', attempt['our_key'])
    const headers = { ...signedFor(body, { authority: evil.host }), ...evil }
    expect(await sent(body, { headers })).toBe(200)
    expect(await statusOf(attempt)).toBe('PENDING')
    expect(await keptOf(attempt)).toMatchObject([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
  })

  it('is judged by itself, not by its order: whatever comes first, it is settled once', async () => {
    const said = ['refused', 'paid', 'paid', 'refused']
    for (const at_once of [true, false]) {
      const attempt = await openPayment()
      const all = said.map((one, at) => Buffer.concat([bytes(one, attempt['our_key']), pad(at)]))
      const sendings = all.map((body, at) => {
        const method = at % 2 === 0 ? 'PUT' : 'POST'
        return () => sent(body, { method, headers: signedFor(body, { method }) })
      })
      if (at_once) await Promise.all(sendings.map((send) => send()))
      else for (const send of sendings) expect(await send()).toBe(200)
      fixture.one.script.ask.push(paid(collected), paid(collected))
      await ask(attempt)
      expect(await statusOf(attempt)).toBe('SUCCESS')
      expect(await successesOf(attempt)).toBe(1)
    }
  })

  it('of a megabyte is refused and not kept; the true one after it counts', async () => {
    const attempt = await openPayment()
    const huge = Buffer.concat([bytes('paid', attempt['our_key']), Buffer.alloc(1_000_000, 0)])
    const status = await sent(huge, { headers: signedFor(huge) }).catch(() => undefined)
    expect([413, undefined]).toContain(status)
    expect(await keptOf(attempt)).toEqual([])
    const body = long('paid', attempt['our_key'])
    expect(await sent(body, { headers: signedFor(body) })).toBe(200)
    expect(await statusOf(attempt)).toBe('SUCCESS')
  })
})

const pad = (at: number): Buffer => Buffer.alloc(at, 0x20)

/** How often a payment of this attempt became a success. */
async function successesOf({ transaction_id }: Json): Promise<number> {
  const [row] = await fixture.owner<{ n: number }[]>`
    select count(*)::int as n from transaction_status_logs
     where transaction_id = ${transaction_id} and to_status = 'SUCCESS'`
  return row?.n ?? 0
}

/** As `post`, by a client that says whatever `Host` it likes. */
function sent(body: Buffer, { method = 'POST', headers = {} }: Sending): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = requestHttp(url, { method, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', reject)
    request.end(body)
  })
}

describe('a forged signature', () => {
  const forged: Readonly<Record<string, (body: Buffer) => Sending>> = {
    'of another body': () => ({ headers: signedFor(Buffer.from('paid x')) }),
    'of another method': (body) => ({ headers: signedFor(body), method: 'PUT' }),
    'for another host': (body) => ({ headers: signedFor(body, { authority: 'evil.example' }) }),
    'for another path': (body) => ({ headers: signedFor(body, { path: '/callbacks/other' }) }),
    'cut short': (body) => ({
      headers: { 'x-signature': signedFor(body)['x-signature'].slice(0, -1) },
    }),
    missing: () => ({}),
  }
  it.each(Object.entries(forged))('%s is a hint and no more', async (_, sending) => {
    const attempt = await openPayment()
    const body = bytes('paid', attempt['our_key'])
    expect(await post(body, sending(body))).toBe(200)
    expect(await statusOf(attempt)).toBe('PENDING')
    expect(await keptOf(attempt)).toMatchObject([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
    fixture.one.script.ask.push(waits)
    await ask(attempt)
    expect(fixture.one.queried).toHaveLength(1)
    expect(await statusOf(attempt)).toBe('PENDING')
  })
})

describe('a token that came back', () => {
  it('is no evidence: it wakes at once, and the answer to our question settles', async () => {
    const attempt = await openPayment()
    await ask(attempt)
    const body = bytes('paid', attempt['our_key'])
    expect(await post(body, { headers: token })).toBe(200)
    expect(await statusOf(attempt)).toBe('PENDING')
    expect(await dueIn(attempt)).toBeLessThan(1)
    expect(await keptOf(attempt)).toMatchObject([{ proof: 'BEARER', outcome: 'WOKE' }])
  })

  it('confirmed by asking, it is a payment; refused by asking, it is none', async () => {
    const attempts = [await openPayment(), await openPayment()]
    for (const [at, attempt] of attempts.entries()) {
      expect(await post(bytes('paid', attempt['our_key']), { headers: token })).toBe(200)
      fixture.one.script.ask.push(at === 0 ? paid(collected) : refusedBy('payer'))
      await ask(attempt)
    }
    expect(await Promise.all(attempts.map(statusOf))).toEqual(['SUCCESS', 'FAILED'])
  })
})

describe('a hint', () => {
  it('makes us ask ten seconds after the last question at the earliest, and is not lost', async () => {
    const attempt = await openPayment()
    await ask(attempt)
    await ask(attempt)
    await fixture.owner`
      update attempts set due_at = now() + interval '5 minutes', asked_at = now()
       where id = ${attempt['id']}`
    for (let times = 0; times < 3; times += 1) {
      expect(await post(bytes(`paid`, attempt['our_key']))).toBe(200)
    }
    const due_s = await dueIn(attempt)
    expect(due_s).toBeGreaterThan(1)
    expect(due_s).toBeLessThanOrEqual(10)
    await post(bytes('refused', attempt['our_key']), { headers: token })
    expect(await dueIn(attempt)).toBeLessThan(1)
  })

  it('that comes while we are asking is asked about ten seconds later', async () => {
    const attempt = await openPayment()
    await fixture.owner`update attempts set asks = 40 where id = ${attempt['id']}`
    fixture.one.script.ask.push(async () => {
      expect(await post(bytes('paid', attempt['our_key']))).toBe(200)
      return waits
    })
    await ask(attempt)
    expect(fixture.one.queried).toHaveLength(1)
    expect(await dueIn(attempt)).toBeLessThanOrEqual(10)
  })

  it('that comes while we are asking about one that has ended is not lost either', async () => {
    const attempt = await openPayment()
    const no = bytes('refused', attempt['our_key'])
    await post(no, { headers: signedFor(no) })
    expect(await statusOf(attempt)).toBe('FAILED')
    fixture.one.script.ask.push(async () => {
      expect(await post(bytes('paid', attempt['our_key']))).toBe(200)
      return refusedBy('payer')
    })
    await ask(attempt)
    expect(fixture.one.queried).toHaveLength(1)
    expect(await dueIn(attempt)).toBeLessThanOrEqual(10)
  })
})

describe('a callback for an attempt that we do not know', () => {
  const matching = () =>
    matchCallbacks({ ...deps, openUnmatched: async () => undefined } as Parameters<
      typeof matchCallbacks
    >[0])

  const waiting = () => fixture.owner<Json[]>`
    select proof, outcome from gateway_callbacks where attempt_id is null and due_at is not null`

  /** From now on, this reference of the operator means this attempt. */
  const becomesKnown = async (key: string, { id }: Json) => {
    await fixture.owner`
      insert into callback_directory (gateway_id, key, merchant_id, attempt_id)
      values (${ids.get('simulator_a')?.id ?? ''}, ${key}, ${fixture.caller.merchant_id}, ${id})`
    await fixture.owner`update gateway_callbacks set due_at = now() - interval '1 s'
       where due_at is not null`
  }

  it('is refused where nothing proves it, and asks nobody', async () => {
    expect(await post(bytes('paid', 'nobody-1'))).toBe(404)
    expect(await waiting()).toEqual([])
    expect(fixture.one.queried).toEqual([])
  })

  it('is refused, whatever its reference is made of', async () => {
    const strange = ['their\0-9', '\u{1f6f6}'.slice(0, 1), 'k'.repeat(60_000)]
    for (const key of strange) {
      expect(await post(Buffer.from(`paid ${key} `)), key.slice(0, 20)).toBe(404)
    }
  })

  it('is kept where it is signed, whatever its reference is made of, and asks nobody', async () => {
    const body = Buffer.from('paid their\0-8 ')
    expect(await post(body, { headers: signedFor(body) })).toBe(200)
    await fixture.owner`update gateway_callbacks set due_at = now() - interval '1 s'
       where due_at is not null`
    await matching()
    expect(fixture.one.queried).toEqual([])
    await fixture.owner`update gateway_callbacks set due_at = null where due_at is not null`
  })

  it('is kept where it is signed, and is the same evidence when its attempt is found', async () => {
    const body = bytes('paid', 'their-1')
    expect(await post(body, { headers: signedFor(body) })).toBe(200)
    expect(await waiting()).toEqual([{ proof: 'SIGNED', outcome: 'WAITING' }])
    const attempt = await openPayment()
    await becomesKnown('their-1', attempt)
    await Promise.all([matching(), matching()])
    expect(await statusOf(attempt)).toBe('SUCCESS')
    expect(fixture.one.queried).toEqual([])
    expect(await waiting()).toEqual([])
    const [kept] = await keptOf(attempt)
    expect(kept).toMatchObject({ proof: 'SIGNED', outcome: 'APPLIED' })
    expect(Buffer.compare(kept.raw, body)).toBe(0)
  })

  it('proves nothing later where a byte of what was kept is another', async () => {
    const body = bytes('paid', 'their-2')
    await post(body, { headers: signedFor(body) })
    await fixture.owner`
      update gateway_callbacks set raw = raw || '\\x20' where due_at is not null`
    const attempt = await openPayment()
    await becomesKnown('their-2', attempt)
    await matching()
    expect(await statusOf(attempt)).toBe('PENDING')
    expect(await dueIn(attempt)).toBeLessThan(1)
  })

  it('wakes when it is found where only a token came back', async () => {
    const body = bytes('paid', 'their-3')
    expect(await post(body, { headers: token })).toBe(200)
    const attempt = await openPayment()
    await becomesKnown('their-3', attempt)
    await matching()
    expect(await statusOf(attempt)).toBe('PENDING')
    expect(await dueIn(attempt)).toBeLessThan(1)
  })
})

describe('that callbacks of an account come', () => {
  it('is known by one about an attempt of it, and by nothing that a stranger can send', async () => {
    const payment = await openPayment()
    noted.length = 0
    const unknown = bytes('paid', 'nobody-has-this-key')
    expect(await post(unknown)).toBe(404)
    expect(await post(unknown, { headers: token })).toBe(200)
    expect(await post(unknown, { headers: signedFor(unknown) })).toBe(200)
    expect(noted).toEqual([])
    // At the address that all attempts share, whoever knows a payment's number may say so.
    expect(await post(bytes('paid', payment.our_key))).toBe(200)
    expect(noted).toEqual([])
    const signed = bytes('paid', payment.our_key)
    expect(await post(signed, { headers: signedFor(signed) })).toBe(200)
    expect(noted).toEqual(['simulator_a'])
  })
})

describe('what nobody signed', () => {
  // The last, because what nobody signed has its limit for each minute, and no minute passes here.
  it('is refused however many come: nothing is kept, nobody asked, and a true one counts', async () => {
    const [all, at_once] = [sized(300, 10_000), 50]
    const kept = async () => {
      const [row] = await fixture.owner<{ n: number }[]>`
        select count(*)::int as n from gateway_callbacks`
      return row?.n
    }
    const flooded = await openPayment()
    const before = await kept()
    const statuses = new Set<number>()
    for (let sent = 0; sent < all; sent += at_once) {
      const some = Array.from({ length: at_once }, (_, at) =>
        post(bytes('paid', `no-${sent + at}`)),
      )
      for (const status of await Promise.all(some)) statuses.add(status)
    }
    const isRefusal = (status: number) => status >= 400 && status < 500
    expect([...statuses].filter((status) => !isRefusal(status))).toEqual([])
    expect(await kept()).toBe(before)
    expect(fixture.one.queried).toEqual([])
    const body = bytes('paid', flooded['our_key'])
    expect(await post(body, { headers: signedFor(body) })).toBe(200)
    expect(await statusOf(flooded)).toBe('SUCCESS')
    expect(fixture.one.queried).toEqual([])
  }, 300_000)
})
