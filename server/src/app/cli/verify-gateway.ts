// What may be said of an operator because it was seen: each ability of an account with a success of
// its own in the database, as a line of the honesty table with its evidence. Law: what was seen at
// an imitation, or at any other host than the operator's, is no evidence of the operator.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listSeen, listSeenCallbacks, type SeenSuccess } from '../../attempts/seen-statements.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { listBalances } from '../../gateways/balance-store.ts'
import { type Seen, seen_days, type VerifiedLine } from '../../gateways/verified.ts'
import { formatAmount } from '../../money/format.ts'
import type { Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'

/** Why nothing that this account has seen is evidence; undefined where it is. */
export function noEvidence(module: AdapterModule, account: FoundGateway): Text | undefined {
  if (account.dialect != null) return imitationText(account.code)
  const spec = module.settings.find(({ key }) => key === 'base_url')
  const own = [spec?.standard?.[account.environment] ?? '', ...(spec?.allowed_hosts ?? [])]
  const hosts = own.map(hostOf).filter(Boolean)
  const host = hostOf(account.settings['base_url'] ?? '')
  if (hosts.includes(host)) return undefined
  return elsewhereText(account.code, host)
}

const imitationText = (code: string): Text => ({
  en: `${code} is an imitation, not the operator.`,
  fr: `${code} est une imitation, pas l’opérateur.`,
})

const elsewhereText = (code: string, host: string): Text => ({
  en: `${code} speaks to ${host}, which is none of the operator’s hosts.`,
  fr: `${code} parle à ${host}, qui n’est pas un hôte de l’opérateur.`,
})

const hostOf = (text: string): string => (URL.canParse(text) ? new URL(text).hostname : text)

export type Sighting = Readonly<{ on: Date; facts: Readonly<Record<string, string>> }>

/**
 * Since it is where it is: before that, another may have answered, such as an imitation. What was
 * seen of the ability that a line of the table names; undefined: nothing.
 */
export async function sightingsOf(
  db: Db,
  account: FoundGateway,
): Promise<(ability: string) => Sighting | undefined> {
  const { id, code, environment, moved_at: since = null } = account
  const [seen, callbacks, balances] = [
    await listSeen(db, id, seen_days, since),
    await listSeenCallbacks(db, id, seen_days, since),
    (await listBalances(db, environment)).filter(
      (one) => one.gateway_code === code && (since === null || one.read_at > since),
    ),
  ]
  const [balance] = balances
  return (ability) => {
    if (/^collect\b/.test(ability)) return successOf(seen.get('COLLECT'))
    if (ability === 'pay out') return successOf(seen.get('PAY_OUT'))
    if (/^refund\b/.test(ability)) return successOf(seen.get('REFUND'))
    if (/^reversal\b/.test(ability)) return successOf(seen.get('REVERSAL'))
    if (ability === 'balance' && balance !== undefined) {
      return { on: balance.read_at, facts: { wallet: balance.wallet, currency: balance.currency } }
    }
    const [, grade = ''] = /^callbacks \((.+)\)$/.exec(ability) ?? []
    const proof = grades[grade]
    const callback = proof && callbacks.get(proof)
    return callback && { on: callback.created_at, facts: { proof: callback.proof } }
  }
}

const grades: Readonly<Record<string, 'SIGNED' | 'BEARER' | 'UNSIGNED'>> = {
  signed: 'SIGNED',
  'a token, unsigned': 'BEARER',
  unsigned: 'UNSIGNED',
}

const successOf = (seen: SeenSuccess | undefined): Sighting | undefined =>
  seen && {
    on: seen.finished_at,
    facts: {
      our_key: seen.our_key,
      external_reference: seen.external_reference,
      amount: `${formatAmount(seen.amount)} ${seen.currency}`,
    },
  }

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
