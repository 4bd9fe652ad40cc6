// Everybody at once: a hundred requests for a balance that covers seven, the same call twenty
// times, a merchant who cancels while staff approve. One of them wins, and the money is where they
// say.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reply, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import {
  attemptsOf,
  brokenLaws,
  eventsOf,
  plantMethod,
  plantPhone,
  richSettler,
  settlerOf,
} from '../setup/settling.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

const times = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

const approve = (id: string) => untilServed(() => staff.post(`/admin/settlements/${id}/approve/`))
const execute = (id: string, gateway_reference = 'VIR-1') =>
  untilServed(() => staff.post(`/admin/settlements/${id}/execute/`, { gateway_reference }))
const fail = (id: string) =>
  untilServed(() => staff.post(`/admin/settlements/${id}/fail/`, { reason: 'No.' }))

const after = async <T>(ms: number, call: () => Promise<T>): Promise<T> => {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
  return call()
}

const codesOf = (replies: readonly Reply[]) =>
  replies.map(({ status, error }) => (status < 300 ? status : error.code))
const count = <T>(all: readonly T[], one: T) => all.filter((each) => each === one).length

describe('a hundred settlements at once', () => {
  it('against a balance for seven: seven are made and none overdraws', async () => {
    const shop = await richSettler(app, '75000')
    const methods = await Promise.all([
      plantMethod(app, shop.merchant_id),
      plantPhone(app, shop.merchant_id),
    ])
    const made = await times(100, (index) =>
      untilServed(() => shop.settle(methods[index % 2] ?? '')),
    )
    const codes = codesOf(made)
    expect([count(codes, 201), count(codes, 'insufficient_balance')]).toEqual([7, 93])
    expect(await shop.sums()).toEqual(['5000.00', '70000.00'])
    const ids = made.filter(({ status }) => status === 201).map(({ data }) => data.id)
    expect(new Set(ids).size).toBe(7)
    await times(7, (index) => approve(ids[index]))
    for (const id of ids) {
      const { status } = await shop.settlement(id)
      await (status === 'APPROVED' ? execute(id) : shop.ends(id, 'SUCCESS'))
    }
    expect(await shop.sums()).toEqual(['5000.00', '0.00'])
  })

  it('beside payouts of the same francs leave nothing below zero', async () => {
    const shop = await richSettler(app, '40000')
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    const method = await plantMethod(app, shop.merchant_id)
    const made = await times(40, (index) =>
      index % 2 === 0
        ? shop.settle(method)
        : shop.post('/payouts/initialize/', {
            amount: '10000',
            currency: 'XOF',
            country: 'BJ',
            method: 'mtn_bj',
            recipient: { msisdn: '+2290197000004' },
            customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
          }),
    )
    expect(count(codesOf(made), 201)).toBe(4)
    expect(await shop.sums()).toEqual(['0.00', '40000.00'])
  })
})

describe('one key', () => {
  it('twenty times at once is one settlement, and its answer is the same for ever', async () => {
    const shop = await richSettler(app)
    const method = await plantMethod(app, shop.merchant_id)
    const all = await times(20, () => untilServed(() => shop.settle(method, {}, 'same')))
    const codes = codesOf(all)
    expect(count(codes, 201) + count(codes, 'idempotency_in_progress')).toBe(20)
    const ids = new Set(all.filter(({ status }) => status === 201).map(({ data }) => data.id))
    expect(ids.size).toBe(1)
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    const [id] = ids
    await shop.post(`/settlements/${id}/cancel/`)
    const again = await shop.settle(method, {}, 'same')
    expect(again.data).toMatchObject({ id, status: 'PENDING' })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
  })

  it('with another body is a conflict', async () => {
    const shop = await richSettler(app)
    const method = await plantMethod(app, shop.merchant_id)
    await shop.settle(method, {}, 'key')
    const other = await shop.settle(method, { requested_amount: '9000' }, 'key')
    expect([other.status, other.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('keeps a refusal for good, and gives back one that may pass', async () => {
    const shop = await richSettler(app, '5000')
    const method = await plantMethod(app, shop.merchant_id)
    const unfunded = await shop.settle(method, {}, 'poor')
    expect(codesOf([unfunded])).toEqual(['insufficient_balance'])
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
    const again = await shop.settle(method, {}, 'poor')
    expect(again.body).toEqual(unfunded.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const live = settlerOf(app, await app.shop({ environment: 'LIVE', live: true }))
    const cooling = await plantMethod(app, live.merchant_id, {
      usable_from: new Date(Date.now() + 3_600_000),
    })
    expect(codesOf([await live.settle(cooling, {}, 'new')])).toEqual(['payout_method_cooling_off'])
    await app.owner`update payout_methods set usable_from = now() where id = ${cooling}`
    expect(codesOf([await live.settle(cooling, {}, 'new')])).toEqual(['insufficient_balance'])
  })
})

describe('staff, all at once', () => {
  it('approve it once: one attempt, one event', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('10')
    const codes = codesOf(await times(20, () => approve(data.id)))
    expect(count(codes, 200)).toBe(1)
    expect(
      codes.every((code) =>
        /^(200|settlement_already_approved|transaction_terminal)$/.test(String(code)),
      ),
    ).toBe(true)
    await shop.ends(data.id, 'SUCCESS')
    expect(await attemptsOf(app, data.id)).toHaveLength(1)
    const types = (await eventsOf(app, data.id)).map(({ type }) => type)
    expect(count(types, 'settlement.approved')).toBe(1)
    const acts = await app.owner`select action from audit_logs where target_id = ${data.id}`
    expect(acts).toEqual([{ action: 'settlement.approved' }])
  })

  it('execute it once, under one reference', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    await approve(data.id)
    const all = await times(20, (index) => execute(data.id, `VIR-${index}`))
    const codes = codesOf(all)
    expect([count(codes, 200), count(codes, 'transaction_terminal')]).toEqual([1, 19])
    const winner = all.find(({ status }) => status === 200)
    const paid = await shop.settlement(data.id)
    expect(paid.gateway_reference).toBe(winner?.data.gateway_reference)
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    const types = (await eventsOf(app, data.id)).map(({ type }) => type)
    expect(count(types, 'settlement.success')).toBe(1)
  })

  it('execute and give up: one of the two, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const shop = await richSettler(app)
      const { data } = await shop.settle('bank')
      await approve(data.id)
      const both = codesOf(await Promise.all([execute(data.id), fail(data.id)]))
      expect(both.toSorted()).toEqual([200, 'transaction_terminal'])
      const { status } = await shop.settlement(data.id)
      expect(await shop.sums()).toEqual(
        status === 'SUCCESS' ? ['90000.00', '0.00'] : ['100000.00', '0.00'],
      )
    }
  })
})

describe('a merchant who cancels while staff approve', () => {
  it.each(['10', 'bank'])('one of the two wins, and the money is right (to %s)', async (to) => {
    const won: string[] = []
    const rounds = sized(6, 12)
    // From the merchant being well ahead, through both at once, to staff being well ahead. On a busy
    // machine who is to win last needs longer.
    const lagOf = (round: number) => {
      if (round < rounds) return (round - rounds / 2) * (120 / rounds)
      const more_ms = 100 * 2 ** (round - rounds)
      return won.includes('staff') ? -more_ms : more_ms
    }
    const isOver = (round: number) => round >= rounds && new Set(won).size === 2
    for (let round = 0; !isOver(round) && round < rounds + 5; round += 1) {
      const shop = await richSettler(app)
      const { data } = await shop.settle(to)
      const lag_ms = lagOf(round)
      const cancel = () => untilServed(() => shop.post(`/settlements/${data.id}/cancel/`))
      const both = [after(lag_ms, cancel), after(-lag_ms, () => approve(data.id))]
      const codes = codesOf(await Promise.all(both))
      expect([count(codes, 200), count(codes, 'transaction_terminal')]).toEqual([1, 1])
      const { status } = await shop.settlement(data.id)
      won.push(status === 'CANCELLED' ? 'merchant' : 'staff')
      if (status === 'CANCELLED') {
        expect(await shop.sums()).toEqual(['100000.00', '0.00'])
        expect(await attemptsOf(app, data.id)).toEqual([])
        continue
      }
      if (to === 'bank') await execute(data.id)
      await shop.ends(data.id, 'SUCCESS')
      expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    }
    expect(new Set(won)).toEqual(new Set(['merchant', 'staff']))
  })

  it('twenty times at once gives it back once', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const cancel = () => shop.post(`/settlements/${data.id}/cancel/`)
    const codes = codesOf(await times(20, () => untilServed(cancel)))
    expect([count(codes, 200), count(codes, 'transaction_terminal')]).toEqual([1, 19])
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
  })
})

describe('two processes of the service', () => {
  it('decide the same settlement once, and the one goes on where the other has stopped', async () => {
    const other = await app.another()
    const elsewhere = (id: string) =>
      fetch(`${other.public_url}/api/v1/admin/settlements/${id}/approve/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${staff.key}` },
      })
    const shop = await richSettler(app)
    const made = await times(6, () => shop.settle('10'))
    const ids = made.map(({ data }) => String(data.id))
    const answers = await Promise.all(
      ids.flatMap((id) => [
        approve(id).then(({ status }) => status),
        elsewhere(id).then((reply) => reply.status),
      ]),
    )
    expect([count(answers, 200), count(answers, 409)]).toEqual([6, 6])
    for (const id of ids) {
      await shop.ends(id, 'SUCCESS')
      expect(await attemptsOf(app, id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
    }
    await other.stop()
    expect(await shop.sums()).toEqual(['40000.00', '0.00'])
  })
})
