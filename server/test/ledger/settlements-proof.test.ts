// What `ledger verify` says of settlements: nothing while hold, entries, attempts and status agree,
// and a sentence for each way in which they do not. Without it a settlement could be paid and not
// booked, or booked twice, and nobody would know.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Sql } from '../../src/platform/db.ts'
import { paid, refusedBy } from '../setup/scripted-operator.ts'
import { openSettlementFixture, type SettlementFixture } from '../setup/settlement-fixture.ts'

const law = 'each settlement is booked, and nothing else'
const lawOfReturns = 'each return is booked, and nothing else'

let fixture: SettlementFixture
const ids = { waiting: '', sent: '', success: '', failed: '' }

beforeAll(async () => {
  fixture = await openSettlementFixture()
  ids.waiting = await fixture.waiting()
  ids.sent = await fixture.waiting()
  await fixture.approve(ids.sent)
  ids.failed = await fixture.waiting()
  fixture.one.script.collect.push(refusedBy('payer'))
  await fixture.approve(ids.failed)
  ids.success = await fixture.waiting()
  const [row] = await fixture.owner`select net_amount from settlements where id = ${ids.success}`
  fixture.one.script.collect.push(paid(row?.['net_amount']))
  await fixture.approve(ids.success)
})
afterAll(() => fixture?.stop())

class Back extends Error {}

/** What the law says after the change, which is then taken back. */
async function foundAfter(
  change: (sql: Sql) => Promise<unknown>,
  checkedLaw = law,
): Promise<readonly string[]> {
  let found: readonly string[] = []
  const changed = fixture.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await change(tx)
    found = (await verifyLedger(tx)).find(({ check }) => check === checkedLaw)?.examples ?? []
    throw new Back()
  })
  await expect(changed).rejects.toBeInstanceOf(Back)
  return found
}

const move = (id: string, columns: Record<string, unknown>) => (sql: Sql) =>
  sql`update settlements set ${sql(columns)} where id = ${id}`

const ended = { completed_at: new Date(), approved_at: new Date() }

describe('the law of settlements', () => {
  it('is kept by settlements in every status, and looks at each of them', async () => {
    expect(await foundAfter(async () => undefined)).toEqual([])
    const check = (await verifyLedger(fixture.owner)).find((one) => one.check === law)
    expect(check).toMatchObject({ ok: true, counted: 4 })
  })

  it.each([
    [
      'a success without entries',
      (sql: Sql) => sql`
      delete from ledger_entries where cause_kind = 'SETTLEMENT' and cause_id = ${ids.success}`,
      /SUCCESS without entries/,
    ],
    [
      'a success whose fee is booked with another sum',
      (sql: Sql) => sql`
      update ledger_entries set amount = amount + 100
       where cause_kind = 'SETTLEMENT' and cause_id = ${ids.success} and line = 3`,
      /other figures than it has/,
    ],
    [
      'a success that claims another net',
      (sql: Sql) =>
        sql`update settlements set net_amount = net_amount - 100, client_fee = client_fee + 100,
            platform_fee = platform_fee + 100 where id = ${ids.success}`,
      /other figures than its settled attempt/,
    ],
    [
      'a success that was settled by nobody',
      (sql: Sql) => move(ids.success, { settled_attempt: ids.sent })(sql),
      /settled by no attempt of its own/,
    ],
    [
      'a success that is booked for another attempt',
      (sql: Sql) => sql`
      update ledger_entries set attempt_id = ${ids.sent}
       where cause_kind = 'SETTLEMENT' and cause_id = ${ids.success}`,
      /booked for another attempt/,
    ],
    [
      'a success that the bank is said to have paid',
      (sql: Sql) => move(ids.success, { settled_attempt: null })(sql),
      /booked for another attempt/,
    ],
    [
      'a success whose hold was released',
      (sql: Sql) => sql`update hold_ends set how = 'RELEASE' where hold_id = ${ids.success}`,
      /is SUCCESS and its hold is RELEASE/,
    ],
    [
      'a success whose hold is open',
      (sql: Sql) => sql`delete from hold_ends where hold_id = ${ids.success}`,
      /is SUCCESS and its hold is open/,
    ],
    [
      'a failure whose hold was spent',
      (sql: Sql) => sql`update hold_ends set how = 'SPEND' where hold_id = ${ids.failed}`,
      /is FAILED and its hold is SPEND/,
    ],
    [
      'a failure that has entries',
      (sql: Sql) => sql`
      update ledger_entries set cause_kind = 'SETTLEMENT'
       where cause_kind = 'HOLD_END' and cause_id = ${ids.failed}`,
      /is FAILED and has entries/,
    ],
    [
      'one that waits and holds nothing',
      (sql: Sql) => sql`delete from holds where id = ${ids.waiting}`,
      /does not hold what it costs/,
    ],
    [
      'one that holds another sum',
      (sql: Sql) => sql`update holds set amount = amount + 100 where id = ${ids.waiting}`,
      /does not hold what it costs/,
    ],
    [
      'one that was sent and has nobody to ask',
      (sql: Sql) => sql`
      update attempts set status = 'FAILED', gateway_ended = true, finished_at = now()
       where settlement_id = ${ids.sent}`,
      /is PROCESSING and has 0 open attempts/,
    ],
    [
      'one that waits and was sent',
      (sql: Sql) =>
        sql`update attempts set settlement_id = ${ids.waiting} where settlement_id = ${ids.sent}`,
      /is PENDING and has 1 open attempts/,
    ],
    [
      'one that was cancelled and is still held',
      (sql: Sql) => move(ids.waiting, { status: 'CANCELLED', ...ended })(sql),
      /is CANCELLED and its hold is open/,
    ],
    [
      'entries of no settlement',
      (sql: Sql) => sql`
      update ledger_entries set cause_id = ${ids.sent.replace(/.$/, (last) => (last === 'f' ? 'e' : 'f'))}
       where cause_kind = 'SETTLEMENT' and cause_id = ${ids.success}`,
      /entries name the settlement/,
    ],
  ] as const)('is broken by %s', async (_what, change, sentence) => {
    const found = await foundAfter(async (sql) => change(sql))
    expect(found).toContainEqual(expect.stringMatching(sentence))
  })
})

describe('the law of returns', () => {
  /** Two people have said that it is the merchant's again. */
  const resolved = (settlement_id: string) => (sql: Sql) =>
    sql`
      insert into incidents (merchant_id, id, environment, type, status, settlement_id, gateway_id,
        amount, resolution, proposed_by, confirmed_by, resolved_at)
      select merchant_id, gen_random_uuid(), environment, 'RETURNED', 'RESOLVED', id,
             gen_random_uuid(), net_amount, 'CREDIT_MERCHANT', gen_random_uuid(),
             gen_random_uuid(), now()
        from settlements where id = ${settlement_id}`
  const returned_at = new Date()

  it.each([
    [
      'one that came back by nobody’s word',
      (sql: Sql) => move(ids.success, { returned_at })(sql),
      /came back and two people never said so/,
    ],
    [
      'one that two people said came back, and does not say so',
      (sql: Sql) => resolved(ids.success)(sql),
      /came back and does not say so/,
    ],
    [
      'one that came back and gave nobody anything',
      async (sql: Sql) => {
        await resolved(ids.success)(sql)
        await move(ids.success, { returned_at })(sql)
      },
      /came back with other figures than it has/,
    ],
  ] as const)('is broken by %s', async (_what, change, sentence) => {
    const found = await foundAfter(async (sql) => change(sql), lawOfReturns)
    expect(found).toEqual([expect.stringMatching(sentence)])
  })
})
