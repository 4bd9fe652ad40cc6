// The honesty table: what of each operator was imitated, proven by another's client, and seen at
// the operator itself. Law: what nobody has seen there says "not yet", and what was seen says until
// when it counts.

import { readFileSync } from 'node:fs'
import { goodUntil, type Seen, type VerifiedLine } from '../../server/src/gateways/verified.ts'
import type { Artifact } from './artifact.ts'
import { between } from './state-drawings.ts'

export type Claim = VerifiedLine

const date = /^\d{4}-\d{2}-\d{2}$/

/** What a file of evidence says of the claim that names it. */
type Evidence = Readonly<Record<string, unknown>>

/**
 * A line for each claim without a date or a name, and for each that says more than its file in
 * `docs/operators/evidence`: another ability, place, day, person or sum. `read`: its text, or
 * undefined where there is none. `clients`: by name, the version that the proof installs.
 */
export function faultsOf(
  claims: readonly Claim[],
  read: (evidence: string) => string | undefined,
  clients?: Readonly<Record<string, string>>,
): string[] {
  return claims.flatMap((claim) => {
    const { operator, ability, sandbox, live, imitated, client_proof } = claim
    const what = `${operator}, ${ability}`
    const dates = [imitated, client_proof?.on, sandbox?.on, live?.on].filter((one) => one != null)
    const undated = dates.filter((one) => !date.test(one)).map((one) => `${what}: no date ${one}`)
    const seen = (['sandbox', 'live'] as const).flatMap((place) => unprovenIn(claim, place, read))
    const [, client = '', version] = /^npm (\S+) (\S+)$/.exec(client_proof?.client ?? '') ?? []
    const isInstalled = clients === undefined || (version && clients[client] === version)
    const unknown = client_proof === null || isInstalled ? [] : [client_proof.client]
    return [
      ...undated,
      ...seen.map((fault) => `${what}: ${fault}`),
      ...unknown.map((one) => `${what}: no proof installs ${one}`),
    ]
  })
}

function unprovenIn(
  claim: Claim,
  place: 'sandbox' | 'live',
  read: (evidence: string) => string | undefined,
): string[] {
  const seen = claim[place]
  if (seen === null) return []
  const { on, by, evidence, amount } = seen
  const text = by === '' || evidence === '' ? undefined : read(evidence)
  if (text === undefined) return [`seen by “${by}” in “${evidence}”`]
  const found = readEvidence(text)
  const told: Evidence = {
    ...{ operator: claim.operator, ability: claim.ability, by, amount },
    environment: place.toUpperCase(),
  }
  const other = Object.entries(told).filter(([name, value]) => found[name] !== value)
  const day = String(found['seen_at'] ?? '').slice(0, 10)
  return [
    ...other.map(([name, value]) => `${name} “${value}” is not what ${evidence} has`),
    ...(day === on ? [] : [`${on} is not the day that ${evidence} has`]),
  ]
}

function readEvidence(text: string): Evidence {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

/** The same on every day: what it says of age is a date. */
export function tableOf(claims: readonly Claim[]): string {
  const seen = (one: Seen | null): string => {
    if (one === null) return '**not yet**'
    const amount = one.amount === undefined ? '' : `, ${one.amount}`
    const until = goodUntil(one).toISOString().slice(0, 10)
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
