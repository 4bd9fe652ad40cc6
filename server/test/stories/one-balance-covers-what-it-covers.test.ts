// Payouts, settlements and transfers fall on one balance at the same time, through two processes,
// in whatever mixture: as many are made as it covers and not one more, whatever is decided on them
// afterwards, and not a franc is made or lost. More of them: OUTFLOW_SEEDS=500.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { booksAgree, brokenLaws, plantMethod, plantPhone } from '../setup/settling.ts'
import { untilServed } from '../setup/until-served.ts'

const seeds = Number(process.env['OUTFLOW_SEEDS'] ?? sized(10, 200))
const runners = 4
/** What each of them takes from the balance: the fee is inside it. */
const each = 1000

let app: TestApp
let other: string
beforeAll(async () => {
  app = await startApp({ speed: 50, env: { SETTLEMENT_AUTO_BELOW_SANDBOX: '0' } })
  other = (await app.another()).public_url
})
afterAll(() => app?.stop())

const kinds = ['payout', 'refused_payout', 'bank', 'phone', 'refused_phone', 'transfer'] as const
type Kind = (typeof kinds)[number]

/** What comes and goes beside them, by whoever. */
const asides = ['fund', 'top_up', 'freeze', 'lift', 'mark'] as const
type Aside = (typeof asides)[number]

/** `covers`: how many the balance covers; `says`: what is decided on each that waits. */
type Rush = Readonly<{
  covers: number
  acts: readonly Kind[]
  asides: readonly Aside[]
  says: readonly boolean[]
}>

const rush: fc.Arbitrary<Rush> = fc.record({
  covers: fc.integer({ min: 0, max: 9 }),
  acts: fc.array(fc.constantFrom(...kinds), { minLength: 4, maxLength: 12 }),
  asides: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...asides), { maxLength: 4 })),
  says: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
})

type Party = Readonly<{
  /** The same merchant at two processes. */
  at: readonly [Shop, Shop]
  /** Their own: a person's calls are limited by the minute. */
  staff: SignedInCaller
  balance: string
  bank: string
  phone: string
  refused_phone: string
}>

async function openParty(covers: number): Promise<Party> {
  const shop = await app.shop()
  const { merchant_id } = shop
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
  // A balance is there from its first movement.
  const amount = String(covers * each + 1)
  const funded = await shop.post('/sandbox/balances/', { country: 'BJ', amount })
  return {
    at: [shop, shopWith(other, merchant_id, shop.key)],
    staff: await app.staff({ role: 'FINANCE' }),
    balance: String(funded.data.id),
    bank: await plantMethod(app, merchant_id),
    phone: await plantPhone(app, merchant_id),
    refused_phone: await plantPhone(app, merchant_id, '03'),
  }
}

const settle = (shop: Shop, payout_method: string) =>
  shop.post('/settlements/', { country: 'BJ', requested_amount: String(each), payout_method })

function act(party: Party, kind: Kind, at: number): Promise<Reply> {
  const shop = at % 2 === 0 ? party.at[0] : party.at[1]
  switch (kind) {
    case 'payout':
    case 'refused_payout':
      return shop.post('/payouts/initialize/', {
        amount: String(each),
        currency: 'XOF',
        country: 'BJ',
        method: 'mtn_bj',
        fee_charge_mode: 'DEDUCTED',
        recipient: { msisdn: newPayer(kind === 'payout' ? '10' : '03').phone },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      })
    case 'transfer': {
      const body = { from_country: 'BJ', to_country: 'CM', from_amount: String(each) }
      return shop.post('/wallet-transfers/', body)
    }
    default:
      return settle(shop, party[kind])
  }
}

function beside({ at: [shop], staff, balance }: Party, aside: Aside): Promise<Reply> {
  const reason = 'a rush'
  const freeze = (body: object) =>
    untilServed(() => staff.post(`/admin/balances/${balance}/freeze/`, body))
  switch (aside) {
    case 'fund':
      return shop.post('/sandbox/balances/', { country: 'BJ', amount: String(each) })
    case 'top_up':
      return shop.post('/top-ups/initialize/', {
        amount: String(each),
        currency: 'XOF',
        country: 'BJ',
        network: 'mtn_bj',
        phone: newPayer().phone,
      })
    case 'freeze':
      return freeze({ reason, amount: String(each) })
    case 'lift':
      return untilServed(() =>
        staff.post(`/admin/balances/${balance}/unfreeze/`, { reason, amount: String(each) }),
      )
    case 'mark':
      return freeze({ reason })
  }
}

type Waiting = Readonly<{ kind: 'settlements' | 'wallet-transfers'; id: string; bank: boolean }>

const waitingOf = ({ at: [shop] }: Party): Promise<Waiting[]> => app.owner<Waiting[]>`
  select 'settlements' as kind, s.id, p.type = 'BANK_ACCOUNT' as bank
    from settlements s
    join payout_methods p on p.merchant_id = s.merchant_id and p.id = s.payout_method
   where s.merchant_id = ${shop.merchant_id} and s.status = 'PENDING'
  union all
  select 'wallet-transfers', id, false from wallet_transfers
   where merchant_id = ${shop.merchant_id} and status = 'PENDING'
   order by id`

/** Staff and the merchant decide on the same one at the same time: one of them does. */
async function decide(party: Party, { kind, id, bank }: Waiting, yes: boolean): Promise<void> {
  const { staff } = party
  const path = `/admin/${kind}/${id}`
  const act = (verb: string, body?: object) =>
    untilServed(() => staff.post(`${path}/${verb}/`, body))
  const no = () => act(kind === 'settlements' ? 'fail' : 'reject', { reason: 'a rush' })
  const rivals = kind === 'settlements' ? [party.at[1].post(`/settlements/${id}/cancel/`)] : [no()]
  await Promise.all([yes ? act('approve') : no(), ...(yes ? [] : rivals)])
  if (yes && bank) await act('execute', { gateway_reference: `VIR-${id}` })
}

/** No operator has anything of it any more. */
const rests = ({ at: [{ merchant_id }] }: Party): Promise<void> =>
  eventually(async () => {
    const [open] = await app.owner`
      select (select count(*) from transactions
               where merchant_id = ${merchant_id} and status = 'PENDING')
           + (select count(*) from settlements
               where merchant_id = ${merchant_id}
                 and status in ('PENDING', 'APPROVED', 'PROCESSING'))
           + (select count(*) from wallet_transfers
               where merchant_id = ${merchant_id} and status = 'PENDING') as open`
    if (open?.['open'] !== 0n) throw new Error(`${open?.['open']} are open`)
  }, 60_000)

/** In whole francs: what there is in Bénin, what was held and is not, and how low it ever was. */
async function booksOf({ at: [{ merchant_id }] }: Party): Promise<Json> {
  const [row] = await app.owner`
    select available / 100 as available, pending / 100 as pending, frozen / 100 as frozen,
           (select coalesce(sum(h.amount), 0) / 100 from holds h
             where h.merchant_id = ${merchant_id} and not exists (
               select 1 from hold_ends n
                where n.merchant_id = h.merchant_id and n.hold_id = h.id)) as held,
           (select coalesce(sum(h.amount), 0) / 100 from holds h
              join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
             where h.merchant_id = ${merchant_id} and n.how = 'SPEND') as spent,
           (select min(balance_after) / 100 from ledger_entries
             where merchant_id = ${merchant_id}) as lowest,
           (select coalesce(sum(available_change), 0) / 100 from ledger_entries
             where merchant_id = ${merchant_id} and country = 'BJ'
               and cause_kind in ('SANDBOX', 'TRANSACTION')) as came
      from balances where merchant_id = ${merchant_id} and country = 'BJ'`
  const numbers = Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)])
  return Object.fromEntries(numbers)
}

/** What the laws say of it, at any time. */
function assertSound(books: Json): void {
  expect(Math.min(books.lowest, books.available, books.pending, books.frozen)).toBeGreaterThan(-1)
  expect(books.pending).toBe(books.held)
  expect(books.available + books.pending + books.frozen).toBe(books.came - books.spent)
}

async function play({ covers, acts, asides: beyond, says }: Rush): Promise<void> {
  const party = await openParty(covers)
  const [replies] = await Promise.all([
    Promise.all(acts.map((kind, at) => untilServed(() => act(party, kind, at)))),
    Promise.all(beyond.map((aside) => beside(party, aside))),
  ])
  const made = replies.filter(({ status }) => status === 201)
  const refused = replies.filter(({ status }) => status !== 201)
  for (const { status, error } of refused) {
    expect(status).toBe(422)
    expect(['insufficient_balance', 'balance_frozen']).toContain(error.code)
  }
  // What was refused by its operator at once is given back, and may have been spent again.
  const isExact = beyond.length === 0 && !acts.includes('refused_payout')
  if (isExact) expect(made).toHaveLength(Math.min(covers, acts.length))
  assertSound(await booksOf(party))
  const waiting = await waitingOf(party)
  await party.staff.post(`/admin/balances/${party.balance}/unfreeze/`, { reason: 'a rush' })
  await Promise.all(waiting.map((one, at) => decide(party, one, says[at] ?? true)))
  await rests(party)
  const books = await booksOf(party)
  assertSound(books)
  expect(books.pending).toBe(0)
}

describe('one balance', () => {
  it(`covers what it covers, in ${seeds} rushes of chance`, { timeout: 900_000 }, async () => {
    const left = fc.sample(rush, { seed: 20261122, numRuns: seeds })
    const broken: string[] = []
    const runner = async () => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const line = JSON.stringify(one)
        await play(one).catch((error: unknown) => broken.push(`${line}: ${error}`))
      }
    }
    await Promise.all(Array.from({ length: runners }, runner))
    expect(broken).toEqual([])
    expect(await brokenLaws(app)).toEqual([])
  })

  it('of a hundred at once that covers 37 makes 37', { timeout: 120_000 }, async () => {
    const some = ['payout', 'bank', 'transfer', 'phone'] as const
    const acts = Array.from({ length: 100 }, (_, at) => some[at % some.length] ?? 'payout')
    await play({ covers: 37, acts, asides: [], says: [] })
    expect(await brokenLaws(app)).toEqual([])
  })

  it('agrees with the operators’ own books in the end', async () => {
    expect(await booksAgree(app)).toMatchObject({ ok: true })
  })
})

describe('play money', () => {
  it('fills a balance to its bound and not beyond, however many fund it at once', async () => {
    const shop = await app.shop()
    const fund = (amount: string) => shop.post('/sandbox/balances/', { country: 'BJ', amount })
    expect((await fund('999999999990')).status).toBe(201)
    const all = await Promise.all(Array.from({ length: 8 }, () => untilServed(() => fund('4'))))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(2)
    const over = all.find(({ status }) => status !== 201)
    expect([over?.status, Object.keys(over?.error)]).toEqual([400, ['amount']])
    expect((await shop.balance('BJ')).available_amount).toBe('999999999998.00')
    expect((await fund('2')).status).toBe(201)
  })
})
