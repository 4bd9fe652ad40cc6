// What an account with this operator is set up with, and the facts that a poller lives by. Sources,
// and how sure each is: docs/operators/wave.md.

import type { SettingSpec } from '../adapter.ts'
import type { GatewayFacts, RefundFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const
const secretForm = /^[\x21-\x7e]{8,256}$/

export const settings: readonly SettingSpec[] = [
  {
    key: 'base_url',
    secret: false,
    required: true,
    environments: both,
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: { LIVE: 'https://api.wave.com' },
    allowed_hosts: ['api.wave.com'],
    help: {
      en: 'Base URL of the API, without a trailing slash. The operator has no public sandbox.',
      fr: 'Adresse de l’API, sans barre oblique à la fin. Il n’y a pas de bac à sable public.',
    },
  },
  {
    key: 'restrict_payer',
    secret: false,
    required: false,
    environments: both,
    pattern: /^(?:yes|no)$/,
    standard: { SANDBOX: 'yes', LIVE: 'no' },
    changes_in_use: true,
    help: {
      en: 'yes: only the number of the payment may pay it; no: any account of the operator.',
      fr: 'yes : seul le numéro du paiement peut le payer ; no : tout compte de l’opérateur.',
    },
  },
  {
    key: 'api_key',
    secret: true,
    required: true,
    environments: both,
    pattern: /^wave_[a-z]{2}_[a-z]{2,10}_[A-Za-z0-9_-]{16,200}$/,
    help: {
      en: 'API key of the wallet, for all three: collect, pay out, read the wallet. Shown once.',
      fr: 'Clé API du portefeuille, pour encaisser, verser et lire le solde. Affichée une fois.',
    },
  },
  {
    key: 'webhook_secret',
    secret: true,
    required: true,
    environments: both,
    pattern: secretForm,
    help: {
      en: 'Secret of the webhook, shown when its address is registered on the portal.',
      fr: 'Secret du webhook, affiché quand son adresse est enregistrée sur le portail.',
    },
  },
  {
    key: 'signing_secret',
    secret: true,
    required: false,
    environments: both,
    pattern: secretForm,
    help: {
      en: 'Secret for signing requests, where the API key was made with it.',
      fr: 'Secret de signature des requêtes, si la clé API a été créée avec.',
    },
  },
]

/** How far two clocks may be apart. Seconds. */
export const max_skew_s = 300

export const facts: GatewayFacts = {
  // A checkout has no key against doubles: it is searched for before another is made.
  create_is_idempotent: false,
  payout_is_idempotent: true,
  not_found_grace_s: 900,
  call_timeout_ms: 7_000,
  queries_per_second: 5,
  first_ask_after_s: { callbacks_seen: 30, callbacks_silent: 10 },
  payouts_call_back: false,
  callback_address: 'STATIC',
  max_skew_s,
  // Never `authorization`: it may hold the secret itself.
  signature_headers: ['wave-signature'],
  ask_by: 'SEARCH',
  search_lag_s: 60,
  unshown_is_proof: true,
  prompt_lifetime_s: 1_800,
  reversal: { window_s: 3 * 24 * 3600, returns_fee: true },
}

const day_s = 24 * 3600

export const refund_facts: RefundFacts = {
  partial: false,
  window_s: 30 * day_s,
  idempotent: true,
  returns_fee: true,
  one_at_a_time: true,
}
