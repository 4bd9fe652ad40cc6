// What an account with this operator is set up with, and the facts that a poller lives by. Sources,
// and how sure each is: docs/operators/orange.md. No official text could be read.

import type { SettingSpec } from '../adapter.ts'
import type { GatewayFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const

const secretOf = (key: string, help: SettingSpec['help']): SettingSpec => ({
  ...{ key, secret: true, required: true, environments: both },
  ...{ pattern: /^[\x21-\x7e]{8,256}$/, help },
})

export const settings: readonly SettingSpec[] = [
  {
    ...{ key: 'base_url', secret: false, required: true, environments: both },
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: { SANDBOX: 'https://api.orange.com', LIVE: 'https://api.orange.com' },
    allowed_hosts: ['api.orange.com'],
    help: {
      en: 'Base URL of the API, without a trailing slash.',
      fr: 'Adresse de l’API, sans barre oblique à la fin.',
    },
  },
  {
    ...{ key: 'country_path', secret: false, required: true, environments: both },
    pattern: /^[a-z]{2,3}$/,
    standard: { SANDBOX: 'dev' },
    help: {
      en: 'The country in the API’s address, such as ci; dev in the operator’s sandbox.',
      fr: 'Le pays dans l’adresse de l’API, par exemple ci ; dev au bac à sable de l’opérateur.',
    },
  },
  {
    ...{ key: 'wire_currency', secret: false, required: false, environments: ['SANDBOX'] },
    pattern: /^[A-Z]{3}$/,
    standard: { SANDBOX: 'OUV' },
    help: {
      en: 'The only currency that the operator’s sandbox takes.',
      fr: 'La seule devise acceptée par le bac à sable de l’opérateur.',
    },
  },
  {
    ...{ key: 'shown_name', secret: false, required: true, environments: both },
    changes_in_use: true,
    pattern: /^[A-Za-z0-9 ._-]{1,30}$/,
    help: {
      en: 'The name that a payer reads on the operator’s page: at most 30 characters.',
      fr: 'Le nom que le payeur lit sur la page de l’opérateur : 30 caractères au plus.',
    },
  },
  secretOf('client_id', {
    en: 'Client ID of the application on developer.orange.com.',
    fr: 'Client ID de l’application sur developer.orange.com.',
  }),
  secretOf('client_secret', {
    en: 'Client secret of the application on developer.orange.com.',
    fr: 'Client secret de l’application sur developer.orange.com.',
  }),
  secretOf('merchant_key', {
    en: 'Merchant key of the Web Payment contract.',
    fr: 'Merchant key du contrat Web Payment.',
  }),
]

/** How far two clocks may be apart. Seconds. */
export const max_skew_s = 300

export const facts: GatewayFacts = {
  create_is_idempotent: false,
  not_found_grace_s: 900,
  call_timeout_ms: 7_000,
  queries_per_second: 5,
  first_ask_after_s: { callbacks_seen: 20, callbacks_silent: 20 },
  callback_address: 'PER_CALL',
  max_skew_s,
  // A question needs the token that the answer to the create gave.
  ask_by: 'THEIR_REFERENCE',
  unshown_is_proof: true,
}
