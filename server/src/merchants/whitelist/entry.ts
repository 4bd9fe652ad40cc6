// A whitelist entry: an address, or a network, from which the merchant's servers may pay out.

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
