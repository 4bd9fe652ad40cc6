// A payer who may not choose a network now is shown why: closed until an hour of its own country,
// closed for now, interrupted at the operator, or not for this sum. The pages say it without a
// script, and the public JSON has the same facts.

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { callPublic, openSession } from '../setup/payer-calls.ts'

let app: TestApp
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'OPERATIONS' })
  shop = await app.shop()
})
afterEach(async () => {
  const { data } = await staff.get('/admin/gateway-closings/')
  for (const { id } of data.results) {
    await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})
  }
})
afterAll(() => app?.stop())

const both = ['simulator_a', 'simulator_b']

/** Both accounts, payments alone, so far from now. */
async function close(ends_in_ms: number | undefined): Promise<Date | undefined> {
  const ends_at = ends_in_ms === undefined ? undefined : new Date(Date.now() + ends_in_ms)
  for (const gateway of both) {
    const more = ends_at === undefined ? {} : { ends_at: ends_at.toISOString() }
    const closing = { gateway, country: 'bj', direction: 'COLLECT', note: 'a story', ...more }
    const made = await staff.post('/admin/gateway-closings/', closing)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
  return ends_at
}

const networkOf = async (session: Json, code = 'mtn_bj', path = 'networks/'): Promise<Json> => {
  const { data } = await callPublic(app, 'GET', `/checkout/${session.slug}/${path}`)
  return data.networks.find((one: Json) => one.code === code)
}
const pageOf = async (session: Json, language: string) => {
  const reply = await fetch(session.checkout_url, { headers: { 'accept-language': language } })
  return (await reply.text()).replaceAll('\u00a0', ' ')
}
/** By the clocks of Bénin, an hour before those of UTC. */
const there = (at: Date) => new Date(at.getTime() + 3_600_000).toISOString()
const hourOf = (at: Date) => there(at).slice(11, 16)

describe('a network that is closed', () => {
  it('until a later hour of today says the hour, by the clocks of its country', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const ends_at = (await close(60_000)) ?? new Date()
    const row = await networkOf(session)
    expect(row).toMatchObject({ unavailable: true, condition: 'CLOSED', fee: null, total: null })
    expect(row).toMatchObject({ opens_at: ends_at.toISOString(), time_zone: 'Africa/Porto-Novo' })
    expect(row.notice).toContain(`at ${hourOf(ends_at)} (Porto-Novo, UTC+1).`)
    expect(await networkOf(session, 'mtn_bj', '')).toEqual(row)
    // A minute from midnight the day stands beside it.
    const isToday = there(ends_at).slice(0, 10) === there(new Date()).slice(0, 10)
    const french = await pageOf(session, 'fr')
    if (isToday) expect(french).toContain(`Fermé jusqu’à ${hourOf(ends_at)}`)
    expect(french).toContain('Heures : Porto-Novo, UTC+1')
    const english = await pageOf(session, 'en')
    if (isToday) expect(english).toContain(`Closed until ${hourOf(ends_at)}`)
    expect(english).toContain('Times: Porto-Novo, UTC+1')
  })

  it('until another day says the day too', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const ends_at = (await close(3 * 86_400_000)) ?? new Date()
    const day = Number(there(ends_at).slice(8, 10))
    const form = new RegExp(`Fermé jusqu’au ${day} [^ ]+ à ${hourOf(ends_at)}`)
    expect(await pageOf(session, 'fr')).toMatch(form)
    expect(await pageOf(session, 'en')).toMatch(
      new RegExp(`Closed until ${day} [^ ]+, ${hourOf(ends_at)}`),
    )
  })

  it('until further notice says so, and no hour', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    await close(undefined)
    expect(await networkOf(session)).toMatchObject({
      ...{ condition: 'CLOSED', opens_at: null, time_zone: null, notice: 'Closed for now.' },
    })
    const page = await pageOf(session, 'fr')
    expect(page).toContain('Fermé pour le moment')
    expect(page).not.toContain('id="clocks"')
    // None is left: each is named with its reason.
    expect(page).toContain('id="cannot"')
    expect(page).toContain('<li>MTN MoMo : Fermé pour le moment</li>')
  })

  it('is said on the page that a payment link leads to', async () => {
    const link = await shop.post('/payment-links/', {
      ...{ amount: '5000', currency: 'XOF', name: 'Poulet' },
    })
    expect(link.status, JSON.stringify(link.body)).toBe(201)
    await close(undefined)
    const path = `/payment-links/public/${link.data.slug}/checkout/`
    const { data } = await callPublic(app, 'POST', path, {
      customer: { phone: '+2290197000010' },
    })
    expect(await networkOf(data, 'mtn_bj', 'networks/?country=BJ')).toMatchObject({
      condition: 'CLOSED',
    })
  })
})

describe('a network that is there', () => {
  it('and takes no such sum says that', async () => {
    const session = await openSession(shop, { country: 'BJ', amount: '150' })
    expect(await networkOf(session)).toMatchObject({
      ...{ unavailable: true, condition: 'OTHER_AMOUNT', notice: 'Does not take this amount.' },
    })
    expect(await pageOf(session, 'fr')).toContain('Pas pour ce montant')
  })

  it('and works says nothing', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    expect(await networkOf(session)).toMatchObject({
      ...{ unavailable: false, condition: 'OPEN', opens_at: null, notice: '' },
    })
    expect(await pageOf(session, 'fr')).not.toContain('Fermé')
  })

  it('and fails at its operator is offered, with a warning', async () => {
    await app.owner`
      insert into route_health (route_id, turned_at, broken_since, skip_until, skip_reason)
      select r.id, now(), now() - interval '2 minutes', now() + interval '1 hour', 'a story'
        from routes r join networks n on n.id = r.network_id
       where n.code = 'moov_bj' and r.direction = 'COLLECT'`
    await app.owner`update routes set breaker = true`
    await app.owner`update catalogue_version set version = version + 1`
    onTestFinished(async () => {
      await app.owner`delete from route_health`
    })
    const session = await openSession(shop, { country: 'BJ' })
    await eventually(async () => {
      expect(await networkOf(session, 'moov_bj')).toMatchObject({
        ...{ unavailable: false, condition: 'INTERRUPTED', opens_at: null },
        notice: 'The operator is interrupted at the moment: a payment may fail.',
      })
    }, 20_000)
    const page = await pageOf(session, 'fr')
    expect(page).toContain('Interrompu : peut échouer')
    expect(page).toMatch(/id="network-moov_bj"(?![^>]* disabled)/)
  }, 30_000)
})
