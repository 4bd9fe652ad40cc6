// A merchant's settings and branding, as they are kept and shown. What staff alone may set (the
// rate limit, live mode, the review's note) is shown here and cannot be written here.

import { Type } from 'typebox'
import type { FeeChargeMode } from '../../money/fee-charge-mode.ts'
import type { Environment } from '../../platform/http/route.ts'
import { type Contact, ContactSchema, contactExample, viewContact } from './contact.ts'
import { type TaxDetails, TaxDetailsSchema, taxExample, viewTax } from './tax-details.ts'

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type LogoType = (typeof logoTypes)[number]
export const logo_bytes_max = 512 * 1024

export type Settings = Readonly<{
  id: string
  name: string
  country: string | null
  status: 'ACTIVE' | 'SUSPENDED'
  live_enabled: boolean
  kyc_status: 'NONE' | 'PENDING' | 'APPROVED' | 'REJECTED'
  kyc_note: string
  rate_limit_per_minute: number
  fee_charge_mode_locked: FeeChargeMode | null
  allowed_countries: readonly string[] | null
  notification_emails: readonly string[]
  /** In force. */
  cooling_off_hours: number | null
  /** To come, when there is a moment; null with one: the platform's own. */
  cooling_off_next: number | null
  cooling_off_next_at: Date | null
  cooling_off_next_by: string | null
  /** The zone of the day now, by its IANA name. */
  time_zone: string
  /** To come with the next day, and when that begins; null: none. */
  time_zone_next: string | null
  time_zone_next_at: Date | null
  tax: TaxDetails
  contact: Contact
  brand_name: string
  brand_colour: string
  brand_logo_key: string
  created_at: Date
  updated_at: Date
}>

const nullable = { anyOf: [Type.String(), Type.Null()] }

export const SettingsSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    country: Type.Union(nullable.anyOf, { description: 'Alpha-2.' }),
    status: Type.Enum(['ACTIVE', 'SUSPENDED']),
    environment: Type.Enum(['SANDBOX', 'LIVE'], { description: 'The environment of this call.' }),
    live_enabled: Type.Boolean(),
    kyc_status: Type.Enum(['NONE', 'PENDING', 'APPROVED', 'REJECTED']),
    kyc_note: Type.String(),
    rate_limit_per_minute: Type.Integer(),
    fee_charge_mode_locked: Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
    allowed_countries: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'ISO 3166 alpha-2; null: every country that we serve.',
    }),
    notification_emails: Type.Array(Type.String()),
    cooling_off_hours: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'How long a new payout method waits before its first use; null: the platform’s default.',
    }),
    cooling_off_change: Type.Union(
      [
        Type.Object({
          cooling_off_hours: Type.Union([Type.Integer(), Type.Null()]),
          effective_at: Type.String({ format: 'date-time' }),
          requested_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
          may_confirm: Type.Boolean({
            description:
              'Whether you could confirm it: not the member who requested it, nor anyone whom ' +
              'that member invited, nor while a role or second factor of either is newer than ' +
              'the wait.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'A shorter period that is pending; null when there is none.' },
    ),
    time_zone: Type.String({
      description:
        'Whose midnight ends a day in reports and journal, and whose clock documents, pages and ' +
        'e-mails show: an IANA name; at first that of the country.',
    }),
    time_zone_change: Type.Union(
      [
        Type.Object({
          time_zone: Type.String(),
          effective_at: Type.String({ format: 'date-time' }),
        }),
        Type.Null(),
      ],
      { description: 'The zone from the next local midnight on; null when it stays the same.' },
    ),
    tax: TaxDetailsSchema,
    contact: ContactSchema,
    branding: Type.Object({
      name: Type.String({ description: 'If empty, the merchant’s name is shown.' }),
      colour: Type.String({ description: '`#rrggbb`, or empty.' }),
      logo_url: Type.Union(nullable.anyOf, { description: 'Public; changes with each upload.' }),
    }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'MerchantSettings' },
)

type Shown = Readonly<{
  environment: Environment
  public_url: string
  /** Whether its reader could confirm the period that is to come. */
  may_confirm: boolean
}>

export const viewSettings = (
  settings: Settings,
  { environment, public_url, may_confirm }: Shown,
) => ({
  id: settings.id,
  name: settings.name,
  country: settings.country,
  status: settings.status,
  environment,
  live_enabled: settings.live_enabled,
  kyc_status: settings.kyc_status,
  kyc_note: settings.kyc_note,
  rate_limit_per_minute: settings.rate_limit_per_minute,
  fee_charge_mode_locked: settings.fee_charge_mode_locked,
  allowed_countries: settings.allowed_countries,
  notification_emails: settings.notification_emails,
  cooling_off_hours: settings.cooling_off_hours,
  cooling_off_change: changeOf(settings, may_confirm),
  time_zone: settings.time_zone,
  time_zone_change: zoneChangeOf(settings),
  tax: viewTax(settings.tax),
  contact: viewContact(settings.contact),
  branding: {
    name: settings.brand_name,
    colour: settings.brand_colour,
    logo_url: logoUrl(settings, public_url),
  },
  created_at: settings.created_at.toISOString(),
  updated_at: settings.updated_at.toISOString(),
})

function changeOf(settings: Settings, may_confirm: boolean) {
  const { cooling_off_next, cooling_off_next_at: at, cooling_off_next_by } = settings
  if (at === null) return null
  return {
    cooling_off_hours: cooling_off_next,
    effective_at: at.toISOString(),
    requested_by: cooling_off_next_by,
    may_confirm,
  }
}

function zoneChangeOf({ time_zone_next, time_zone_next_at: at }: Settings) {
  if (time_zone_next === null || at === null) return null
  return { time_zone: time_zone_next, effective_at: at.toISOString() }
}

const tag_length = 12

/** By which one upload differs from the next in a logo's address. */
export const logoTag = (key: string): string => key.slice(-tag_length)

/** Its last part changes with each upload, so that no cache shows the logo before. */
export function logoUrl(
  { id, brand_logo_key }: Pick<Settings, 'id' | 'brand_logo_key'>,
  public_url: string,
): string | null {
  if (brand_logo_key === '') return null
  return `${public_url}/api/v1/branding/${id}/logo/?v=${logoTag(brand_logo_key)}`
}

export const settingsExample = {
  id: '01981f3a-0000-7000-8000-00000000a001',
  name: 'Boutique Awa',
  country: 'SN',
  status: 'ACTIVE',
  environment: 'SANDBOX',
  live_enabled: false,
  kyc_status: 'NONE',
  kyc_note: '',
  rate_limit_per_minute: 300,
  fee_charge_mode_locked: null,
  allowed_countries: ['SN', 'CI'],
  notification_emails: ['compta@shop.example'],
  cooling_off_hours: null,
  cooling_off_change: null,
  time_zone: 'Africa/Dakar',
  time_zone_change: null,
  tax: taxExample,
  contact: contactExample,
  branding: { name: 'Chez Awa', colour: '#0a7d4f', logo_url: null },
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}
