// What an account with this operator is set up with, the facts that a poller lives by, and which of
// our networks it reaches. Sources, and how sure each is: docs/operators/pawapay.md.

import type { SettingSpec } from '../adapter.ts'
import type { GatewayFacts, RefundFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const

/** PEM without a password, in one line. */
const label = '(?:EC |RSA )?PRIVATE KEY'
const privateKey = new RegExp(
  `^-----BEGIN ${label}-----[\\w+/=\\\\\\s-]{64,32768}-----END ${label}-----(\\\\n|\\s)*$`,
)

export const settings: readonly SettingSpec[] = [
  {
    key: 'base_url',
    secret: false,
    required: true,
    environments: both,
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: { SANDBOX: 'https://api.sandbox.pawapay.io', LIVE: 'https://api.pawapay.io' },
    allowed_hosts: ['api.pawapay.io'],
    help: {
      en: 'Base URL of the API, without a trailing slash.',
      fr: 'Adresse de l’API, sans barre oblique à la fin.',
    },
  },
  {
    key: 'api_token',
    secret: true,
    required: true,
    environments: both,
    pattern: /^[\x21-\x7e]{20,4096}$/,
    help: {
      en: 'API token: in the dashboard under System configuration. It is shown only once.',
      fr: 'Jeton d’API : dans son tableau de bord, System configuration. Affiché une seule fois.',
    },
  },
  {
    key: 'signing_key_id',
    // With the key itself, in one version: a key under the name of another is refused.
    secret: true,
    required: false,
    environments: both,
    pattern: /^[\w .:-]{1,100}$/,
    help: {
      en: 'Name of our public key in its dashboard (Security). Only where requests are signed.',
      fr:
        'Nom de notre clé publique dans son tableau de bord (Security). Seulement si nos ' +
        'requêtes sont signées.',
    },
  },
  {
    key: 'signing_key',
    secret: true,
    required: false,
    environments: both,
    pattern: privateKey,
    help: {
      en: 'PEM of the key that signs our requests, in one line with \\n. Empty: none is signed.',
      fr: 'PEM de la clé qui signe nos requêtes, sur une ligne avec \\n. Vide : rien n’est signé.',
    },
  },
]

/** docs.pawapay.io/v2/docs/what_to_know, read in November 2026. */
export const callbackAddresses = {
  'api.sandbox.pawapay.io': ['3.64.89.224'],
  'api.pawapay.io': [
    ...['18.192.208.15', '18.195.113.136', '3.72.212.107'],
    ...['54.73.125.42', '54.155.38.214', '54.73.130.113'],
  ],
} as const

/** What a signature of this operator covers, and headers that it may cover. */
export const signedHeaders = [
  'signature-date',
  'content-digest',
  'content-type',
  'content-length',
] as const

/** The minute that a signature lasts, and how far two clocks may be apart. Seconds. */
export const max_skew_s = 60

export const facts: GatewayFacts = {
  // The same id answers DUPLICATE_IGNORED: it is the same payment, and it is asked.
  create_is_idempotent: true,
  not_found_grace_s: 900,
  call_timeout_ms: 7_000,
  queries_per_second: 20,
  first_ask_after_s: { callbacks_seen: 30, callbacks_silent: 15 },
  callback_address: 'STATIC',
  max_skew_s,
  signature_headers: ['signature', 'signature-input', ...signedHeaders],
}

export const refundFacts: RefundFacts = {
  partial: true,
  // No document names an end; what the operator no longer takes it refuses at once.
  window_s: 90 * 24 * 3600,
  idempotent: true,
  returns_fee: false,
  one_at_a_time: true,
}

/** Its word for each of our networks; it reaches no other. */
export const providers: Readonly<Record<string, string>> = {
  mtn_bj: 'MTN_MOMO_BEN',
  moov_bj: 'MOOV_BEN',
  moov_bf: 'MOOV_BFA',
  orange_bf: 'ORANGE_BFA',
  mtn_cm: 'MTN_MOMO_CMR',
  orange_cm: 'ORANGE_CMR',
  mtn_ci: 'MTN_MOMO_CIV',
  orange_ci: 'ORANGE_CIV',
  wave_ci: 'WAVE_CIV',
  orange_sn: 'ORANGE_SEN',
  wave_sn: 'WAVE_SEN',
  freemoney_sn: 'FREE_SEN',
  mtn_cg: 'MTN_MOMO_COG',
  airtel_cg: 'AIRTEL_COG',
  airtel_ga: 'AIRTEL_GAB',
  airtel_cd: 'AIRTEL_COD',
  orange_cd: 'ORANGE_COD',
  vodacom_cd: 'VODACOM_MPESA_COD',
  mtn_gh: 'MTN_MOMO_GHA',
  telecel_gh: 'VODAFONE_GHA',
  at_gh: 'AIRTELTIGO_GHA',
  mtn_ng: 'MTN_MOMO_NGA',
}
