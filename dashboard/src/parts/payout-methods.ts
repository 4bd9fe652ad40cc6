// The merchant's own accounts, to which settlements go.

import type {
  GetMerchantPayoutMethodsData,
  GetMerchantPayoutMethodsResponse,
  PayoutMethod,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { writePhone } from '../format/phone.ts'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

export function usePayoutMethods() {
  const { place } = useHere()
  return useRead<GetMerchantPayoutMethodsData, GetMerchantPayoutMethodsResponse>(place, {
    url: '/merchant-payout-methods/',
    query: { page_size: 100 },
  })
}

/** Where the money goes: a phone as people write it, an account as the API shows it. */
export const accountOf = ({ msisdn, bank_name, account_number }: PayoutMethod): string =>
  msisdn === null ? [bank_name, account_number].filter(Boolean).join(' ') : writePhone(msisdn)

export const methodName = (method: PayoutMethod): string =>
  [method.label || t(`method_${method.type}`), accountOf(method)].join(' · ')
