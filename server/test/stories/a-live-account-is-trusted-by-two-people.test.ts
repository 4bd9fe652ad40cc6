// A LIVE account with an operator takes two of the staff to be switched on, trusted with more, sent
// more, or given secrets; one alone may switch it off and trust it with less, at once.

import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  addAccount,
  keepCheck,
  secretsOf,
  setNextSecrets,
  withNextSecrets,
} from '../../src/gateways/accounts.ts'
import type { Finding } from '../../src/gateways/gateway.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, type Reply, type Shop, startApp, type TestApp } from '../harness.ts'
import { confirmedByAnother } from '../setup/second-person.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const confirm = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/confirm/`)
const withdraw = (by: Shop, { data }: Reply) => by.post(`/admin/proposals/${data.id}/withdraw/`)
const statusOf = async (by: Shop, { data }: Reply) =>
  (await by.get(`/admin/proposals/${data.id}/`)).data.status

/** What `gateway check` keeps of a passed check of an account. */
async function passCheck(code: string): Promise<void> {
  const account = await findFoundGateway(app.service.db, code)
  if (account === undefined) throw new Error(`no ${code}`)
  await keepCheck({ db: app.service.db }, account, { findings: [] })
}

describe('a LIVE account with an operator', () => {
  it('is switched on by two people, and off by one', async () => {
    const id = newId()
    const operator = { id, code: 'live_two', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: false }])
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const turn = (by: Shop, is_active: boolean) =>
      by.call('PATCH', `/admin/gateways/${id}/`, {
        body: JSON.stringify({ is_active }),
        headers: live,
      })
    const isOn = async () => (await one.get(`/admin/gateways/${id}/`, live)).data.is_active
    await passCheck('live_two')
    const proposed = await turn(one, true)
    expect([proposed.status, proposed.data]).toMatchObject([
      202,
      { kind: 'GATEWAY_ACCOUNT', subject: id, content: { code: 'live_two', is_active: true } },
    ])
    expect(await isOn()).toBe(false)
    expect(codeOf(await turn(other, true))).toEqual([409, 'proposal_pending'])
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await isOn()).toBe(true)
    expect((await turn(one, false)).status).toBe(200)
    expect(await isOn()).toBe(false)
  })

  it('is switched on after a check that passed within the day, with the secrets that count', async () => {
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const secrets = () => {
      const key = randomBytes(16).toString('hex')
      return {
        ...{ collection_subscription_key: key, disbursement_subscription_key: key },
        ...{ collection_api_user: randomUUID(), disbursement_api_user: randomUUID() },
        ...{ collection_api_key: key, disbursement_api_key: key },
      }
    }
    const code = 'live_checked'
    const { id } = await addAccount(deps, mtnAdapter, {
      ...{ code, name: 'MTN', environment: 'LIVE', country: 'BJ', secrets: secrets() },
      settings: { target_environment: 'mtnbenin' },
    })
    const account = async () => {
      const row = await findFoundGateway(deps.db, code)
      if (row === undefined) throw new Error(`no ${code}`)
      return row
    }
    const any = { en: 'any', fr: 'peu importe' }
    const check = async (is: Finding['is'], isNext = false) => {
      const row = await account()
      const next = isNext ? await withNextSecrets(deps, row) : undefined
      await keepCheck(deps, row, {
        findings: [{ ...{ what: any, found: any, fix: any }, is }],
        next,
      })
    }
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (body: object) =>
      one.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const shown = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    const notChecked = [409, 'gateway_not_checked']
    const waiting = async () =>
      (await secretsOf(deps, await account())).find(({ state }) => state === 'NEXT')?.fingerprint
    const open = async () => change({ is_active: true, promote_secrets: await waiting() })

    expect((await shown()).payment_limit_collect).toBe('50000.00')
    expect([(await shown()).checked_at, codeOf(await open())]).toEqual([null, notChecked])
    await check('FAIL', true)
    expect([(await shown()).checked_at, codeOf(await open())]).toEqual([null, notChecked])
    // What does not stop a payment stops no account.
    await check('WARN', true)
    expect((await shown()).checked_at).not.toBeNull()
    expect(codeOf(await change({ is_active: true }))).toEqual(notChecked)
    const proposed = await open()
    expect(proposed.status).toBe(202)
    await app.owner`
      update gateway_checks set checked_at = now() - interval '24 hours' where gateway_id = ${id}`
    expect(codeOf(await confirm(other, proposed))).toEqual(notChecked)
    expect([await statusOf(one, proposed), (await shown()).is_active]).toEqual(['PENDING', false])
    expect(await waiting()).toBeDefined()
    await check('PASS', true)
    expect((await confirm(other, proposed)).status).toBe(200)
    expect((await shown()).is_active).toBe(true)

    // Other secrets are other checks.
    await setNextSecrets(deps, mtnAdapter, { account: await account(), secrets: secrets() })
    await change({ is_active: false })
    await confirmedByAnother(app, await change({ promote_secrets: await waiting() }))
    expect(codeOf(await change({ is_active: true }))).toEqual(notChecked)
    await check('PASS')
    await confirmedByAnother(app, await change({ is_active: true }))
    // One that fails now counts more than one that passed today.
    await change({ is_active: false })
    await check('FAIL')
    expect(codeOf(await change({ is_active: true }))).toEqual(notChecked)
    await app.owner`
      update gateway_checks set checked_at = now() - interval '8 days' where gateway_id = ${id}`
    await check('PASS')
    const kept = await app.owner`select 1 from gateway_checks where gateway_id = ${id}`
    expect(kept.count).toBe(1)
  })

  it('is switched off by one even where the rest of what they ask for is refused', async () => {
    const id = newId()
    const operator = { id, code: 'live_stopped', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (by: Shop, body: object) =>
      by.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    await app.owner`update gateways set payment_limit_collect = 50000 where id = ${id}`
    expect((await change(one, { payment_limit_collect: '600' })).status).toBe(202)
    const off = { is_active: false, payment_limit_collect: '700' }
    expect(codeOf(await change(other, off))).toEqual([409, 'proposal_pending'])
    expect((await one.get(`/admin/gateways/${id}/`, live)).data).toMatchObject({
      ...{ is_active: false, payment_limit_collect: '500.00' },
    })
  })

  it('takes more of one payment by two people, and less by one', async () => {
    const id = newId()
    const operator = { id, code: 'live_single', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (body: object) =>
      one.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const shown = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    const less = { payment_limit_collect: '500', payment_limit_disburse: '100' }
    expect((await change(less)).status).toBe(200)
    const wrong = await change({ payment_limit_collect: '0', payment_limit_disburse: '-1' })
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([400, Object.keys(less)])
    const mixed = { payment_limit_collect: '400', payment_limit_disburse: null }
    const proposed = await change(mixed)
    expect([proposed.status, proposed.data.content]).toEqual([
      202,
      {
        ...{ code: 'live_single', payment_limit_disburse: '' },
        former_payment_limit_disburse: '100.00',
      },
    ])
    const lowered = { payment_limit_collect: '400.00', payment_limit_disburse: '100.00' }
    expect(await shown()).toMatchObject(lowered)
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await shown()).toMatchObject({ ...lowered, payment_limit_disburse: null })
  })

  it('is trusted with more by two people, and with less by one; that throws no switch', async () => {
    const id = newId()
    const operator = { id, code: 'live_three', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (by: Shop, body: object) =>
      by.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const gateway = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    const limit = async () => (await gateway()).exposure_limit_disburse
    expect((await change(one, { exposure_limit_disburse: '200000' })).status).toBe(200)
    expect(await limit()).toBe('200000.00')
    expect((await change(one, { exposure_limit_disburse: '0' })).status).toBe(400)
    for (const [more, raised] of [
      ['200000.01', '200000.01'],
      [null, null],
    ]) {
      const proposed = await change(one, { exposure_limit_disburse: more })
      expect(proposed.status).toBe(202)
      expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
      expect(await limit()).not.toBe(raised)
      const meanwhile = { is_active: false, name: `Operator, ${raised}` }
      expect((await change(other, meanwhile)).status).toBe(200)
      expect((await confirm(other, proposed)).status).toBe(200)
      // What nobody proposed is as it was changed since.
      expect(await gateway()).toMatchObject(meanwhile)
      expect(await limit()).toBe(raised)
      expect((await gateway()).is_active).toBe(false)
    }
    expect((await change(other, { exposure_limit_disburse: '100' })).status).toBe(200)
  })

  it('is sent more by two people, and less by one; what is usual there counts', async () => {
    const id = newId()
    const operator = { id, code: 'live_pace', adapter: 'stripe', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (body: object) =>
      one.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const gateway = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    // Of calls at once there is no usual number: any is less.
    const slow = { asks_per_s: 5, creates_per_s: 4, open_calls: 3 }
    expect((await change(slow)).status).toBe(200)
    expect(await gateway()).toMatchObject(slow)
    for (const wrong of [0, 1.5, 10_001, '7']) {
      expect((await change({ creates_per_s: wrong })).status).toBe(400)
    }
    const proposed = await change({ asks_per_s: 4, creates_per_s: null, open_calls: 2 })
    expect([proposed.status, proposed.data.content]).toEqual([
      202,
      { code: 'live_pace', creates_per_s: '', former_creates_per_s: '4' },
    ])
    expect(await gateway()).toMatchObject({ asks_per_s: 4, creates_per_s: 4, open_calls: 2 })
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await gateway()).toMatchObject({ asks_per_s: 4, creates_per_s: null, open_calls: 2 })
    // The operator usually allows 50.
    expect((await change({ creates_per_s: 50 })).status).toBe(200)
    const more = await change({ creates_per_s: 51 })
    expect(more.status).toBe(202)
    expect((await confirm(other, more)).status).toBe(200)
    expect(await gateway()).toMatchObject({ creates_per_s: 51 })
    const [act] = await app.owner<{ before: Json; after: Json }[]>`
      select before, after from audit_logs
       where target_id = ${id} and action = 'gateway.changed' order by id desc limit 1`
    expect(act).toMatchObject({ before: { creates_per_s: '50' }, after: { creates_per_s: '51' } })
  })

  it('and what one has lowered is not raised again by what was proposed before', async () => {
    const id = newId()
    const operator = { id, code: 'live_lowered', adapter: 'stripe', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    const [one, other, third] = [await app.staff(), await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (by: Shop, body: object) =>
      by.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const shown = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    const outdated = [409, 'proposal_outdated']
    await change(one, { exposure_limit_disburse: '200000', creates_per_s: 4 })

    const raised = await change(one, { exposure_limit_disburse: '5000000' })
    expect(raised.data.content).toEqual({
      ...{ code: 'live_lowered', exposure_limit_disburse: '5000000.00' },
      former_exposure_limit_disburse: '200000.00',
    })
    expect((await change(other, { exposure_limit_disburse: '20000' })).status).toBe(200)
    expect(codeOf(await confirm(third, raised))).toEqual(outdated)
    expect(await statusOf(one, raised)).toBe('PENDING')
    expect((await shown()).exposure_limit_disburse).toBe('20000.00')
    // What was lowered by mistake is put back by two, and then it is as it was shown.
    expect((await withdraw(one, raised)).status).toBe(200)
    const again = await change(one, { exposure_limit_disburse: '5000000' })
    expect((await confirm(third, again)).status).toBe(200)
    expect((await shown()).exposure_limit_disburse).toBe('5000000.00')

    const faster = await change(one, { creates_per_s: null })
    expect((await change(other, { creates_per_s: 1 })).status).toBe(200)
    expect(codeOf(await confirm(third, faster))).toEqual(outdated)
    expect((await shown()).creates_per_s).toBe(1)
    // What nobody proposed may have changed, and one of before this was shown goes as it did.
    expect((await change(other, { exposure_limit_disburse: '7' })).status).toBe(200)
    await app.owner`
      update staff_proposals set content = content - 'former_creates_per_s'
       where id = ${faster.data.id}`
    expect((await confirm(third, faster)).status).toBe(200)
    expect(await shown()).toMatchObject({ exposure_limit_disburse: '7.00', creates_per_s: null })
  })

  it('is switched off and trusted with less at once, whatever else is asked for with it', async () => {
    const id = newId()
    const operator = { id, code: 'live_four', adapter: 'not_here', name: 'Operator' } as const
    await addGateways(app.owner, [{ ...operator, environment: 'LIVE', is_active: true }])
    // Both may steer gateways; neither may set rates.
    const one = await app.staff({ role: 'OPERATIONS' })
    const other = await app.staff({ role: 'OPERATIONS' })
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (body: object) =>
      one.call('PATCH', `/admin/gateways/${id}/`, { body: JSON.stringify(body), headers: live })
    const gateway = async () => (await one.get(`/admin/gateways/${id}/`, live)).data
    await change({ exposure_limit_collect: '1000', exposure_limit_disburse: '1000' })
    const limits = { exposure_limit_collect: '500', exposure_limit_disburse: '2000' }
    const proposed = await change({ is_active: false, ...limits })
    expect([proposed.status, proposed.data.content]).toEqual([
      202,
      {
        ...{ code: 'live_four', exposure_limit_disburse: '2000.00' },
        former_exposure_limit_disburse: '1000.00',
      },
    ])
    const off = { is_active: false, exposure_limit_collect: '500.00' }
    expect(await gateway()).toMatchObject({ ...off, exposure_limit_disburse: '1000.00' })
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    const clerk = await app.staff({ role: 'FINANCE' })
    expect(codeOf(await confirm(clerk, proposed))).toEqual([403, 'permission_denied'])
    expect((await confirm(other, proposed)).status).toBe(200)
    expect(await gateway()).toMatchObject({ ...off, exposure_limit_disburse: '2000.00' })
    const again = await change({ exposure_limit_disburse: null })
    expect((await withdraw(one, again)).data.status).toBe('WITHDRAWN')
  })

  it('gets its first secrets and its next by two people, and no other host by anybody', async () => {
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const secretsOfVersion = () => {
      const key = randomBytes(16).toString('hex')
      return {
        ...{ collection_subscription_key: key, disbursement_subscription_key: key },
        ...{ collection_api_user: randomUUID(), disbursement_api_user: randomUUID() },
        ...{ collection_api_key: key, disbursement_api_key: key },
      }
    }
    const settings = { target_environment: 'mtnbenin' }
    const account = await addAccount(deps, mtnAdapter, {
      ...{ code: 'live_keys', name: 'MTN', environment: 'LIVE', country: 'BJ' },
      ...{ settings, secrets: secretsOfVersion() },
    })
    const states = async () =>
      (await secretsOf(deps, account)).map(({ state, fingerprint }) => ({ state, fingerprint }))
    const [one, other] = [await app.staff(), await app.staff()]
    const live = { 'x-environment': 'LIVE', 'content-type': 'application/json' }
    const change = (by: Shop, body: object) =>
      by.call('PATCH', `/admin/gateways/${account.id}/`, {
        body: JSON.stringify(body),
        headers: live,
      })
    const [first] = await states()
    expect(first?.state).toBe('NEXT')
    const none = await change(one, { promote_secrets: '0'.repeat(12) })
    expect([none.status, Object.keys(none.error)]).toEqual([400, ['promote_secrets']])
    const proposed = await change(one, { promote_secrets: first?.fingerprint })
    expect([proposed.status, proposed.data]).toMatchObject([
      202,
      {
        kind: 'GATEWAY_ACCOUNT',
        content: { promote_secrets: first?.fingerprint, secrets_version: '1' },
      },
    ])
    expect(codeOf(await confirm(one, proposed))).toEqual([409, 'same_person'])
    expect((await states())[0]?.state).toBe('NEXT')
    expect((await confirm(other, proposed)).status).toBe(200)
    expect((await states())[0]?.state).toBe('CURRENT')
    // What was shown to the second person is what is promoted, and nothing that came since.
    const second = await setNextSecrets(deps, mtnAdapter, { account, secrets: secretsOfVersion() })
    const overtaken = await change(one, { promote_secrets: second.fingerprint })
    await setNextSecrets(deps, mtnAdapter, { account, secrets: secretsOfVersion() })
    expect((await confirm(other, overtaken)).status).toBe(400)
    expect((await states()).map(({ state }) => state)).toEqual(['CURRENT', 'RETIRED', 'NEXT'])
    expect((await withdraw(one, overtaken)).status).toBe(200)
    // Nor others of the same fingerprint, which is short enough to be met on purpose.
    const third = await setNextSecrets(deps, mtnAdapter, { account, secrets: secretsOfVersion() })
    const swapped = await change(one, { promote_secrets: third.fingerprint })
    const fourth = await setNextSecrets(deps, mtnAdapter, { account, secrets: secretsOfVersion() })
    await app.owner`
      update gateway_secrets set fingerprint = ${third.fingerprint}
       where gateway_id = ${account.id} and version = ${fourth.version}`
    expect((await confirm(other, swapped)).status).toBe(400)
    expect((await states())[0]?.state).toBe('CURRENT')
    expect((await withdraw(one, swapped)).status).toBe(200)
    await change(one, { settings: { base_url: 'https://elsewhere.example' } })
    const [kept] = await app.owner<Json[]>`
      select settings, is_active from gateways where id = ${account.id}`
    expect(kept).toEqual({
      settings: { ...settings, base_url: 'https://proxy.momoapi.mtn.com' },
      is_active: false,
    })
    const acts = await app.owner<Json[]>`
      select action, actor_id from audit_logs where target_id = ${account.id} order by id`
    expect(acts).toEqual([
      { action: 'gateway.added', actor_id: null },
      { action: 'gateway_secrets.promoted', actor_id: other.person_id },
      ...Array.from({ length: 4 }, () => ({ action: 'gateway_secrets.set', actor_id: null })),
    ])
  })
})
