// Settings of an account with an operator are changed while the service runs: of SANDBOX by one of
// the staff, of LIVE by two. What is with the operator is found again, whatever is changed, and a
// change opens no way that adding the account had shut.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { isInUse } from '../../src/attempts/exposure-statements.ts'
import { systemActor } from '../../src/audit/audit.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { addAccount, keepCheck } from '../../src/gateways/accounts.ts'
import { findAdapter } from '../../src/gateways/adapters.ts'
import { setSettings } from '../../src/gateways/change-settings.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { refundingShop } from '../setup/refunds.ts'
import { confirmedByAnother } from '../setup/second-person.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'

let app: TestApp
let first: Wave
let second: Wave
let shop: Shop
let one: SignedInCaller
let other: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await startWave({ port: 0, speed: 4 })
  second = await startWave({ port: 0, speed: 4, api_key: first.api_key })
  shop = await refundingShop(app)
})
afterAll(async () => {
  await app?.stop()
  await first?.stop()
  await second?.stop()
})

// A minute has its limit for staff too.
const meet = async () => {
  one = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  other = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
}

const live = { 'x-environment': 'LIVE' }
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const deps = () => ({ db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') })
const patch = (by: Shop, id: string, body: object, headers: object = {}) =>
  by.call('PATCH', `/admin/gateways/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const confirm = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/confirm/`)
const withdraw = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/withdraw/`)
const settingsOf = async (code: string) =>
  (await findFoundGateway(app.service.db, code))?.settings ?? {}

/** Since when it has been as it is; it was added before that. */
const restedFor = (id: string, seconds: number) => app.owner`
  update gateways
     set created_at = now() - interval '1 hour', updated_at = now() - ${seconds} * interval '1 second'
   where id = ${id}`

const changes = (id: string) => app.owner<Json[]>`
  select actor_id, before, after from audit_logs
   where target_id = ${id} and action = 'gateway.changed' order by created_at, id`

async function account(code: string): Promise<string> {
  const { settings, secrets } = withWave(first)
  const added = await one.post('/admin/gateways/', {
    ...{ adapter: 'wave', code, country: 'SN', settings, secrets },
  })
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  for (const wave of [first, second]) {
    wave.register({
      ...{ url: `${app.url}/callbacks/${code}`, secrets: [webhookSecret] },
      strategy: 'SIGNING_SECRET',
    })
  }
  return added.data.id
}

let numbers = 0
/** A payment that its payer decides on at the operator's page. */
async function begun(gateway: string, by = shop): Promise<Json> {
  numbers += 1
  const phone = `+22177${String(numbers).padStart(5, '0')}10`
  const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
  const body = { country: 'SN', network: 'wave_sn', customer, preferred_gateway: gateway }
  const { status, data } = await by.pay(body)
  expect(status, JSON.stringify(data)).toBe(201)
  return { ...data, phone }
}

const payOn = (page: string) =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ act: 'pay' }), redirect: 'manual' })

describe('the settings of an account of SANDBOX', () => {
  beforeAll(meet)

  it('are changed by one, and count in every process that runs', async () => {
    const code = 'wave_moves'
    const id = await account(code)
    const process = await app.another()
    expect((await patch(one, id, { is_active: true })).status).toBe(200)
    const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
    expect((await one.post('/admin/routes/', route)).status).toBe(201)
    const payment = await eventually(async () => {
      const made = await begun(code)
      expect(made.checkout_url).toContain(first.url)
      return made
    })
    const elsewhere = { settings: { base_url: second.url } }
    // On, or with a payment at the operator, or off for a moment only: it stays where it is.
    expect(codeOf(await patch(one, id, elsewhere))).toEqual([409, 'gateway_in_use'])
    const off = await patch(one, id, { ...elsewhere, is_active: false })
    expect(codeOf(off)).toEqual([409, 'gateway_in_use'])
    expect(off.error.message).toContain('base_url')
    expect((await one.get(`/admin/gateways/${id}/`)).data.is_active).toBe(false)
    await restedFor(id, 61)
    expect(codeOf(await patch(one, id, elsewhere))).toEqual([409, 'gateway_in_use'])
    await payOn(payment.checkout_url)
    await shop.becomes(payment.id, 'SUCCESS')
    await restedFor(id, 40)
    expect(codeOf(await patch(one, id, elsewhere))).toEqual([409, 'gateway_in_use'])
    await restedFor(id, 61)
    const moved = await patch(one, id, elsewhere)
    expect([moved.status, moved.data.settings]).toEqual([
      200,
      { base_url: second.url, restrict_payer: 'yes' },
    ])

    expect((await patch(one, id, { is_active: true })).status).toBe(200)
    const theirs = shopWith(process.public_url, shop.merchant_id, shop.key)
    for (const by of [shop, theirs]) {
      await eventually(async () => {
        const { checkout_url, id: paid } = await begun(code, by)
        expect(checkout_url).toContain(second.url)
        await payOn(checkout_url)
        await shop.becomes(paid, 'SUCCESS')
      })
    }
    expect((await changes(id)).filter(({ after }) => 'settings.base_url' in after)).toEqual([
      {
        actor_id: one.person_id,
        before: { 'settings.base_url': first.url },
        after: { 'settings.base_url': second.url },
      },
    ])
  })

  it('that say nothing of where payments are found change while some are there', async () => {
    const code = 'wave_shows'
    const id = await account(code)
    expect((await patch(one, id, { is_active: true })).status).toBe(200)
    const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
    expect((await one.post('/admin/routes/', route)).status).toBe(201)
    const payment = await eventually(() => begun(code))
    const changed = await patch(one, id, { settings: { restrict_payer: 'no' } })
    expect([changed.status, changed.data.settings.restrict_payer]).toEqual([200, 'no'])
    await payOn(payment.checkout_url)
    await shop.becomes(payment.id, 'SUCCESS')
    // An empty one is the standard again.
    const standard = await patch(one, id, { settings: { restrict_payer: '' } })
    expect(standard.data.settings).toEqual({ base_url: first.url, restrict_payer: 'yes' })
    const { updated_at } = standard.data
    const same = await patch(one, id, { settings: { restrict_payer: 'yes' } })
    expect([same.status, same.data.updated_at]).toEqual([200, updated_at])
  })

  it('are to be checked again, also where the check was under way', async () => {
    const code = 'wave_checked'
    const id = await account(code)
    const checked = async () => (await one.get(`/admin/gateways/${id}/`)).data.checked_at
    const before = await findFoundGateway(app.service.db, code)
    if (before === undefined) throw new Error('no account')
    await keepCheck(deps(), before, { findings: [] })
    expect(await checked()).not.toBeNull()
    expect((await patch(one, id, { settings: { restrict_payer: 'no' } })).status).toBe(200)
    expect(await checked()).toBeNull()
    await keepCheck(deps(), before, { findings: [] })
    expect(await checked()).toBeNull()
  })

  it('take tokens and public keys of the former address with them', async () => {
    const id = await account('wave_keyed')
    const former = async () => {
      const rows = await app.owner<Json[]>`
        select (select count(*)::int from gateway_keys where gateway_id = ${id}) as keys,
               (select count(*)::int from gateway_tokens
                 where gateway_id = ${id} and sealed is not null) as tokens`
      return rows[0]
    }
    await app.owner`
      insert into gateway_keys (gateway_id, key_id, pem) values (${id}, 'theirs', 'a pem')`
    await app.owner`
      insert into gateway_tokens (gateway_id, product, sealed, renew_at, expires_at)
      values (${id}, 'any', '\\x00', now(), now() + interval '1 hour')`
    expect((await patch(one, id, { settings: { restrict_payer: 'no' } })).status).toBe(200)
    expect(await former()).toEqual({ keys: 1, tokens: 0 })
    await restedFor(id, 61)
    expect((await patch(one, id, { settings: { base_url: second.url } })).status).toBe(200)
    expect(await former()).toEqual({ keys: 0, tokens: 0 })
  })

  it('400, 401, 403, 404, 409: are judged as when it was added, of an account that has some', async () => {
    const id = await account('wave_wrong')
    for (const [settings, fields] of [
      [{ base_url: 'ftp://x' }, ['settings.base_url']],
      [{ base_url: '' }, ['settings.base_url']],
      [{ base_url: 'https://api.wave.com' }, ['settings.base_url']],
      [{ base_url: 'https://api.wave.com.' }, ['settings.base_url']],
      [{ base_url: 'http://API.wave.com:8080' }, ['settings.base_url']],
      [{ more: 'x' }, ['settings.more']],
      [{ 'A secret?': 'x' }, ['settings']],
      [{ api_key: 'x' }, ['settings.api_key']],
      [{ restrict_payer: 5 }, ['settings.restrict_payer']],
    ] as const) {
      const reply = await patch(one, id, { settings })
      expect(fieldsOf(reply), JSON.stringify(settings)).toEqual([400, fields])
    }
    const settings = { restrict_payer: 'no' }
    for (const more of [{ is_active: true }, { name: 'Other' }, { payment_limit_collect: '1' }]) {
      expect(fieldsOf(await patch(one, id, { settings, ...more }))).toEqual([400, ['settings']])
    }
    expect(await settingsOf('wave_wrong')).toEqual({ base_url: first.url, restrict_payer: 'yes' })
    const anybody = shopWith(app.url, '', 'nobody')
    expect((await patch(anybody, id, { settings })).status).toBe(401)
    const clerk = await app.staff({ role: 'FINANCE' })
    expect(codeOf(await patch(clerk, id, { settings }))).toEqual([403, 'permission_denied'])
    for (const [at, headers] of [
      [id, live],
      [newId(), {}],
    ] as const) {
      expect(codeOf(await patch(one, at, { settings }, headers))).toEqual([404, 'not_found'])
    }
    const { results } = (await one.get('/admin/gateways/?page_size=100')).data
    const own = results.find(({ code }: Json) => code === 'simulator_a')
    const none = await patch(one, own.id, { settings })
    expect(codeOf(none)).toEqual([409, 'gateway_without_settings'])
  })

  it('name the operator’s sandbox alone where other addresses are not allowed', async () => {
    const module = findAdapter('mtn')
    if (module === undefined) throw new Error('no mtn')
    const made = await addAccount(deps(), module, {
      ...({ code: 'mtn_fenced', name: 'MTN', environment: 'SANDBOX', country: 'BJ' } as const),
      settings: {},
    })
    const to = (base_url: string, own_hosts: boolean) =>
      setSettings(
        { ...deps(), isInUse: (id) => isInUse(app.service.db, id), own_hosts },
        { ...made, settings: { base_url } },
        systemActor,
      )
    const isFault = { fields: { 'settings.base_url': [{}] } }
    for (const own_hosts of [true, false]) {
      await expect(to('https://proxy.momoapi.mtn.com', own_hosts)).rejects.toMatchObject(isFault)
    }
    await expect(to(first.url, true)).rejects.toMatchObject(isFault)
    expect(await settingsOf('mtn_fenced')).toEqual(made.settings)
    expect((await to(first.url, false))['base_url']).toBe(first.url)
  })
})

describe('the settings of a LIVE account', () => {
  beforeAll(meet)

  let accounts = 0
  /** One of Orange, which was added an hour ago and is off. */
  async function orange(): Promise<Readonly<{ id: string; code: string }>> {
    accounts += 1
    const code = `orange_live_${accounts}`
    const module = findAdapter('orange')
    if (module === undefined) throw new Error('no orange')
    const { id } = await addAccount(deps(), module, {
      ...({ code, name: 'Orange', environment: 'LIVE', country: 'CI' } as const),
      settings: { country_path: 'ci', shown_name: 'Boutique Awa' },
    })
    await restedFor(id, 61)
    return { id, code }
  }

  const change = (by: Shop, id: string, settings: object) => patch(by, id, { settings }, live)

  it('are changed by two, who see what was and what will be', async () => {
    const { id, code } = await orange()
    const was = await settingsOf(code)
    const proposed = await change(one, id, { country_path: 'sn', shown_name: 'Boutique Awa' })
    expect([proposed.status, proposed.data]).toMatchObject([
      202,
      { kind: 'GATEWAY_ACCOUNT', subject: id },
    ])
    expect(proposed.data.content).toEqual({
      ...{ environment: 'LIVE', gateway: code },
      ...{ 'settings.country_path': 'sn', 'former_settings.country_path': 'ci' },
    })
    expect(await settingsOf(code)).toEqual(was)
    expect(codeOf(await change(other, id, { shown_name: 'Other' }))).toEqual([
      409,
      'proposal_pending',
    ])
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect(await settingsOf(code)).toEqual(was)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await settingsOf(code)).toEqual({ ...was, country_path: 'sn' })
    expect(await changes(id)).toEqual([
      {
        actor_id: other.person_id,
        before: { 'settings.country_path': 'ci' },
        after: { 'settings.country_path': 'sn' },
      },
    ])
    const same = await change(one, id, { country_path: 'sn' })
    expect([same.status, same.data.settings.country_path]).toEqual([200, 'sn'])
  })

  it('are not changed by one who takes two ways at once, or by the demo', async () => {
    const { id, code } = await orange()
    const was = await settingsOf(code)
    expect(codeOf(await patch(one, id, { settings: { shown_name: 'x' } }))).toEqual([
      404,
      'not_found',
    ])
    const foreign = await change(one, id, { base_url: first.url })
    expect(fieldsOf(foreign)).toEqual([400, ['settings.base_url']])
    const proposed = await change(one, id, { shown_name: 'Boutique' })
    const clerk = await app.staff({ role: 'FINANCE' })
    expect(codeOf(await confirm(clerk, proposed))).toEqual([403, 'permission_denied'])
    const demo = await app.staff({ demo: true })
    expect(codeOf(await change(demo, id, { shown_name: 'x' }))).toEqual([403, 'totp_required'])
    expect(codeOf(await confirm(demo, proposed))).toEqual([403, 'totp_required'])
    expect(await settingsOf(code)).toEqual(was)
    expect((await withdraw(one, proposed)).status).toBe(200)
    const gone = await app.staff({ role: 'OPERATIONS' })
    const last = await change(gone, id, { shown_name: 'Boutique' })
    await app.owner`update people set disabled_at = now() where id = ${gone.person_id}`
    expect(codeOf(await confirm(other, last))).toEqual([409, 'proposer_gone'])
    expect(await settingsOf(code)).toEqual(was)
  })

  it('are what was shown or stay as they are, and are judged anew when it is confirmed', async () => {
    const { id, code } = await orange()
    const proposed = await change(one, id, { country_path: 'sn' })
    await app.owner`
      update gateways set settings = settings || '{"country_path":"bf"}' where id = ${id}`
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'proposal_outdated'])
    expect((await settingsOf(code))['country_path']).toBe('bf')
    await app.owner`
      update gateways set settings = settings || '{"country_path":"ci"}', is_active = true
       where id = ${id}`
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'gateway_in_use'])
    await app.owner`update gateways set is_active = false where id = ${id}`
    expect((await confirm(other, proposed)).status).toBe(200)
    expect((await settingsOf(code))['country_path']).toBe('sn')
  })

  it('go with switching it off, which is done whatever becomes of them', async () => {
    const { id, code } = await orange()
    await app.owner`update gateways set is_active = true where id = ${id}`
    const isOn = async () => (await one.get(`/admin/gateways/${id}/`, live)).data.is_active
    const both = { is_active: false, settings: { country_path: 'sn' } }
    expect(codeOf(await patch(one, id, both, live))).toEqual([409, 'gateway_in_use'])
    expect(await isOn()).toBe(false)
    await app.owner`update gateways set is_active = true where id = ${id}`
    const shown = { is_active: false, settings: { shown_name: 'Awa' } }
    const proposed = await patch(one, id, shown, live)
    expect([proposed.status, await isOn()]).toEqual([202, false])
    expect(proposed.data.content).not.toHaveProperty('is_active')
    await app.owner`update gateways set is_active = true where id = ${id}`
    expect(codeOf(await patch(one, id, shown, live))).toEqual([409, 'proposal_pending'])
    expect(await isOn()).toBe(false)
    await confirmedByAnother(app, proposed)
    expect((await settingsOf(code))['shown_name']).toBe('Awa')
  })
})

describe('an account is in use', () => {
  it('while anything of it is open: asked about, with people, or asked back', async () => {
    const gateway_id = randomUUID()
    expect(await isInUse(app.service.db, gateway_id)).toBe(false)
    const paid = await shop.pay({})
    const { attempts } = await shop.becomes(paid.data.id, 'SUCCESS')
    const [{ id: attempt_id }] = attempts
    await app.owner`
      update attempts set gateway_id = ${gateway_id} where id = ${attempt_id}`
    expect(await isInUse(app.service.db, gateway_id)).toBe(false)
    const undone = async (sql: () => Promise<unknown>) => {
      await sql()
      return isInUse(app.service.db, gateway_id)
    }
    // Asked about no more: of a payout two people say how it ended, and until then it is with them.
    const unknown = (direction: string) => app.owner`
      update attempts
         set status = 'UNKNOWN', direction = ${direction}, finished_at = null, due_at = null
       where id = ${attempt_id}`
    expect(await undone(() => unknown('DISBURSE'))).toBe(true)
    // A payment stays unknown for good: it is asked about for a month, and with people meanwhile.
    expect(await undone(() => unknown('COLLECT'))).toBe(false)
    const asked = (due_at: Date | null) =>
      app.owner`update attempts set due_at = ${due_at} where id = ${attempt_id}`
    expect(await undone(() => asked(new Date()))).toBe(true)
    expect(await undone(() => asked(null))).toBe(false)
    const incident = newId()
    expect(
      await undone(
        () => app.owner`
          insert into incidents (merchant_id, id, environment, type, attempt_id, gateway_id)
          values (${shop.merchant_id}, ${incident}, 'SANDBOX', 'OUTCOME_UNKNOWN', ${attempt_id},
            ${gateway_id})`,
      ),
    ).toBe(true)
    expect(
      await undone(
        () => app.owner`
          update incidents
             set status = 'RESOLVED', resolution = 'WRITE_OFF', resolved_at = now(),
                 proposed_by = ${randomUUID()}, confirmed_by = ${randomUUID()}
           where id = ${incident}`,
      ),
    ).toBe(false)
    const ends = (status: string) => app.owner`
      update attempts set status = ${status}, finished_at = now(), due_at = null
       where id = ${attempt_id}`
    // One that ended and that its operator contradicts: it is asked what became of it.
    for (const status of ['FAILED', 'SUCCESS']) {
      await ends(status)
      expect(await isInUse(app.service.db, gateway_id)).toBe(false)
      expect(
        await undone(
          () => app.owner`
            update attempts set due_at = now() + interval '1 day' where id = ${attempt_id}`,
        ),
      ).toBe(true)
    }
    await ends('SUCCESS')
    expect(
      await undone(
        () => app.owner`
          insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id,
            note, proposed_by, confirmed_by)
          values (${shop.merchant_id}, ${newId()}, 'SANDBOX', ${paid.data.id}, ${attempt_id},
            'a story', ${randomUUID()}, ${randomUUID()})`,
      ),
    ).toBe(true)
  })
})
