// The command line of the bench.

import { parseArgs } from 'node:util'
import { positive } from '../command/command-line.ts'

/** One process each, in the order in which they are started. */
export type Roles = readonly ('all' | 'api' | 'worker')[]

export type Options = Readonly<{
  processes: Roles
  /** That measurement and no other. */
  only: 'delivery' | 'history' | 'operators' | 'weight' | undefined
  /** Minutes under a steady load, and nothing else. */
  soak: number | undefined
  quick: boolean
  json: boolean
  /** What is compared beside the main figure. */
  compare: Readonly<Record<(typeof comparisons)[number], boolean>>
  /** Stored transactions of the larger of two installations, or of the long history. */
  stored: number
  /** An existing data directory, for the history. */
  data_dir: string | undefined
  /** The address of a database that stands, for the main figure. */
  database_url: string | undefined
  merchants: number
  /** Payments at once to try. */
  in_flight: readonly number[]
  profile_dir: string | undefined
  times: Times
}>

/** Seconds of each phase. */
export type Times = Readonly<{
  warm_up: number
  settle: number
  search: number
  measure: number
  half_load: number
  yardstick: number
  pair: number
}>

const full: Times = {
  warm_up: 8,
  settle: 3,
  search: 6,
  measure: 30,
  half_load: 15,
  yardstick: 10,
  pair: 10,
}
const short: Times = {
  warm_up: 4,
  settle: 2,
  search: 3,
  measure: 8,
  half_load: 5,
  yardstick: 4,
  pair: 4,
}

export const usage = `npm run bench -- [options]
  --only delivery       webhooks among bad neighbours, and workers that are killed
  --only history        lists, search and export of a long history (--stored, or --data)
  --only operators      what an account with an operator adds to a payment, and its bars
  --only weight         what a payment writes, table by table, in half a minute
  --soak <minutes>      at 60 % of the best rate: what is late, what grows, and an audit
  --quick               under a minute, the main figure only
  --json                the figures as JSON on standard output
  --processes <roles>   all=1 (default), or e.g. api=1,worker=1
  --in-flight <n,…>     payments at once to try; the best is measured
  --merchants <n>       merchants who are paid (default 10, as many as TPC-B has branches)
  --warm-up <seconds>   before anything is measured
  --compare <names>     all (default), none, or some of merchants,hanging,dialect,
                        stored
  --stored <n>          transactions in the larger installation, or in the long history (default
                        2000000; with --quick and history 200000)
  --data <dir>          an installation that stands: its demo merchant has the long history already
  --database <url>      a database that stands, one PostgreSQL or the coordinator of a cluster, for
                        the main figure; its merchants are added to those it has
  --profile <dir>       a CPU profile of each process of the service`

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      soak: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      processes: { type: 'string', default: 'all=1' },
      'in-flight': { type: 'string' },
      'warm-up': { type: 'string' },
      merchants: { type: 'string', default: '10' },
      compare: { type: 'string' },
      stored: { type: 'string' },
      data: { type: 'string' },
      database: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { quick, json, profile: profile_dir, database: database_url } = values
  if (database_url !== undefined && (values.only ?? values.soak ?? values.data) !== undefined) {
    throw new Error('--database is for the main figure')
  }
  const times = quick ? short : full
  // A payer of the sandbox takes a second to confirm: 600 at once never make 600 a second.
  const levels = quick ? [900, 1300] : [300, 600, 900, 1300]
  return {
    processes: rolesOf(values.processes),
    only: onlyOf(values.only),
    soak: values.soak === undefined ? undefined : positive('soak', values.soak),
    quick,
    json,
    compare: comparedOf(values.compare ?? (quick || database_url !== undefined ? 'none' : 'all')),
    stored: positive(
      'stored',
      values.stored ?? (quick && values.only === 'history' ? '200000' : '2000000'),
    ),
    data_dir: values.data,
    database_url,
    merchants: positive('merchants', values.merchants),
    in_flight: values['in-flight']?.split(',').map((text) => positive('in-flight', text)) ?? levels,
    profile_dir,
    times: { ...times, warm_up: positive('warm-up', values['warm-up'] ?? String(times.warm_up)) },
  }
}

const measurements = ['delivery', 'history', 'operators', 'weight'] as const

function onlyOf(text: string | undefined): Options['only'] {
  if (text === undefined) return undefined
  const known = measurements.find((one) => one === text)
  if (known === undefined) throw new Error(`--only ${text}?`)
  return known
}

function rolesOf(text: string): Roles {
  const roles = text.split(',').flatMap((part) => {
    const [role, count = '1'] = part.split('=')
    if (role !== 'all' && role !== 'api' && role !== 'worker') throw new Error(`role ${part}?`)
    return Array.from({ length: positive('processes', count) }, () => role)
  })
  const works = roles.includes('all') || (roles.includes('api') && roles.includes('worker'))
  if (!works) throw new Error('--processes needs all, or both api and worker')
  return roles
}

const comparisons = ['merchants', 'hanging', 'dialect', 'stored'] as const

function comparedOf(text: string): Options['compare'] {
  const names = text === 'none' ? [] : text === 'all' ? comparisons : text.split(',')
  const unknown = names.find((name) => !comparisons.some((one) => one === name))
  if (unknown !== undefined) throw new Error(`--compare ${unknown}?`)
  const has = (name: (typeof comparisons)[number]) => names.includes(name)
  return {
    merchants: has('merchants'),
    hanging: has('hanging'),
    dialect: has('dialect'),
    stored: has('stored'),
  }
}
