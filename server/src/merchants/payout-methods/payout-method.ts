// Where a settlement goes: a mobile-money number or a bank account. The destination never changes
// after it was added, so that what has cooled off is what is paid to.

import type { Text } from '../../platform/errors.ts'

export const methodTypes = ['MOBILE_MONEY', 'BANK_ACCOUNT'] as const
export type MethodType = (typeof methodTypes)[number]

export type PayoutMethod = Readonly<{
  merchant_id: string
  id: string
  /** ISO 3166 alpha-2. */
  country: string
  type: MethodType
  label: string
  network_id: string | null
  network_code: string | null
  /** E.164. */
  msisdn: string | null
  bank_name: string | null
  /** In full: for those who pay, never for a view. */
  account_number: string | null
  account_name: string | null
  usable_from: Date
  /** The cooling-off is over, by the database's clock. */
  is_usable: boolean
  /** Whole seconds until then. */
  usable_in_s: number
  created_by_member: string | null
  created_at: Date
  updated_at: Date
}>

export const methods_max = 100
export const label_length_max = 100

/** The last 4 characters; no number that is taken is so short that they would be all of it. */
export const maskedAccount = (account_number: string): string => `****${account_number.slice(-4)}`

const account_form = /^[A-Z0-9]{8,34}$/

/** Letters and digits of an account number or IBAN; undefined when it can be none. */
export function readAccountNumber(text: string): string | undefined {
  const bare = text.replace(/[\s.-]/g, '').toUpperCase()
  return account_form.test(bare) ? bare : undefined
}

const wrongAccount: Text = {
  en: 'Must be an account number of 8 to 34 letters and digits.',
  fr: 'Doit être un numéro de compte de 8 à 34 lettres et chiffres.',
}
const needed: Text = { en: 'Is required for this type.', fr: 'Est obligatoire pour ce type.' }

const neededFields: Readonly<Record<MethodType, readonly string[]>> = {
  MOBILE_MONEY: ['network', 'msisdn'],
  BANK_ACCOUNT: ['bank_name', 'account_number'],
}

/** What the schema cannot express: which fields a type needs, and how an account is written. */
export function methodFaults(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const faults: Record<string, Text[]> = {}
  const type = methodTypes.find((one) => one === body['type'])
  for (const field of type === undefined ? [] : neededFields[type]) {
    const value = body[field]
    if (value === undefined || (typeof value === 'string' && value.trim() === '')) {
      faults[field] = [needed]
    }
  }
  const { account_number } = body
  const isRead = type === 'BANK_ACCOUNT' && faults['account_number'] === undefined
  if (isRead && typeof account_number === 'string') {
    if (readAccountNumber(account_number) === undefined) faults['account_number'] = [wrongAccount]
  }
  return faults
}
