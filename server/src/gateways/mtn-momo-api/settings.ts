// What an account with this operator is set up with, and the facts that a poller lives by. Sources,
// and how sure each is: docs/operators/mtn.md.

import type { SettingSpec } from '../adapter.ts'
import type { GatewayFacts } from '../gateway.ts'

const both = ['SANDBOX', 'LIVE'] as const
const subscriptionKey = /^[0-9a-f]{32}$/
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const apiKey = /^[0-9A-Za-z]{16,128}$/

const secretOf = (key: string, pattern: RegExp, help: SettingSpec['help']): SettingSpec => ({
  key,
  secret: true,
  required: true,
  environments: both,
  pattern,
  help,
})

const productSecrets = (product: 'collection' | 'disbursement', fr: string): SettingSpec[] => [
  secretOf(`${product}_subscription_key`, subscriptionKey, {
    en: `Primary subscription key of the ${product} product: on the portal under Profile.`,
    fr: `Clé d’abonnement principale du produit ${fr} : sur le portail, sous Profile.`,
  }),
  secretOf(`${product}_api_user`, uuid4, {
    en: `API user of the ${product} product (a UUID): made on the portal.`,
    fr: `Utilisateur d’API du produit ${fr} (un UUID) : créé sur le portail.`,
  }),
  secretOf(`${product}_api_key`, apiKey, {
    en: `API key that belongs to the API user of ${product}. It is shown only once.`,
    fr: `Clé API qui appartient à l’utilisateur d’API ${fr}. Elle n’est affichée qu’une fois.`,
  }),
]

export const settings: readonly SettingSpec[] = [
  {
    key: 'base_url',
    secret: false,
    required: true,
    environments: both,
    pattern: /^https?:\/\/[^\s\\/?#@]+$/,
    standard: {
      SANDBOX: 'https://sandbox.momodeveloper.mtn.com',
      LIVE: 'https://proxy.momoapi.mtn.com',
    },
    allowed_hosts: ['proxy.momoapi.mtn.com'],
    help: {
      en: 'Base URL of the API, without a trailing slash.',
      fr: 'Adresse de l’API, sans barre oblique à la fin.',
    },
  },
  {
    key: 'target_environment',
    secret: false,
    required: true,
    environments: both,
    pattern: /^[a-z]{3,40}$/,
    standard: { SANDBOX: 'sandbox' },
    help: {
      en: 'The X-Target-Environment of the country, such as mtnbenin.',
      fr: 'La valeur X-Target-Environment du pays, par exemple mtnbenin.',
    },
  },
  {
    key: 'wire_currency',
    secret: false,
    required: false,
    environments: ['SANDBOX'],
    pattern: /^[A-Z]{3}$/,
    standard: { SANDBOX: 'EUR' },
    help: {
      en: 'The only currency that the operator’s sandbox takes.',
      fr: 'La seule devise acceptée par le bac à sable de l’opérateur.',
    },
  },
  {
    key: 'holder_lookup',
    secret: false,
    required: false,
    environments: both,
    pattern: /^(?:on|off)$/,
    changes_in_use: true,
    help: {
      en:
        '`on`: whoever is about to pay out sees whose the number is (API of account holders). ' +
        'Only where the contract with the operator allows it; off where it is not set.',
      fr:
        '`on` : avant un versement, son auteur voit qui est titulaire du numéro (API des ' +
        'titulaires). Seulement si le contrat avec l’opérateur le permet ; désactivé sinon.',
    },
  },
  ...productSecrets('collection', 'Collection'),
  ...productSecrets('disbursement', 'Disbursement'),
]

/** How far two clocks may be apart. Seconds. */
export const max_skew_s = 300

export const facts: GatewayFacts = {
  // The same X-Reference-Id answers 409: it is the same payment, and it is asked.
  create_is_idempotent: true,
  not_found_grace_s: 900,
  call_timeout_ms: 7_000,
  // The operator allows ten questions a second; one less, so that a person's own question fits.
  queries_per_second: 9,
  first_ask_after_s: { callbacks_seen: 60, callbacks_silent: 20 },
  callback_address: 'PER_CALL',
  max_skew_s,
}
