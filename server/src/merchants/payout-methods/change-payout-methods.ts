// Payout methods are added, named and removed. Where one leads never changes.

import type { AuditAction } from '../../audit/actions.ts'
import { actorOf, masked } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { Country } from '../../catalogue/catalogue.ts'
import type { CatalogueOf } from '../../catalogue/read-catalogue.ts'
import { refuseNetwork } from '../../catalogue/refuse-network.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { assert, invalid, type Locale, refuse } from '../../platform/errors.ts'
import type { ZoneFrom } from '../../platform/export/columns.ts'
import type { Caller } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { writeMoment } from '../../platform/write-moment.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import { merchantErrors } from '../errors.ts'
import { lockMerchant } from '../store.ts'
import { listZones } from '../time-zones/store.ts'
import { zoneAt } from '../time-zones/time-zone.ts'
import { payoutMethodErrors } from './errors.ts'
import { getPayoutMethod } from './get-payout-method.ts'
import {
  type MethodType,
  maskedAccount,
  methods_max,
  type PayoutMethod,
  readAccountNumber,
} from './payout-method.ts'
import {
  coolOff,
  countMethods,
  hideMethod,
  insertMethod,
  lockMethod,
  type MethodKey,
  type NewMethod,
  requireOwnMethod,
  updateMethodLabel,
} from './store.ts'
import { shownInAudit } from './view.ts'

export type PayoutMethodDeps = Readonly<{
  db: Db
  keyring: Keyring
  catalogue: CatalogueOf
  /** E.164 of a number as people type it; undefined when that country can have no such number. */
  normalisePhone: (text: string, country: string) => string | undefined
  /** The cooling-off of a merchant that has none of its own. */
  cooling_hours: number
}>

export type MethodRequest = Readonly<{
  country: string
  type: MethodType
  label?: string
  network?: string
  msisdn?: string
  bank_name?: string
  account_number?: string
  account_name?: string
}>

/** The body was checked for what its type needs. Refuses country, network and number, in order. */
export async function addPayoutMethod(
  deps: PayoutMethodDeps,
  caller: Caller,
  request: MethodRequest,
): Promise<PayoutMethod> {
  const { merchant_id, member_id } = caller
  const destination = await readDestination(deps, caller, request)
  const key = { merchant_id, id: newId() }
  const more = { label: request.label ?? '', account_name: request.account_name ?? null }
  const row = { ...key, ...destination, ...more, created_by_member: member_id }
  return transactInTurn(deps.db, caller, async (tx) => {
    // Methods queue up to be counted, and behind the opening of LIVE, which cools them off.
    await lockMerchant(tx, merchant_id)
    if ((await countMethods(tx, merchant_id)) >= methods_max) {
      throw refuse(payoutMethodErrors.payout_method_limit_reached)
    }
    const has_had_live = caller.session?.has_had_live === true
    await insertMethod(tx, row, { has_had_live, cooling_hours: deps.cooling_hours })
    const method = await getPayoutMethod(tx, key)
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'payout_method.added',
      target_kind: 'payout_method',
      target_id: method.id,
      after: shownInAudit(method),
    })
    await emailNewMethod(tx, deps.keyring, { caller, method })
    return method
  })
}

type Destination = Pick<
  NewMethod,
  'country' | 'type' | 'network_id' | 'msisdn' | 'bank_name' | 'account_number'
>

/** Only what the type has; the rest of the body is left out. */
async function readDestination(
  { catalogue, normalisePhone }: PayoutMethodDeps,
  caller: Caller,
  request: MethodRequest,
): Promise<Destination> {
  const known = await catalogue(caller.catalogue_version)
  const country = known.countryByCode(request.country)
  if (country === undefined) throw refuse(merchantErrors.invalid_country)
  if (request.type === 'BANK_ACCOUNT') return readAccount(country, request)
  const code = request.network ?? ''
  const network = known.networkByCode(code)
  if (!network?.is_active || network.country_id !== country.id) {
    const wrong = { country, code, takes: 'takes_payouts' } as const
    throw refuseNetwork(payoutMethodErrors.invalid_method, known, wrong)
  }
  if (!network.takes_payouts) throw refuse(payoutMethodErrors.payout_not_enabled)
  const msisdn = normalisePhone(request.msisdn ?? '', country.iso_code)
  if (msisdn === undefined) {
    throw invalid('msisdn', {
      en: 'Is not a valid number in this country.',
      fr: 'N’est pas un numéro valable dans ce pays.',
    })
  }
  const mobile = { type: request.type, network_id: network.id, msisdn }
  return { country: country.iso_code, ...mobile, bank_name: null, account_number: null }
}

function readAccount({ iso_code: country }: Country, request: MethodRequest): Destination {
  const account_number = readAccountNumber(request.account_number ?? '')
  const { type, bank_name } = request
  assert(account_number !== undefined && bank_name !== undefined, 'the body was checked')
  return { country, type, bank_name, account_number, network_id: null, msisdn: null }
}

type NewMethodEmail = Readonly<{ caller: Caller; method: PayoutMethod }>

/** The owners are e-mailed about it once real money can leave by it. */
async function emailNewMethod(
  tx: Tx,
  keyring: Keyring,
  { caller, method }: NewMethodEmail,
): Promise<void> {
  if (caller.session?.has_had_live !== true) return
  const zones = await listZones(tx, method.merchant_id)
  await emailOwners(tx, keyring, method.merchant_id, newMethodEmail(method, zones))
}

// Naming a payout method, and taking it away. Where it leads never changes.

/** Without a label, or with the same one, nothing changes and nothing is written. */
export async function namePayoutMethod(
  db: Db,
  caller: Caller,
  { id, label }: Readonly<{ id: string; label: string | undefined }>,
): Promise<PayoutMethod> {
  const key = { merchant_id: caller.merchant_id, id }
  return transactInTurn(db, caller, async (tx) => {
    const before = await getLockedMethod(tx, key)
    if (label === undefined || label === before.label) return before
    await updateMethodLabel(tx, key, label)
    const change = { before: { label: before.label }, after: { label } }
    await recordChange(tx, caller, { id, action: 'payout_method.changed', ...change })
    return getPayoutMethod(tx, key)
  })
}

/** Settlements on their way to it go on; it can be chosen no more. */
export async function removePayoutMethod(db: Db, caller: Caller, id: string): Promise<void> {
  const key = { merchant_id: caller.merchant_id, id }
  await transactInTurn(db, caller, async (tx) => {
    const before = await getLockedMethod(tx, key)
    await hideMethod(tx, key)
    const change = { before: shownInAudit(before), after: null }
    await recordChange(tx, caller, { id, action: 'payout_method.removed', ...change })
  })
}

const getLockedMethod = async (tx: Tx, key: MethodKey): Promise<PayoutMethod> =>
  requireOwnMethod(tx, key, await lockMethod(tx, key))

type Change = Readonly<{
  id: string
  action: AuditAction
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>> | null
}>

const recordChange = (tx: Tx, caller: Caller, { id, ...change }: Change): Promise<void> =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: null,
    actor: actorOf(caller),
    target_kind: 'payout_method',
    target_id: id,
    ...change,
  })

// LIVE opens: what was added before, when a session alone sufficed, cools off from this moment on.

/**
 * At least for the platform's own hours: until now the merchant's own could be shortened without a
 * second factor. The caller has locked the merchant's row, as adding a method does.
 */
export const coolOffMethods = (tx: Tx, merchant_id: string, cooling_hours: number): Promise<void> =>
  coolOff(tx, merchant_id, cooling_hours)

// The e-mails to the owners when there is a new place that money may go to.

/** `zones`: whose clock it shows. */
function newMethodEmail(method: PayoutMethod, zones: readonly ZoneFrom[]): OwnersEmail {
  const { msisdn, bank_name, account_number, usable_from } = method
  const account = account_number === null ? '' : `${bank_name} ${maskedAccount(account_number)}`
  const where = msisdn === null ? account : masked(msisdn)
  const from = (locale: Locale) => writeMoment(usable_from, zoneAt(zones, usable_from), locale)
  return {
    kind: 'PAYOUT_METHODS',
    subject: { en: 'A new payout method', fr: 'Un nouveau moyen de versement' },
    news: {
      en: `Your balance can be paid out to ${where} from ${from('en')} on.`,
      fr: `Votre solde pourra être versé sur ${where} à partir du ${from('fr')}.`,
    },
  }
}
