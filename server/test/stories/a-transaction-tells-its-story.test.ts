// "What happened to this payment, and in which order?" is one question with one answer: what moved
// it, whom we asked and how often, who called back, what the shop was told, what was booked, who
// decided. The order does not change under a reader, and no stranger reads it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, openSession, paymentBody } from '../setup/payer-calls.ts'
import { refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let shop: Shop
const ends = createEnds()
beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await refundingShop(app, { live: true }, '100000'))
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

async function storyOf(by: Shop, id: string, query = ''): Promise<Json> {
  const { status, body, data } = await by.get(`/transactions/${id}/timeline/?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return data
}

/** As a member may do themselves, but for having no name. */
const rename = ({ person_id }: SignedInCaller, first_name: string, last_name: string) =>
  app.owner`
    update people set first_name = ${first_name}, last_name = ${last_name} where id = ${person_id}`

/** What a reader tells apart: the kind, and the fact that says which step of it. */
const inShort = ({ kind, facts }: Json): string =>
  [
    kind,
    facts.subject,
    facts.step,
    facts.to_status,
    facts.action,
    facts.direction,
    facts.count,
    facts.succeeded,
  ]
    .filter((word) => word !== undefined)
    .join(' ')

const ofKind = (story: Json, kind: string): Json[] =>
  story.results.filter((step: Json) => step.kind === kind)

/** An endpoint that fails once for each event, and then takes it. */
async function forgetfulEndpoint(by: Shop) {
  const seen = new Set<string>()
  const receiver = await ends.keep(
    startReceiver((response, { headers }) => {
      const id = String(headers['x-webhook-id'])
      if (!seen.has(id)) response.writeHead(503)
      seen.add(id)
      response.end()
    }),
  )
  await by.post('/merchant-webhooks/', { url: receiver.url, events: ['transaction.success'] })
}

/** Makes what is to be delivered again due now. */
async function hurry({ merchant_id }: Shop) {
  await app.owner`
    update deliveries set due_at = now() - interval '1 second'
     where merchant_id = ${merchant_id} and status = 'FAILED'`
  await app.owner`
    update webhook_lanes set due_at = now() - interval '1 second', marks = marks + 1
     where merchant_id = ${merchant_id}`
}

/** Asks about a payment anew, without the pause that keeps callers from doing so. */
async function ask(id: string) {
  await app.owner`
    update attempts set asked_at = asked_at - interval '1 minute' where transaction_id = ${id}`
  expect((await shop.get(`/payments/${id}/verify/`)).status).toBe(200)
}

async function callBack(id: string, said: string) {
  const [attempt] = await app.owner<{ id: string }[]>`
    select id from attempts where transaction_id = ${id}`
  const key = { merchant_id: shop.merchant_id, id: attempt?.id ?? '' }
  const token = callbackToken(openKeyring(app.config.secret_key ?? ''), key)
  const url = `${app.url}/callbacks/simulator_a/${token}`
  expect((await fetch(url, { method: 'POST', body: said })).status).toBe(200)
}

describe('the story of a payment', () => {
  let id: string
  let story: Json

  beforeAll(async () => {
    await forgetfulEndpoint(shop)
    const made = await shop.pay({ amount: '10000', customer: newPayer('04') })
    id = made.data.id
    for (const _ of [1, 2, 3]) await ask(id)
    await callBack(id, 'something')
    await callBack(id, 'something else')
    await callBack(id, 'something else')
    const open = await storyOf(shop, id)
    expect(open.next_question_at).toEqual(expect.any(String))
    const [asked] = ofKind(open, 'ASKED')
    expect(open.last_question_at).toBe(asked.facts.last_at)
    expect(Date.parse(open.ends_at)).toBeGreaterThan(Date.now())
    await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'SUCCESS' })
    await shop.becomes(id, 'SUCCESS')
    await eventually(async () => {
      await hurry(shop)
      expect(ofKind(await storyOf(shop, id), 'WEBHOOK')).toHaveLength(2)
    }, 20_000)
    story = await storyOf(shop, id)
  })

  it('is one order: asked for, tried, asked about, called back, paid, booked, told', () => {
    const steps: string[] = story.results.map(inShort)
    expect(steps[0]).toBe('MOVE TRANSACTION PENDING')
    expect(steps[1]).toBe('ATTEMPT STARTED')
    // The operator may say so when we know it already.
    const others = steps.filter((step) => !step.startsWith('CALLBACK'))
    expect(others.slice(-5)).toEqual([
      'ATTEMPT ENDED',
      'MOVE TRANSACTION SUCCESS',
      'ENTRY CREDIT',
      'WEBHOOK false',
      'WEBHOOK true',
    ])
    const times = story.results.map(({ at }: Json) => at)
    expect(times).toEqual(times.toSorted())
    const nothing = { last_question_at: null, next_question_at: null, ends_at: null }
    expect(story).toMatchObject({ ...nothing, next: null })
  })

  it('tells the questions as one step with their number, first and last', () => {
    const [asked, ...more] = ofKind(story, 'ASKED')
    expect(more).toEqual([])
    expect(asked.facts.count).toBeGreaterThanOrEqual(3)
    expect(asked.at).toBe(asked.facts.first_at)
    expect(Date.parse(asked.facts.last_at)).toBeGreaterThan(Date.parse(asked.facts.first_at))
    expect(asked.facts).toMatchObject({ status: 'SUCCESS', network_code: 'mtn_bj' })
  })

  it('tells callbacks that proved nothing as one, apart from the one that was signed', () => {
    const heard = ofKind(story, 'CALLBACK').map(({ actor, facts }) => [
      ...[facts.proof, facts.outcome, facts.count, actor?.kind],
    ])
    expect(heard).toContainEqual(['UNSIGNED', 'WOKE', 2, undefined])
    const signed = heard.filter(([proof]) => proof === 'SIGNED')
    expect(signed.map(([, , , by]) => by)).toEqual(signed.map(() => 'OPERATOR'))
  })

  it('says what a try of a webhook got, and nothing that anybody wrote', () => {
    expect(ofKind(story, 'WEBHOOK').map(({ facts }) => facts)).toMatchObject([
      { try: 1, succeeded: false, http_status: 503, event_type: 'transaction.success' },
      { try: 2, succeeded: true, http_status: 200, event_type: 'transaction.success' },
    ])
    expect(JSON.stringify(story)).not.toMatch(/something|body|header|secret|token/)
  })

  it('is walked page by page, there and back, while more happens', async () => {
    const walk = async (from: string, way: 'next' | 'previous') => {
      const seen: Json[][] = []
      let query: string | null = from
      while (query !== null) {
        const page: Json = await storyOf(shop, id, query)
        seen.push(page.results)
        query = page[way] === null ? null : new URL(page[way]).search.slice(1)
        if (seen.length === 1) await ask(id)
        expect(seen.length).toBeLessThan(20)
      }
      return seen
    }
    const refs = (steps: Json[]) => steps.map(({ kind, ref, at }) => [kind, ref, at])
    const there = await walk('page_size=2', 'next')
    expect(refs(there.flat())).toEqual(refs(story.results))
    const page: Json = await storyOf(shop, id, 'page_size=100')
    const last = await storyOf(shop, id, 'page_size=2')
    expect(page.results).toHaveLength(story.results.length)
    const second = await storyOf(shop, id, new URL(last.next).search.slice(1))
    const back = await storyOf(shop, id, new URL(second.previous).search.slice(1))
    expect(refs(back.results)).toEqual(refs(last.results))
  })

  it('is narrowed to one group, the newest first, page by page, there and back', async () => {
    const kinds: Record<string, string[]> = {
      ATTEMPTS: ['ATTEMPT', 'ASKED'],
      CALLBACKS: ['CALLBACK'],
      WEBHOOKS: ['WEBHOOK'],
      LEDGER: ['ENTRY'],
    }
    const refs = (steps: Json[]) => steps.map(({ kind, ref, at }) => [kind, ref, at])
    const whole = await storyOf(shop, id, 'page_size=100')
    for (const [group, of] of Object.entries(kinds)) {
      const wanted = refs(whole.results.filter(({ kind }: Json) => of.includes(kind)))
      expect(wanted.length, group).toBeGreaterThan(0)
      expect(refs((await storyOf(shop, id, `group=${group}`)).results), group).toEqual(wanted)
      const down = await storyOf(shop, id, `group=${group}&ordering=-created_at`)
      expect(refs(down.results), group).toEqual(wanted.toReversed())
    }
    const query = 'page_size=2&ordering=-created_at'
    const seen: Json[][] = []
    let next: string | null = `?${query}`
    let page: Json = {}
    while (next !== null) {
      page = await storyOf(shop, id, next.slice(1))
      seen.push(page.results)
      next = page.next === null ? null : new URL(page.next).search
      expect(seen.length).toBeLessThan(20)
    }
    expect(refs(seen.flat())).toEqual(refs(whole.results).toReversed())
    const back = await storyOf(shop, id, new URL(page.previous).search.slice(1))
    expect(refs(back.results)).toEqual(refs(seen.at(-2) ?? []))
    const tries = await storyOf(shop, id, 'group=WEBHOOKS&page_size=1')
    const second = await storyOf(shop, id, new URL(tries.next).search.slice(1))
    expect([...tries.results, ...second.results].map(inShort)).toEqual([
      ...['WEBHOOK false', 'WEBHOOK true'],
    ])
    expect(second.next).toBe(null)
  })

  it('is refused a group and an order that there is not', async () => {
    for (const [query, field] of [
      ['group=MOVE', 'group'],
      ['ordering=at', 'ordering'],
    ] as const) {
      const { status, error } = await shop.get(`/transactions/${id}/timeline/?${query}`)
      expect([status, Object.keys(error)], query).toEqual([400, [field]])
    }
  })

  it('that was refused and asked for again tells the resumption before the new attempt', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    await shop.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'FAILED' })
    await shop.becomes(data.id, 'FAILED')
    expect((await shop.post(`/payments/${data.id}/retry/`)).status).toBe(200)
    await shop.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' })
    await shop.becomes(data.id, 'SUCCESS')
    const { results } = await storyOf(shop, data.id)
    const turns = results.filter(({ kind }: Json) => kind === 'MOVE' || kind === 'ATTEMPT')
    expect(turns.map(inShort)).toEqual([
      'MOVE TRANSACTION PENDING',
      'ATTEMPT STARTED',
      'ATTEMPT ENDED',
      'MOVE TRANSACTION FAILED',
      'MOVE TRANSACTION PENDING',
      'ATTEMPT STARTED',
      'ATTEMPT ENDED',
      'MOVE TRANSACTION SUCCESS',
    ])
  })

  it('that our own clock ended was ended by no operator, and does not end again', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    await app.owner`
      update attempts
         set asking_until = now() - interval '1 second', due_at = now() - interval '1 second',
             asked_at = null, leased_until = null
       where transaction_id = ${data.id}`
    await shop.becomes(data.id, 'FAILED', 20_000)
    const ended = await storyOf(shop, data.id)
    expect(ended).toMatchObject({ ends_at: null, next_question_at: expect.any(String) })
    const moves = ofKind(ended, 'MOVE').filter(({ facts }) => facts.to_status === 'FAILED')
    expect(moves).toMatchObject([
      { actor: { kind: 'SYSTEM' }, facts: { triggered_by: 'POLLER', evidence_kind: 'RULE' } },
    ])
  })

  it('that was asked for again names whoever asked: a member, a key', async () => {
    const member = await app.member({ merchant_id: shop.merchant_id })
    await rename(member, 'Awa', 'Diop')
    const { data } = await shop.pay({ customer: newPayer('04') })
    const fail = async () => {
      await shop.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'FAILED' })
      await shop.becomes(data.id, 'FAILED')
    }
    await fail()
    expect((await member.post(`/payments/${data.id}/retry/`)).status).toBe(200)
    await fail()
    expect((await shop.post(`/payments/${data.id}/retry/`)).status).toBe(200)
    const { results } = (await member.get(`/transactions/${data.id}/timeline/?page_size=100`)).data
    const resumed = results.filter(
      ({ kind, facts }: Json) =>
        kind === 'MOVE' && facts.from_status === 'FAILED' && facts.to_status === 'PENDING',
    )
    expect(resumed.map(({ actor }: Json) => actor)).toMatchObject([
      { kind: 'MEMBER', id: member.person_id, name: 'Awa Diop' },
      { kind: 'KEY', id: expect.any(String) },
    ])
    await fail()
  })

  it('goes on with its refund', async () => {
    const made = await refund(shop, { id }, { amount: '4000' })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await refundEnds(shop, made.data.id, 'SUCCESS')
    const { results } = await storyOf(shop, id)
    const of = results.filter(
      ({ kind, facts }: Json) => facts.refund === made.data.id && kind !== 'ASKED',
    )
    const steps = of.map(inShort).filter((step: string) => !step.startsWith('CALLBACK'))
    expect(steps).toEqual([
      'MOVE REFUND PENDING',
      'ATTEMPT STARTED',
      'ATTEMPT ENDED',
      'MOVE REFUND SUCCESS',
    ])
    expect(of[0]).toMatchObject({ actor: { kind: 'KEY' }, facts: { amount: '4000.00' } })
    const left = results.filter(({ facts }: Json) => facts.direction === 'DEBIT')
    expect(left).toMatchObject([{ kind: 'ENTRY', facts: { amount: '4000.00', currency: 'XOF' } }])
  })
})

describe('a story', () => {
  it('of a payout names who asked for it and who agreed, to every colleague, and for good', async () => {
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const second = await app.member({ merchant_id, role: 'ADMIN' })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await rename(second, 'Kofi', 'Mensah')
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const made = await finance.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    })
    const { id } = made.data
    const waiting = await storyOf(shop, id)
    expect(waiting).toMatchObject({ next_question_at: null, ends_at: expect.any(String) })
    expect((await second.post(`/payouts/${id}/approve/`)).status).toBe(200)
    await shop.becomes(id, 'SUCCESS')
    const agreed = { kind: 'MEMBER', id: second.person_id, name: 'Kofi Mensah' }
    const acts = async (by: Shop) => ofKind(await storyOf(by, id), 'ACT')
    for (const by of [owner, finance]) {
      expect(await acts(by)).toMatchObject([
        { facts: { action: 'payout.approved' }, actor: agreed },
      ])
    }
    const asked = { kind: 'MEMBER', id: finance.person_id }
    await rename(finance, '', '')
    const begun = async (by: Shop) => (await storyOf(by, id)).results[0].actor
    expect(await begun(owner)).toEqual({ ...asked, name: finance.email })
    // A program reads neither members nor keys, so it reads no names.
    expect(await begun(shop)).toEqual({ ...asked, name: '' })
    expect(await acts(shop)).toMatchObject([{ actor: { kind: 'MEMBER', id: null, name: '' } }])

    const gone = await owner.call('DELETE', `/merchant-members/${second.person_id}/`)
    expect(gone.status, JSON.stringify(gone.body)).toBe(204)
    expect(await acts(finance)).toMatchObject([{ actor: agreed }])
  })

  it('of a payout that cannot be sent says until when that is tried', async () => {
    const own = await refundingShop(app, {}, '50000')
    const staff = await app.staff({ role: 'OPERATIONS' })
    const floats = async (is_empty: boolean) => {
      for (const gateway of ['simulator_a', 'simulator_b']) {
        const body = JSON.stringify({ gateway, country: 'bj', is_empty, note: 'a story' })
        const headers = { 'content-type': 'application/json' }
        const marked = await staff.call('PUT', '/admin/gateway-floats/', { body, headers })
        expect(marked.status).toBe(200)
      }
    }
    await floats(true)
    const { data } = await own.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
    })
    const waiting = await storyOf(own, data.id).finally(() => floats(false))
    expect(waiting.ends_at).toEqual(expect.any(String))
    expect((Date.parse(waiting.ends_at) - Date.now()) / 3_600_000).toBeCloseTo(72, 1)
    await own.becomes(data.id, 'SUCCESS', 20_000)
    expect((await storyOf(own, data.id)).ends_at).toBe(null)
  })

  it('names the key that asked, and neither staff nor an operator', async () => {
    const owner = await app.member({ merchant_id: shop.merchant_id })
    const key = { name: 'Caisse 2', scope: 'BOTH', environment: 'SANDBOX' }
    const made = await owner.post('/merchant-api-keys/', key)
    const till = shopWith(app.url, shop.merchant_id, made.data.secret)
    const { data } = await till.pay({ customer: newPayer('10') })
    await shop.becomes(data.id, 'SUCCESS')
    const { results } = await storyOf(owner, data.id)
    expect(results[0].actor).toEqual({ kind: 'KEY', id: made.data.id, name: 'Caisse 2' })
    const others = results.filter(({ actor }: Json) => actor !== null && actor.kind !== 'KEY')
    expect(others.length).toBeGreaterThan(2)
    for (const { actor } of others) expect(actor).toMatchObject({ id: null, name: '' })
  })

  it('of a payment on a page begins with the session', async () => {
    const session = await openSession(shop)
    await callPublic(app, 'POST', `/checkout/${session.slug}/pay/`, paymentBody())
    const paid = await eventually(async () => {
      const { data } = await shop.get(`/checkout-sessions/${session.id}/`)
      expect(data.status).toBe('PAID')
      return data
    }, 20_000)
    const { results } = await storyOf(shop, paid.transaction)
    expect(results[0]).toMatchObject({ kind: 'CHECKOUT', ref: session.id })
    expect(results[1]).toMatchObject({ kind: 'MOVE', actor: { kind: 'PAYER', id: null } })
    expect(results.map(inShort)).toContain('CHECKOUT PAID')
  })

  it('is its merchant’s own, in its own environment, by id or by reference', async () => {
    const { data } = await shop.pay()
    const path = `/transactions/${data.id}/timeline/`
    expect((await shop.get(`/transactions/${data.reference}/timeline/`)).status).toBe(200)
    const stranger = await app.shop()
    expect((await stranger.get(path)).status).toBe(403)
    const live = await app.shop({ merchant_id: shop.merchant_id, environment: 'LIVE' })
    expect((await live.get(path)).status).toBe(404)
    const other = await stranger.pay()
    const mine = JSON.stringify(await storyOf(shop, data.id))
    expect(mine).not.toContain(other.data.id)
    expect(mine).not.toContain(stranger.merchant_id)
  })
})
