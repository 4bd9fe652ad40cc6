// What an account with this operator is set up with, and the facts that a poller lives by. Sources,
// and how sure each is: docs/operators/stripe.md.

import type { AccountEnvironment, SettingSpec } from '../adapter.ts'
import type { GatewayFacts, RefundFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const

/** A key of the other environment has another beginning, so it is refused when it is given. */
const keyOf = (environment: AccountEnvironment, word: 'test' | 'live'): SettingSpec => ({
  key: 'secret_key',
  secret: true,
  required: true,
  environments: [environment],
  pattern: new RegExp(`^(?:sk|rk)_${word}_[0-9A-Za-z]{10,240}$`),
  help: {
    en: `API key of ${word} mode, secret or restricted: in the dashboard under API keys.`,
    fr: `Clé API du mode ${word}, secrète ou restreinte : dans le tableau de bord, Clés API.`,
  },
})

export const settings: readonly SettingSpec[] = [
  {
    key: 'base_url',
    secret: false,
    required: true,
    environments: both,
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: { SANDBOX: 'https://api.stripe.com', LIVE: 'https://api.stripe.com' },
    allowed_hosts: ['api.stripe.com'],
    help: {
      en: 'Base URL of the API, without a trailing slash.',
      fr: 'Adresse de l’API, sans barre oblique à la fin.',
    },
  },
  keyOf('SANDBOX', 'test'),
  keyOf('LIVE', 'live'),
  {
    key: 'webhook_secret',
    secret: true,
    required: true,
    environments: both,
    pattern: /^whsec_[0-9A-Za-z+/=_-]{8,240}$/,
    help: {
      en: 'Signing secret of the webhook endpoint: it is shown on the endpoint’s page.',
      fr: 'Secret de signature du point de terminaison webhook : affiché sur la page de celui-ci.',
    },
  },
]

/** stripe.com/files/ips/ips_webhooks.txt: the same in both modes. As it was in May 2026. */
export const callbackAddresses = {
  'api.stripe.com': [
    ...['3.18.12.63', '3.69.109.8', '3.120.168.93', '3.130.192.231', '13.235.14.237'],
    ...['13.235.122.149', '18.211.135.69', '35.154.171.200', '35.157.207.129', '52.15.183.38'],
    ...['54.88.130.119', '54.88.130.237', '54.187.174.169', '54.187.205.235', '54.187.216.72'],
  ],
} as const

const day = 24 * 3600

/** A key is kept for at least a day; ten minutes less, for clocks and for what is on its way. */
const idempotency_s = day - 600

/** How far two clocks may be apart. Seconds. */
export const max_skew_s = 300

export const factsOf = (environment: AccountEnvironment): GatewayFacts => ({
  create_is_idempotent: true,
  idempotency_s,
  ask_by: 'REPLAY',
  not_found_grace_s: 900,
  call_timeout_ms: 8_000,
  // It allows 25 a second in test mode and 100 live, of all calls together.
  queries_per_second: environment === 'LIVE' ? 50 : 12,
  creates_per_second: environment === 'LIVE' ? 50 : 13,
  first_ask_after_s: { callbacks_seen: 60, callbacks_silent: 20 },
  callback_address: 'STATIC',
  max_skew_s,
  signature_headers: ['stripe-signature'],
})

export const refund_facts: RefundFacts = {
  partial: true,
  window_s: 90 * day,
  idempotent: true,
  returns_fee: false,
  one_at_a_time: false,
}

/** The page may be opened for half an hour, the shortest time that the operator takes. Seconds. */
export const pageLifeS = 1_800
/** What may pass between our making an attempt and its arrival there. Seconds. */
export const arrivalS = 300
