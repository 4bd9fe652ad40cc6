// What an account with this operator is set up with, and the facts that a poller lives by. Sources,
// and how sure each is: docs/operators/fedapay.md.

import type { AccountEnvironment, SettingSpec } from '../adapter.ts'
import type { GatewayFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const

/** A key of the other environment has another beginning, so it is refused when it is given. */
const keyOf = (environment: AccountEnvironment, word: 'sandbox' | 'live'): SettingSpec => ({
  key: 'secret_key',
  secret: true,
  required: true,
  environments: [environment],
  pattern: new RegExp(`^sk_${word}_[0-9A-Za-z_-]{8,240}$`),
  help: {
    en: `Private API key of the ${word} account: in the dashboard under API.`,
    fr: `Clé API privée du compte ${word} : dans le tableau de bord, sous API.`,
  },
})

export const settings: readonly SettingSpec[] = [
  {
    key: 'base_url',
    secret: false,
    required: true,
    environments: both,
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: { SANDBOX: 'https://sandbox-api.fedapay.com', LIVE: 'https://api.fedapay.com' },
    allowed_hosts: ['api.fedapay.com'],
    help: {
      en: 'Base URL of the API, without a trailing slash.',
      fr: 'Adresse de l’API, sans barre oblique à la fin.',
    },
  },
  keyOf('SANDBOX', 'sandbox'),
  keyOf('LIVE', 'live'),
  {
    key: 'webhook_secret',
    secret: true,
    required: true,
    environments: both,
    pattern: /^wh_[0-9A-Za-z_.-]{8,240}$/,
    help: {
      en: 'Signing secret of the webhook: it is shown on the webhook’s page.',
      fr: 'Secret de signature du webhook : affiché sur la page de celui-ci.',
    },
  },
]

/** How far two clocks may be apart. Seconds. */
export const max_skew_s = 300

export const facts: GatewayFacts = {
  // A second money call is a second request for money.
  create_is_idempotent: false,
  ask_by: 'THEIR_REFERENCE',
  // Only of what was never prepared, so that nothing was asked for: it is known to be missing.
  not_found_grace_s: 120,
  call_timeout_ms: 5_000,
  queries_per_second: 5,
  first_ask_after_s: { callbacks_seen: 30, callbacks_silent: 15 },
  callback_address: 'STATIC',
  max_skew_s,
  signature_headers: ['x-fedapay-signature'],
}
