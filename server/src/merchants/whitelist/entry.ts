// A whitelist entry: an address, or a network, from which the merchant's servers may pay out.

import { defineErrors } from '../../platform/errors.ts'

export const entryStatuses = ['ACTIVE', 'INACTIVE'] as const
export type EntryStatus = (typeof entryStatuses)[number]

export type WhitelistEntry = Readonly<{
  merchant_id: string
  id: string
  /** In the form of `readNetwork`. */
  ip_address: string
  label: string
  status: EntryStatus
  created_by_member: string | null
  created_at: Date
  updated_at: Date
}>

export const entries_max = 100
export const label_length_max = 100

// What managing the IP whitelist can refuse, beside what every route can.

export const whitelistErrors = defineErrors({
  whitelist_limit_reached: {
    status: 409,
    message: {
      en: `A whitelist can have at most ${entries_max} entries. Use a network, or remove one.`,
      fr: `La liste a au plus ${entries_max} entrées. Utilisez un réseau ou retirez-en une.`,
    },
  },
})
