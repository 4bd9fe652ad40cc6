// An account with the dialect of Wave Business, as it is set up from the operator's portal.

import type { Account } from '../../src/gateways/adapter.ts'

export const webhookSecret = 'wave_sn_WHS_imitation00000000'

type Dialect = Readonly<{ url: string; api_key: string }>
type Changes = Readonly<{
  base_url?: string
  webhook_secret?: string
  signing_secret?: string
  restrict_payer?: 'yes' | 'no'
}>

/** A sandbox account whose sessions may be paid by the number of the payment alone. */
export function withWave({ url, api_key }: Dialect, changes: Changes = {}): Account {
  const { base_url = url, webhook_secret = webhookSecret, signing_secret } = changes
  return {
    ...{ id: 'c0000000-0000-4000-8000-000000000001', code: 'wave_test', country: 'SN' },
    environment: 'SANDBOX',
    settings: { base_url, restrict_payer: changes.restrict_payer ?? 'yes' },
    secrets: {
      ...{ api_key, webhook_secret },
      ...(signing_secret === undefined ? {} : { signing_secret }),
    },
  }
}
