// A settlement as staff read it: its merchant and, for those who pay it, its destination in full.
// Nobody else is shown a whole account number.

import { type Static, type TSchema, Type } from 'typebox'
import type { Locale } from '../../platform/errors.ts'
import type { Seen } from '../store.ts'
import { SettlementView, settlementExample, viewSettlement } from '../view.ts'
import type { MerchantsSettlement } from './store.ts'

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const merchant_name = 'Boutique Awa'

export const SettlementOfMerchant = Type.Object(
  { ...SettlementView.properties, merchant_name: Type.String() },
  { title: 'SettlementOfMerchant' },
)

const DestinationView = Type.Object({
  type: Type.Enum(['MOBILE_MONEY', 'BANK_ACCOUNT']),
  network: Type.Union([Type.String(), Type.Null()], { description: 'Network code.' }),
  msisdn: orNull(Type.String()),
  bank_name: orNull(Type.String()),
  account_number: Type.Union([Type.String(), Type.Null()], { description: 'Whole.' }),
  account_name: orNull(Type.String()),
})

export const SettlementToPay = Type.Object(
  { ...SettlementOfMerchant.properties, destination: DestinationView },
  { title: 'SettlementToPay' },
)

export const viewOfMerchant = (
  settlement: MerchantsSettlement,
  locale: Locale,
): Static<typeof SettlementOfMerchant> => ({
  ...viewSettlement(settlement, locale),
  merchant_name: settlement.merchant_name,
})

export function viewToPay(
  { settlement, destination, merchant_name: name }: Seen,
  locale: Locale,
): Static<typeof SettlementToPay> {
  return {
    ...viewSettlement(settlement, locale),
    merchant_name: name,
    destination: {
      type: destination.type,
      network: destination.network_code,
      msisdn: destination.msisdn,
      bank_name: destination.bank_name,
      account_number: destination.account_number,
      account_name: destination.account_name,
    },
  }
}

export const ofMerchantExample = { ...settlementExample, merchant_name }

const destination = {
  type: 'BANK_ACCOUNT',
  network: null,
  msisdn: null,
  bank_name: 'Banque du Golfe',
  account_number: 'BJ66BJ0610100100144390000769',
  account_name: 'Boutique Awa SARL',
} as const

/** Any settlement's example, as staff see it. */
export const toPay = (example: SettlementView) => ({ ...example, merchant_name, destination })
