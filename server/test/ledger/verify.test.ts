// Each law of the ledger finds what breaks it. The breach is planted by the owner of the tables,
// with constraints out of the way, in a transaction that is rolled back: nothing else would let it
// in.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, accountId, gatewayAccount } from '../../src/ledger/account.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import type { Tx } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { soundAdjustment } from './adjustment-books.ts'
import { gatewayId, payinFigures, senegal, soundBooks, writeLog } from './books.ts'
import { soundRefund } from './refund-books.ts'
import { soundReturn } from './return-books.ts'
import { soundSettlement } from './settlement-books.ts'
import { soundTransfers } from './transfer-books.ts'

let database: TestDatabase
let refund_id: string
let returned_id: string
const place = senegal(newId())
const other = { ...senegal(newId(), 'LIVE'), country: 'BJ' }

beforeAll(async () => {
  database = await createTestDatabase()
  await soundBooks(database.owner, place)
  await soundBooks(database.owner, other)
  await soundTransfers(database.owner, senegal(newId()))
  await soundSettlement(database.owner, senegal(newId()))
  await soundAdjustment(database.owner, senegal(newId()))
  returned_id = await soundReturn(database.owner, senegal(newId()))
  refund_id = await soundRefund(database.owner, senegal(newId()))
})

afterAll(() => database.drop())

class Undo extends Error {}

/** The checks that fail while the breach is there, with their examples. */
async function failedBy(plant: (sql: Tx) => Promise<unknown>): Promise<Map<string, string[]>> {
  let failed = new Map<string, string[]>()
  const undone = database.owner.begin(async (tx) => {
    await plant(tx)
    const checks = await verifyLedger(tx)
    failed = new Map(checks.filter(({ ok }) => !ok).map((one) => [one.check, one.examples]))
    throw new Undo()
  })
  await expect(undone).rejects.toThrow(Undo)
  return failed
}

const mine = { merchant_id: place.merchant_id }

describe('verifyLedger', () => {
  it('finds sound books right, and has looked at something for each law', async () => {
    const checks = await verifyLedger(database.owner)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(checks.filter(({ counted }) => counted === 0)).toEqual([])
    expect(checks).toHaveLength(22)
    expect(checks.every(({ broken, examples }) => broken === 0 && examples.length === 0)).toBe(true)
  })

  it.each([
    ['each refund is booked, and nothing else', { status: 'FAILED', settled_attempt: null }],
    ['each refund is booked, and nothing else', { amount: 300_000, held_amount: 300_000 }],
    ['each payment counts its refunds', { returned_at: new Date() }],
    ['each refund that came back is booked', { returned_at: new Date() }],
  ])('%s: finds a refund that was changed', async (law, change) => {
    const failed = await failedBy(
      (sql) => sql`update refunds set ${sql(change)} where id = ${refund_id}`,
    )
    expect([...failed.keys()]).toContain(law)
  })

  const law = 'a fee is given back at most once, and not more of it'

  it('finds a payment whose fee is given back twice', async () => {
    const give = { returned_platform_fee: 1n, held_amount: 399_999n }
    const failed = await failedBy(async (sql) => {
      await sql`update refunds set ${sql(give)} where id = ${refund_id}`
      const again = JSON.stringify({ id: newId(), status: 'PENDING', ended_at: null })
      const more = JSON.stringify({ settled_attempt: null })
      await sql`
        insert into refunds
        select p.* from refunds r,
               jsonb_populate_record(r, ${again}::text::jsonb || ${more}::text::jsonb) as p
         where r.id = ${refund_id}`
    })
    expect(failed.get(law)).toEqual([expect.stringMatching(/gives its fee back 2 times$/)])
  })

  it('finds a payment that gives back more of its fee than was taken', async () => {
    const [{ fee } = { fee: 0n }] = await database.owner<{ fee: bigint }[]>`
      select a.platform_fee as fee from refunds r
        join attempts a on a.merchant_id = r.merchant_id and a.id = r.refund_of
       where r.id = ${refund_id}`
    const giving = (returned: bigint) =>
      failedBy((sql) => {
        const change = { returned_platform_fee: returned, held_amount: 400_000n - returned }
        return sql`update refunds set ${sql(change)} where id = ${refund_id}`
      })
    expect((await giving(fee)).has(law)).toBe(false)
    expect((await giving(fee + 1n)).get(law)).toEqual([
      expect.stringMatching(/^payment .* gives back 0 and \d+ of a fee of/),
    ])
  })

  it.each([
    ['says nothing of it', { return_state: null, returned_at: null, returned_amount: null }],
    ['says another sum', { returned_amount: 1n }],
  ])('finds a payout that came back and %s', async (_how, change) => {
    const failed = await failedBy(
      (sql) => sql`update transactions set ${sql(change)} where id = ${returned_id}`,
    )
    expect([...failed.keys()]).toContain('each payout that came back is booked, once')
  })

  it('finds a payout that says that it came back, and has booked nothing', async () => {
    const failed = await failedBy(
      (sql) => sql`delete from ledger_entries where cause_kind = 'RETURN'`,
    )
    expect(failed.get('each payout that came back is booked, once')).toEqual([
      expect.stringMatching(/^payout .* came back and has no entries$/),
    ])
  })

  const holding = 'each payout holds what it costs until it ends'

  /** Of the merchant's payouts the one of this status. */
  const payoutThatIs = (sql: Tx, status: string) => sql`
    (select id from transactions
      where transaction_type = 'RETRAIT' and status = ${status}
        and merchant_id = ${mine.merchant_id})`

  it('finds a payout that failed and still holds its money', async () => {
    const failed = await failedBy(
      (sql) => sql`
        delete from hold_ends n using holds h
         where h.merchant_id = n.merchant_id and h.id = n.hold_id
           and h.cause_id = ${payoutThatIs(sql, 'FAILED')}`,
    )
    expect(failed.get(holding)).toEqual([
      expect.stringMatching(/^payout .* is FAILED and its hold is open$/),
    ])
  })

  it.each(['RELEASE', 'SPEND'])('finds one that goes on and has a hold with %s', async (how) => {
    const failed = await failedBy(
      (sql) => sql`
        insert into hold_ends (merchant_id, hold_id, how, environment)
        select merchant_id, id, ${how}, environment from holds
         where cause_id = ${payoutThatIs(sql, 'PENDING')}`,
    )
    expect(failed.get(holding)).toEqual([
      expect.stringMatching(new RegExp(`^payout .* is PENDING and its hold is ${how}$`)),
    ])
  })

  it('finds one that was paid and had its money back, and one that holds another sum', async () => {
    const released = await failedBy(
      (sql) => sql`
        update hold_ends n set how = 'RELEASE' from holds h
         where h.merchant_id = n.merchant_id and h.id = n.hold_id
           and h.cause_id = ${payoutThatIs(sql, 'SUCCESS')}`,
    )
    expect([...released]).toEqual([
      [holding, [expect.stringMatching(/^payout .* is SUCCESS and its hold is RELEASE$/)]],
    ])
    const less = await failedBy(
      (sql) => sql`
        update holds set amount = amount - 1
         where cause_id = ${payoutThatIs(sql, 'PENDING')}`,
    )
    expect(less.get(holding)).toEqual([
      expect.stringMatching(/^payout .* does not hold what it costs$/),
    ])
  })

  it('finds a payout that holds nothing, and a hold for a payout that is not there', async () => {
    const stray = await failedBy(
      (sql) => sql`
        update holds set cause_id = ${newId()}
         where cause_id = ${payoutThatIs(sql, 'FAILED')}`,
    )
    expect(stray.get(holding)).toEqual([
      expect.stringMatching(/^a hold names the payout .*, not there$/),
      expect.stringMatching(/^payout .* does not hold what it costs$/),
    ])
  })

  /** Its operator has refused it; what becomes of the payout then is `more`. */
  const refused = (more: (sql: Tx) => Promise<unknown>) =>
    failedBy(async (sql) => {
      await sql`
        update attempts set status = 'FAILED', gateway_ended = true, finished_at = now()
         where transaction_id = ${payoutThatIs(sql, 'PENDING')}`
      await more(sql)
    })
  const waits = (sql: Tx) => sql`
    insert into payout_waits (merchant_id, transaction_id, environment, reason)
    select ${mine.merchant_id}, ${payoutThatIs(sql, 'PENDING')}, 'SANDBOX', 'NO_ROUTE'`
  const isAsked = (sql: Tx) => sql`
    insert into payout_approvals (merchant_id, transaction_id, environment, lapses_at)
    select ${mine.merchant_id}, ${payoutThatIs(sql, 'PENDING')}, 'SANDBOX', now()`

  it('finds a payout that nobody sends and nobody ends', async () => {
    const failed = await refused(async () => undefined)
    expect([...failed]).toEqual([
      [holding, [expect.stringMatching(/^payout .* is PENDING and nothing is under way$/)]],
    ])
    const refusedByAll = await refused(async (sql) => {
      await isAsked(sql)
      await sql`update payout_approvals set status = 'REJECTED', decided_at = now()`
    })
    expect([...refusedByAll.keys()]).toEqual([holding])
  })

  it('lets a payout wait to be sent, or for a person, and not for both', async () => {
    expect(await refused(waits)).toEqual(new Map())
    expect(await refused(isAsked)).toEqual(new Map())
    const both = await refused(async (sql) => {
      await waits(sql)
      await isAsked(sql)
    })
    expect([...both]).toEqual([
      [holding, [expect.stringMatching(/^payout .* is PENDING, and under way: a wait, an app/)]],
    ])
    const sent = await failedBy(waits)
    expect([...sent.keys()]).toEqual([holding])
  })

  it('lets the wait of a payout that was paid meanwhile be taken away later', async () => {
    const failed = await failedBy(
      (sql) => sql`
        insert into payout_waits (merchant_id, transaction_id, environment, reason)
        select ${mine.merchant_id}, ${payoutThatIs(sql, 'SUCCESS')}, 'SANDBOX', 'NO_ROUTE'`,
    )
    expect(failed).toEqual(new Map())
  })

  it('finds an empty ledger right', async () => {
    const empty = await createTestDatabase()
    const checks = await verifyLedger(empty.owner)
    await empty.drop()
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
  })

  it('finds an entry whose account is not there', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update ledger_entries set debit_account = ${newId()}
         where cause_kind = 'FREEZE' and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get('entries balance')).toEqual([
      expect.stringMatching(/^entry .* debits an account that is not there$/),
    ])
  })

  it('finds an entry between two currencies, environments or countries', async () => {
    for (const [strange, finding] of [
      [{ ...place, currency: 'XAF' }, 'currencies'],
      [{ ...place, environment: 'LIVE' as const }, 'environments'],
      [{ ...place, country: 'CI' }, 'countries'],
    ] as const) {
      const odd = account(strange, 'frozen')
      const failed = await failedBy(async (sql) => {
        await sql`insert into accounts ${sql({ ...odd, id: accountId(odd) })}`
        await sql`
          update ledger_entries set credit_account = ${accountId(odd)}
           where cause_kind = 'FREEZE' and merchant_id = ${mine.merchant_id}`
      })
      expect(failed.get('entries balance')).toEqual([expect.stringContaining(`mixes ${finding}`)])
    }
  })

  it('finds a balance that is one hundredth off, in each of its three sums', async () => {
    for (const column of ['available', 'pending', 'frozen']) {
      const failed = await failedBy(
        (sql) => sql`
          update balances set ${sql(column)} = ${sql(column)} + 1
           where merchant_id = ${mine.merchant_id}`,
      )
      expect(failed.get('balances are the sums of their entries')).toHaveLength(1)
    }
  })

  it('finds entries without a balance', async () => {
    const failed = await failedBy(
      (sql) => sql`delete from balances where merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get('balances are the sums of their entries')).toEqual([
      `merchant ${mine.merchant_id} has entries in SN and no balance`,
    ])
  })

  it('finds an entry that says another change of available than it makes', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update ledger_entries set available_change = available_change + 1
         where cause_kind = 'SANDBOX' and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get('entries say what they move')).toHaveLength(1)
    expect(failed.has('entries are numbered without gap')).toBe(true)
  })

  it('finds a missing number, a wrong running sum, and a balance that counts too far', async () => {
    const check = 'entries are numbered without gap'
    const gap = await failedBy(
      (sql) => sql`
        update ledger_entries set entry_no = entry_no + 1
         where entry_no > 1 and merchant_id = ${mine.merchant_id}`,
    )
    expect(gap.get(check)?.[0]).toMatch(/counts|is number \d+ where \d+ is due/)
    const sum = await failedBy(
      (sql) => sql`
        update ledger_entries set balance_after = balance_after + 1
         where entry_no = 2 and merchant_id = ${mine.merchant_id}`,
    )
    expect(sum.get(check)).toEqual([expect.stringMatching(/leaves \d+ where the sum is \d+/)])
    const count = await failedBy(
      (sql) => sql`
        update balances set entry_no = entry_no + 1 where merchant_id = ${mine.merchant_id}`,
    )
    expect([...count.keys()]).toEqual([check])
  })

  it('finds a hold that ended twice, or was never made', async () => {
    const twice = await failedBy(async (sql) => {
      await sql`alter table hold_ends drop constraint hold_ends_pkey`
      await sql`
        insert into hold_ends (merchant_id, hold_id, how, environment)
        select merchant_id, hold_id, 'RELEASE', environment from hold_ends
         where how = 'SPEND' and merchant_id = ${mine.merchant_id}`
    })
    expect(twice.get('each hold ends at most once')).toEqual([
      expect.stringMatching(/was ended 2 times$/),
    ])
    const never = await failedBy(
      (sql) => sql`
        insert into hold_ends
        ${sql({ ...mine, hold_id: newId(), how: 'SPEND', environment: 'SANDBOX' })}`,
    )
    expect([...never.keys()]).toEqual(['each hold ends at most once'])
  })

  it('finds a hold that ended in words only: pending is then not what is held', async () => {
    const failed = await failedBy(
      (sql) => sql`
        insert into hold_ends (merchant_id, hold_id, how, environment)
        select h.merchant_id, h.id, 'RELEASE', h.environment
          from holds h left join hold_ends n on n.hold_id = h.id
         where n.hold_id is null and h.merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get('each hold moves its amount once')).toEqual([
      expect.stringMatching(/moved 0 out of pending and is ended$/),
    ])
    expect(failed.get('pending is the sum of open holds')).toEqual([
      expect.stringMatching(/has 1000000 pending in SN, open holds sum to 0$/),
    ])
  })

  it('finds a hold released and spent: it left pending twice', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update ledger_entries e set cause_id = h.id
          from holds h join hold_ends n on n.hold_id = h.id and n.how = 'SPEND'
         where e.cause_kind = 'HOLD_END' and e.merchant_id = ${mine.merchant_id}
           and h.merchant_id = ${mine.merchant_id}`,
    )
    const examples = failed.get('each hold moves its amount once') ?? []
    expect(examples.join()).toMatch(/moved 2000000 out of pending and is ended/)
  })

  it('finds a hold that nobody booked', async () => {
    const failed = await failedBy(
      (sql) => sql`
        insert into holds ${sql({
          ...place,
          id: newId(),
          amount: 500n,
          cause_kind: 'TRANSFER',
          cause_id: newId(),
        })}`,
    )
    expect([...failed.keys()]).toEqual([
      'each hold moves its amount once',
      'pending is the sum of open holds',
    ])
  })
})

describe('verifyLedger on transactions', () => {
  const check = 'each success is booked, and nothing else'

  it('finds a success without entries', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update transactions t set status = 'SUCCESS', settled_attempt = a.id
          from attempts a
         where a.transaction_id = t.id and t.status = 'FAILED'
           and t.transaction_type = 'PAIEMENT' and t.merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toEqual([
      expect.stringMatching(/was settled by an attempt that is FAILED$/),
    ])
    const booked = await failedBy(async (sql) => {
      await sql`update attempts set status = 'SUCCESS', gateway_ended = true, finished_at = now()`
      await sql`
        update transactions t set status = 'SUCCESS', settled_attempt = a.id
          from attempts a
         where a.transaction_id = t.id and t.status = 'FAILED'
           and t.transaction_type = 'PAIEMENT' and t.merchant_id = ${mine.merchant_id}`
    })
    expect(booked.get(check)).toEqual([expect.stringMatching(/is SUCCESS without entries$/)])
  })

  it('finds entries of a transaction that is no success, or is not there', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update transactions set status = 'FAILED', settled_attempt = null
         where status = 'SUCCESS' and transaction_type = 'RETRAIT'
           and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toEqual([expect.stringMatching(/is FAILED and has entries$/)])
    const stray = await failedBy(
      (sql) => sql`
        update ledger_entries set cause_kind = 'TRANSACTION'
         where cause_kind = 'FREEZE' and merchant_id = ${mine.merchant_id}`,
    )
    expect(stray.get(check)).toEqual([expect.stringMatching(/^entries name .* not there$/)])
  })

  it('finds a success booked with a hundredth more, on the side of any account', async () => {
    for (const line of [1, 2, 3, 4]) {
      const failed = await failedBy(
        (sql) => sql`
          update ledger_entries set amount = amount + 1
           where cause_kind = 'TRANSACTION' and line = ${line}
             and merchant_id = ${mine.merchant_id}`,
      )
      expect(failed.get(check)?.[0]).toMatch(/is booked with other figures than its attempt has$/)
    }
  })

  it('finds a success booked for another gateway or attempt', async () => {
    const stranger = gatewayAccount(place, newId(), 'COLLECT')
    const failed = await failedBy(async (sql) => {
      await sql`insert into accounts ${sql({ ...stranger, id: accountId(stranger) })}`
      await sql`
        update ledger_entries e set debit_account = ${accountId(stranger)}
          from accounts k
         where k.id = e.debit_account and k.kind = 'gateway' and e.cause_kind = 'TRANSACTION'
           and e.merchant_id = ${mine.merchant_id}`
    })
    expect(failed.get(check)?.[0]).toMatch(/is booked for another attempt or gateway$/)
    const attempt = await failedBy(
      (sql) => sql`
        update ledger_entries set attempt_id = ${newId()}
         where cause_kind = 'TRANSACTION' and line = 1 and merchant_id = ${mine.merchant_id}`,
    )
    expect(attempt.get(check)?.[0]).toMatch(/is booked for another attempt or gateway$/)
  })

  it('finds a success whose own figures are not those of its settled attempt', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update attempts
           set gateway_fee = gateway_fee - 100, platform_fee = platform_fee + 100
         where status = 'SUCCESS' and direction = 'DISBURSE'
           and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toEqual([
      expect.stringMatching(/has other figures than its settled attempt$/),
    ])
  })

  it('finds a success settled by the attempt of another transaction', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update transactions set settled_attempt = ${newId()}
         where status = 'SUCCESS' and transaction_type = 'RETRAIT'
           and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toEqual([
      expect.stringMatching(/was settled by no attempt of its own$/),
    ])
  })

  it('finds logs that do not lead to the status, whatever is missing', async () => {
    for (const [from, to] of [
      ['PENDING', 'FAILED'],
      ['FAILED', 'SUCCESS'],
    ]) {
      const failed = await failedBy(
        (sql) => sql`
          delete from transaction_status_logs
           where id = (select id from transaction_status_logs
                        where from_status = ${from ?? ''} and to_status = ${to ?? ''}
                          and merchant_id = ${mine.merchant_id} order by id limit 1)`,
      )
      expect([...failed.keys()]).toEqual(['status logs chain', 'versions count the moves'])
    }
  })

  it('finds a move out of SUCCESS, a move that moves nothing, and a payout that came back', async () => {
    const paid = async (sql: Tx, type: string, status: string) => {
      const [row] = await sql<{ id: string }[]>`
        select id from transactions
         where transaction_type = ${type} and status = ${status}
           and merchant_id = ${mine.merchant_id}
         limit 1`
      return row?.id ?? ''
    }
    for (const [type, status, to, finding] of [
      ['PAIEMENT', 'SUCCESS', 'FAILED', /left SUCCESS, which is final$/],
      ['PAIEMENT', 'FAILED', 'FAILED', /moves nothing$/],
      ['RETRAIT', 'FAILED', 'PENDING', /left FAILED, which is final$/],
    ] as const) {
      const failed = await failedBy(async (sql) => {
        await writeLog(sql, place, await paid(sql, type, status), [status, to])
      })
      expect(failed.get('status logs chain')?.join('\n')).toMatch(new RegExp(finding, 'm'))
    }
  })

  it('finds a version that does not count the moves', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update transactions set version = version + 1
         where status = 'PENDING' and transaction_type = 'RETRAIT'
           and merchant_id = ${mine.merchant_id}`,
    )
    expect([...failed.keys()]).toEqual(['versions count the moves'])
  })

  it('finds two open attempts of one transaction', async () => {
    const failed = await failedBy(async (sql) => {
      await sql`drop index attempts_one_open_of_transaction`
      await sql`
        insert into attempts (merchant_id, id, environment, transaction_id, direction, priority,
          gateway_id, gateway_code, route_id, network_id, network_code, country_code,
          requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee,
          debited_amount, net_amount, currency, status, our_key, send_deadline, asking_until)
        select merchant_id, ${newId()}, environment, transaction_id, direction, 2,
          gateway_id, gateway_code, route_id, network_id, network_code, country_code,
          requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee,
          debited_amount, net_amount, currency, 'UNKNOWN', 'k2', send_deadline, asking_until
          from attempts
         where status = 'PENDING' and direction = 'COLLECT' and merchant_id = ${mine.merchant_id}`
    })
    expect([...failed.keys()]).toEqual(['at most one attempt is open'])
  })
})

describe('verifyLedger on incidents', () => {
  const check = 'suspense is the sum of open incidents'

  it('finds an open incident of another amount or side than its suspense', async () => {
    const amount = await failedBy(
      (sql) => sql`
        update incidents set amount = amount + 1
         where type = 'REVERSED_AFTER_SUCCESS' and merchant_id = ${mine.merchant_id}`,
    )
    expect(amount.get(check)).toEqual([
      expect.stringMatching(/^OPEN incident .* of 1032501 has -1032500 in suspense$/),
    ])
    const side = await failedBy(
      (sql) => sql`
        update incidents set suspense_side = 'CREDIT'
         where type = 'REVERSED_AFTER_SUCCESS' and merchant_id = ${mine.merchant_id}`,
    )
    expect([...side.keys()]).toEqual([check])
  })

  it('finds a resolved incident that still holds money', async () => {
    const failed = await failedBy(
      (sql) => sql`
        update incidents
           set status = 'RESOLVED', resolution = 'WRITE_OFF', resolved_at = now(),
               proposed_by = ${newId()}, confirmed_by = ${newId()}
         where status = 'OPEN' and suspense_side = 'CREDIT'
           and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toEqual([expect.stringMatching(/^RESOLVED incident/)])
  })

  it('finds money in suspense that belongs to no incident', async () => {
    const failed = await failedBy(
      (sql) => sql`
        delete from incidents where status = 'OPEN' and merchant_id = ${mine.merchant_id}`,
    )
    expect(failed.get(check)).toHaveLength(2)
    expect(failed.get(check)?.[0]).toMatch(/for no incident/)
  })
})

describe('compareGatewayBooks', () => {
  // For each of two merchants: five payins and one payout at a; at b a reversal and two captures,
  // of which one was paid back. And a payin at a, of which 4 000 were given back.
  const sum = (hundredths: bigint) => `${hundredths / 100n}.00`
  const collected = sum(payinFigures.debited_amount * 11n - 400_000n)
  const books = {
    simulator_a: { XOF: { collected, paid: '19500.00' } },
    simulator_b: { XOF: { collected: '0.00', paid: '0.00' } },
  }

  it('is equal to the franc, or names gateway, currency and both figures', async () => {
    expect(await gatewayId(database.owner, 'simulator_b')).not.toBe('')
    const equal = await compareGatewayBooks(database.owner, books)
    expect(equal).toMatchObject({ ok: true, counted: 2, examples: [] })
    const off = await compareGatewayBooks(database.owner, {
      ...books,
      simulator_a: { XOF: { collected, paid: '19500.01' }, GHS: { collected: '1.00', paid: '0' } },
    })
    expect(off).toMatchObject({ ok: false, counted: 3, broken: 2 })
    expect(off.examples).toEqual([
      "simulator_a GHS collected: ours 0.00, the gateway's 1.00",
      "simulator_a XOF paid: ours 19500.00, the gateway's 19500.01",
    ])
  })

  it('leaves a gateway alone whose books are not given', async () => {
    const { simulator_b } = books
    expect(await compareGatewayBooks(database.owner, { simulator_b })).toMatchObject({
      ok: true,
      counted: 1,
    })
  })
})
