// What was seen of an operator at an account of ours: the last success of each of its abilities,
// with the facts that show it. Law: what was seen at an imitation, or at any other host than the
// operator's, is no evidence of the operator.

import type { FoundGateway } from '../../gateways/account-store.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { listBalances } from '../../gateways/balance-store.ts'
import { seen_days } from '../../gateways/verified.ts'
import { formatAmount } from '../../money/format.ts'
import type { Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import { listSeen, listSeenCallbacks, type SeenSuccess } from '../seen-statements.ts'

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

export const hostOf = (text: string): string => (URL.canParse(text) ? new URL(text).hostname : text)

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
