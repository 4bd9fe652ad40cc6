// How much an account may be sent, as it was agreed on with its operator: what staff change, and
// what of it trusts the operator with more. Law: more than before takes two people in LIVE.

import type { Db } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import { type FoundGateway, listPaces } from './account-store.ts'
import type { AdapterModule } from './adapter.ts'
import { findAdapter } from './adapters.ts'
import { named, pass } from './findings.ts'
import type { Finding } from './gateway.ts'
import { type AgreedPaces, type PaceKind, pacesOf, type UsualPaces } from './pace.ts'
import type { AccountPaces, GatewayRow } from './store.ts'

const kinds: Readonly<Record<keyof AccountPaces, PaceKind>> = {
  asks_per_s: 'asks',
  creates_per_s: 'creates',
  open_calls: 'open',
}
const names = ['asks_per_s', 'creates_per_s', 'open_calls'] as const

type Named = Partial<AccountPaces>
type OfAccount = AccountPaces & Pick<GatewayRow, 'adapter' | 'environment'>

/** What counts for an account: what was agreed on, else what is usual at its operator. */
function countingPaces(of: AgreedPaces & Pick<OfAccount, 'adapter' | 'environment'>) {
  const usual = findAdapter(of.adapter)?.usual(of.environment)
  return usual === undefined ? undefined : pacesOf(usual, of)
}

/** Of a request what lets more be sent than now; what is not limited is more than anything. */
export const fasterIn = (was: OfAccount, request: Named): Named =>
  chosen(request, (name) => isFaster(was, request, name))

/** Of a request what lets less be sent, or as much. */
export const slowerIn = (was: OfAccount, request: Named): Named =>
  chosen(request, (name) => !isFaster(was, request, name))

function isFaster(was: OfAccount, request: Named, name: keyof AccountPaces): boolean {
  const [from, to] = [was, { ...was, ...request }].map((of) => {
    const paces = countingPaces(of)
    return (paces === undefined ? of[name] : paces[kinds[name]]) ?? Number.POSITIVE_INFINITY
  })
  return (to ?? 0) > (from ?? 0)
}

const chosen = (of: Named, isWanted: (name: keyof AccountPaces) => boolean): Named =>
  Object.fromEntries(
    names.flatMap((name) => (of[name] === undefined || !isWanted(name) ? [] : [[name, of[name]]])),
  )

/** Of a row, or a request, nothing but its paces. */
export const pacesOnly = ({ asks_per_s, creates_per_s, open_calls }: AccountPaces) => ({
  ...{ asks_per_s, creates_per_s, open_calls },
})

/** As staff see them in a proposal and the audit log; empty where it is as usual. */
export const pacesIn = (of: Named): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (of[name] === undefined ? [] : [[name, String(of[name] ?? '')]])),
  )

/** As they were proposed; what was not is left. */
export const proposedPaces = (content: Readonly<Record<string, unknown>>): Named =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(content, name))
      .map((name) => [name, content[name] === '' ? null : Number(content[name])]),
  )

/** Of a row, what was agreed on; null: as usual there. */
export const agreedOf = ({ asks_per_s, creates_per_s, open_calls }: AgreedPaces): AccountPaces => ({
  asks_per_s: asks_per_s ?? null,
  creates_per_s: creates_per_s ?? null,
  open_calls: open_calls ?? null,
})

/** What is allowed, whether it is what was agreed on, and who shares it now. */
export async function paceFinding(
  db: Db,
  account: FoundGateway,
  module: AdapterModule,
): Promise<Finding> {
  const usual = module.usual(account.environment)
  const rows = await listPaces(db, account.id)
  const live = rows.filter(({ lease_in_ms }) => lease_in_ms > 0).length
  const [paces, who] = [describePaces(usual, account), sharersText(live)]
  return pass(
    { en: 'pace', fr: 'débit' },
    { en: `${paces.en}; ${who.en} a share now`, fr: `${paces.fr} ; ${who.fr}` },
  )
}

function sharersText(live: number): Text {
  if (live === 0) return { en: 'no process has', fr: 'aucun processus ne l’utilise en ce moment' }
  if (live === 1) return { en: 'one process has', fr: 'un processus l’utilise en ce moment' }
  return { en: `${live} have`, fr: `${live} processus se le partagent en ce moment` }
}

function describePaces(usual: UsualPaces, agreed: AgreedPaces): Text {
  const { asks, creates, open } = pacesOf(usual, agreed)
  const isAgreed = Object.values(agreedOf(agreed)).some((one) => one !== null)
  const [question, other, call] = [limitText(asks), limitText(creates), limitText(open)]
  const whose = isAgreed
    ? { en: 'as agreed', fr: 'comme convenu' }
    : { en: 'as usual there', fr: 'comme d’usage chez cet opérateur' }
  return {
    en:
      `${question.en} questions and ${other.en} other calls a second, ` +
      `${call.en} calls at once (${whose.en})`,
    fr:
      `questions par seconde : ${question.fr}, autres appels par seconde : ${other.fr}, ` +
      `appels simultanés : ${call.fr} (${whose.fr})`,
  }
}

const limitText = (limit: number | null): Text =>
  limit === null ? { en: 'any number of', fr: 'sans limite' } : named(String(limit))
