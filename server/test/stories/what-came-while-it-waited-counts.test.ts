// Staff stop a balance or a merchant while an act that would send its money waits for a row that
// another has locked. What was stopped before the act had its turn is not sent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  eventually,
  newPayer,
  type Reply,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import type { OwnerSql } from '../setup/database.ts'
import { refundingShop } from '../setup/refunds.ts'
import { attemptsOf, richSettler } from '../setup/settling.ts'
import { approve, now, richShop, transfer, transferred } from '../setup/transfers.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff()
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]

type Waiting<T extends Readonly<{ status: number }> = Reply> = Readonly<{
  /** Takes the lock that the act needs. */
  hold: (tx: Parameters<Parameters<OwnerSql['begin']>[1]>[0]) => PromiseLike<unknown>
  act: () => Promise<T>
  /** Done, and answered, while the act waits. */
  meanwhile: () => Promise<unknown>
}>

/** The answer of an act that waits for a row while something else is done. */
async function afterWaiting<T extends Readonly<{ status: number }>>({
  hold,
  act,
  meanwhile,
}: Waiting<T>): Promise<T> {
  const { acting } = await app.owner.begin(async (tx) => {
    await hold(tx)
    const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    const acting = untilServed(act)
    await eventually(async () => {
      const waiting = await app.owner`
        select 1 from pg_stat_activity where ${own?.pid ?? 0} = any(pg_blocking_pids(pid))`
      expect(waiting.count).toBeGreaterThan(0)
    })
    await meanwhile()
    return { acting }
  })
  return acting
}

const suspend = async (merchant_id: string, how: 'suspend' | 'restore') => {
  const done = await staff.post(`/admin/merchants/${merchant_id}/${how}/`, { reason: 'Papers' })
  expect(done.status).toBe(200)
}

describe('the approval of a settlement', () => {
  async function waitingSettlement() {
    const shop = await richSettler(app)
    const { data } = await shop.settle('10')
    expect(data.status).toBe('PENDING')
    const approve = () => staff.post(`/admin/settlements/${data.id}/approve/`)
    const hold: Waiting['hold'] = (tx) => tx`
      select 1 from settlements where id = ${data.id} for update`
    return { shop, id: String(data.id), waits: { hold, act: approve } }
  }

  it('sends nothing from a balance that was frozen meanwhile', async () => {
    const { shop, id, waits } = await waitingSettlement()
    const balances = await staff.get(`/admin/balances/?merchant=${shop.merchant_id}`)
    const at = `/admin/balances/${balances.data.results[0].id}`
    const meanwhile = async () => {
      expect((await staff.post(`${at}/freeze/`, { reason: 'Bank' })).status).toBe(200)
    }
    const reply = await afterWaiting({ ...waits, meanwhile })
    expect(codeOf(reply)).toEqual([422, 'balance_frozen'])
    expect(await attemptsOf(app, id)).toHaveLength(0)
    expect((await staff.post(`${at}/unfreeze/`, { reason: 'Bank' })).status).toBe(200)
    expect((await waits.act()).status).toBe(200)
    await shop.ends(id, 'SUCCESS')
  })

  it('waits for a freeze under way, and sends nothing after it', async () => {
    const { shop, id, waits } = await waitingSettlement()
    const freezes =
      (is_frozen: boolean): Waiting['hold'] =>
      (sql) =>
        sql`
      update balances set is_frozen = ${is_frozen} where merchant_id = ${shop.merchant_id}`
    const hold = freezes(true)
    const reply = await afterWaiting({ ...waits, hold, meanwhile: async () => undefined })
    expect(codeOf(reply)).toEqual([422, 'balance_frozen'])
    expect(await attemptsOf(app, id)).toHaveLength(0)
    await app.owner.begin(freezes(false))
    expect((await waits.act()).status).toBe(200)
    await shop.ends(id, 'SUCCESS')
  })

  it('sends nothing for a merchant who was suspended meanwhile', async () => {
    const { shop, id, waits } = await waitingSettlement()
    const meanwhile = () => suspend(shop.merchant_id, 'suspend')
    const reply = await afterWaiting({ ...waits, meanwhile })
    expect([reply.status, reply.error?.code]).toEqual([403, 'merchant_suspended'])
    expect(await attemptsOf(app, id)).toHaveLength(0)
  })

  it('sends nothing for a merchant who was suspended while its balance was busy', async () => {
    const { shop, id, waits } = await waitingSettlement()
    const { merchant_id } = shop
    const hold: Waiting['hold'] = (tx) => tx`
      select 1 from balances where merchant_id = ${merchant_id} for update`
    const meanwhile = () => suspend(merchant_id, 'suspend')
    expect(codeOf(await afterWaiting({ ...waits, hold, meanwhile }))).toEqual([
      403,
      'merchant_suspended',
    ])
    expect(await attemptsOf(app, id)).toHaveLength(0)
  })
})

describe('a settlement paid by bank', () => {
  async function approvedByBank() {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const at = `/admin/settlements/${data.id}`
    expect((await staff.post(`${at}/approve/`)).status).toBe(200)
    const act = () => staff.post(`${at}/execute/`, { gateway_reference: 'VIR-1' })
    return { shop, id: String(data.id), act }
  }
  const frozen =
    (merchant_id: string, is_frozen: boolean): Waiting['hold'] =>
    (sql) =>
      sql`update balances set is_frozen = ${is_frozen} where merchant_id = ${merchant_id}`

  it('leaves no balance whose freeze was under way', async () => {
    const { shop, id, act } = await approvedByBank()
    const hold = frozen(shop.merchant_id, true)
    const reply = await afterWaiting({ hold, act, meanwhile: async () => undefined })
    expect(codeOf(reply)).toEqual([422, 'balance_frozen'])
    expect(await shop.settlement(id)).toMatchObject({ status: 'APPROVED' })
    await app.owner.begin(frozen(shop.merchant_id, false))
    expect((await act()).status).toBe(200)
    expect(await shop.settlement(id)).toMatchObject({ status: 'SUCCESS' })
  })

  it('leaves nothing of a merchant who was suspended while the balance was busy', async () => {
    const { shop, id, act } = await approvedByBank()
    const { merchant_id } = shop
    const reply = await afterWaiting({
      hold: (tx) => tx`select 1 from balances where merchant_id = ${merchant_id} for update`,
      act,
      meanwhile: () => suspend(merchant_id, 'suspend'),
    })
    expect(codeOf(reply)).toEqual([403, 'merchant_suspended'])
    expect(await shop.settlement(id)).toMatchObject({ status: 'APPROVED' })
  })
})

describe('the approval of a payout', () => {
  async function waitingPayout() {
    const shop = await refundingShop(app, {}, '100000')
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const second = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const made = await owner.post('/payouts/initialize/', {
      ...{ amount: '5000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
    })
    expect([made.status, made.data?.approval]).toEqual([201, 'REQUIRED'])
    const { id } = made.data
    const act = () => second.post(`/payouts/${id}/approve/`)
    const now = async () => (await owner.get(`/transactions/${id}/`)).data
    return { shop, id, act, now }
  }
  const untouched = { status: 'PENDING', approval: 'REQUIRED', attempts: [] }

  it('sends nothing for a merchant who was suspended meanwhile, and keeps waiting', async () => {
    const { shop, id, act, now } = await waitingPayout()
    const { merchant_id } = shop
    const reply = await afterWaiting({
      hold: (tx) => tx`
        select 1 from payout_approvals where transaction_id = ${id} for update`,
      act,
      meanwhile: () => suspend(merchant_id, 'suspend'),
    })
    expect(codeOf(reply)).toEqual([403, 'merchant_suspended'])
    expect(await now()).toMatchObject(untouched)
    await suspend(merchant_id, 'restore')
    expect((await act()).status).toBe(200)
    await shop.becomes(id, 'SUCCESS')
  })

  it('waits for a freeze under way, and sends nothing after it', async () => {
    const { shop, id, act, now } = await waitingPayout()
    const freezes =
      (is_frozen: boolean): Waiting['hold'] =>
      (sql) =>
        sql`update balances set is_frozen = ${is_frozen} where merchant_id = ${shop.merchant_id}`
    const hold = freezes(true)
    const reply = await afterWaiting({ hold, act, meanwhile: async () => undefined })
    expect(codeOf(reply)).toEqual([422, 'balance_frozen'])
    expect(await now()).toMatchObject(untouched)
    await app.owner.begin(freezes(false))
    expect((await act()).status).toBe(200)
    await shop.becomes(id, 'SUCCESS')
  })
})

describe('the cancellation of a payout', () => {
  it('that has changed meanwhile leaves it to who decides on it, with its money held', async () => {
    const shop = await refundingShop(app, {}, '100000')
    const owner = await app.member({ merchant_id: shop.merchant_id })
    await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    const made = await owner.post('/payouts/initialize/', {
      ...{ amount: '5000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
    })
    const { id } = made.data
    const cancel = () => owner.post(`/payouts/${id}/cancel/`)
    const reply = await afterWaiting({
      hold: (tx) => tx`
        select 1 from payout_approvals where transaction_id = ${id} for update`,
      act: cancel,
      meanwhile: () => app.owner`
        update transactions set version = version + 1 where id = ${id}`,
    })
    expect(codeOf(reply)).toEqual([409, 'not_cancellable'])
    const kept = await owner.get(`/transactions/${id}/`)
    expect(kept.data).toMatchObject({ status: 'PENDING', approval: 'REQUIRED' })
    expect((await cancel()).status).toBe(200)
    const ended = await owner.get(`/transactions/${id}/`)
    expect(ended.data).toMatchObject({ status: 'FAILED', approval: 'CANCELLED' })
    const { pending_amount } = await shop.balance('BJ')
    expect(pending_amount).toBe('0.00')
  })
})

describe('a payout that waits for a float', () => {
  const setFloats = async (is_empty: boolean) => {
    for (const gateway of ['simulator_a', 'simulator_b']) {
      const body = JSON.stringify({ gateway, country: 'BJ', is_empty, note: 'a test' })
      const headers = { 'content-type': 'application/json' }
      const set = await staff.call('PUT', '/admin/gateway-floats/', { body, headers })
      expect(set.status).toBe(200)
    }
  }

  it('does not leave for a merchant who was suspended while its balance was busy', async () => {
    const shop = await refundingShop(app, {}, '100000')
    const { merchant_id } = shop
    await setFloats(true)
    const made = await shop.post('/payouts/initialize/', {
      ...{ amount: '5000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('10').phone },
    })
    const { id } = made.data
    const isDue = () => app.owner`
      update payout_waits set due_at = now() - interval '1 second' where transaction_id = ${id}`
    await afterWaiting({
      hold: (tx) => tx`select 1 from balances where merchant_id = ${merchant_id} for update`,
      act: async () => {
        await setFloats(false)
        await isDue()
        return { status: 200 }
      },
      meanwhile: () => suspend(merchant_id, 'suspend'),
    })
    await eventually(async () => {
      const waiting = await app.owner`
        select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      expect(waiting.count).toBe(0)
    })
    const kept = await shop.get(`/transactions/${id}/`)
    expect(kept.data).toMatchObject({ status: 'PENDING', attempts: [] })
    await suspend(merchant_id, 'restore')
    await isDue()
    await shop.becomes(id, 'SUCCESS', 20_000)
  })
})

describe('the approval of a transfer', () => {
  it('moves nothing for a merchant who was suspended while its balance was busy', async () => {
    const shop = await richShop(app, '10000000')
    const { id } = await transferred(shop, transfer({ from_amount: '9000000' }))
    expect(await now(shop, id)).toMatchObject({ status: 'PENDING' })
    const reply = await afterWaiting({
      hold: (tx) => tx`
        select 1 from balances where merchant_id = ${shop.merchant_id} for update`,
      act: () => approve(staff, id),
      meanwhile: () => suspend(shop.merchant_id, 'suspend'),
    })
    expect(codeOf(reply)).toEqual([403, 'merchant_suspended'])
    expect(await now(shop, id)).toMatchObject({ status: 'PENDING' })
    await suspend(shop.merchant_id, 'restore')
    expect((await approve(staff, id)).status).toBe(200)
  })
})
