// Histories of refunds: one payment or two, given back whole and in parts, with and
// without its fee, by an operator and as payouts, with every step of the service cut short or in
// another order; in the end the books are the table of money 3, line by line.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type OwnerSql, type TestDatabase } from '../setup/database.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { endLaw } from './end-law.ts'
import { type Found, formatFound, hunt, judgeRefunds, ofRefunds } from './hunt.ts'
import { assertPlanted, instead, type PlantedBug } from './planted.ts'
import { feeIsReturned } from './refund-world.ts'
import { networks, openStage, type Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'
import type { World } from './world.ts'

const count = Number(process.env['WORLDS'] ?? sized(25, 700))
const seed = Number(process.env['WORLDS_SEED'] ?? 313_131)
/** One history of the seed, as a run that found it has said. */
const path = process.env['WORLDS_PATH']
const one = path === undefined ? {} : { path }
const again = (of: Found): string =>
  `WORLDS_SEED=${of.seed} WORLDS_PATH=${of.path} npx vitest run server/test/worlds/refunds.test.ts`

type Place = Readonly<{ database: TestDatabase; stage: Stage; close(): Promise<void> }>

/** The prices of some networks give their fees back. */
async function openPlace(): Promise<Place> {
  const database = await createTestDatabase()
  const { owner, options } = database
  for (const [at, is_fee_returned] of feeIsReturned.entries()) {
    await owner`
      update pricing_rules r set is_fee_returned = ${is_fee_returned}
        from networks n where n.id = r.network_id and n.code = ${networks[at] ?? ''}`
  }
  const stage = await openStage(owner, options)
  const close = async () => {
    await stage.close()
    await database.drop()
  }
  return { database, stage, close }
}

let sound: Place
beforeAll(async () => {
  sound = await openPlace()
})
afterAll(() => sound?.close())

it(`the books are the table in ${count} histories of refunds (seed ${seed})`, async () => {
  let played = 0
  const tick = () => {
    played += 1
  }
  const { stage } = sound
  const found = await hunt(stage, { count, seed, tick, of: ofRefunds, ...one })
  expect(found === undefined ? '' : formatFound(found, again)).toBe('')
  if (path === undefined) expect(played).toBeGreaterThanOrEqual(count)
  expect(await brokenBooks(stage.owner)).toEqual([])
}, 900_000)

const endings = ['SUCCESS', 'FAILED', 'CANCELLED'].flatMap((status) =>
  ['OPERATOR', 'PAYOUT'].flatMap((method) => [
    `${status} ${method}`,
    `${status} ${method} with its fee`,
  ]),
)
const incidents = [
  'OUTCOME_UNKNOWN CHARGE_MERCHANT',
  'OUTCOME_UNKNOWN CREDIT_MERCHANT',
  'AMOUNT_MISMATCH CHARGE_MERCHANT',
  'AMOUNT_MISMATCH RECOVERED',
  'AMOUNT_MISMATCH WRITE_OFF',
  'RETURNED CREDIT_MERCHANT',
  'PAID_AFTER_RELEASE',
]

/** What no history has had yet. */
async function missing(owner: OwnerSql): Promise<string[]> {
  const seen = await owner<{ what: string }[]>`
    select concat_ws(' ', status, method,
             case when returned_platform_fee > 0 then 'with its fee' end) as what
      from refunds where status <> 'PENDING'
     union select 'and came back' from refunds where returned_at is not null
     union select type || ' ' || coalesce(resolution, '') from incidents where refund_id is not null
     union select type from incidents where refund_id is not null`
  const had = new Set(seen.map(({ what }) => what))
  return [...endings, 'and came back', ...incidents].filter((what) => !had.has(what))
}

wholeIt(
  'among them are refunds that ended in every way, and incidents of every kind',
  async () => {
    const { stage } = sound
    // What meets what is up to the machine too: the rarest kinds come once or twice in so many.
    for (let more = 1; more <= 3 && (await missing(stage.owner)).length > 0; more += 1) {
      const next = { count: 200, seed: seed + more, tick: () => undefined, of: ofRefunds }
      const found = await hunt(stage, next)
      expect(found === undefined ? '' : formatFound(found, again)).toBe('')
    }
    expect(await missing(stage.owner)).toEqual([])
  },
  600_000,
)

/** Our part of a fee that comes back is taken from what the operators are owed. */
const wrongAccount = (owner: OwnerSql) =>
  owner.unsafe(`
    create function misbook() returns trigger language plpgsql as $$
    begin
      select id into new.debit_account from accounts
       where merchant_id = new.merchant_id and environment = new.environment
         and kind = 'gateway_fees' limit 1;
      return new;
    end $$;
    create trigger misbook before insert on ledger_entries for each row
      when (new.cause_kind = 'REFUND' and new.line = 4) execute function misbook();`)

/** A payment is given back by a payout, for which every account is closed and stays so. */
function towardClosed(world: World): World {
  const [a, b] = world.operators
  const operators: World['operators'] = [
    { ...a, creates: ['confirms'], giving_back: null },
    { ...b, creates: ['confirms'], giving_back: null },
  ]
  const close = (operator: number) =>
    ({ is: 'float', operator, empty: true, closes: true }) as const
  const refund = { is: 'refund', payment: 0, part: 1000, times: 1, crash: null } as const
  const paying = { ...world.paying, opening: 20_000, refilled: false }
  const events = [close(0), close(1), refund, ...world.events.slice(0, 3)]
  return { ...world, operators, paying, events }
}

const bugs: readonly PlantedBug[] = [
  {
    title: 'our part of a fee that comes back is booked to another account',
    plant: {},
    breaks: 'a refund books the lines of its table, and nothing else',
    alter: wrongAccount,
  },
  {
    title: 'what has arrived is not counted with its payment',
    plant: instead('refunded_amount = refunded_amount + ', 'refunded_amount = 0 * '),
    breaks: 'never more is given back than was paid',
  },
  {
    title: 'the hold of a refund is released by a callback alone',
    plant: { believes_callbacks: true },
    breaks: 'a refund fails only by what its operator answered us',
  },
  {
    title: 'nobody ends a refund that waits for an account that is closed',
    plant: instead(
      'where waiting_for is not null and lapses_at <= now()',
      "where waiting_for <> 'GATEWAY_CLOSED' and lapses_at <= now()",
    ),
    breaks: endLaw,
    toward: towardClosed,
  },
  {
    title: 'a refund that timed out is sent again',
    plant: { resends_payouts: true },
    breaks: 'nothing is sent twice',
  },
]

/** Each is found, in a history that the sound service survives. */
async function expectFound({
  plant,
  breaks,
  alter,
  toward = (world) => world,
}: PlantedBug): Promise<void> {
  const ill = await openPlace()
  try {
    await alter?.(ill.database.owner)
    const wanted = { count: 2000, seed, plant, breaks, toward, of: ofRefunds, shrinks: 0 }
    const found = await hunt(ill.stage, wanted)
    assertPlanted(plant)
    if (found === undefined) throw new Error('not found')
    expect((await judgeRefunds(sound.stage, found.world)).broken).toEqual([])
  } finally {
    await ill.close()
  }
}

it.each(bugs.slice(0, 1))('found: $title', { timeout: 300_000 }, expectFound)
wholeIt.each(bugs.slice(1))('found: $title', { timeout: 300_000 }, expectFound)
