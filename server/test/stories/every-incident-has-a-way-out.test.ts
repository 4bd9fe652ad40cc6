// There is no incident that two people cannot resolve, whatever the operator has said since: every
// type of incident in every state that its attempt and its owner can be in. Without this an
// incident stays open for ever, and with it the payer's name and the alarm.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { purposes } from '../../src/app/wire.ts'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import { purposeOf } from '../../src/attempts/purpose.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { openUnmatchedCallback } from '../../src/incidents/open-unmatched.ts'
import { platformMerchant } from '../../src/ledger/account.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { brokenLaws, richSettler, settlerOf } from '../setup/settling.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app.stop())

type Made = Readonly<{ shop: Shop; id: string; attempt: Json }>

const attemptOf = async (id: string): Promise<Json> => {
  const [row] = await app.owner`
    select id, debited_amount, net_amount, direction from attempts
     where coalesce(transaction_id, settlement_id) = ${id} order by created_at desc, priority desc`
  return row
}

async function payin(magic = '04'): Promise<Made> {
  const shop = await app.shop()
  const customer = newPayer(magic)
  const { data } = await shop.pay({ amount: '10000', customer })
  return { shop, id: data.id, attempt: await attemptOf(data.id) }
}

async function payout(magic = '04'): Promise<Made> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '10000' })
  const { data } = await shop.post('/payouts/initialize/', {
    amount: '10000',
    currency: 'XOF',
    country: 'BJ',
    method: 'mtn_bj',
    recipient: { msisdn: newPayer(magic).phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })
  return { shop, id: data.id, attempt: await attemptOf(data.id) }
}

async function settlement(to = '04'): Promise<Made> {
  const shop = await richSettler(app)
  const { data } = await shop.settle(to)
  await first.post(`/admin/settlements/${data.id}/approve/`)
  if (to === 'bank') {
    await first.post(`/admin/settlements/${data.id}/execute/`, { gateway_reference: 'VIR-1' })
  }
  return { shop, id: data.id, attempt: await attemptOf(data.id) }
}

/** The operator answers our own question. */
async function receive({ shop, attempt }: Made, answer: Answer): Promise<void> {
  const { db } = app.service
  const key = { merchant_id: shop.merchant_id, id: attempt.id }
  const now = await findAttempt(db, key)
  if (now === undefined) throw new Error('no attempt')
  await applyAnswer({ db, wake: () => undefined }, purposeOf(purposes, now), {
    merchant_id: key.merchant_id,
    attempt_id: key.id,
    answer,
    hash: Buffer.alloc(32),
    triggered_by: 'POLLER',
    evidence_kind: 'STATUS_ANSWER',
    request_id: 'test',
    status_at_query: now.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  })
}

const confirmed = (amount: bigint, currency = 'XOF'): Answer => ({
  is: 'confirmed',
  external_reference: 'OP-1',
  amount,
  currency,
})
const wire = ({ attempt }: Made): bigint =>
  attempt.direction === 'COLLECT' ? attempt.debited_amount : attempt.net_amount
const refused: Answer = {
  is: 'refused',
  by: 'payer',
  failure_code: 'NOT_APPROVED',
  detail: '',
  external_reference: 'OP-1',
}

/** What an operator may still do with an attempt. */
const then: Readonly<Record<string, (made: Made) => Promise<void>>> = {
  'nothing more was said': async () => undefined,
  'it was paid after all': (made) => receive(made, confirmed(wire(made))),
  'it was refused after all': (made) => receive(made, refused),
  'it was refused, and then paid': async (made) => {
    await receive(made, refused)
    await receive(made, confirmed(wire(made)))
  },
  'it was paid, and then taken back': async (made) => {
    await receive(made, confirmed(wire(made)))
    await receive(made, refused)
  },
  'another amount came': (made) => receive(made, confirmed(wire(made) - 10_000n)),
  'another amount came, and then the right one': async (made) => {
    await receive(made, confirmed(wire(made) - 10_000n))
    await receive(made, confirmed(wire(made)))
  },
  'another amount came, and then a refusal': async (made) => {
    await receive(made, confirmed(wire(made) + 10_000n))
    await receive(made, refused)
  },
  'another currency came': (made) => receive(made, confirmed(wire(made), 'XAF')),
  'another currency came, and then the right one': async (made) => {
    await receive(made, confirmed(wire(made), 'XAF'))
    await receive(made, confirmed(wire(made)))
  },
}

/** The time in which an operator is asked is over, and they have not said how it ended. */
async function timeIsOver({ attempt }: Made): Promise<void> {
  await app.owner`
    update attempts set asking_until = now() - interval '1 s', due_at = now() - interval '1 second', asked_at = null, leased_until = null
     where id = ${attempt.id}`
  await eventually(async () => {
    const [row] = await app.owner`
      select 1 from incidents where attempt_id = ${attempt.id} and type = 'OUTCOME_UNKNOWN'`
    if (row === undefined) throw new Error('not given up yet')
  })
}

const makers = { payin, payout, settlement }
type Kind = keyof typeof makers

const openOf = (merchant_id: string): Promise<Json[]> => app.owner<Json[]>`
  select id, type, amount, callback_id from incidents
   where merchant_id = ${merchant_id} and status = 'OPEN' order by id`

const resolutions = [
  'CHARGE_MERCHANT',
  'CREDIT_MERCHANT',
  'REFUND_PAYER',
  'WRITE_OFF',
  'RECOVERED',
] as const

/** The first resolution that the service takes, by two people. */
async function wayOut({ id, amount }: Json): Promise<string> {
  for (const resolution of resolutions) {
    const body = { resolution, amount: (Number(amount) / 100).toFixed(2), note: 'ticket 4711' }
    const proposed = await first.post(`/admin/incidents/${id}/resolve/`, body)
    expect([200, 400]).toContain(proposed.status)
    if (proposed.status !== 200) continue
    const done = await second.post(`/admin/incidents/${id}/confirm/`, { resolution })
    expect([done.status, done.data?.status]).toEqual([200, 'RESOLVED'])
    return resolution
  }
  throw new Error('no way out')
}

/** All of a merchant's; the books are right after it. */
async function resolveAll({ shop }: Made): Promise<number> {
  let count = 0
  for (;;) {
    const [incident] = await openOf(shop.merchant_id)
    if (incident === undefined) break
    await wayOut(incident)
    count += 1
    expect(count).toBeLessThan(10)
  }
  expect(await brokenLaws(app)).toEqual([])
  return count
}

const kinds = Object.keys(makers) as Kind[]
/** Within its asking time and after it; in a small run one of the two, the next row the other. */
const table = kinds.flatMap((kind, of_kind) =>
  Object.keys(then).flatMap((what, said) =>
    sized([(of_kind + said) % 2 === 1], [false, true]).map((over) => [kind, what, over] as const),
  ),
)

describe('a way out of each incident', () => {
  it.each(table)('of a %s of which %s (its asking time over: %s)', async (kind, what, over) => {
    const made = await makers[kind]()
    if (over) await timeIsOver(made)
    await then[what]?.(made)
    await resolveAll(made)
    expect(await openOf(made.shop.merchant_id)).toEqual([])
  })

  it('of a payment that was paid twice', async () => {
    const made = await payin('01')
    await made.shop.becomes(made.id, 'FAILED')
    await made.shop.post(`/payments/${made.id}/retry/`, {})
    const again = { ...made, attempt: await attemptOf(made.id) }
    await receive(again, confirmed(wire(again)))
    await receive(made, confirmed(wire(made)))
    // The operator, who knows of none of this, may say more of it meanwhile.
    expect(await resolveAll(made)).toBeGreaterThan(0)
  })

  it.each(['payout', 'settlement'] as const)(
    'of a %s of which another amount went, then nothing, by the word of two each',
    async (kind) => {
      const made = await makers[kind]()
      await receive(made, confirmed(wire(made) - 10_000n))
      expect(await resolveAll(made)).toBe(1)
      await receive(made, refused)
      expect(await resolveAll(made)).toBe(1)
      await timeIsOver(made)
      // It can be said that it was paid after all: nothing of it is booked any more.
      const [incident] = await openOf(made.shop.merchant_id)
      expect(await wayOut(incident)).toBe('CHARGE_MERCHANT')
      const [attempt] = await app.owner`select status from attempts where id = ${made.attempt.id}`
      expect(attempt).toEqual({ status: 'SUCCESS' })
      expect(await brokenLaws(app)).toEqual([])
    },
  )

  it.each(['bank', '10'])('of a settlement by %s whose money came back', async (to) => {
    const made = await settlement(to)
    await settlerOf(app, made.shop).ends(made.id, 'SUCCESS')
    await first.post(`/admin/settlements/${made.id}/return/`, { note: 'notice of today' })
    expect(await resolveAll(made)).toBe(1)
  })

  it('of a callback that named nobody, and of one that comes after it', async () => {
    const merchant_id = platformMerchant.SANDBOX
    const [gateway] = await app.owner`select id from gateways limit 1`
    const comes = async (id: string = randomUUID()) => {
      const callback = { merchant_id, id, environment: 'SANDBOX' as const }
      await openUnmatchedCallback(app.service.db, { ...callback, gateway_id: gateway?.['id'] })
      return callback.id
    }
    for (let hour = 0; hour < 3; hour += 1) {
      const callback_id = await comes()
      await comes()
      const [incident, ...more] = await openOf(merchant_id)
      expect(incident).toMatchObject({ type: 'UNMATCHED_CALLBACK', callback_id })
      expect(more).toEqual([])
      await wayOut(incident)
      expect(await openOf(merchant_id)).toEqual([])
      // Whoever reported it ended before it noted that: it is looked at again, and reported once.
      await comes(callback_id)
      expect(await openOf(merchant_id)).toEqual([])
    }
  })
})

describe('an unknown outcome that became known', () => {
  const people = async (incident: Json, resolution: string) => {
    const body = { resolution, amount: '0', note: 'The operator has answered.' }
    const resolved = await first.post(`/admin/incidents/${incident.id}/resolve/`, body)
    return resolved.status === 200
      ? second.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })
      : resolved
  }

  it.each(['payout', 'settlement'] as const)('of a %s books nothing more', async (kind) => {
    const made = await makers[kind]()
    await timeIsOver(made)
    const [incident] = await openOf(made.shop.merchant_id)
    // While nobody knows, only how it ended can be said: its hold must end with it.
    expect((await people(incident, 'RECOVERED')).status).toBe(400)
    await receive(made, confirmed(wire(made)))
    const before = await made.shop.balance('BJ')
    expect((await people(incident, 'CREDIT_MERCHANT')).status).toBe(400)
    expect((await people(incident, 'RECOVERED')).data.status).toBe('RESOLVED')
    expect(await made.shop.balance('BJ')).toEqual(before)
    expect(await brokenLaws(app)).toEqual([])
  })

  it('keeps no alarm on, none at all in LIVE, and no customer for ever', async () => {
    const counted = await app.owner<{ environment: string; open: number }[]>`
      select e.environment, count(i.id)::int as open
        from (values ('LIVE'), ('SANDBOX')) as e (environment)
        left join incidents i on i.environment = e.environment and i.status = 'OPEN'
       group by e.environment order by e.environment`
    const [live, sandbox] = counted.map(({ open }) => open)
    const made = await payout()
    await timeIsOver(made)
    const [row] = await app.owner`select customer_id from transactions where id = ${made.id}`
    const customer = `/customers/${row?.['customer_id']}/`
    await receive(made, confirmed(wire(made)))
    expect((await made.shop.call('DELETE', customer)).error.code).toBe('retention_required')
    // Who asks within five seconds is told the same again.
    const counts = (open: number) =>
      eventually(async () => {
        const text = await (await fetch(`${app.url}/metrics`)).text()
        const gauge = (environment: string, value = 0) =>
          expect(text).toContain(`pirogue_open_incidents{environment="${environment}"} ${value}\n`)
        gauge('LIVE', live)
        gauge('SANDBOX', (sandbox ?? 0) + open)
      }, 15_000)
    await counts(1)
    await resolveAll(made)
    await counts(0)
    expect((await made.shop.call('DELETE', customer)).status).toBe(204)
  })
})
