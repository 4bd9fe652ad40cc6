// The merchant's settings and branding, and its logo for everybody.

import { type Static, Type } from 'typebox'
import { emailField } from '../../people/person.ts'
import { type Caller, type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, reads, removes, routesWith } from '../../platform/http/route-list.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { readUpload } from '../../platform/storage/read-upload.ts'
import { countOrRefuse, networkOf } from '../../platform/throttle/throttle.ts'
import { merchantErrors } from '../errors.ts'
import { kycErrors } from '../kyc/errors.ts'
import { changeSettings, type SettingsDeps } from './change-settings.ts'
import { ContactChange } from './contact.ts'
import {
  type ChangeRead,
  ChangeReadBody,
  cancelCoolingOff,
  confirmCoolingOff,
  cooling_hours_max,
  mayConfirmCoolingOff,
} from './cooling-off.ts'
import { type LogoDeps, putLogo, readLogo, removeLogo } from './logo.ts'
import { readSettings } from './read-settings.ts'
import {
  logo_bytes_max,
  logoTypes,
  type Settings,
  SettingsSchema,
  settingsExample,
  viewSettings,
} from './settings.ts'
import { TaxDetailsChange } from './tax-details.ts'

export type Deps = LogoDeps &
  SettingsDeps &
  Readonly<{
    /** The origin of our own pages, without a trailing slash. */
    public_url: string
    limits: Readonly<{ public_per_ip_minute: number }>
  }>

const countries_max = 60
const emails_max = 10

const ChangeBody = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 150, pattern: '\\S', format: 'one-line' }),
  ),
  fee_charge_mode_locked: Type.Optional(
    Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
  ),
  allowed_countries: Type.Optional(
    Type.Union([
      Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
        minItems: 1,
        maxItems: countries_max,
      }),
      Type.Null(),
    ]),
  ),
  notification_emails: Type.Optional(Type.Array(emailField, { maxItems: emails_max })),
  cooling_off_hours: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: cooling_hours_max }), Type.Null()]),
  ),
  time_zone: Type.Optional(
    Type.String({ maxLength: 64, description: 'An IANA name, such as Africa/Porto-Novo.' }),
  ),
  tax: Type.Optional(TaxDetailsChange),
  contact: Type.Optional(ContactChange),
  branding: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String({ maxLength: 60, format: 'one-line' })),
      colour: Type.Optional(
        Type.String({
          pattern: '^(#[0-9a-fA-F]{6})?$',
          'x-message': {
            en: 'Must be a colour such as #0a7d4f, or empty.',
            fr: 'Doit être une couleur comme #0a7d4f, ou vide.',
          },
        }),
      ),
    }),
  ),
})

export const settingsRoutes = (deps: Deps): ServedRoute[] =>
  routesWith({ tag: 'Settings', access: 'dashboard' }, [
    readRoute(deps),
    changeRoute(deps),
    confirmCoolingRoute(deps),
    cancelCoolingRoute(deps),
    putLogoRoute(deps),
    removeLogoRoute(deps),
    logoRoute(deps),
  ])

const readRoute = (deps: Deps): Listed => ({
  path: '/merchant/',
  access: 'any',
  summary: 'Retrieve the merchant and its settings',
  ...reads(SettingsSchema, settingsExample),
  handler: ({ caller }) => currentSettings(deps, caller),
})

const writing = {
  permission: 'settings',
  second_factor: 'account',
} as const

const changeRoute = (deps: Deps): Listed => ({
  ...writing,
  method: 'PATCH',
  path: '/merchant/',
  body: ChangeBody,
  summary: 'Update settings',
  description:
    'Omitted fields keep their value. A null `allowed_countries` opens every country that we ' +
    'serve; payments in other countries are refused. A new cooling-off period applies to payout ' +
    'methods added later. For a merchant approved for LIVE, a shorter one takes effect after ' +
    'the longer of both periods, and at least 24 hours, or at once when a second member ' +
    'confirms it. Until then it is in `cooling_off_change`. A new `time_zone` takes effect at ' +
    'the next local midnight, until then it is in `time_zone_change`: past days keep theirs. ' +
    'With complete `tax` details the paper of a payment is an invoice with a number of your own, ' +
    'without them a receipt. `contact` is shown to payers: your site, and whom they may ask. For ' +
    'a merchant approved for LIVE, a new name, brand name or contact waits there for our staff.',
  responses: { 200: SettingsSchema },
  errors: [merchantErrors.invalid_country],
  example: {
    body: { allowed_countries: ['SN', 'CI'], branding: { colour: '#0a7d4f' } },
    reply: settingsExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof ChangeBody>>) =>
    shown(deps, caller, await changeSettings(deps, caller, body)),
})

const confirmCoolingRoute = (deps: Deps): Listed => ({
  ...writing,
  method: 'POST',
  path: '/merchant/cooling-off/confirm/',
  body: ChangeReadBody,
  summary: 'Confirm a shorter cooling-off, as a second member',
  description:
    'It takes effect at once. The member who requested it, and anyone whom that member invited, ' +
    'cannot confirm it.',
  responses: { 200: SettingsSchema },
  errors: [
    merchantErrors.no_pending_change,
    merchantErrors.pending_change_replaced,
    merchantErrors.second_member_required,
  ],
  example: {
    body: { effective_at: '2026-11-22T08:00:00.000Z' },
    reply: { ...settingsExample, cooling_off_hours: 12 },
  },
  handler: async ({ caller, body }: Input<ChangeRead>) => {
    await confirmCoolingOff(deps, caller, body)
    return currentSettings(deps, caller)
  },
})

const cancelCoolingRoute = (deps: Deps): Listed => ({
  ...writing,
  method: 'POST',
  path: '/merchant/cooling-off/cancel/',
  summary: 'Cancel a shorter cooling-off before it takes effect',
  responses: { 200: SettingsSchema },
  errors: [merchantErrors.no_pending_change],
  example: { reply: settingsExample },
  handler: async ({ caller }) => {
    await cancelCoolingOff(deps, caller)
    return currentSettings(deps, caller)
  },
})

async function shown({ db, public_url }: Deps, caller: Caller, settings: Settings) {
  const isToCome = settings.cooling_off_next_at !== null
  const may_confirm = isToCome && (await mayConfirmCoolingOff(db, caller))
  const { environment } = caller
  return ok(viewSettings(settings, { environment, public_url, may_confirm }))
}

const currentSettings = async (deps: Deps, caller: Caller) =>
  shown(deps, caller, await readSettings(deps.db, caller.merchant_id))

const putLogoRoute = (deps: Deps): Listed<ServedRoute> => ({
  ...writing,
  method: 'PUT',
  path: '/merchant/logo/',
  upload: { content_types: logoTypes, bytes_max: logo_bytes_max },
  summary: 'Upload the logo',
  description:
    'The body is the image itself, at most 512 kB: PNG, JPEG or WebP. Metadata (place, device, ' +
    'text) is removed.',
  errors: [kycErrors.file_infected],
  responses: { 200: SettingsSchema },
  example: { reply: settingsExample },
  handler: async (input: Input<unknown>) => {
    const { caller } = input
    return shown(deps, caller, await putLogo(deps, caller, readUpload(input, logoTypes)))
  },
})

const removeLogoRoute = (deps: Deps): Listed<ServedRoute> => ({
  ...writing,
  path: '/merchant/logo/',
  summary: 'Delete the logo',
  ...removes(({ caller }) => removeLogo(deps, caller)),
})

const logoRoute = (deps: Deps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/branding/:merchant_id/logo/',
  access: 'public',
  query: Type.Object({
    v: Type.Optional(
      Type.String({
        description:
          'As in `logo_url`: the upload that is meant. If another has replaced it, 404; if ' +
          'omitted, whichever is there.',
      }),
    ),
  }),
  summary: 'Retrieve a merchant’s logo',
  description: 'For the hosted pages.',
  responses: { 200: Type.String({ contentMediaType: 'image/*', format: 'binary' }) },
  errors: [accessErrors.rate_limited],
  example: {},
  handler: async ({ params, query, ip }) => {
    const byAddress = { act: 'logo-ip', target: networkOf(ip) }
    await countOrRefuse(
      { db: deps.db, macs: deps.keyring },
      { ...byAddress, most: deps.limits.public_per_ip_minute, within_s: 60 },
    )
    const { bytes, content_type } = await readLogo(deps, {
      merchant_id: params['merchant_id'] ?? '',
      tag: query['v'],
    })
    return { status: 200, file: bytes, content_type, headers: logoHeaders }
  },
})

/** A picture and nothing else, whatever was put into the file. */
const logoHeaders = {
  'Cache-Control': 'public, max-age=3600',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
}
