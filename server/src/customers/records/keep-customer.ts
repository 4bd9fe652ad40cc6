// A merchant writes down, changes or forgets a customer; each act has its line in the audit log,
// with what is masked of the person.

import type { AuditAction } from '../../audit/actions.ts'
import { actorOf, masked } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { CatalogueOf } from '../../catalogue/read-catalogue.ts'
import { type Db, inTransaction, isUniqueViolation, type Sql, type Tx } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import { inEnvironment } from '../../platform/http/ownership.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { homeOf } from '../../platform/places/places.ts'
import { readAnyPhone } from '../phone.ts'
import { refusePhone } from '../refuse-phone.ts'
import { type Customer, type CustomerFields, customerErrors, name_length_max } from './customer.ts'
import {
  type CustomerKey,
  deleteCustomer,
  findCustomer,
  insertCustomer,
  lockCustomer,
  markFinished,
  requireOwnCustomer,
  updateCustomer,
} from './store.ts'

export type CustomerRequest = Readonly<{
  phone?: string | null
  email?: string | null
  first_name?: string
  last_name?: string
  /** Split at its last space; a first or last name of its own counts more. */
  full_name?: string
  /** Alpha-2 or id. */
  country?: string | null
}>

export type KeepDeps = Readonly<{ db: Db; catalogue: CatalogueOf }>

type Owner = Pick<Caller, 'merchant_id' | 'environment'>

export async function getOwnCustomer(sql: Sql, owner: Owner, id: string): Promise<Customer> {
  const key = { merchant_id: owner.merchant_id, id }
  const customer = inEnvironment(await findCustomer(sql, key), owner.environment)
  return requireOwnCustomer(sql, key, customer)
}

const nobody: CustomerFields = {
  phone: null,
  country: null,
  email: null,
  first_name: '',
  last_name: '',
}

export async function createCustomer(
  { db, catalogue }: KeepDeps,
  caller: Caller,
  request: CustomerRequest,
): Promise<Customer> {
  const { merchant_id, environment } = caller
  const { countries } = await catalogue(caller.catalogue_version)
  const row = { ...fieldsAfter(nobody, request, countries), merchant_id, environment, id: newId() }
  return inTransaction(homeOf(db, merchant_id), async (tx) => {
    const customer = await insertCustomer(tx, row)
    if (customer === undefined) throw refuse(customerErrors.customer_exists)
    await recordCustomerAct(tx, caller, {
      action: 'customer.created',
      customer,
      after: auditView(customer),
    })
    return customer
  })
}

export async function changeCustomer(
  { db, catalogue }: KeepDeps,
  caller: Caller,
  { id, request }: Readonly<{ id: string; request: CustomerRequest }>,
): Promise<Customer> {
  await getOwnCustomer(db, caller, id)
  const { countries } = await catalogue(caller.catalogue_version)
  try {
    return await inTransaction(homeOf(db, caller.merchant_id), async (tx) => {
      const before = await lockCustomer(tx, { merchant_id: caller.merchant_id, id })
      if (before === undefined) throw refuse(transportErrors.not_found)
      const customer = await updateCustomer(tx, before, fieldsAfter(before, request, countries))
      if (customer === undefined) throw refuse(transportErrors.not_found)
      const acted = { before: auditView(before), after: auditView(customer) }
      await recordCustomerAct(tx, caller, { action: 'customer.changed', customer, ...acted })
      return customer
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse(customerErrors.customer_exists)
    throw error
  }
}

/**
 * Locked until the transaction ends: a payment that would name this customer waits. None: erased.
 */
export async function lockOwnCustomer(
  tx: Tx,
  { merchant_id, environment }: Owner,
  id: string,
): Promise<Customer | undefined> {
  const customer = await lockCustomer(tx, { merchant_id, id })
  return customer?.environment === environment ? customer : undefined
}

type Forgetting = Readonly<{
  customer: Customer
  after: Record<string, unknown>
  /** Nothing that names them is left for later. */
  is_finished: boolean
}>

/** The customer's own row; `erasure/` finds everything else that names them. Returns when. */
export async function forgetCustomer(
  tx: Tx,
  caller: Caller,
  { customer, after, is_finished }: Forgetting,
): Promise<Date> {
  const forgotten_at = await deleteCustomer(tx, { ...customer, is_finished })
  const before = auditView(customer)
  await recordCustomerAct(tx, caller, { action: 'customer.deleted', customer, before, after })
  return forgotten_at
}

/** Nothing names them any more. */
export const finishForgetting = (db: Db, customer: CustomerKey): Promise<void> =>
  markFinished(db, customer)

type Countries = Catalogue['countries']

function fieldsAfter(
  before: CustomerFields,
  request: CustomerRequest,
  countries: Countries,
): CustomerFields {
  const country =
    request.country === undefined ? before.country : codeOf(request.country, countries)
  const phone = request.phone === undefined ? before.phone : e164(request.phone, country, countries)
  const email =
    request.email === undefined ? before.email : request.email?.trim().toLowerCase() || null
  if (phone === null && email === null) throw invalid('phone', eitherNeeded)
  return {
    phone,
    country,
    email,
    ...namesOf(before, request),
  }
}

function namesOf(before: CustomerFields, { full_name, first_name, last_name }: CustomerRequest) {
  const [first, last] = full_name === undefined ? [] : splitName(full_name)
  return {
    first_name: first_name ?? first ?? before.first_name,
    last_name: last_name ?? last ?? before.last_name,
  }
}

/** What follows the last space is the last name; a single word is a first name. */
function splitName(full_name: string): [string, string] {
  const name = full_name.trim()
  const at = name.lastIndexOf(' ')
  const [first, last] = at < 0 ? [name, ''] : [name.slice(0, at).trim(), name.slice(at + 1)]
  if (Math.max(first.length, last.length) > name_length_max) throw invalid('full_name', tooLong)
  return [first, last]
}

const tooLong = {
  en: `Each part of a name may have at most ${name_length_max} characters.`,
  fr: `Chaque partie d’un nom compte au plus ${name_length_max} caractères.`,
}

function codeOf(country: string | null, countries: Countries): string | null {
  const text = country?.trim() ?? ''
  if (text === '') return null
  const code = text.toUpperCase()
  const found = countries.find(({ id, iso_code }) => iso_code === code || id === text.toLowerCase())
  if (found === undefined) throw invalid('country', noCountry)
  return found.iso_code
}

const noCountry = {
  en: 'Must be a country we serve: its 2-letter code, such as BJ, or its id. See GET /countries/.',
  fr:
    'Doit être un pays desservi : son code à 2 lettres, comme BJ, ou son id. Voir GET ' +
    '/countries/.',
}

const eitherNeeded = {
  en: 'A phone or an e-mail is required.',
  fr: 'Un téléphone ou un e-mail est obligatoire.',
}

function e164(phone: string | null, country: string | null, countries: Countries): string | null {
  if (phone === null || phone.trim() === '') return null
  const known = countries.map(({ iso_code }) => iso_code)
  const reading = readAnyPhone(phone, country, known)
  if (reading.is === 'unclear') throw invalid('phone', whichCountry)
  if (reading.is === 'impossible') {
    throw refusePhone(customerErrors.invalid_customer, { field: 'phone', country })
  }
  return reading.e164
}

const whichCountry = {
  en: 'Give it with + and the country code, such as +229…, or specify the country.',
  fr: 'Écrivez-le avec + et l’indicatif du pays, comme +229…, ou indiquez le pays.',
}

const auditView = ({ phone, email }: Customer) => ({
  phone: phone === null ? '' : masked(phone),
  email: email === null ? '' : masked(email),
})

type Recorded = Readonly<{
  action: AuditAction
  customer: Customer
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}>

const recordCustomerAct = (tx: Tx, caller: Caller, { action, customer, before, after }: Recorded) =>
  recordAct(tx, {
    merchant_id: customer.merchant_id,
    environment: customer.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'customer',
    target_id: customer.id,
    before: before ?? null,
    after: after ?? null,
  })
