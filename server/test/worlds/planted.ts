// Bugs as a person might write them, put in from outside: a statement that lost a condition, an
// adapter that breaks its promise, a database without its index. The worlds must find each.

import type { OwnerSql } from '../setup/database.ts'
import { endLaw } from './end-law.ts'
import { nothing } from './payout-world.ts'
import type { Plant } from './scene.ts'
import type { Rewrite } from './stepping-db.ts'
import { type Event, type Operator, together, type World } from './world.ts'
import type { LawName } from './world-laws.ts'

export type PlantedBug = Readonly<{
  title: string
  plant: Plant
  /** A law that it must be seen to break. */
  breaks: LawName
  /** Found in the first worlds: hunted with all tests, the others of its kind by the proof. */
  soon?: boolean
  /** Where the worlds are led, when it shows in few of them. */
  toward?: (world: World) => World
  /** What the bug does to the schema of the test's own database. */
  alter?: (owner: OwnerSql) => Promise<unknown>
  /** What is planted in the service that must keep that law in the same world; else nothing is. */
  kept_with?: Plant
}>

/** Which texts a rewrite has met: one that meets none plants nothing. */
const met = new WeakMap<Rewrite, { text: string; met: boolean }>()

export function instead(text: string, other: string): Plant {
  const mark = { text, met: false }
  const rewrite: Rewrite = (sql) => {
    if (sql.includes(text)) mark.met = true
    return sql.replaceAll(text, other)
  }
  met.set(rewrite, mark)
  return { rewrite }
}

const markOf = ({ rewrite }: Plant) => (rewrite === undefined ? undefined : met.get(rewrite))

/** False while no statement had the text that the plant would change. */
export const isPlanted = (plant: Plant): boolean => markOf(plant)?.met !== false

/** Fails when no statement has the text any more that the plant would change. */
export function assertPlanted(plant: Plant): void {
  if (!isPlanted(plant)) {
    throw new Error(`planted nothing: no statement has “${markOf(plant)?.text}”`)
  }
}

/** Retry sees no attempt whose outcome is open: the index alone keeps a second one out. */
const blindRetry = instead(
  'order by a.created_at, a.priority, a.id',
  "and a.status in ('SUCCESS', 'FAILED') order by a.created_at, a.priority, a.id",
)

/** A route refuses and calls back at once; more often than not two statements go together. */
function towardRefusals(world: World): World {
  const [a, b] = world.operators
  const refusing = (one: Operator): Operator => ({
    ...one,
    creates: ['gateway_refuses_by_early_callback', 'waits', ...one.creates],
  })
  // One line gets ahead by a step, now and then; then both go together again.
  const order = world.order.map((pick) => (pick > 3 ? together : pick % 2))
  const payments = world.payments.slice(0, 1)
  return { ...world, payments, operators: [refusing(a), refusing(b)], events: [], order }
}

/** The asking time is over while the outcome is open; then the merchant tries again. */
function towardRetries(world: World): World {
  const retry = { is: 'retry', payment: 0, how: 0, keyed: false, crash: null } as const
  const over = [{ is: 'age', seconds: 90_000 } as const, { is: 'poll', crash: null } as const]
  return { ...world, events: [...over, ...world.events, ...over, retry], order: [] }
}

/** The payer pays while a poller is about to give up asking. */
function towardLatePayers(world: World): World {
  const [a, b] = world.operators
  const waiting = (one: Operator): Operator => ({ ...one, creates: ['waits'], asks: [] })
  const over = [{ is: 'age', seconds: 90_000 } as const, { is: 'poll', crash: null } as const]
  const pays = { is: 'operator', order: 0, does: 'pays', calls: 1 } as const
  const events = [...over, pays, ...world.events]
  // What begins next waits for its turn behind what is under way, more often than not.
  const order = world.order.map((pick) => (pick === together ? 1 : pick))
  return { ...world, operators: [waiting(a), waiting(b)], events, order: [0, 0, 0, 0, ...order] }
}

/** Two promises are open, and several release the first of them. */
function towardReleases(world: World): World {
  const at = (place: number) =>
    ({ is: 'hold', place, amount: 1000, times: 1, crash: null }) as const
  const funds = { is: 'fund', amount: 5000, crash: null } as const
  const releases = { is: 'end_hold', place: 0, hows: ['RELEASE', 'RELEASE'], crash: null } as const
  const events = [funds, at(0), at(1), releases, ...world.events.slice(0, 3)]
  return { ...world, events, order: world.order.map((pick) => (pick > 5 ? together : pick)) }
}

/** Two payouts, and an operator that takes its time with them; this happens first. */
function towardPayouts(world: World, ...first: readonly Event[]): World {
  const payout = { network: 0, amount: 4000, mode: 'DEDUCTED', large: false } as const
  const paying = { ...nothing, opening: 4500, payouts: [payout, payout] }
  const events = [...first, ...world.events]
  return { ...world, payments: world.payments.slice(0, 1), paying, events }
}

const payOut = (payout: number) => ({ is: 'pay_out', payout, times: 1, crash: null }) as const

/** Who is paid says no, and the operator calls back. */
function towardCalls(world: World): World {
  const refuses = { is: 'operator', order: 1, does: 'refuses', calls: 1 } as const
  const [a, b] = world.operators
  const waiting = (one: Operator): Operator => ({ ...one, creates: ['waits', 'waits', 'waits'] })
  const led = towardPayouts(world, payOut(0), refuses)
  return { ...led, operators: [waiting(a), waiting(b)] }
}

/** Two settlements of so much and two transfers, against a balance for one; this happens first. */
function towardMoves(world: World, amount: number, ...first: readonly Event[]): World {
  const settlement = { to: 'phone', amount } as const
  const moving = {
    settlements: [settlement, settlement],
    transfers: [amount, amount],
    adjustments: [],
  }
  const paying = { ...nothing, opening: 4500 }
  const events = [...first, ...world.events]
  return { ...world, payments: world.payments.slice(0, 1), paying, moving, events }
}

const settle = (settlement: number) =>
  ({ is: 'settle', settlement, times: 1, crash: null }) as const
const transfer = (at: number) => ({ is: 'transfer', transfer: at, times: 1, crash: null }) as const

/** What needs nobody's word is with an operator who says no, and calls back. */
function towardSettlementCalls(world: World): World {
  const refuses = { is: 'operator', order: 1, does: 'refuses', calls: 1 } as const
  const [a, b] = world.operators
  const waiting = (one: Operator): Operator => ({ ...one, creates: ['waits', 'waits', 'waits'] })
  const led = towardMoves(world, 1000, settle(0), refuses)
  return { ...led, operators: [waiting(a), waiting(b)] }
}

/** Neither an end's own key nor the entries' keep a second release from being booked. */
async function dropHoldKeys(owner: OwnerSql): Promise<void> {
  await owner`alter table hold_ends drop constraint hold_ends_pkey`
  await owner`
    alter table ledger_entries
     drop constraint ledger_entries_merchant_id_cause_kind_cause_id_line_key`
}

/** Neither the balance nor the entry that takes from it keeps it from falling below zero. */
async function dropBalanceChecks(owner: OwnerSql): Promise<void> {
  await owner`alter table balances drop constraint balances_available_check`
  await owner`alter table ledger_entries drop constraint ledger_entries_balance_after_check`
}

/** A payout finds no float; prices rise; then there is a float again. */
function towardWaits(world: World): World {
  const floats = (empty: boolean) =>
    [0, 1].map((operator) => ({ is: 'float', operator, empty }) as const)
  const rise = { is: 'prices', market: 1 } as const
  return towardPayouts(world, ...floats(true), payOut(0), rise, ...floats(false))
}

/** There is a float again, and staff freeze the balance while what waited for it is sent. */
function towardFreezes(world: World): World {
  const floats = (empty: boolean) =>
    [0, 1].map((operator) => ({ is: 'float', operator, empty }) as const)
  const starts = { is: 'start_waiting', crash: null } as const
  const freeze = { is: 'freeze', frozen: true } as const
  return towardPayouts(world, ...floats(true), payOut(0), ...floats(false), starts, freeze)
}

/** No float comes, for anybody. */
function towardWaitsWithoutEnd(world: World): World {
  const led = towardPayouts({ ...world, events: [] }, payOut(0))
  return { ...led, paying: { ...led.paying, empty: [true, true], refilled: false } }
}

/** A session is paid, and that is confirmed. */
function towardSessions(world: World, ...first: readonly Event[]): World {
  const session = { amount: 5000, by_link: true } as const
  const [a, b] = world.operators
  const waiting = (one: Operator): Operator => ({ ...one, creates: ['waits', 'waits', 'waits'] })
  const operators = [waiting(a), waiting(b)] as const
  const events = [...first, ...world.events]
  return { ...world, sessions: [session, session], operators, events }
}

const paySession = {
  is: 'pay_session',
  session: 0,
  network: 0,
  times: 1,
  crash: null,
} as const

/** A payment has succeeded, and what its operator is to give back of it finds no float there. */
function towardEmptyRefunds(world: World): World {
  const empty = ['float_is_empty', 'float_is_empty', 'float_is_empty'] as const
  const [a, b] = world.operators
  const [first] = world.payments
  if (first === undefined) return world
  const poor: Operator = { ...a, creates: ['confirms', ...empty] }
  const refund = { is: 'refund', payment: 0, part: 1000, times: 1, crash: null } as const
  const payments = [{ ...first, network: 0 }]
  const events = [refund, ...world.events.slice(0, 3)]
  return { ...world, payments, operators: [poor, b], events, order: [0, 0, 0, 0, 0, 0, 0, 0] }
}

/** The first operator refuses at once, so that the next is asked. */
function towardNextRoutes(world: World): World {
  const [a, b] = world.operators
  const refusing = (one: Operator): Operator => ({ ...one, creates: ['gateway_refuses'] })
  const payments = world.payments.map((one) => ({ ...one, network: 0 }))
  return { ...world, payments, operators: [refusing(a), b] }
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    title: 'the row lock is skipped: what is compared is not locked',
    plant: instead('for update', ''),
    breaks: 'no stale refusal fails a payment',
    toward: towardRefusals,
  },
  {
    title: 'the unique index on open attempts is dropped',
    plant: blindRetry,
    breaks: 'at most one attempt is open',
    toward: towardRetries,
    alter: (owner) => owner`drop index attempts_one_open_of_transaction`,
    kept_with: blindRetry,
  },
  {
    title: 'a hold is released twice',
    soon: true,
    plant: {},
    breaks: 'a hold ends at most once',
    toward: towardReleases,
    alter: dropHoldKeys,
  },
  {
    title: 'an unsigned callback is trusted',
    plant: { trusts_unsigned: true },
    breaks: 'gateway accounts are the operators’ books',
  },
  {
    title: 'what timed out is sent again',
    plant: { resends_on_time_out: true },
    breaks: 'nothing is sent twice',
  },
  {
    title: 'the amount that came is ignored',
    soon: true,
    plant: { ignores_amount: true },
    breaks: 'gateway accounts are the operators’ books',
  },
  {
    title: 'a status moves without looking at the version it was decided from',
    plant: instead('and t.status = m.from_status and t.version = m.version', ''),
    breaks: 'status logs chain',
    toward: towardLatePayers,
  },
  {
    title: 'the hold of a payout is released by a callback alone',
    plant: { believes_callbacks: true },
    breaks: 'a payout fails only by what its operator answered us',
    toward: towardCalls,
  },
  {
    title: 'a payout that timed out is sent again',
    plant: { resends_payouts: true },
    breaks: 'nothing is sent twice',
  },
  {
    title: 'a payout leaves a frozen balance',
    soon: true,
    plant: instead('and not is_frozen', ''),
    breaks: 'nothing leaves a frozen balance',
    toward: (world) => towardPayouts(world, { is: 'freeze', frozen: true }, payOut(0)),
  },
  {
    title: 'a payout leaves a balance that is frozen between its claim and its sending',
    plant: instead('and not b.is_frozen', ''),
    breaks: 'nothing leaves a frozen balance',
    toward: towardFreezes,
  },
  {
    title: 'two payouts spend what is there for one',
    plant: {},
    breaks: 'no balance is below zero',
    toward: (world) => towardPayouts(world, payOut(0), payOut(1)),
    alter: dropBalanceChecks,
  },
  {
    title: 'the hold of a settlement is released by a callback alone',
    plant: { believes_callbacks: true },
    breaks: 'a settlement fails only by what its operator answered us',
    toward: towardSettlementCalls,
  },
  {
    title: 'a settlement that timed out is sent again',
    plant: { resends_payouts: true },
    breaks: 'nothing is sent twice',
    toward: (world) => towardMoves(world, 1000, settle(0), settle(1)),
  },
  {
    title: 'two settlements spend what is there for one',
    plant: {},
    breaks: 'no balance is below zero',
    toward: (world) => towardMoves(world, 4000, settle(0), settle(1)),
    alter: dropBalanceChecks,
  },
  {
    title: 'a settlement and a transfer leave a frozen balance',
    plant: instead('and not is_frozen', ''),
    breaks: 'nothing leaves a frozen balance',
    toward: (world) =>
      towardMoves(world, 4000, { is: 'freeze', frozen: true }, settle(0), transfer(0)),
  },
  {
    title: 'what is paid out is priced anew when it is sent',
    plant: { pays_by_new_prices: true },
    breaks: 'what is sent is the net that was told',
    toward: towardWaits,
  },
  {
    title: 'the next operator asks the payer for another sum',
    plant: { rounds_up: true },
    breaks: 'one call asks its payer for one sum',
    toward: towardNextRoutes,
  },
  {
    title: 'nobody ends a payout that waits for a float',
    plant: instead('w.created_at <= now() - ', 'w.created_at <= now() - 1000 * '),
    breaks: endLaw,
    toward: towardWaitsWithoutEnd,
  },
  {
    title: 'nobody ends a refund that waits for a float, nor sends it again',
    plant: instead(
      'send_again_at = d.again_at, lapses_at = coalesce(lapses_at, d.over_at)',
      "send_again_at = null, lapses_at = d.over_at + interval '9 years'",
    ),
    breaks: endLaw,
    toward: towardEmptyRefunds,
  },
  {
    title: 'a transfer that nobody approves waits for ever',
    plant: instead(
      "where status = 'PENDING' and lapses_at <= now()",
      "where status = 'PENDING' and lapses_at <= now() - interval '9 years'",
    ),
    breaks: endLaw,
    toward: (world) => towardMoves({ ...world, events: [] }, 4000, transfer(0)),
  },
  {
    title: 'a session that nobody pays stays open',
    soon: true,
    plant: instead('where s.due_at <= now()', "where s.due_at <= now() - interval '9 years'"),
    breaks: endLaw,
    toward: (world) => towardSessions({ ...world, events: [] }),
  },
  {
    title: 'a payment that failed keeps its slot of a link',
    plant: instead('reserved = reserved - 1', 'reserved = reserved'),
    breaks: 'a link counts what was paid and what is under way',
    toward: (world) => {
      const refuses = { is: 'operator', order: 1, does: 'refuses', calls: 1 } as const
      const payments = world.payments.slice(0, 1)
      return towardSessions({ ...world, payments, order: [] }, paySession, refuses)
    },
  },
  {
    title: 'a settlement fails and nobody is told',
    plant: instead(
      'open.gate_id = e.gate_id',
      "open.gate_id = e.gate_id and e.type <> 'settlement.failed'",
    ),
    breaks: 'each move of a settlement or transfer has its event',
    toward: towardSettlementCalls,
  },
]
