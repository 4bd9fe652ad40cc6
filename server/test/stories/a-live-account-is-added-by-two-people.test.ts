// A LIVE account with an operator is added by two of the staff. Until the second one has confirmed it
// there is none, and its secrets are nowhere but sealed beside the proposal, with which they end.

import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { withNextSecrets } from '../../src/gateways/accounts.ts'
import { lapseProposals } from '../../src/people/proposals/decide-proposal.ts'
import { enclosedBinding } from '../../src/people/proposals/proposal.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
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
import { encodingsOf } from '../setup/secrets-in-sight.ts'
import { wholeDump } from '../setup/whole-dump.ts'

const logged: string[] = []
const answers: string[] = []
const given: Readonly<Record<string, string>>[] = []

let app: TestApp
let one: SignedInCaller
let other: SignedInCaller
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => logged.push(line) })
  app = await startApp({ env: { ROLE: 'api' }, log })
})
afterAll(() => app?.stop())

// A minute has its limit for staff too.
const meet = async () => {
  one = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  other = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
}

const live = { 'x-environment': 'LIVE' }
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const confirm = (by: Shop, { data }: Reply) => kept(by.post(`/admin/proposals/${data.id}/confirm/`))
const withdraw = (by: Shop, { data }: Reply) =>
  kept(by.post(`/admin/proposals/${data.id}/withdraw/`))
const read = (by: Shop, { data }: Reply) => kept(by.get(`/admin/proposals/${data.id}/`))
const found = (code: string) => findFoundGateway(app.service.db, code)
const deps = () => ({ db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') })

async function kept(reply: Promise<Reply>): Promise<Reply> {
  const { body, headers } = await reply
  answers.push(JSON.stringify([body, [...headers]]))
  return reply
}

function freshSecrets(): Readonly<Record<string, string>> {
  const key = () => randomBytes(16).toString('hex')
  const secrets = {
    ...{ collection_subscription_key: key(), disbursement_subscription_key: key() },
    ...{ collection_api_user: randomUUID(), disbursement_api_user: randomUUID() },
    ...{ collection_api_key: key(), disbursement_api_key: key() },
  }
  given.push(secrets)
  return secrets
}

const bodyOf = (code: string, changes: object = {}) => ({
  ...{ adapter: 'mtn', code, country: 'bj', settings: { target_environment: 'mtnbenin' } },
  ...{ secrets: freshSecrets(), ...changes },
})
const add = (by: Shop, code: string, changes: object = {}, headers: object = live) =>
  kept(by.post('/admin/gateways/', bodyOf(code, changes), { ...headers }))

/** One that is proposed and waits. */
async function proposed(code: string, changes: object = {}, by: Shop = one): Promise<Reply> {
  const reply = await add(by, code, changes)
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply
}

const sealedIn = async ({ data }: Reply): Promise<Buffer | null | undefined> => {
  const [row] = await app.owner<{ sealed: Buffer | null }[]>`
    select sealed from staff_proposals where id = ${data.id}`
  return row?.sealed
}

describe('a LIVE account', () => {
  beforeAll(meet)

  it('that one person adds is not there until another confirms it', async () => {
    const waits = await proposed('mtn_two')
    const { kind, subject, content } = waits.data
    expect([kind, subject]).toEqual(['GATEWAY_ACCOUNT', 'mtn_two'])
    expect(content).toEqual({
      ...{ environment: 'LIVE', adapter: 'mtn', code: 'mtn_two', country: 'BJ' },
      ...{ name: 'MTN MoMo BJ', fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
      'settings.base_url': 'https://proxy.momoapi.mtn.com',
      'settings.target_environment': 'mtnbenin',
    })
    expect(await found('mtn_two')).toBeUndefined()
    expect((await one.get('/admin/gateways/', live)).data.count).toBe(0)
    const nothing = await app.owner`select 1 from gateway_secrets`
    expect(nothing.count).toBe(0)
    expect(codeOf(await confirm(one, waits))).toEqual([409, 'same_person'])
    expect(await found('mtn_two')).toBeUndefined()

    const done = await confirm(other, waits)
    expect([done.status, done.data.status]).toEqual([200, 'CONFIRMED'])
    const account = await found('mtn_two')
    expect(account).toMatchObject({
      ...{ environment: 'LIVE', is_active: false, country: 'BJ', name: 'MTN MoMo BJ' },
      ...{ secrets_version: null, sealed: null },
      settings: { base_url: 'https://proxy.momoapi.mtn.com', target_environment: 'mtnbenin' },
    })
    const path = `/admin/gateways/${account?.id}/`
    expect((await one.get(path, live)).data).toMatchObject({
      ...{ is_active: false, exposure_limit_collect: '200000.00' },
      ...{ payment_limit_disburse: '50000.00', checked_at: null },
    })
    const secrets = (await one.get(`${path}secrets/`, live)).data.results
    expect(secrets).toMatchObject([{ version: 1, state: 'NEXT', fingerprint: content.fingerprint }])
    const opened = account && (await withNextSecrets(deps(), account))
    expect(opened?.secrets).toEqual(given.at(-1))
  })

  it('has its story in the audit log, with fingerprints and no more', async () => {
    const waits = await proposed('mtn_story')
    await confirm(other, waits)
    const account = await found('mtn_story')
    const acts = await app.owner<Json[]>`
      select action, actor_kind, actor_id, after from audit_logs
       where target_id in (${waits.data.id}, ${account?.id ?? ''}) order by created_at, id`
    const { environment: _, name: _name, ...content } = waits.data.content
    expect(acts).toHaveLength(3)
    expect(acts).toEqual(
      expect.arrayContaining([
        {
          ...{ action: 'proposal.made', actor_kind: 'STAFF', actor_id: one.person_id },
          after: { kind: 'GATEWAY_ACCOUNT' },
        },
        {
          ...{ action: 'proposal.confirmed', actor_kind: 'STAFF', actor_id: other.person_id },
          after: { kind: 'GATEWAY_ACCOUNT' },
        },
        {
          ...{ action: 'gateway.added', actor_kind: 'STAFF', actor_id: other.person_id },
          after: {
            ...{ code: 'mtn_story', adapter: 'mtn', country: 'BJ' },
            ...{ base_url: content['settings.base_url'], target_environment: 'mtnbenin' },
            fingerprint: content.fingerprint,
          },
        },
      ]),
    )
  })

  it('may be given its secrets later', async () => {
    const waits = await proposed('mtn_later', { secrets: undefined })
    expect(waits.data.content).not.toHaveProperty('fingerprint')
    expect(await sealedIn(waits)).toBeNull()
    expect((await confirm(other, waits)).status).toBe(200)
    const account = await found('mtn_later')
    const secrets = await one.get(`/admin/gateways/${account?.id}/secrets/`, live)
    expect(secrets.data.count).toBe(0)
  })

  it('400, 403, 409: is judged when it is proposed, and nothing is kept of what is refused', async () => {
    const elsewhere = { settings: { base_url: app.url } }
    const foreign = await add(one, 'mtn_foreign', elsewhere)
    expect([foreign.status, Object.keys(foreign.error).sort()]).toEqual([
      400,
      ['settings.base_url', 'settings.target_environment'],
    ])
    expect(foreign.error['settings.base_url'][0]).toContain('https://proxy.momoapi.mtn.com')
    const clerk = await app.staff({ role: 'FINANCE' })
    expect(codeOf(await add(clerk, 'mtn_clerk'))).toEqual([403, 'permission_denied'])
    const demo = await app.staff({ demo: true })
    expect(codeOf(await add(demo, 'mtn_demo'))).toEqual([403, 'totp_required'])
    const waits = await proposed('mtn_taken')
    expect(codeOf(await add(other, 'mtn_taken'))).toEqual([409, 'proposal_pending'])
    expect(codeOf(await confirm(clerk, waits))).toEqual([403, 'permission_denied'])
    expect(codeOf(await confirm(demo, waits))).toEqual([403, 'totp_required'])
    expect(codeOf(await read(demo, waits))).toEqual([404, 'not_found'])
    expect((await confirm(other, waits)).status).toBe(200)
    expect(codeOf(await add(one, 'mtn_taken'))).toEqual([409, 'gateway_exists'])
    const rows = await app.owner`
      select 1 from staff_proposals where subject in ('mtn_foreign', 'mtn_clerk', 'mtn_demo')`
    expect(rows.count).toBe(0)
  })

  it('is not confirmed on the word of somebody who may not propose it any more', async () => {
    const gone = await app.staff({ role: 'OPERATIONS' })
    const waits = await proposed('mtn_gone', {}, gone)
    await app.owner`update people set disabled_at = now() where id = ${gone.person_id}`
    expect(codeOf(await confirm(other, waits))).toEqual([409, 'proposer_gone'])
    expect([await found('mtn_gone'), (await read(other, waits)).data.status]).toEqual([
      undefined,
      'PENDING',
    ])
    expect((await withdraw(other, waits)).status).toBe(200)
    expect(await sealedIn(waits)).toBeNull()
  })
})

describe('the secrets of one that waits', () => {
  beforeAll(meet)

  it('are sealed from the start, bound to the proposal, and shown to nobody', async () => {
    const waits = await proposed('mtn_sealed')
    const sealed = await sealedIn(waits)
    const { keyring } = deps()
    const opened = keyring.unseal(sealed ?? Buffer.of(), enclosedBinding([waits.data.id]))
    expect(JSON.parse(opened)).toEqual(given.at(-1))
    expect(() => keyring.unseal(sealed ?? Buffer.of(), enclosedBinding([randomUUID()]))).toThrow()
    const list = await kept(other.get('/admin/proposals/?page_size=100'))
    expect(list.data.results.map(({ id }: Json) => id)).toContain(waits.data.id)
    expect(Object.keys((await read(other, waits)).data)).not.toContain('sealed')
  })

  it('end with a proposal that is withdrawn, by whoever', async () => {
    for (const by of [one, other]) {
      const waits = await proposed('mtn_withdrawn')
      expect(await sealedIn(waits)).toBeInstanceOf(Buffer)
      expect((await withdraw(by, waits)).data.status).toBe('WITHDRAWN')
      expect(await sealedIn(waits)).toBeNull()
      expect(codeOf(await confirm(other, waits))).toEqual([409, 'proposal_decided'])
    }
    expect(await found('mtn_withdrawn')).toBeUndefined()
  })

  it('leave it when it is confirmed', async () => {
    const waits = await proposed('mtn_moved')
    expect((await confirm(other, waits)).status).toBe(200)
    expect(await sealedIn(waits)).toBeNull()
  })

  it('end with a proposal that lapses, by the job or when another takes its place', async () => {
    const over = async ({ data }: Reply) => {
      await app.owner`
        update staff_proposals set expires_at = now() - interval '1 second'
         where id = ${data.id}`
    }
    const waits = await proposed('mtn_over')
    await over(waits)
    expect(codeOf(await confirm(other, waits))).toEqual([409, 'proposal_decided'])
    expect(await lapseProposals(app.owner)).toBe(1)
    expect(await sealedIn(waits)).toBeNull()
    const second = await proposed('mtn_over')
    await over(second)
    const third = await proposed('mtn_over', {}, other)
    expect(await sealedIn(second)).toBeNull()
    expect(await sealedIn(third)).toBeInstanceOf(Buffer)
    // As a process of an older version leaves it.
    await app.owner`
      update staff_proposals
         set status = 'WITHDRAWN', decided_at = now(), decided_by = ${one.person_id}
       where id = ${third.data.id}`
    expect(await lapseProposals(app.owner)).toBe(0)
    expect(await sealedIn(third)).toBeNull()
    expect(await found('mtn_over')).toBeUndefined()
  })
})

describe('of several at once', () => {
  beforeAll(meet)

  /** How many wait for a lock. */
  const waiting = (count: number) =>
    eventually(async () => {
      const rows = await app.owner`
        select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`
      expect(rows.count).toBe(count)
    })

  /** Each begins while the proposal is locked, and has come to its lock before the next begins. */
  async function atOnce({ data }: Reply, ...calls: (() => Promise<Reply>)[]): Promise<Reply[]> {
    const begun: Promise<Reply>[] = []
    await app.owner.begin(async (sql) => {
      await sql`select id from staff_proposals where id = ${data.id} for update`
      for (const call of calls) {
        begun.push(call())
        await waiting(begun.length)
      }
    })
    return Promise.all(begun)
  }

  const added = async (code: string) => {
    const acts = await app.owner`
      select 1 from audit_logs where action = 'gateway.added' and after ->> 'code' = ${code}`
    return acts.count
  }

  it('two who confirm add it once', async () => {
    const third = await app.staff({ role: 'OPERATIONS' })
    const waits = await proposed('mtn_both')
    const replies = await atOnce(
      waits,
      () => confirm(other, waits),
      () => confirm(third, waits),
    )
    expect(replies.map(codeOf)).toEqual([
      [200, undefined],
      [409, 'proposal_decided'],
    ])
    expect(await added('mtn_both')).toBe(1)
  })

  it('one who withdraws and one who confirms: whoever came first', async () => {
    const first = await proposed('mtn_first')
    const withdrawn = await atOnce(
      first,
      () => withdraw(one, first),
      () => confirm(other, first),
    )
    expect(withdrawn.map(codeOf)).toEqual([
      [200, undefined],
      [409, 'proposal_decided'],
    ])
    expect([await found('mtn_first'), await sealedIn(first)]).toEqual([undefined, null])
    const second = await proposed('mtn_first')
    const confirmed = await atOnce(
      second,
      () => confirm(other, second),
      () => withdraw(one, second),
    )
    expect(confirmed.map(codeOf)).toEqual([
      [200, undefined],
      [409, 'proposal_decided'],
    ])
    expect([await added('mtn_first'), await sealedIn(second)]).toEqual([1, null])
  })

  it('two who propose the same code: one does, and the other’s secrets are not kept', async () => {
    for (let round = 0; round < 3; round += 1) {
      const code = `mtn_round_${round}`
      const replies = await Promise.all([add(one, code), add(other, code)])
      expect(replies.map(codeOf)).toEqual(
        expect.arrayContaining([
          [202, undefined],
          [409, 'proposal_pending'],
        ]),
      )
      const rows = await app.owner`
        select 1 from staff_proposals where subject = ${code} and sealed is not null`
      expect(rows.count).toBe(1)
    }
  })

  it('an account of SANDBOX takes the code meanwhile: it is not confirmed', async () => {
    const waits = await proposed('mtn_sandbox')
    const settings = { base_url: app.url }
    expect((await add(other, 'mtn_sandbox', { settings }, {})).status).toBe(201)
    expect(codeOf(await confirm(other, waits))).toEqual([409, 'gateway_exists'])
    expect((await read(one, waits)).data.status).toBe('PENDING')
    expect(await sealedIn(waits)).toBeInstanceOf(Buffer)
    expect((await found('mtn_sandbox'))?.environment).toBe('SANDBOX')
  })
})

it('shows no secret that staff sent: in no answer, no log, no row', async () => {
  expect(given.length).toBeGreaterThan(15)
  const sinks = {
    ...{ database: await wholeDump(app), logs: logged.join('').toLowerCase() },
    answers: answers.join('').toLowerCase(),
  }
  expect(sinks.logs).toContain('/admin/gateways')
  expect(sinks.answers).toContain('fingerprint')
  for (const [name, text] of Object.entries(sinks)) {
    const shown = given.flatMap((secrets) =>
      Object.entries(secrets).filter(([, secret]) =>
        encodingsOf(secret).some((each) => text.includes(each.toLowerCase())),
      ),
    )
    expect(shown.map(([key]) => `${key} in the ${name}`)).toEqual([])
  }
})
