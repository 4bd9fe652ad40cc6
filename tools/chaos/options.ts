// The command line of the chaos.

import { parseArgs } from 'node:util'
import { positive, randomSeed, wholeNumber } from '../command/command-line.ts'

export type Options = Readonly<{
  seed: number
  seconds: number
  every_ms: number
  per_s: number
  sleep_ms: number
  rest_ms: number
  keep: boolean
  json: boolean
}>

export const usage = `npm run chaos -- [options]
  --seconds <n>              how long processes are struck (default 180)
  --seed <n>                 the same choices again, though not to the microsecond
  --every <ms>               between two strikes (default 1000)
  --payments-per-second <n>  new payments (default 8)
  --sleep <ms>               how long a process that is stopped sleeps (default 25000)
  --rest <seconds>           in which all must be over (default 180)
  --keep                     data, journal and logs stay
  --json                     the report as JSON on standard output`

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '180' },
      seed: { type: 'string', default: randomSeed() },
      every: { type: 'string', default: '1000' },
      'payments-per-second': { type: 'string', default: '8' },
      sleep: { type: 'string', default: '25000' },
      rest: { type: 'string', default: '180' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  return {
    seed: wholeNumber('seed', values.seed),
    seconds: positive('seconds', values.seconds),
    every_ms: positive('every', values.every),
    per_s: positive('payments-per-second', values['payments-per-second']),
    sleep_ms: positive('sleep', values.sleep),
    rest_ms: positive('rest', values.rest) * 1000,
    keep: values.keep,
    json: values.json,
  }
}

/** The line that plays this run again. */
export const rerunCommand = ({ seed, seconds, every_ms, per_s, sleep_ms }: Options): string =>
  `npm run chaos -- --seed ${seed} --seconds ${seconds} --every ${every_ms}` +
  ` --payments-per-second ${per_s} --sleep ${sleep_ms}`
