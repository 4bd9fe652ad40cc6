// An operator says of a settlement that our own account with it holds too little. The settlement
// keeps its money and is sent again, to another operator first; it is paid once, given up by staff,
// or ends after 72 hours.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import type { AttemptKeyOf } from '../../src/attempts/attempt.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { nilId } from '../../src/ledger/account.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createMerchant } from '../../src/merchants/merchant.ts'
import { fundBalance } from '../../src/sandbox/fund-balance.ts'
import { startApproved } from '../../src/settlements/jobs.ts'
import { sendSettlementsAgain } from '../../src/settlements/send-again.ts'
import { settlementPurpose } from '../../src/settlements/settlement-purpose.ts'
import { claimSentAgain, listUnsent } from '../../src/settlements/store.ts'
import type { Json } from '../harness.ts'
import { noFloat, paid, refusedBy, waits } from '../setup/scripted-operator.ts'
import { openSettlementFixture, type SettlementFixture } from '../setup/settlement-fixture.ts'
import { plantPhone } from '../setup/settling.ts'

let fixture: SettlementFixture
beforeAll(async () => {
  fixture = await openSettlementFixture()
})
afterAll(() => fixture?.stop())

afterEach(async () => {
  for (const { script } of [fixture.one, fixture.two]) {
    for (const queue of Object.values(script)) queue.length = 0
  }
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
})

const rowOf = async (id: string): Promise<Json> => {
  const [row] = await fixture.owner`
    select status, version, net_amount, failure_code, waits_until is not null as waits,
           extract(epoch from send_again_at - updated_at)::int as again_s
      from settlements where id = ${id}`
  return row
}
const statusesOf = async (id: string) =>
  (await fixture.attempts(id)).map(({ gateway_code, status }) => `${gateway_code} ${status}`)

/** Approved, and refused by both operators for want of our float. */
async function waitingSettlement(): Promise<string> {
  const id = await fixture.waiting()
  fixture.one.script.collect.push(noFloat)
  fixture.two.script.collect.push(noFloat)
  await fixture.approve(id)
  expect(await rowOf(id)).toMatchObject({ status: 'PROCESSING', waits: true })
  return id
}

const isDue = (id: string) => fixture.owner`
  update settlements set send_again_at = now() - interval '1 second' where id = ${id}`

async function comesUp(id: string): Promise<void> {
  await isDue(id)
  await sendSettlementsAgain(fixture.deps)
}

/** What its operator says of an attempt, when we ask. */
async function says(key: AttemptKeyOf | undefined, answer: Answer): Promise<void> {
  const { db } = fixture.deps
  const attempt = key && (await findAttempt(db, key))
  if (attempt === undefined) throw new Error('no attempt')
  await applyAnswer({ db, wake: () => undefined }, settlementPurpose, {
    ...{ merchant_id: attempt.merchant_id, attempt_id: attempt.id, answer },
    hash: Buffer.alloc(32),
    triggered_by: 'POLLER',
    evidence_kind: 'STATUS_ANSWER',
    request_id: 'test',
    status_at_query: attempt.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  })
}

describe('a settlement whose operators have no float of ours', () => {
  it('keeps its money, waits, and is paid once when it is sent again', async () => {
    const before = await fixture.sums()
    const id = await waitingSettlement()
    const { version, again_s } = await rowOf(id)
    expect([version, again_s]).toEqual([3, 120])
    const [available, pending] = await fixture.sums()
    expect([available - before[0], pending - before[1]]).toEqual([-10_000n, 10_000n])
    fixture.one.script.collect.push(waits)
    await comesUp(id)
    const codes = [fixture.one.code, fixture.two.code]
    expect(await statusesOf(id)).toEqual([
      `${codes[0]} FAILED`,
      `${codes[1]} FAILED`,
      `${codes[0]} PENDING`,
    ])
    fixture.one.script.ask.push(paid((await rowOf(id)).net_amount))
    await fixture.poll(id)
    expect(await rowOf(id)).toMatchObject({ status: 'SUCCESS', waits: false, again_s: null })
    const after = await fixture.sums()
    expect([after[0] - before[0], after[1] - before[1]]).toEqual([-10_000n, 0n])
  })

  it('goes first to whoever has not refused it, or not so lately', async () => {
    const id = await fixture.waiting()
    await fixture.approve(id)
    fixture.one.script.ask.push(noFloat)
    await fixture.poll(id)
    expect(await rowOf(id)).toMatchObject({ status: 'PROCESSING', waits: true })
    await comesUp(id)
    expect(await statusesOf(id)).toEqual([
      `${fixture.one.code} FAILED`,
      `${fixture.two.code} PENDING`,
    ])
  })

  it('does not wait for another refusal: it fails, and its money is back', async () => {
    const before = await fixture.sums()
    const id = await waitingSettlement()
    fixture.one.script.collect.push(refusedBy('payer'))
    await comesUp(id)
    expect(await rowOf(id)).toMatchObject({ status: 'FAILED', waits: false })
    expect(await fixture.sums()).toEqual(before)
  })

  it('is given up by staff while it waits, and not once it is sent', async () => {
    const before = await fixture.sums()
    const id = await waitingSettlement()
    await fixture.fail(id)
    expect(await rowOf(id)).toMatchObject({ status: 'FAILED', waits: false })
    expect(await fixture.sums()).toEqual(before)
    await comesUp(id)
    expect(await fixture.attempts(id)).toHaveLength(2)

    const other = await waitingSettlement()
    await comesUp(other)
    await expect(fixture.fail(other)).rejects.toThrow('settlement_in_flight')
  })

  it('fails after 72 hours from its first attempt, and is told of once', async () => {
    const before = await fixture.sums()
    const id = await waitingSettlement()
    const [at] = await fixture.owner`
      select extract(epoch from s.waits_until - min(a.created_at))::int as over_s
        from settlements s join attempts a on a.settlement_id = s.id
       where s.id = ${id} group by s.merchant_id, s.id`
    expect(at?.['over_s']).toBe(72 * 3600)
    await fixture.owner`
      update settlements set waits_until = now() - interval '1 second' where id = ${id}`
    await comesUp(id)
    await comesUp(id)
    expect(await rowOf(id)).toMatchObject({
      ...{ status: 'FAILED', failure_code: 'EXPIRED', waits: false },
    })
    expect(await fixture.sums()).toEqual(before)
    const told = await fixture.owner`
      select type from events where subject_id = ${id} and type = 'settlement.failed'`
    expect(told.count).toBe(1)
    expect(await fixture.attempts(id)).toHaveLength(2)
  })
})

describe('an operator that had no float, and paid after all', () => {
  it('has paid the settlement: it waits no more and is not sent again', async () => {
    const id = await waitingSettlement()
    await fixture.callBack(id, paid((await rowOf(id)).net_amount))
    expect(await rowOf(id)).toMatchObject({ status: 'SUCCESS', waits: false })
    await comesUp(id)
    expect(await fixture.attempts(id)).toHaveLength(2)
  })

  it('twice, and has given one of them back: the settlement itself has not come back', async () => {
    const id = await waitingSettlement()
    await fixture.callBack(id, paid((await rowOf(id)).net_amount))
    const { net_amount, status } = await rowOf(id)
    expect(status).toBe('SUCCESS')
    const [other] = await fixture.owner<AttemptKeyOf[]>`
      select merchant_id, id from attempts where settlement_id = ${id} and status = 'FAILED'`
    await says(other, paid(net_amount))
    await says(other, refusedBy('gateway'))
    const incidents = await fixture.owner`
      select type from incidents where settlement_id = ${id} order by created_at, id`
    expect(incidents.map(({ type }) => type)).toEqual([
      'DUPLICATE_CAPTURE',
      'REVERSED_AFTER_SUCCESS',
    ])
  })

  it('of its first attempt: it is right while a later one is still open', async () => {
    const id = await waitingSettlement()
    fixture.one.script.collect.push(waits)
    await comesUp(id)
    const [first, , third] = await fixture.owner<AttemptKeyOf[]>`
      select merchant_id, id from attempts where settlement_id = ${id} order by created_at, priority`
    await says(first, paid((await rowOf(id)).net_amount))
    expect((await rowOf(id)).status).toBe('SUCCESS')
    expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
    await says(third, refusedBy('gateway'))
    expect((await statusesOf(id)).map((one) => one.split(' ')[1])).toEqual([
      ...['SUCCESS', 'FAILED', 'FAILED'],
    ])
  })

  it('with another sum: it is neither sent nor given up before people have decided', async () => {
    const id = await waitingSettlement()
    await fixture.callBack(id, paid(1_000_00n))
    await comesUp(id)
    await expect(fixture.fail(id)).rejects.toThrow('settlement_in_flight')
    await fixture.owner`
      update settlements set waits_until = now() - interval '1 second' where id = ${id}`
    await comesUp(id)
    expect(await rowOf(id)).toMatchObject({ status: 'PROCESSING', waits: true })
    expect(await fixture.attempts(id)).toHaveLength(2)
  })
})

/** So many copies of it, due for an hour: another merchant's, of whom staff have stopped something. */
type Stop = 'SUSPENDED' | 'FROZEN' | 'REJECTED'

async function plantStopped(id: string, stop: Stop, copies: number) {
  const { owner, deps } = fixture
  const { id: merchant_id } = await createMerchant(deps.db, { name: `Stopped: ${stop}` })
  const phone = await plantPhone({ owner }, merchant_id)
  await fundBalance(deps.db, { merchant_id, country: 'BJ', currency: 'XOF', amount: 1_000_00n })
  if (stop === 'FROZEN') {
    await owner`update balances set is_frozen = true where merchant_id = ${merchant_id}`
  } else if (stop === 'SUSPENDED') {
    await owner`update merchants set status = 'SUSPENDED' where id = ${merchant_id}`
  }
  // Whoever was rejected has LIVE closed, and nothing else.
  const environment = stop === 'REJECTED' ? 'LIVE' : 'SANDBOX'
  await owner`
    insert into settlements
    select (jsonb_populate_record(s, jsonb_build_object(
             'merchant_id', ${merchant_id}::uuid, 'id', gen_random_uuid(),
             'environment', ${environment}::text,
             'payout_method', ${phone}::uuid, 'reference', 'STOPPED-' || n,
             'send_again_at', now() - interval '1 hour'))).*
      from settlements s, generate_series(1, ${copies}::int) n
     where s.id = ${id}`
  return merchant_id
}

describe('one in LIVE of a merchant whom staff have rejected', () => {
  it('is not sent: it waits, as one of a suspended merchant', async () => {
    const id = await waitingSettlement()
    const rejected = await plantStopped(id, 'REJECTED', 1)
    await comesUp(id)
    const [row] = await fixture.owner`
      select s.send_again_at > now() as is_later,
             exists (select 1 from attempts a where a.merchant_id = s.merchant_id) as is_sent
        from settlements s where s.merchant_id = ${rejected}`
    expect(row).toEqual({ is_later: true, is_sent: false })
    await fixture.owner`
      update settlements set status = 'APPROVED', waits_until = null, send_again_at = null
       where merchant_id = ${rejected}`
    const unsent = await listUnsent(fixture.deps.db, nilId, 1_000)
    expect(unsent.filter(({ merchant_id }) => merchant_id === rejected)).toEqual([])
    await fixture.owner`delete from settlements where merchant_id = ${rejected}`
  })
})

/** As if LIVE were served by the operators of the sandbox; `meanwhile`: before the locks are taken. */
const depsOfLive = (meanwhile: () => Promise<unknown>): SettlementFixture['deps'] => ({
  ...fixture.deps,
  routes: async (version) => {
    const routes = await fixture.deps.routes(version)
    await meanwhile()
    return { ...routes, of: (network, direction) => routes.of(network, direction, 'SANDBOX') }
  },
})

describe('one in LIVE of a merchant whom staff reject while it is looked at', () => {
  it.each([
    ['that waits for a float', 'PROCESSING', sendSettlementsAgain],
    ['that was never sent', 'APPROVED', startApproved],
  ] as const)('%s stays until LIVE is opened again, and leaves then', async (_, status, run) => {
    const { owner } = fixture
    const id = await waitingSettlement()
    await owner`update settlements set send_again_at = now() + interval '1 hour' where id = ${id}`
    const merchant_id = await plantStopped(id, 'REJECTED', 1)
    const isServed = (is_so: boolean) => owner`
      update merchants set live_enabled = ${is_so} where id = ${merchant_id}`
    await owner`
      update settlements
         set status = ${status},
             waits_until = case when ${status === 'PROCESSING'} then waits_until end,
             send_again_at = case when ${status === 'PROCESSING'} then send_again_at end
       where merchant_id = ${merchant_id}`
    await isServed(true)
    await run(depsOfLive(() => isServed(false)))
    const sent = () => owner`select 1 from attempts where merchant_id = ${merchant_id}`
    expect(await sent()).toHaveLength(0)
    await isServed(true)
    await owner`
      update settlements set send_again_at = now() - interval '1 second'
       where merchant_id = ${merchant_id} and send_again_at is not null`
    await run(depsOfLive(async () => undefined))
    expect(await sent()).toHaveLength(1)
    await owner`delete from attempts where merchant_id = ${merchant_id}`
    await owner`delete from settlements where merchant_id = ${merchant_id}`
  })
})

describe('a hundred that staff have stopped', () => {
  it('hold up none that may leave, and are looked at again later', async () => {
    const id = await waitingSettlement()
    const stopped = [await plantStopped(id, 'SUSPENDED', 50), await plantStopped(id, 'FROZEN', 50)]
    await comesUp(id)
    expect(await fixture.attempts(id)).toHaveLength(3)
    const later = await fixture.owner`
      select 1 from settlements
       where merchant_id in ${fixture.owner(stopped)} and send_again_at > now()`
    expect(later.count).toBe(100)

    // Those whose time is over end, whatever was stopped.
    await fixture.owner`
      update settlements
         set send_again_at = now() - interval '1 second', waits_until = now() - interval '1 second'
       where merchant_id in ${fixture.owner(stopped)}`
    const over = await claimSentAgain(fixture.deps.db, 200)
    expect([over.length, over.every(({ is_over }) => is_over)]).toEqual([100, true])
    await fixture.owner`delete from settlements where merchant_id in ${fixture.owner(stopped)}`
  })
})

describe('two at once', () => {
  it('send it once', async () => {
    const id = await waitingSettlement()
    await isDue(id)
    await Promise.all([
      sendSettlementsAgain(fixture.deps),
      sendSettlementsAgain(fixture.deps),
      isDue(id).then(() => sendSettlementsAgain(fixture.deps)),
    ])
    expect(await fixture.attempts(id)).toHaveLength(3)
  })

  it('send it or give it up, never both', async () => {
    const before = await fixture.sums()
    const id = await waitingSettlement()
    await isDue(id)
    const [failed] = await Promise.allSettled([
      fixture.fail(id),
      sendSettlementsAgain(fixture.deps),
    ])
    const isFailed = failed?.status === 'fulfilled'
    const sent = (await fixture.attempts(id)).length - 2
    expect([(await rowOf(id)).status, sent]).toEqual(isFailed ? ['FAILED', 0] : ['PROCESSING', 1])
    if (isFailed) expect(await fixture.sums()).toEqual(before)
  })

  it('a process that dies after the statement and before the send: it is asked about', async () => {
    const id = await waitingSettlement()
    fixture.one.script.collect.push(() => {
      throw new Error('the process died here')
    })
    await isDue(id)
    await expect(sendSettlementsAgain(fixture.deps)).rejects.toThrow('died')
    expect(await rowOf(id)).toMatchObject({ status: 'PROCESSING', waits: false })
    await comesUp(id)
    expect(await fixture.attempts(id)).toHaveLength(3)
    fixture.one.script.ask.push(paid((await rowOf(id)).net_amount))
    await fixture.poll(id)
    expect(await rowOf(id)).toMatchObject({ status: 'SUCCESS' })
  })
})
