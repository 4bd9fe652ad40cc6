// The areas of the code that is mutated, and the threshold of each: a high total must not hide one
// weak area. The first pattern that fits a path names its area.

export const killed_percent_min = 85

export const areas = [
  'money',
  'pricing',
  'states',
  'idempotency',
  'signatures',
  'routes and retries',
  'answers of operators',
] as const

export type Area = (typeof areas)[number]

const patterns: readonly (readonly [RegExp, Area])[] = [
  [/\/(money|rates|ledger)\//, 'money'],
  [/\/pricing\//, 'pricing'],
  [/\/idempotency\//, 'idempotency'],
  [/\/gateways\/[a-z-]+\/(read-answer|reasons|statuses)\.ts$/, 'answers of operators'],
  [/\/(crypto\/(seal|http-signature)|sign|simulator\/callback|callback-token)\.ts$/, 'signatures'],
  [/\/(transactions|attempts)\/|\/states\.ts$/, 'states'],
  [/\/(gateways|planning|webhooks)\//, 'routes and retries'],
]

export type Verdict = Readonly<{ fileName: string; status: string }>

export type AreaScore = Readonly<{ mutants: number; killed: number; percent: number }>

/** Throws for a file of no area: it would be mutated and counted nowhere. */
export function areaOf(path: string): Area {
  const found = patterns.find(([pattern]) => pattern.test(path))
  if (found === undefined) throw new Error(`${path} belongs to no area of tools/mutation/areas.ts`)
  return found[1]
}

/**
 * How many mutants were killed, by area. One that never ends counts as killed, one that no test
 * reaches as alive; one that cannot be run at all, or was left out by a comment, is not counted.
 */
export function scores(verdicts: readonly Verdict[]): ReadonlyMap<Area, AreaScore> {
  const rows = new Map<Area, AreaScore>()
  for (const area of areas) {
    const counted = verdicts.filter(
      ({ fileName, status }) =>
        areaOf(fileName) === area && /^(Killed|Timeout|Survived|NoCoverage)$/.test(status),
    )
    const killed = counted.filter(({ status }) => /^(Killed|Timeout)$/.test(status)).length
    const mutants = counted.length
    if (mutants > 0) rows.set(area, { mutants, killed, percent: (100 * killed) / mutants })
  }
  return rows
}
