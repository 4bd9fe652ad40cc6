// What some refusals are in words of the screens: their texts name an address or a field, to
// whoever calls the API by program. The entrances meet none of them, nor load their words.

import { describeRefusalsBy } from '../ui/form.tsx'
import { type Key, t } from '../words/translate.ts'

const names_an_api = /[A-Z]+ \/|[a-z]_[a-z]/

/** Where a text of the API names one. */
const refusals: Readonly<Partial<Record<string, Key>>> = {
  invalid_country: 'refused_country',
  invalid_method: 'refused_network',
  not_refundable: 'refused_refund',
  payout_limit_exceeded: 'refused_payout_limit',
  payout_method_cooling_off: 'refused_method',
  payout_not_enabled: 'refused_network',
}

export const describeRefusals = (): void =>
  describeRefusalsBy(({ code, message }) => {
    const key = refusals[code]
    return key !== undefined && names_an_api.test(message) ? t(key) : message
  })
