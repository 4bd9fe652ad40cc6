// A merchant adds a destination for its money. In LIVE it can be used only after a cooling-off, so
// that a hijacked session brings no money before the owners have read their e-mail.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Country } from '../../catalogue/catalogue.ts'
import type { CatalogueOf } from '../../catalogue/catalogue-in-memory.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { assert, invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { emailOwners } from '../email-owners.ts'
import { merchantErrors } from '../errors.ts'
import { lockMerchant } from '../store.ts'
import { newMethodEmail } from './emails.ts'
import { payoutMethodErrors } from './errors.ts'
import { getPayoutMethod } from './get-payout-method.ts'
import {
  type MethodType,
  methods_max,
  type PayoutMethod,
  readAccountNumber,
} from './payout-method.ts'
import { countMethods, insertMethod, type NewMethod } from './store.ts'
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
  return inTransaction(deps.db, async (tx) => {
    // Methods queue up to be counted, and behind the opening of LIVE, which cools them off.
    await lockMerchant(tx, merchant_id)
    if ((await countMethods(tx, merchant_id)) >= methods_max) {
      throw refuse(payoutMethodErrors.payout_method_limit_reached)
    }
    await insertMethod(tx, row, deps.cooling_hours)
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
  const { countryByCode, networkByCode } = await catalogue(caller.catalogue_version)
  const country = countryByCode(request.country)
  if (country === undefined) throw refuse(merchantErrors.invalid_country)
  if (request.type === 'BANK_ACCOUNT') return readAccount(country, request)
  const network = networkByCode(request.network ?? '')
  if (!network?.is_active || network.country_id !== country.id) {
    throw refuse(payoutMethodErrors.invalid_method)
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
  if (caller.session?.live_enabled !== true) return
  await emailOwners(tx, keyring, method.merchant_id, newMethodEmail(method))
}
