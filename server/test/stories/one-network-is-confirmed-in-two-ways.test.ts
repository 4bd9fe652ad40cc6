// One network through two operators: by a code that is made first through one, on a page through
// the other. Staff choose at run time which is tried first; whoever pays is shown what that one
// wants, on our pages and in the API, and a payment that falls to the next goes its way.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesIn } from '../../src/gateways/routing.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { BrowserWithoutScript, type Page, tagOf } from '../setup/browser-without-script.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, openSession } from '../setup/payer-calls.ts'
import {
  byMadeCode,
  byRedirect,
  lost,
  notFound,
  openPaymentFixture,
  type PaymentFixture,
  refusedBy,
} from '../setup/scripted-operator.ts'

let app: TestApp
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  shop = await app.shop()
})
afterAll(async () => {
  const checks = await verifyLedger(app.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]

const patch = (path: string, body: object) =>
  staff.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const routesOf = async (network: string, direction = 'COLLECT'): Promise<Json[]> =>
  (await staff.get(`/admin/routes/?network=${network}&direction=${direction}`)).data.results

async function setRoute(network: string, gateway: string, body: object): Promise<Reply> {
  const found = (await routesOf(network)).find(({ gateway_code }) => gateway_code === gateway)
  return patch(`/admin/routes/${found?.id}/`, body)
}

/** Through B on a page, and by A as the network has it: with a code. */
const split = async (network: string) =>
  expect(
    (await setRoute(network, 'simulator_b', { flow: 'redirect', otp_kind: 'NONE' })).status,
  ).toBe(200)

/** B stays where it is, second: A goes before it or after it. */
const first = async (network: string, gateway: 'simulator_a' | 'simulator_b') => {
  const priority = gateway === 'simulator_a' ? 1 : 9
  expect((await setRoute(network, 'simulator_a', { priority })).status).toBe(200)
}

let numbers = 0
/** A number of Côte d’Ivoire or Burkina Faso that nobody paid with before. */
const phoneOf = (country: 'CI' | 'BF', magic: string): string => {
  numbers += 1
  const line = String(numbers).padStart(4, '0')
  return country === 'CI' ? `+2250707${line}${magic}` : `+22607${line}${magic}`
}

const pay = (country: 'CI' | 'BF', magic: string, more: object = {}): Promise<Reply> =>
  shop.post('/payments/softpay/initialize/', {
    ...{ amount: '5000', currency: 'XOF', country, network: `orange_${country.toLowerCase()}` },
    customer: { phone: phoneOf(country, magic), email: 'a@example.com' },
    ...more,
  })

const attemptsOf = async (id: string): Promise<Json[]> => app.owner<Json[]>`
  select gateway_code, status, otp_kind, flow, prompt_lifetime_s, skipped_routes from attempts
   where transaction_id = ${id} order by priority`

const becomes = (id: string, status: string) =>
  eventually(async () => {
    const { data } = await shop.get(`/transactions/${id}/`)
    if (data.status !== status) throw new Error(`${id} is ${data.status}`)
  })

const rowOf = async (slug: string, code: string, country: string): Promise<Json> => {
  const { data } = await callPublic(app, 'GET', `/checkout/${slug}/networks/?country=${country}`)
  return data.networks.find((one: Json) => one.code === code)
}

const rateOf = async (code: string): Promise<Json> => {
  const { data } = await shop.get('/pricing/my-rates/')
  return data.find((one: Json) => one.network_code === code)
}

const wantsCode = (page: Page, network: string) => tagOf(page, `otp_${network}`) !== undefined

describe('a network with two ways to confirm', () => {
  beforeAll(() => split('orange_ci'))

  it('is confirmed as its first route has it, which staff change while payers pay', async () => {
    const session = await openSession(shop, { country: 'CI' })
    const path = `/checkout/${session.slug}`
    const own = new BrowserWithoutScript(app.url, 'fr')
    const shown = await own.open(path)
    expect(wantsCode(shown, 'orange_ci')).toBe(true)
    expect(await rowOf(session.slug, 'orange_ci', 'CI')).toMatchObject({
      ...{ confirmation: 'CODE_BEFORE', otp_required: true },
      otp_instructions: expect.stringMatching(/#144/),
    })
    expect((await rateOf('orange_ci')).payin.otp_required).toBe(true)
    const headers = { 'accept-language': 'fr' }
    const inFrench = await shop.call('GET', '/pricing/my-rates/', { headers })
    const orange = inFrench.data.find((one: Json) => one.network_code === 'orange_ci')
    expect(orange.payin.otp_instructions).toMatch(/^Composez #144\*82# et choisissez l’option 2/)
    expect(codeOf(await pay('CI', '04'))).toEqual([422, 'prepayment_otp_missing'])
    const byCode = await pay('CI', '04', { otp: '123456' })
    expect(byCode.data).toMatchObject({ next_action: 'APPROVE_ON_PHONE', checkout_url: '' })

    await first('orange_ci', 'simulator_b')
    const now = await own.open(path)
    expect(wantsCode(now, 'orange_ci')).toBe(false)
    expect(await rowOf(session.slug, 'orange_ci', 'CI')).toMatchObject({
      ...{ confirmation: 'PAGE', otp_required: false, otp_instructions: '' },
    })
    expect((await rateOf('orange_ci')).payin).toMatchObject({
      ...{ otp_required: false, otp_instructions: '' },
    })
    const byPage = await pay('CI', '04')
    expect(byPage.data).toMatchObject({ next_action: 'REDIRECT', otp_required: false })
    expect(byPage.data.checkout_url).toMatch(/^http/)
    expect(await attemptsOf(byPage.data.id)).toMatchObject([
      { gateway_code: 'simulator_b', otp_kind: 'NONE', flow: 'redirect' },
    ])

    // Each goes on in the way that it began, whatever its network's first route is now.
    expect(await attemptsOf(byCode.data.id)).toMatchObject([
      { gateway_code: 'simulator_a', otp_kind: 'PRE', flow: 'push' },
    ])
    const early = await shop.post(`/payments/${byCode.data.id}/confirm-otp/`, { otp: '123456' })
    expect(codeOf(early)).toEqual([400, 'otp_not_applicable'])

    // On our page: the code that was made for the first is not asked for, and the payer is led on.
    const sent = await own.submit(now, 'pay-form', {
      ...{ network: 'orange_ci', phone: phoneOf('CI', '04').slice('+225'.length) },
    })
    expect(sent.status).toBe(200)
    const { data: state } = await callPublic(app, 'GET', `/checkout/${session.slug}/status/`)
    expect(state).toMatchObject({ next_action: 'REDIRECT', otp_required: false })
    for (const id of [byCode.data.id, byPage.data.id]) {
      const decided = await shop.post(`/sandbox/transactions/${id}/resolve/`, {
        outcome: 'SUCCESS',
      })
      expect(decided.data.status).toBe('SUCCESS')
    }
  })

  it('asks a payer for the code whose page was made before the switch', async () => {
    await first('orange_ci', 'simulator_b')
    const session = await openSession(shop, { country: 'CI' })
    const own = new BrowserWithoutScript(app.url, 'en')
    const before = await own.open(`/checkout/${session.slug}`)
    await first('orange_ci', 'simulator_a')
    const phone = phoneOf('CI', '10').slice('+225'.length)
    const asked = await own.submit(before, 'pay-form', { network: 'orange_ci', phone })
    expect([asked.status, wantsCode(asked, 'orange_ci')]).toEqual([422, true])
    expect(asked.text).toMatch(/#144/)
    await own.submit(asked, 'pay-form', { network: 'orange_ci', phone, otp_orange_ci: '123456' })
    const { data } = await shop.get(`/checkout-sessions/${session.id}/`)
    await becomes(data.transaction, 'SUCCESS')
    expect(await attemptsOf(data.transaction)).toMatchObject([{ otp_kind: 'PRE', flow: 'push' }])
  })

  it('falls from its code to the page, and the payer is led there', async () => {
    await first('orange_ci', 'simulator_a')
    const fallen = await pay('CI', '06', { otp: '123456' })
    expect(fallen.data).toMatchObject({ next_action: 'REDIRECT', otp_required: false })
    expect(await attemptsOf(fallen.data.id)).toMatchObject([
      { gateway_code: 'simulator_a', status: 'FAILED', otp_kind: 'PRE', flow: 'push' },
      { gateway_code: 'simulator_b', status: 'PENDING', otp_kind: 'NONE', flow: 'redirect' },
    ])
  })
})

describe('a payment that falls to the next route', () => {
  let own: PaymentFixture
  beforeAll(async () => {
    own = await openPaymentFixture()
    await own.owner`
      update routes r set flow = 'redirect', otp_kind = 'NONE'
        from gateways g, networks n
       where g.id = r.gateway_id and n.id = r.network_id and r.direction = 'COLLECT'
         and g.code = 'simulator_a' and n.code = 'orange_ci'`
  })
  afterAll(() => own?.stop())

  const withoutCode = { ...byMadeCode, otp: '' }

  it('gives its code to nobody who has a page, and to the next one that wants it', async () => {
    own.one.script.collect.push(refusedBy('gateway'))
    const paid = await own.call('initialize', { body: byMadeCode })
    expect(paid).toMatchObject({ status: 201, body: { next_action: 'APPROVE_ON_PHONE' } })
    const [byPage] = own.one.sent.splice(0)
    const [byCode] = own.two.sent.splice(0)
    expect(byPage).toMatchObject({ flow: 'redirect', otp_kind: 'NONE', otp: undefined })
    expect(byCode).toMatchObject({ flow: 'push', otp_kind: 'PRE', otp: '123456' })
    const [kept] = await own.owner<Json[]>`
      select string_agg(a::text, '') like '%123456%' as has_code from attempts a`
    expect(kept?.has_code).toBe(false)
  })

  it('does not go to one that wants a code when nobody made one', async () => {
    own.one.script.collect.push(refusedBy('gateway'))
    const paid = await own.call('initialize', { body: withoutCode })
    expect([paid.status, paid.body.code]).toEqual([422, 'no_route_available'])
    expect(own.one.sent.splice(0)).toHaveLength(1)
    expect(own.two.sent).toEqual([])
    expect(await own.attemptsOf(paid.body.transaction)).toMatchObject([
      { gateway_code: 'simulator_a', status: 'FAILED' },
    ])
  })

  it('stays where its answer was lost, and the code is never sent again', async () => {
    own.two.script.collect.push(lost)
    own.two.script.ask.push(notFound)
    const body = { ...byMadeCode, preferred_gateway: 'simulator_b' }
    const paid = await own.call('initialize', { body })
    expect(paid.body.status).toBe('PENDING')
    await own.call('verify', { id: paid.body.id })
    expect(own.two.queried.length).toBeGreaterThan(0)
    expect(own.two.sent.splice(0)).toHaveLength(1)
    expect(await own.attemptsOf(paid.body.id)).toMatchObject([
      { gateway_code: 'simulator_b', status: 'UNKNOWN' },
    ])
  })

  it('that was sent to a phone is not closed as a page that nobody saw', async () => {
    // Its network has a page; this route has none, and its payer may have approved already.
    await own.owner`
      update routes r set flow = 'push'
        from gateways g, networks n
       where g.id = r.gateway_id and n.id = r.network_id and r.direction = 'COLLECT'
         and g.code = 'simulator_b' and n.code = 'wave_ci'`
    const fresh = { ...own.deps, routes: routesIn(own.db) }
    Object.assign(own.deps, fresh)
    Object.assign(own.two.facts, { ask_by: 'SEARCH', unshown_is_proof: true })
    Object.assign(own.two.facts, { create_is_idempotent: false })
    own.two.script.collect.push(lost)
    own.two.script.ask.push(notFound)
    const body = { ...byRedirect, preferred_gateway: 'simulator_b' }
    const paid = await own.call('initialize', { body })
    expect(own.two.sent.splice(0)).toMatchObject([{ flow: 'push', network_code: 'wave_ci' }])
    await own.owner`
      update attempts set asked_at = null where transaction_id = ${paid.body.id}`
    await own.call('verify', { id: paid.body.id })
    expect(own.two.queried.splice(0).length).toBeGreaterThan(0)
    expect(await own.attemptsOf(paid.body.id)).toMatchObject([{ status: 'UNKNOWN', sends: 1 }])
  })
})

describe('what staff set of a route', () => {
  it('is answered by the field that is wrong, and how to mend it', async () => {
    const wrong: readonly [object, string, string, RegExp][] = [
      [{ flow: 'redirect' }, 'orange_bf', 'otp_kind', /A page asks for its codes itself/],
      [{ otp_kind: 'PRE' }, 'mtn_bj', 'otp_kind', /set its otp_instructions first/],
      [{ prompt_lifetime_s: 59 }, 'mtn_bj', 'prompt_lifetime_s', /60/],
      [{ flow: 'pull' }, 'mtn_bj', 'flow', /./],
    ]
    for (const [body, network, field, text] of wrong) {
      const refused = await setRoute(network, 'simulator_a', body)
      expect([refused.status, Object.keys(refused.error)], JSON.stringify(body)).toEqual([
        400,
        [field],
      ])
      expect(refused.error[field].join(' ')).toMatch(text)
    }
    const [payout] = await routesOf('mtn_bj', 'DISBURSE')
    const out = await patch(`/admin/routes/${payout.id}/`, { flow: 'redirect' })
    expect([out.status, Object.keys(out.error)]).toEqual([400, ['flow']])
    expect(await patch(`/admin/routes/${payout.id}/`, { flow: null })).toMatchObject({
      status: 200,
    })
  })

  it('keeps the instructions that a code of it needs', async () => {
    const { data } = await staff.get('/admin/networks/?country=BJ')
    const network = data.results.find(({ code }: Json) => code === 'moov_bj')
    const of = `/admin/networks/${network.id}/`
    expect((await patch(of, { otp_instructions: 'Dial *1# to get a payment code' })).status).toBe(
      200,
    )
    expect((await setRoute('moov_bj', 'simulator_a', { otp_kind: 'PRE' })).status).toBe(200)
    const emptied = await patch(of, { otp_instructions: ' ' })
    expect([emptied.status, Object.keys(emptied.error)]).toEqual([400, ['otp_instructions']])
    expect((await setRoute('moov_bj', 'simulator_a', { otp_kind: null })).status).toBe(200)
    expect((await patch(of, { otp_instructions: '' })).status).toBe(200)
  })

  it('is in the audit log, and kept with each attempt for as long as its payer is waited for', async () => {
    const set = await setRoute('orange_bf', 'simulator_a', { prompt_lifetime_s: 120 })
    expect([set.status, set.data.prompt_lifetime_s]).toEqual([200, 120])
    const paid = await pay('BF', '04', { otp: '123456' })
    expect(await attemptsOf(paid.data.id)).toMatchObject([{ prompt_lifetime_s: 120 }])
    expect((await setRoute('orange_bf', 'simulator_a', { prompt_lifetime_s: null })).status).toBe(
      200,
    )
    const ask = () => shop.get(`/payments/${paid.data.id}/verify/`)
    await age(paid.data.id, 100)
    expect((await ask()).data.status).toBe('PENDING')
    // Its operator is asked to end it, and says what became of it.
    await age(paid.data.id, 130)
    await ask()
    await becomes(paid.data.id, 'FAILED')
    const acts = await app.owner<Json[]>`
      select before, after from audit_logs
       where action = 'route.changed' and target_id = ${set.data.id} order by id`
    expect(acts).toEqual([
      { before: { prompt_lifetime_s: null }, after: { prompt_lifetime_s: 120 } },
      { before: { prompt_lifetime_s: 120 }, after: { prompt_lifetime_s: null } },
    ])
  })
})

/** As if it had been sent so many seconds ago, and was not asked about since. */
const age = (id: string, seconds: number) => app.owner`
  update attempts
     set send_started_at = now() - ${seconds} * interval '1 second', asked_at = null,
         started_at = now() - ${seconds} * interval '1 second'
   where transaction_id = ${id}`
