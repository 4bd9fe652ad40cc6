// What a payment costs or an installation can do under other conditions, as ratios of two sides
// that were measured in the same run.

import { changePaces } from '../../server/src/gateways/account-by-command.ts'
import { findFoundGateway } from '../../server/src/gateways/account-store.ts'
import type { Ends } from '../../server/test/setup/ends.ts'
import type { Options } from './options.ts'
import {
  type Bench,
  type Closed,
  comparePairs,
  drain,
  type Measured,
  median,
  pass,
} from './phases.ts'
import type { Compared } from './report.ts'
import { openShops, type Shop } from './shops.ts'
import { fillDatabase } from './stored.ts'

export type ComparisonInput = Readonly<{
  bench: Bench
  options: Options
  /** The merchants of the main figure, and how many payments at once were best for it. */
  shops: readonly Shop[]
  in_flight: number
  ends: Ends
}>

/** What was found, and what the proof must know of it. */
export type Found = Readonly<{ compared: Compared[]; deaf: string[]; stored: number }>

const many = 1_000
const hanging_part = 0.05
const stored_small = 10_000
/** Questions a second: above what we ask of a real one, so that no pace is what is measured. */
const dialect_asks_per_s = 5_000
/** The median of five is what the bar is held against. */
export const dialect_rounds = 5
/** Each process has changed paces within so long. */
const paces_known_s = 6

export async function compareAll(input: ComparisonInput): Promise<Found> {
  const { merchants, hanging, dialect, stored } = input.options.compare
  const compared: Compared[] = []
  const crowd = merchants || hanging ? await openCrowd(input) : []
  if (merchants) compared.push(await compareMerchants(input, crowd))
  const deaf = hanging ? await openDeaf(input) : []
  if (hanging) compared.push(await compareHanging(input, crowd, deaf))
  if (dialect) compared.push(await compareDialect(input))
  const filled = stored ? await compareStored(input, compared) : 0
  return { compared, deaf: deaf.map(({ merchant_id }) => merchant_id), stored: filled }
}

function openCrowd({ bench }: ComparisonInput): Promise<Shop[]> {
  bench.step(`${many} merchants open`)
  const { app, load } = bench
  return openShops(app, app.open('pirogue_app'), many, { url: load.endpoint, hears: true })
}

function openDeaf({ bench }: ComparisonInput): Promise<Shop[]> {
  const { app, load } = bench
  const endpoint = { url: load.hanging_endpoint, hears: false }
  return openShops(app, app.open('pirogue_app'), Math.round(many * hanging_part), endpoint)
}

const closedOf = ({ options: { times }, in_flight }: ComparisonInput): Closed => ({
  in_flight,
  settle_s: times.settle,
  measure_s: times.pair,
})

const perSecond = (all: readonly Measured[]) => median(all.map(({ per_s }) => per_s))

async function compareMerchants(input: ComparisonInput, crowd: readonly Shop[]): Promise<Compared> {
  const [alone] = input.shops
  if (alone === undefined) throw new Error('there is no merchant')
  const sides = {
    a: { name: `${many} merchants`, targets: crowd },
    b: { name: 'one merchant', targets: [alone] },
  }
  const { a, b } = await comparePairs(input.bench, sides, closedOf(input))
  const ratio = perSecond(b) / perSecond(a)
  const names = { a: formatPerSecond(a, sides.a.name), b: formatPerSecond(b, sides.b.name) }
  return { what: 'one merchant', ...names, ratio, wanted: 'at least 0.6', ok: ratio >= 0.6 }
}

async function compareHanging(
  input: ComparisonInput,
  crowd: readonly Shop[],
  deaf: readonly Shop[],
) {
  const some = crowd.slice(deaf.length)
  const sides = {
    a: { name: 'every receiver answers', targets: crowd },
    b: { name: '5 % of the receivers hang', targets: [...some, ...deaf] },
  }
  const { a, b } = await comparePairs(input.bench, sides, closedOf(input))
  // Only merchants whose endpoint answers are counted, as their share of all.
  const ratio = perSecond(b) / (1 - hanging_part) / perSecond(a)
  const names = { a: formatPerSecond(a, sides.a.name), b: formatPerSecond(b, sides.b.name) }
  return { what: 'hanging receivers', ...names, ratio, wanted: 'at least 0.9', ok: ratio >= 0.9 }
}

/** Its callbacks prove nothing: each payment takes a question of ours beside what others take. */
async function compareDialect(input: ComparisonInput): Promise<Compared> {
  const { bench, options, shops } = input
  const { app, load } = bench
  bench.step('merchants choose MTN’s dialect')
  const db = app.open('pirogue_app')
  const endpoint = { url: load.endpoint, hears: true }
  const choosing = await openShops(app, db, options.merchants, endpoint)
  for (const { key } of choosing) await chooseMtn(app, key)
  const account = await findFoundGateway(db, 'simulator_mtn')
  if (account === undefined) throw new Error('there is no account with the imitation')
  const paces = { asks_per_s: dialect_asks_per_s, creates_per_s: null, open_calls: null }
  await changePaces({ db }, account, { paces, why: 'the bench' })
  await pass(bench, paces_known_s)
  const sides = {
    a: { name: 'plain', targets: shops },
    b: { name: 'over MTN’s dialect', targets: choosing },
  }
  const { a, b } = await comparePairs(bench, sides, closedOf(input), dialect_rounds)
  const ratio = perSecond(b) / perSecond(a)
  const names = { a: formatCost(a, sides.a.name), b: formatCost(b, sides.b.name) }
  return { what: 'MTN’s dialect', ...names, ratio, wanted: 'at least 0.9', ok: ratio >= 0.9 }
}

async function chooseMtn({ api }: Bench['app'], key: string): Promise<void> {
  const reply = await fetch(`http://${api.host}:${api.port}/api/v1/sandbox/dialects/`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'mtn' }),
  })
  if (reply.status !== 200) throw new Error(`dialect: ${reply.status} ${await reply.text()}`)
}

/** With what it takes of the processor for Node, PostgreSQL and the operator. */
function formatCost(all: readonly Measured[], name: string): string {
  const ms = (of: keyof Measured['cpu']) =>
    (1000 * median(all.map(({ cpu }) => cpu[of]))).toFixed(2)
  return `${formatPerSecond(all, name)}, ${ms('node')}, ${ms('postgres')} and ${ms('operator')} ms`
}

const formatPerSecond = (all: readonly Measured[], name: string) =>
  `${Math.round(perSecond(all))}/s with ${name}`

/** Fills the database twice; returns how many payments it then has that nobody made. */
async function compareStored(input: ComparisonInput, compared: Compared[]): Promise<number> {
  const { options, shops } = input
  const merchant_ids = shops.map(({ merchant_id }) => merchant_id)
  const small = Math.ceil(stored_small / shops.length)
  const large = Math.ceil(options.stored / shops.length) - small
  await fill(input, { merchant_ids, each: small, first: 1 })
  const young = await costNow(input, `${small * shops.length} stored`)
  await fill(input, { merchant_ids, each: large, first: 1 + small })
  const old = await costNow(input, `${options.stored} stored`)
  const ratio = old / young
  compared.push({
    what: 'CPU of a payment in an old installation',
    a: `${(young * 1000).toFixed(1)} ms with ${small * shops.length} stored`,
    b: `${(old * 1000).toFixed(1)} ms with ${(small + large) * shops.length} stored`,
    ratio,
    wanted: 'at most 1.2',
    ok: ratio <= 1.2,
  })
  return (small + large) * shops.length
}

type Fill = Readonly<{ merchant_ids: readonly string[]; each: number; first: number }>

async function fill({ bench, ends }: ComparisonInput, filling: Fill): Promise<void> {
  await drain(bench)
  let done = 0
  const all = filling.each * filling.merchant_ids.length
  bench.step(`${all} payments are stored`)
  const owner = bench.app.open('postgres')
  ends.add(() => owner.end({ timeout: 1 }))
  const passed = (payments: number) => {
    done += payments
    bench.step(`${done} of ${all} payments are stored`)
  }
  await fillDatabase(owner, { ...filling, passed })
}

/** CPU seconds of Node and PostgreSQL for a payment, the median of three times. */
async function costNow(input: ComparisonInput, name: string): Promise<number> {
  const side = { name, targets: input.shops }
  const { a, b } = await comparePairs(input.bench, { a: side, b: side }, closedOf(input))
  return median([...a, ...b].map(({ cpu }) => cpu.node + cpu.postgres))
}
