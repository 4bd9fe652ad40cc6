// The honesty table: what of each operator was imitated, proven by another's client, and seen at
// the operator itself. Law: what nobody has seen there says "not yet", and what was seen says until
// when it counts.

import { readFileSync } from 'node:fs'
import type { Artifact } from './artifact.ts'
import { between } from './state-drawings.ts'

type Seen = Readonly<{ on: string; by: string; evidence: string; amount?: string }>

export type Claim = Readonly<{
  operator: string
  ability: string
  imitated: string | null
  client_proof: Readonly<{ on: string; client: string }> | null
  sandbox: Seen | null
  live: Seen | null
}>

const day_ms = 86_400_000
const stale_days = 180
const date = /^\d{4}-\d{2}-\d{2}$/

/** A line for each claim without a date, a name, or a file in `docs/operators/evidence`. */
export function faultsOf(
  claims: readonly Claim[],
  isThere: (evidence: string) => boolean,
): string[] {
  return claims.flatMap(({ operator, ability, sandbox, live, imitated, client_proof }) => {
    const what = `${operator}, ${ability}`
    const dates = [imitated, client_proof?.on, sandbox?.on, live?.on].filter((one) => one != null)
    const undated = dates.filter((one) => !date.test(one)).map((one) => `${what}: no date ${one}`)
    const unproven = [sandbox, live].flatMap((seen) => {
      if (seen === null) return []
      const isWhole = seen.by !== '' && seen.evidence !== '' && isThere(seen.evidence)
      return isWhole ? [] : [`${what}: seen by “${seen.by}” in “${seen.evidence}”`]
    })
    return [...undated, ...unproven]
  })
}

/** The same on every day: what it says of age is a date. */
export function tableOf(claims: readonly Claim[]): string {
  const seen = (one: Seen | null): string => {
    if (one === null) return '**not yet**'
    const amount = one.amount === undefined ? '' : `, ${one.amount}`
    const until = new Date(Date.parse(one.on) + stale_days * day_ms).toISOString().slice(0, 10)
    return `${one.on}, ${one.by}${amount} (stale after ${until})`
  }
  const rows = claims.map(({ operator, ability, imitated, client_proof, sandbox, live }) => {
    const proof = client_proof === null ? '–' : `${client_proof.on}, ${client_proof.client}`
    const cells = [operator, ability, imitated ?? '–', proof, seen(sandbox), seen(live)]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| operator | ability | imitated | by another’s client | operator’s sandbox | live |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const opening = '<!-- generated: honesty. Change verified.json, then `npm run generate`. -->'
const closing = '<!-- end of generated: honesty -->'
const source = new URL('../../docs/operators/verified.json', import.meta.url)

/** The page that people read. */
export function honestyTable(): Artifact {
  const claims: Claim[] = JSON.parse(readFileSync(source, 'utf8'))
  const path = 'docs/operators/README.md'
  return {
    path,
    render: (current = '') =>
      between({ path, text: current, opening, closing }, `${tableOf(claims)}\n`),
  }
}
