// A merchant writes down, changes or forgets a customer; each act has its line in the audit log,
// with what is masked of the person.

import { actorOf, masked } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { type Db, inTransaction, isUniqueViolation, type Sql, type Tx } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { accessErrors, transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { readPhone } from '../phone.ts'
import { type Customer, customerErrors } from './customer.ts'
import {
  deleteCustomer,
  findCustomer,
  hasForgotten,
  insertCustomer,
  isCustomerOfAnyone,
  lockCustomer,
  updateCustomer,
  type Written,
} from './store.ts'

export type CustomerWish = Readonly<{
  phone?: string | null
  email?: string | null
  first_name?: string
  last_name?: string
}>

type Owner = Pick<Caller, 'merchant_id' | 'environment'>

export async function getOwnCustomer(sql: Sql, owner: Owner, id: string): Promise<Customer> {
  const customer = await findCustomer(sql, { merchant_id: owner.merchant_id, id })
  if (customer?.environment === owner.environment) return customer
  const isOthers = customer === undefined && (await isCustomerOfAnyone(sql, id))
  throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
}

const nobody: Written = { phone: null, email: null, first_name: '', last_name: '' }

export function createCustomer(db: Db, caller: Caller, wish: CustomerWish): Promise<Customer> {
  const { merchant_id, environment } = caller
  const row = { ...written(nobody, wish), merchant_id, environment, id: newId() }
  return inTransaction(db, async (tx) => {
    const customer = await insertCustomer(tx, row)
    if (customer === undefined) throw refuse(customerErrors.customer_exists)
    await record(tx, caller, { action: 'customer.created', customer, after: told(customer) })
    return customer
  })
}

export async function changeCustomer(
  db: Db,
  caller: Caller,
  { id, wish }: Readonly<{ id: string; wish: CustomerWish }>,
): Promise<Customer> {
  await getOwnCustomer(db, caller, id)
  try {
    return await inTransaction(db, async (tx) => {
      const before = await lockCustomer(tx, { merchant_id: caller.merchant_id, id })
      if (before === undefined) throw refuse(transportErrors.not_found)
      const customer = await updateCustomer(tx, before, written(before, wish))
      if (customer === undefined) throw refuse(transportErrors.not_found)
      const acted = { before: told(before), after: told(customer) }
      await record(tx, caller, { action: 'customer.changed', customer, ...acted })
      return customer
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse(customerErrors.customer_exists)
    throw error
  }
}

/** Locked until the transaction ends: a payment that would name him waits. None: forgotten. */
export async function lockOwnCustomer(
  tx: Tx,
  { merchant_id, environment }: Owner,
  id: string,
): Promise<Customer | undefined> {
  const customer = await lockCustomer(tx, { merchant_id, id })
  return customer?.environment === environment ? customer : undefined
}

/** Was this a customer of his, of whom nothing is left? */
export const isForgotten = (sql: Sql, owner: Owner, id: string): Promise<boolean> =>
  hasForgotten(sql, { ...owner, id })

/** The customer's own row; what else names him is `erasure/`'s to find. */
export async function forgetCustomer(
  tx: Tx,
  caller: Caller,
  { customer, after }: Readonly<{ customer: Customer; after: Record<string, unknown> }>,
): Promise<void> {
  await deleteCustomer(tx, customer)
  const before = told(customer)
  await record(tx, caller, { action: 'customer.deleted', customer, before, after })
}

function written(before: Written, wish: CustomerWish): Written {
  const phone = wish.phone === undefined ? before.phone : e164(wish.phone)
  const email = wish.email === undefined ? before.email : wish.email?.trim().toLowerCase() || null
  if (phone === null && email === null) throw invalid('phone', eitherNeeded)
  return {
    phone,
    email,
    first_name: wish.first_name ?? before.first_name,
    last_name: wish.last_name ?? before.last_name,
  }
}

const eitherNeeded = {
  en: 'A phone or an e-mail is needed.',
  fr: 'Un téléphone ou un e-mail est nécessaire.',
}

/** Of any country: the merchant names no country here, so the number is international. */
function e164(phone: string | null): string | null {
  if (phone === null || phone.trim() === '') return null
  const reading = readPhone(phone, 'XX')
  if (reading.is === 'impossible') throw refuse(customerErrors.invalid_customer)
  return reading.e164
}

const told = ({ phone, email }: Customer) => ({
  phone: phone === null ? '' : masked(phone),
  email: email === null ? '' : masked(email),
})

type Recorded = Readonly<{
  action: string
  customer: Customer
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}>

const record = (tx: Tx, caller: Caller, { action, customer, before, after }: Recorded) =>
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
