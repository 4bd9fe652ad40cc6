// A LIVE route takes two of the staff to be switched on or to get another price; one alone adds it
// switched off, switches it off and moves it in its order, at once. What was confirmed is what was
// shown, whoever does what meanwhile.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { keepCheck } from '../../src/gateways/accounts.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { listActiveRoutes } from '../../src/gateways/store.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { confirmedByAnother } from '../setup/second-person.ts'

let app: TestApp
let one: SignedInCaller
let other: SignedInCaller
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const send = (by: Shop, path: string, body: object) =>
  by.call('PATCH', path, { body: JSON.stringify(body), headers: live })
const change = (by: Shop, id: string, body: object) => send(by, `/admin/routes/${id}/`, body)
const confirm = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/confirm/`)
const withdraw = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/withdraw/`)
const statusOf = async ({ data }: Reply) =>
  (await other.get(`/admin/proposals/${data.id}/`)).data.status
const routeOf = async (id: string): Promise<Json> =>
  (await one.get(`/admin/routes/${id}/`, live)).data
const isSentTo = async (id: string) =>
  (await listActiveRoutes(app.service.db)).some((route) => route.id === id)

const acts = (id: string) => app.owner<Json[]>`
  select action, actor_id, before, after from audit_logs
   where target_id = ${id} and environment = 'LIVE' order by created_at, id`

/** What `gateway check` keeps of a check that passed, this many hours ago. */
async function passCheck(code: string, hours = 0): Promise<void> {
  const account = await findFoundGateway(app.service.db, code)
  if (account === undefined) throw new Error(`no ${code}`)
  await keepCheck({ db: app.service.db }, account, { findings: [] })
  await app.owner`
    update gateway_checks set checked_at = now() - ${hours} * interval '1 hour'
     where gateway_id = ${account.id}`
}

let accounts = 0
/** An account that is on and was checked. */
async function account(): Promise<{ id: string; code: string }> {
  accounts += 1
  const [id, code] = [newId(), `live_route_${accounts}`]
  const operator = { id, code, adapter: 'not_here', name: 'Operator' } as const
  await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
  await passCheck(code)
  return { id, code }
}

const requested = (gateway: string) => ({
  ...{ network: 'mtn_bj', gateway, direction: 'COLLECT', priority: 900 },
  cost: { percent: '1.50' },
})
const priced = {
  ...{ cost_percent: '1.50', cost_fixed: '0.00', cost_floor: '', cost_cap: '' },
  amount_step: '1.00',
}

/** A route that one person has added, switched off. */
async function offRoute(): Promise<{ id: string; code: string; gateway_id: string }> {
  const { id: gateway_id, code } = await account()
  const made = await one.post('/admin/routes/', { ...requested(code), is_active: false }, live)
  expect([made.status, made.data.is_active]).toEqual([201, false])
  return { id: made.data.id, code, gateway_id }
}

/** One that two people have switched on. */
async function onRoute() {
  const route = await offRoute()
  await confirmedByAnother(app, await change(one, route.id, { is_active: true }))
  expect(await isSentTo(route.id)).toBe(true)
  return route
}

// A minute has its limit for staff too.
const meet = async () => {
  one = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  other = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
}

describe('a LIVE route', () => {
  beforeAll(meet)

  it('is added switched off, and switched on by another; none of the rest is lost', async () => {
    const { code } = await account()
    await passCheck(code, 25)
    const add = () => one.post('/admin/routes/', requested(code), live)
    expect(codeOf(await add())).toEqual([409, 'gateway_not_checked'])
    expect((await one.get(`/admin/routes/?gateway=${code}`, live)).data.count).toBe(0)
    await passCheck(code)
    const proposed = await add()
    const { subject: id, content } = proposed.data
    expect([proposed.status, proposed.data.kind]).toEqual([202, 'GATEWAY_ACCOUNT'])
    expect(content).toEqual({
      ...{ route: id, network: 'mtn_bj', gateway: code, direction: 'COLLECT' },
      ...{ is_active: true, ...priced },
    })
    const made = { is_active: false, priority: 900, cost: { percent: '1.50', fixed: '0.00' } }
    expect(await routeOf(id)).toMatchObject(made)
    expect(codeOf(await add())).toEqual([409, 'route_exists'])
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect(await isSentTo(id)).toBe(false)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await routeOf(id)).toMatchObject({ ...made, is_active: true })
    expect(await isSentTo(id)).toBe(true)
    expect(await acts(id)).toMatchObject([
      { action: 'route.created', actor_id: one.person_id, after: { is_active: false } },
      {
        ...{ action: 'route.changed', actor_id: other.person_id },
        ...{ before: { is_active: false }, after: { is_active: true } },
      },
    ])
    const steps = await app.owner<Json[]>`
      select action, actor_id from audit_logs where target_id = ${proposed.data.id}
       order by created_at, id`
    expect(steps).toEqual([
      { action: 'proposal.made', actor_id: one.person_id },
      { action: 'proposal.confirmed', actor_id: other.person_id },
    ])
  })

  it('that nobody wanted on stays where it was added, switched off', async () => {
    const { code } = await account()
    const proposed = await one.post('/admin/routes/', requested(code), live)
    const { subject: id } = proposed.data
    expect(codeOf(await change(one, id, { is_active: true }))).toEqual([409, 'proposal_pending'])
    expect((await withdraw(other, proposed)).data.status).toBe('WITHDRAWN')
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'proposal_decided'])
    expect((await routeOf(id)).is_active).toBe(false)
    await confirmedByAnother(app, await change(one, id, { is_active: true }))
    expect((await routeOf(id)).is_active).toBe(true)
  })

  it.each([
    ['is dearer', { cost: { percent: '1.80' } }, { cost_percent: '1.80' }],
    ['is cheaper', { cost: { percent: '0.10' } }, { cost_percent: '0.10' }],
    [
      'gets a floor and a cap',
      { cost: { percent: '1.50', floor: '10', cap: '500' } },
      { cost_floor: '10.00', cost_cap: '500.00' },
    ],
    ['takes other steps', { amount_step: '5' }, { amount_step: '5.00' }],
  ])('%s by two people, switched off or on', async (_, body, changed) => {
    for (const { id } of [await offRoute(), await onRoute()]) {
      const was = await routeOf(id)
      const proposed = await change(one, id, body)
      const former = Object.keys(changed).map((name) => [
        `former_${name}`,
        priced[name as keyof typeof priced],
      ])
      const { route: _route, network: _network, ...rest } = proposed.data.content
      expect([proposed.status, rest]).toEqual([
        202,
        {
          ...{ gateway: was.gateway_code, direction: 'COLLECT' },
          ...{ ...priced, ...changed, ...Object.fromEntries(former) },
        },
      ])
      expect((await routeOf(id)).updated_at).toBe(was.updated_at)
      expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
      expect((await confirm(other, proposed)).status).toBe(200)
      const is = await routeOf(id)
      expect(is).toMatchObject({ is_active: was.is_active, priority: was.priority })
      expect((await change(one, id, body)).status).toBe(200)
      expect((await routeOf(id)).updated_at).toBe(is.updated_at)
    }
  })

  it('has its payers confirm in another way by two people, who see both', async () => {
    const { id } = await onRoute()
    const body = { flow: 'redirect', otp_kind: 'NONE', prompt_lifetime_s: 600, priority: 5 }
    const proposed = await change(one, id, body)
    expect([proposed.status, proposed.data.content]).toMatchObject([
      202,
      {
        ...{ flow: 'redirect', former_flow: '', otp_kind: 'NONE', former_otp_kind: '' },
        ...{ prompt_lifetime_s: '600', former_prompt_lifetime_s: '', ...priced },
      },
    ])
    const before = { flow: null, otp_kind: null, prompt_lifetime_s: null, priority: 5 }
    expect(await routeOf(id)).toMatchObject(before)
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    // What both have seen is not what it is any more.
    await app.owner`update routes set prompt_lifetime_s = 900 where id = ${id}`
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'proposal_outdated'])
    await app.owner`update routes set prompt_lifetime_s = null where id = ${id}`
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await routeOf(id)).toMatchObject({ ...body, is_active: true })
    // Another price changes nothing of it, and shows it.
    const dearer = await change(one, id, { cost: { percent: '2' } })
    expect(dearer.data.content).toMatchObject({ flow: 'redirect', prompt_lifetime_s: '600' })
    expect((await confirm(other, dearer)).status).toBe(200)
    expect(await routeOf(id)).toMatchObject(body)
    await confirmedByAnother(app, await change(one, id, { ...before, priority: 900 }))
    expect(await routeOf(id)).toMatchObject({ ...before, priority: 900 })
  })

  it('is switched off, and moved in its order, by one, whatever else is asked for', async () => {
    const { id } = await onRoute()
    for (const body of [{ priority: 3 }, { breaker: false }, { is_active: false }]) {
      const changed = await change(one, id, body)
      expect([changed.status, changed.data]).toMatchObject([200, body])
    }
    expect(await isSentTo(id)).toBe(false)
    const { id: mixed } = await onRoute()
    const proposed = await change(one, mixed, {
      ...{ is_active: false, priority: 7, cost: { percent: '1.20', fixed: '5' } },
    })
    expect([proposed.status, proposed.data.content]).toMatchObject([
      202,
      { cost_percent: '1.20', former_cost_percent: '1.50', cost_fixed: '5.00' },
    ])
    expect(proposed.data.content).not.toHaveProperty('is_active')
    const now = { is_active: false, priority: 7, cost: { percent: '1.50', fixed: '0.00' } }
    expect(await routeOf(mixed)).toMatchObject(now)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await routeOf(mixed)).toMatchObject({ ...now, cost: { percent: '1.20', fixed: '5.00' } })
    // What is refused is refused whole.
    const again = await change(one, mixed, { cost: { percent: '2' } })
    const refused = await change(one, mixed, { priority: 8, cost: { percent: '3' } })
    expect([codeOf(refused), (await routeOf(mixed)).priority]).toEqual([
      [409, 'proposal_pending'],
      7,
    ])
    expect((await withdraw(one, again)).status).toBe(200)
  })

  it('is switched off by one even where the rest of what they ask for is refused', async () => {
    const { id } = await onRoute()
    const waits = await change(one, id, { cost: { percent: '2' } })
    const off = { is_active: false, priority: 8, cost: { percent: '3' } }
    const wrong = await change(other, id, { ...off, cost: { percent: '101' } })
    expect([wrong.status, (await routeOf(id)).is_active]).toEqual([400, true])
    expect(codeOf(await change(other, id, off))).toEqual([409, 'proposal_pending'])
    expect(await routeOf(id)).toMatchObject({ is_active: false, priority: 900 })
    expect(await isSentTo(id)).toBe(false)
    const last = (await acts(id)).at(-1)
    expect(last).toMatchObject({ actor_id: other.person_id, after: { is_active: false } })
    expect((await withdraw(one, waits)).status).toBe(200)
  })

  it('of SANDBOX takes one, as ever', async () => {
    const list = await one.get('/admin/routes/?network=mtn_bj&direction=COLLECT')
    const [{ id, cost }] = list.data.results
    const sandbox = { 'content-type': 'application/json' }
    for (const body of [
      { is_active: false },
      { is_active: true },
      { cost: { percent: '9', fixed: '1' }, amount_step: '5' },
      { cost: { percent: cost.percent, fixed: cost.fixed }, amount_step: '1' },
    ]) {
      const init = { body: JSON.stringify(body), headers: sandbox }
      expect((await one.call('PATCH', `/admin/routes/${id}/`, init)).status).toBe(200)
    }
  })
})

describe('a proposal about a LIVE route', () => {
  beforeAll(meet)

  it('400, 403, 404: a wrong figure, nobody’s right, another environment', async () => {
    const { id } = await offRoute()
    const wrong = await change(one, id, { cost: { percent: '101', fixed: '0.5' } })
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([
      400,
      ['cost.fixed', 'cost.percent'],
    ])
    const proposed = await change(one, id, { is_active: true })
    const clerk = await app.staff({ role: 'FINANCE' })
    expect(codeOf(await change(clerk, id, { is_active: true }))).toEqual([403, 'permission_denied'])
    expect(codeOf(await confirm(clerk, proposed))).toEqual([403, 'permission_denied'])
    const demo = await app.staff({ demo: true })
    expect(codeOf(await change(demo, id, { is_active: true }))).toEqual([403, 'totp_required'])
    expect(codeOf(await confirm(demo, proposed))).toEqual([403, 'totp_required'])
    expect(codeOf(await demo.get(`/admin/proposals/${proposed.data.id}/`))).toEqual([
      404,
      'not_found',
    ])
    const sandbox = { body: '{"is_active":true}', headers: { 'content-type': 'application/json' } }
    expect(codeOf(await one.call('PATCH', `/admin/routes/${id}/`, sandbox))).toEqual([
      404,
      'not_found',
    ])
    expect((await routeOf(id)).is_active).toBe(false)
  })

  it('is not confirmed on the word of somebody who may not propose it any more', async () => {
    const { id } = await offRoute()
    const gone = await app.staff({ role: 'OPERATIONS' })
    const proposed = await change(gone, id, { is_active: true })
    await app.owner`update people set disabled_at = now() where id = ${gone.person_id}`
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'proposer_gone'])
    expect([await statusOf(proposed), (await routeOf(id)).is_active]).toEqual(['PENDING', false])
    expect((await withdraw(other, proposed)).status).toBe(200)
  })

  it('needs a check of the last day when it is made, and when it is confirmed', async () => {
    const { id, code } = await offRoute()
    await passCheck(code, 24)
    const mixed = { is_active: true, priority: 4 }
    expect(codeOf(await change(one, id, mixed))).toEqual([409, 'gateway_not_checked'])
    expect((await routeOf(id)).priority).toBe(900)
    await passCheck(code, 23)
    const proposed = await change(one, id, mixed)
    expect(proposed.status).toBe(202)
    await passCheck(code, 24)
    expect(codeOf(await confirm(other, proposed))).toEqual([409, 'gateway_not_checked'])
    expect([await statusOf(proposed), (await routeOf(id)).is_active]).toEqual(['PENDING', false])
    await passCheck(code)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await routeOf(id)).toMatchObject(mixed)
    // A price needs none.
    await passCheck(code, 48)
    await confirmedByAnother(app, await change(one, id, { cost: { percent: '1' } }))
  })
})

describe('while a proposal about a LIVE route waits', () => {
  beforeAll(meet)

  /** How many wait for a lock. */
  const waiting = (count: number) =>
    eventually(async () => {
      const rows = await app.owner`
        select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`
      expect(rows.count).toBe(count)
    })

  /** Each begins while the route is locked, and has come to a lock before the next one begins. */
  async function atOnce(id: string, ...calls: (() => Promise<Reply>)[]): Promise<Reply[]> {
    const begun: Promise<Reply>[] = []
    await app.owner.begin(async (sql) => {
      await sql`select id from routes where id = ${id} for update`
      for (const call of calls) {
        begun.push(call())
        await waiting(begun.length)
      }
    })
    return Promise.all(begun)
  }

  it('two who confirm at once do it once', async () => {
    const { id } = await onRoute()
    const third = await app.staff({ role: 'OPERATIONS' })
    const proposed = await change(one, id, { cost: { percent: '1.10' } })
    const replies = await atOnce(
      id,
      () => confirm(other, proposed),
      () => confirm(third, proposed),
    )
    expect(replies.map(codeOf)).toEqual([
      [200, undefined],
      [409, 'proposal_decided'],
    ])
    const changed = (await acts(id)).filter(({ after }) => after.cost?.percent === '1.10')
    expect(changed).toHaveLength(1)
  })

  it('the route is switched off: its price, confirmed then, does not switch it on', async () => {
    const { id } = await onRoute()
    const proposed = await change(one, id, { cost: { percent: '1.30' } })
    const replies = await atOnce(
      id,
      () => change(one, id, { is_active: false, priority: 5 }),
      () => confirm(other, proposed),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const now = { is_active: false, priority: 5, cost: { percent: '1.30' } }
    expect(await routeOf(id)).toMatchObject(now)
    // And the other way round.
    const { id: second } = await onRoute()
    const again = await change(one, second, { cost: { percent: '1.30' } })
    const turned = await atOnce(
      second,
      () => confirm(other, again),
      () => change(one, second, { is_active: false, priority: 5 }),
    )
    expect(turned.map(({ status }) => status)).toEqual([200, 200])
    expect(await routeOf(second)).toMatchObject(now)
  })

  it('its account is switched off: the route may be on, and nothing is sent to it', async () => {
    const { id, gateway_id } = await offRoute()
    const proposed = await change(one, id, { is_active: true })
    const off = await send(other, `/admin/gateways/${gateway_id}/`, { is_active: false })
    expect(off.status).toBe(200)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await routeOf(id)).toMatchObject({ is_active: true, gateway_is_active: false })
    expect(await isSentTo(id)).toBe(false)
    const on = await send(one, `/admin/gateways/${gateway_id}/`, { is_active: true })
    expect(on.status).toBe(202)
    expect(await isSentTo(id)).toBe(false)
  })

  it('the route gets another price: what was shown is not what would be done', async () => {
    for (const body of [{ is_active: true }, { cost: { percent: '1.40' } }, { amount_step: '5' }]) {
      const { id } = await offRoute()
      const proposed = await change(one, id, body)
      await app.owner`update routes set cost_percent_ppm = 20000 where id = ${id}`
      expect(codeOf(await confirm(other, proposed))).toEqual([409, 'proposal_outdated'])
      expect(await statusOf(proposed)).toBe('PENDING')
      const kept = { is_active: false, amount_step: '1.00', cost: { percent: '2.00' } }
      expect(await routeOf(id)).toMatchObject(kept)
      expect((await withdraw(one, proposed)).status).toBe(200)
      await confirmedByAnother(app, await change(one, id, body))
    }
  })

  it('others propose and confirm at once: each is answered, and one proposal waits', async () => {
    const { id } = await onRoute()
    const third = await app.staff({ role: 'OPERATIONS' })
    const proposed = await change(one, id, { cost: { percent: '1.60' } })
    const [again, confirmed] = await atOnce(
      id,
      () => change(third, id, { cost: { percent: '1.70' } }),
      () => confirm(other, proposed),
    )
    expect(confirmed?.status).toBe(200)
    expect((await routeOf(id)).cost.percent).toBe('1.60')
    expect([
      [202, undefined],
      [409, 'proposal_pending'],
    ]).toContainEqual(codeOf(again as Reply))
  })
})
