// What may be said of an operator because it was seen: each ability of an account with a success of
// its own in the database, as a line of the honesty table with its evidence.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostOf, type Sighting } from '../../attempts/steps/sightings.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import type { Seen, VerifiedLine } from '../../gateways/verified.ts'

export type Verifying = Readonly<{
  account: FoundGateway
  operator: string
  by: string
  /** Where `verified.json` and its evidence are. */
  folder: string
  sightings: (ability: string) => Sighting | undefined
}>

/** The abilities that were added, or are newer now. Writes nothing where nothing is new. */
export function writeVerified(verifying: Verifying): readonly string[] {
  const { account, operator, folder, sightings } = verifying
  const file = join(folder, 'verified.json')
  if (!existsSync(file)) throw new Error(`There is no ${file}: name the folder with --folder.`)
  const lines: VerifiedLine[] = JSON.parse(readFileSync(file, 'utf8'))
  const as = account.environment === 'LIVE' ? 'live' : 'sandbox'
  const added: string[] = []
  const after = lines.map((line) => {
    const sighting = line.operator === operator ? sightings(line.ability) : undefined
    if (sighting === undefined || !isNewer(sighting, line[as])) return line
    added.push(line.ability)
    return { ...line, [as]: writeEvidence(verifying, line.ability, sighting) }
  })
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`)
  return added
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

const isNewer = ({ on }: Sighting, was: Seen | null): boolean => was === null || dayOf(on) > was.on

function writeEvidence(
  { account, operator, by, folder }: Verifying,
  ability: string,
  of: Sighting,
) {
  const { code, environment, adapter } = account
  const on = dayOf(of.on)
  const name = `${on}-${code}-${ability.replaceAll(/[^a-z]+/g, '-').replace(/-$/, '')}.json`
  const host = hostOf(account.settings['base_url'] ?? '')
  const evidence = {
    ...{ operator, ability, account: code, adapter, environment, host },
    ...{ seen_at: of.on.toISOString(), by, ...of.facts },
  }
  mkdirSync(join(folder, 'evidence'), { recursive: true })
  writeFileSync(join(folder, 'evidence', name), `${JSON.stringify(evidence, null, 2)}\n`)
  const { amount } = of.facts
  return { on, by, evidence: name, ...(amount === undefined ? {} : { amount }) }
}
