// Accounts with operators as staff set them up: what an operator asks for, what is given, the
// versions of secrets, what a check finds. Law: secrets go in and never come out.

import { type Static, Type } from 'typebox'
import { proposalExample } from '../people/proposals/proposal.ts'
import { type Locale, type Text, typeset } from '../platform/errors.ts'
import { codeForm, countryForm, settingsOf } from './account-settings.ts'
import type { SecretShown } from './accounts.ts'
import type { AdapterModule, SettingSpec } from './adapter.ts'
import { adapters } from './adapters.ts'
import type { Finding } from './gateway.ts'
import { GatewayView, gatewayExample } from './staff-view.ts'
import { secretStateNames } from './states.ts'
import { VerifiedView, verifiedExample, viewVerified } from './verified.ts'

const environments = ['SANDBOX', 'LIVE'] as const
const abilities = ['COLLECT', 'DISBURSE', 'REFUND', 'REVERSAL', 'BALANCE'] as const
const names: readonly string[] = adapters.map(({ adapter }) => adapter)

const adapter = Type.Enum([...names], { description: 'The adapter that connects to it.' })
const fingerprint = Type.String({
  description: 'Twelve characters of a hash: the same secrets have the same, and none comes back.',
})
const version = Type.Integer({ minimum: 1, description: 'Counted by account, from 1.' })

const codeText: Text = {
  en: 'Must be lower-case letters, digits and _, at least two, and begin with a letter.',
  fr: 'Doit être fait de minuscules, de chiffres et de _, au moins deux, une lettre d’abord.',
}
const countryText: Text = {
  en: 'Must be two letters, such as BJ.',
  fr: 'Doit être deux lettres, par exemple BJ.',
}

/** A set holds what one operator asks for; a certificate is its longest. */
const valuesOf = (maxLength: number, description: string, more: object = {}) =>
  Type.Record(Type.String(), Type.String({ maxLength }), {
    maxProperties: 50,
    description,
    ...more,
  })

/** Settings that are no secret. */
export const SettingsInput = valuesOf(
  2_000,
  'Those that are no secret, by the keys of `GET /admin/operators/`.',
)

const secretsInput = valuesOf(
  70_000,
  'By the keys of `GET /admin/operators/`. They go in and never come out.',
  { writeOnly: true },
)

export const NewAccountBody = Type.Object(
  {
    adapter,
    code: Type.String({
      pattern: codeForm,
      maxLength: 60,
      description: 'Our name for the account, unique: a part of the address that is called back.',
      'x-message': codeText,
    }),
    country: Type.String({ pattern: countryForm, 'x-message': countryText }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Defaults to the operator and the country.',
      }),
    ),
    settings: Type.Optional(SettingsInput),
    secrets: Type.Optional(secretsInput),
  },
  { title: 'StaffGatewayCreate' },
)

export const SecretsBody = Type.Object({ secrets: secretsInput }, { title: 'GatewaySecretsSet' })

export const CheckBody = Type.Object(
  {
    secrets: Type.Optional(
      Type.Enum(['CURRENT', 'NEXT'], {
        description: '`NEXT`: with the secrets that wait to be promoted. Defaults to `CURRENT`.',
      }),
    ),
  },
  { title: 'GatewayCheckRequest' },
)

export const SecretSetView = Type.Object({ version, fingerprint }, { title: 'GatewaySecretsKept' })

export const SecretView = Type.Object(
  {
    version,
    state: Type.Enum([...secretStateNames], {
      description:
        '`NEXT`: waits to be promoted. `CURRENT`: counts. `PREVIOUS`: callbacks are still ' +
        'verified with it. `RETIRED`: erased.',
    }),
    fingerprint,
    created_at: Type.String({ format: 'date-time' }),
    valid_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Until when former secrets verify callbacks; null for all others.',
    }),
  },
  { title: 'GatewaySecrets' },
)

export const AddedView = Type.Object(
  {
    ...GatewayView.properties,
    secrets: Type.Union([SecretView, Type.Null()], {
      description: 'Null where none were given.',
    }),
  },
  { title: 'StaffGatewayCreated' },
)

const FindingView = Type.Object(
  {
    what: Type.String({
      description: 'What was looked at, by a name that is the same in each language.',
    }),
    title: Type.String({ description: 'What was looked at, in the caller’s language.' }),
    is: Type.Enum(['PASS', 'WARN', 'FAIL'], {
      description: 'Nothing of LIVE is enabled while one is `FAIL`.',
    }),
    found: Type.String({
      description: 'How it is, in the caller’s language; never a secret.',
    }),
    fix: Type.String({
      description: 'What to do, in the caller’s language; empty where there is nothing to do.',
    }),
  },
  { title: 'GatewayFinding' },
)

export const CheckView = Type.Object(
  {
    failed: Type.Boolean({ description: 'True where one of the findings is `FAIL`.' }),
    findings: Type.Array(FindingView, { description: 'In the order in which they are mended.' }),
  },
  { title: 'GatewayCheck' },
)

const standard = (environment: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `Taken in ${environment} where nothing is given; null: nothing.`,
  })

const SettingView = Type.Object(
  {
    key: Type.String({ description: 'Its name in `settings` or `secrets`.' }),
    secret: Type.Boolean({ description: 'True: it goes into `secrets`, else into `settings`.' }),
    required: Type.Boolean(),
    environments: Type.Array(Type.Enum([...environments]), {
      description: 'Where it is asked for.',
    }),
    pattern: Type.String({ description: 'A regular expression that its value must match.' }),
    standard: Type.Object(
      { SANDBOX: standard('SANDBOX'), LIVE: standard('LIVE') },
      { title: 'OperatorSettingStandard' },
    ),
    allowed_hosts: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'Of an address: the hosts that it may name in LIVE. Null: it is no address.',
    }),
    help: Type.Object({ en: Type.String(), fr: Type.String() }, { title: 'OperatorSettingHelp' }),
  },
  { title: 'OperatorSetting' },
)

export const OperatorView = Type.Object(
  {
    adapter,
    name: Type.String(),
    does: Type.Array(Type.Enum([...abilities]), {
      description: 'What accounts with it can be used for.',
    }),
    settings: Type.Array(SettingView, { description: 'What an account is added with.' }),
    verified: Type.Array(VerifiedView),
  },
  { title: 'Operator' },
)

export const viewSecret = (one: SecretShown): Static<typeof SecretView> => ({
  version: one.version,
  state: one.state,
  fingerprint: one.fingerprint,
  created_at: one.created_at.toISOString(),
  valid_until: one.valid_until?.toISOString() ?? null,
})

/** `what` is the English title, whatever the language: programs know a finding by it. */
export const viewFinding = (
  { what, is, found, fix }: Finding,
  locale: Locale,
): Static<typeof FindingView> => {
  const shown = (text: Text) => typeset(text[locale], locale)
  return { what: what.en, title: shown(what), is, found: shown(found), fix: shown(fix) }
}

/** What a check found, the same for the command line and the API. */
export const viewCheck = (
  findings: readonly Finding[],
  locale: Locale,
): Static<typeof CheckView> => ({
  failed: findings.some((one) => one.is === 'FAIL'),
  findings: findings.map((one) => viewFinding(one, locale)),
})

const viewSetting = (spec: SettingSpec): Static<typeof SettingView> => ({
  key: spec.key,
  secret: spec.secret,
  required: spec.required,
  environments: [...spec.environments],
  pattern: spec.pattern.source,
  standard: { SANDBOX: spec.standard?.SANDBOX ?? null, LIVE: spec.standard?.LIVE ?? null },
  allowed_hosts: spec.allowed_hosts === undefined ? null : [...spec.allowed_hosts],
  help: { en: spec.help.en, fr: spec.help.fr },
})

export const viewOperator = (module: AdapterModule): Static<typeof OperatorView> => ({
  adapter: module.adapter,
  name: module.name,
  does: [...module.does],
  settings: settingsOf(module).map(viewSetting),
  verified: viewVerified(module.adapter),
})

export const secretExample = {
  version: 1,
  state: 'CURRENT',
  fingerprint: '9f86d081884c',
  created_at: '2026-01-01T00:00:00.000Z',
  valid_until: null,
}

export const addedExample = {
  ...gatewayExample,
  code: 'orange_ci_sandbox',
  environment: 'SANDBOX',
  is_active: false,
  settings: { ...gatewayExample.settings, country_path: 'dev', wire_currency: 'OUV' },
  exposure_limit_collect: null,
  exposure_limit_disburse: null,
  payment_limit_collect: null,
  payment_limit_disburse: null,
  asks_per_s: null,
  creates_per_s: null,
  checked_at: null,
  secrets: secretExample,
}

export const newAccountExample = {
  adapter: 'orange',
  code: addedExample.code,
  country: 'CI',
  name: addedExample.name,
  settings: { shown_name: 'Boutique Awa' },
  secrets: {
    client_id: 'as-the-portal-shows-it',
    client_secret: 'as-the-portal-shows-it',
    merchant_key: 'as-the-contract-has-it',
  },
}

export const proposedAccountExample = {
  ...{ ...proposalExample, kind: 'GATEWAY_ACCOUNT', subject: 'orange_ci' },
  content: {
    ...{ environment: 'LIVE', adapter: 'orange', code: 'orange_ci', country: 'CI' },
    ...{ name: 'Orange Web Payment CI', fingerprint: secretExample.fingerprint },
    ...{ 'settings.base_url': 'https://api.orange.com', 'settings.shown_name': 'Boutique Awa' },
  },
}

export const checkExample = {
  failed: false,
  findings: [
    { what: 'settings', title: 'settings', is: 'PASS', found: 'complete', fix: '' },
    {
      what: 'secrets',
      title: 'secrets',
      is: 'WARN',
      found: 'version 1, 9f86d081884c, 400 days old',
      fix: 'npm run cli -- gateway rotate orange_ci_sandbox',
    },
  ],
}

export const operatorExample = {
  adapter: 'orange',
  name: 'Orange Money Web Payment',
  does: ['COLLECT'],
  settings: [
    {
      key: 'shown_name',
      secret: false,
      required: true,
      environments: ['SANDBOX', 'LIVE'],
      pattern: '^.{1,30}$',
      standard: { SANDBOX: null, LIVE: null },
      allowed_hosts: null,
      help: {
        en: 'The name that payers read on the page.',
        fr: 'Le nom que les payeurs lisent sur la page.',
      },
    },
  ],
  verified: [verifiedExample],
}
