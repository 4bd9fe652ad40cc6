// An operator says that a network of its is closed: everybody sees it and who says so, and payments
// try other routes first. It works again: so do we. It falls silent: its word is forgotten within
// minutes, and nothing stays closed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { availabilityOf } from '../../src/gateways/availability.ts'
import { listFares } from '../../src/gateways/availability-store.ts'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import type { NetworkState } from '../../src/gateways/published.ts'
import { readOperatorStates } from '../../src/gateways/read-operator-states.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'

const code = 'pawapay_states'

let app: TestApp
let pawapay: Pawapay
let staff: SignedInCaller
let shop: Shop
let gateway_id: string
let route_id: string

beforeAll(async () => {
  app = await startApp()
  await app.another()
  pawapay = await startPawapay({ port: 0, speed: 4 })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount(pawapay)
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  gateway_id = account.id
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'COLLECT', priority: 1 }
  const made = await staff.post('/admin/routes/', route)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  route_id = made.data.id
  await others(false)
  shop = await app.shop()
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await pawapay?.stop()
})

/** Whether the other routes of the network are on, and come after this one. */
async function others(are_on: boolean): Promise<void> {
  await app.owner`
    update routes set is_active = ${are_on}, priority = 5
     where network_id = (select id from networks where code = 'mtn_bj')
       and environment = 'SANDBOX' and direction = 'COLLECT' and gateway_id <> ${gateway_id}`
  await app.owner`update catalogue_version set version = version + 1`
}

const says = (works: 'OPERATIONAL' | 'DELAYED' | 'CLOSED') =>
  pawapay.setCondition('MTN_MOMO_BEN', 'deposits', { works })

const readAt = async (): Promise<number> => {
  const [row] = await app.owner<{ at: number }[]>`
    select extract(epoch from nullif(states_read_at, '-infinity'))::float8 as at
      from gateways where id = ${gateway_id}`
  return row?.at ?? 0
}

/** As if a minute had passed since the last question. */
async function nextReading(): Promise<void> {
  const before = await readAt()
  await app.owner`
    update gateways set states_asked_at = '-infinity' where id = ${gateway_id}`
  await eventually(async () => {
    await app.owner.notify('pirogue_wake', 'a-story read-operator-states')
    expect(await readAt()).toBeGreaterThan(before)
  })
}

const isIt = (one: Readonly<{ network_code: string; direction: string }>) =>
  one.network_code === 'mtn_bj' && one.direction === 'COLLECT'

/** As a process shows it that has no copy in memory. */
const shown = async (): Promise<Json> =>
  availabilityOf(await listFares(app.service.db), 'SANDBOX', Date.now()).find(isIt)

/** As everybody reads it; a copy may be some seconds old. */
const becomes = (expected: Json) =>
  eventually(async () => {
    const { data } = await shop.get('/availability/?environment=SANDBOX')
    expect(data.find(isIt)).toMatchObject(expected)
  }, 20_000)

const statusOf = async () => (await staff.get(`/admin/routes/${route_id}/`)).data.operator_status

async function takenBy(): Promise<string> {
  const { data, status, body } = await shop.pay({ amount: '5000', customer: newPayer('10') })
  expect(status, JSON.stringify(body)).toBe(201)
  const [row] = await app.owner<{ code: string }[]>`
    select g.code from attempts a join gateways g on g.id = a.gateway_id
     where a.transaction_id = ${data.id} order by a.created_at limit 1`
  return row?.code ?? ''
}

describe('a network', () => {
  it('that works, as its operator says too, is shown as what we see of it', async () => {
    await nextReading()
    expect(await shown()).toMatchObject({ status: 'OPERATIONAL', source: 'OBSERVED' })
    expect(await statusOf()).toBe('OPERATIONAL')
  })

  it('that its operator calls slow is shown as slow, and taken as before', async () => {
    says('DELAYED')
    await nextReading()
    expect(await shown()).toMatchObject({ status: 'DELAYED', source: 'OPERATOR' })
    expect((await shown()).since).not.toBe(null)
    await others(true)
    expect(await takenBy()).toBe(code)
  })

  it('that its operator calls closed is tried after others, and shown by its best route', async () => {
    says('CLOSED')
    await nextReading()
    expect(await statusOf()).toBe('CLOSED')
    await eventually(async () => expect(await takenBy()).toMatch(/^simulator_/), 20_000)
    expect(await shown()).toMatchObject({ status: 'OPERATIONAL' })
    await others(false)
    await becomes({ status: 'CLOSED', source: 'OPERATOR' })
    expect((await shown()).message).toEqual({
      en: expect.stringMatching(/ is down, as its operator says\.$/),
      fr: expect.stringMatching(/ est en panne, selon son opérateur\.$/),
    })
  })

  it('is well again once it says so', async () => {
    says('OPERATIONAL')
    await nextReading()
    expect(await shown()).toMatchObject({ status: 'OPERATIONAL', source: 'OBSERVED', since: null })
    await eventually(async () => expect(await takenBy()).toBe(code), 20_000)
  })

  it('without another route is tried all the same: what it says of itself refuses nothing', async () => {
    says('CLOSED')
    await nextReading()
    expect(await shown()).toMatchObject({ status: 'CLOSED', source: 'OPERATOR' })
    const tries = () => app.owner`select id from attempts where gateway_id = ${gateway_id}`
    const before = (await tries()).count
    const sent = await shop.pay({ amount: '5000', customer: newPayer('10') })
    expect(sent.status).toBe(422)
    expect((await tries()).count).toBe(before + 1)
  })

  it('of which its operator says nothing more is not closed for ever', async () => {
    await pawapay.stop()
    await app.owner`update gateways
      set states_read_at = now() - interval '4 minutes', states_asked_at = '-infinity'
      where id = ${gateway_id}`
    await app.owner.notify('pirogue_wake', 'a-story read-operator-states')
    const faulty = `pirogue_operator_states_faults_total{gateway="${code}"}`
    await eventually(async () => {
      const text = await (await fetch(`${app.url}/metrics`)).text()
      expect(text).toContain(faulty)
    }, 20_000)
    expect(await shown()).toMatchObject({ status: 'CLOSED', source: 'OPERATOR' })
    await app.owner`update gateways
      set states_read_at = now() - interval '6 minutes' where id = ${gateway_id}`
    await becomes({ source: 'OBSERVED' })
    expect((await shown()).status).not.toBe('CLOSED')
    expect(await statusOf()).toBe(null)
  })
})

describe('a reading', () => {
  const state = (changes: Partial<NetworkState> = {}): NetworkState => ({
    ...{ network_code: 'mtn_bj', direction: 'COLLECT', state: 'CLOSED' },
    ...changes,
  })

  it('is made by one of two processes, and a fault of one account harms no other', async () => {
    // Whom no worker asks, since they publish nothing.
    const rows = await app.owner<{ code: string; id: string }[]>`
      select code, id from gateways where code in ('simulator_a', 'simulator_b')`
    const row_ids = new Map(rows.map((row) => [row.code, row.id]))
    await app.owner`update gateways set states_asked_at = '-infinity' where id in
      ${app.owner([...row_ids.values()])}`
    const asked: string[] = []
    const faults: string[] = []
    const tells = (name: string, availability: () => Promise<NetworkState[]>) => {
      const noted = () => {
        asked.push(name)
        return availability()
      }
      return { code: name, availability: noted } as unknown as Gateway
    }
    const all = [
      tells('simulator_b', () => Promise.reject(new Error('cut'))),
      tells('simulator_a', async () => [
        ...[state(), state({ direction: 'DISBURSE' })],
        state({ direction: 'DISBURSE', state: 'OPERATIONAL' }),
        state({ network_code: 'nobody' }),
      ]),
    ]
    const deps = {
      ...{ db: app.service.db, row_ids, gateways: { all: () => all, get: () => undefined } },
      onFault: (name: string) => void faults.push(name),
    }
    await Promise.all([readOperatorStates(deps), readOperatorStates(deps)])
    expect([asked.toSorted(), faults]).toEqual([['simulator_a', 'simulator_b'], ['simulator_b']])
    // Of what it names twice, and otherwise each time, it says nothing.
    const kept = await app.owner<Json[]>`
      select direction, state from operator_states where gateway_id = ${row_ids.get('simulator_a') ?? ''}`
    expect(kept).toEqual([{ direction: 'COLLECT', state: 'CLOSED' }])
  })
})
