// An account with the dialect of Orange Money Web Payment.

import type { Account } from '../../src/gateways/adapter.ts'

type Dialect = Readonly<{
  url: string
  client_id: string
  client_secret: string
  merchant_key: string
}>

/** A sandbox account. */
export const withOrange = ({ url, client_id, client_secret, merchant_key }: Dialect): Account => ({
  ...{ id: 'c0000000-0000-4000-8000-000000000002', code: 'orange_test', country: 'CI' },
  environment: 'SANDBOX',
  settings: {
    ...{ base_url: url, country_path: 'dev', wire_currency: 'OUV', shown_name: 'Pirogue' },
  },
  secrets: { client_id, client_secret, merchant_key },
})
