// What an act changed, and only that, before and after beside each other: in words where a merchant
// meets the field, else by the API's own names.

import { countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { type Key, t } from '../../words/translate.ts'

type Values = Readonly<Record<string, unknown>> | null
type Props = Readonly<{ before: Values; after: Values }>

const fields: Readonly<Record<string, Key>> = {
  account_number: 'account_number',
  address: 'address',
  allowed_countries: 'field_allowed_countries',
  amount: 'amount',
  amount_type: 'field_amount_type',
  approval_above: 'limit_approval_above',
  bank_name: 'bank_name',
  brand_colour: 'field_brand_colour',
  brand_name: 'field_brand_name',
  contact: 'contact',
  cooling_off_hours: 'field_cooling_off_hours',
  country: 'country',
  currency: 'currency',
  custom_fields: 'field_custom_fields',
  description: 'description',
  email: 'email',
  ended: 'field_sessions_ended',
  environment: 'mode',
  events: 'hook_events',
  expires_at: 'field_expires_at',
  facebook_pixel_id: 'field_facebook_pixel_id',
  fee_charge_mode_locked: 'field_fee_charge_mode_locked',
  google_ads_id: 'field_google_ads_id',
  has_logo: 'field_has_logo',
  ip_address: 'address',
  ip_whitelist: 'key_addresses',
  is_active: 'link_on',
  is_frozen: 'field_is_frozen',
  kind: 'field_kind',
  kyc_note: 'field_kyc_note',
  kyc_status: 'field_kyc_status',
  label: 'label',
  last4: 'field_last4',
  live_enabled: 'field_live_enabled',
  min_amount: 'field_min_amount',
  msisdn: 'phone',
  name: 'name',
  named: 'field_named',
  network: 'network',
  note: 'field_note',
  notification_emails: 'field_notification_emails',
  overlap_until: 'field_overlap_until',
  per_day: 'limit_per_day',
  per_payout: 'limit_per_payout',
  phone: 'phone',
  read_only: 'key_read_only',
  reason: 'reason',
  redirect_url: 'field_redirect_url',
  require_phone: 'field_require_phone',
  revoked_at: 'field_revoked_at',
  role: 'role',
  scope: 'field_scope',
  sessions_ended: 'field_sessions_ended',
  show_confirmation_page: 'field_show_confirmation_page',
  status: 'status',
  suspended_reason: 'field_suspended_reason',
  time_zone: 'time_zone',
  totp_enabled: 'second_factor',
  type: 'field_kind',
  url: 'hook_address',
  usable_from: 'field_usable_from',
  usage_count: 'field_usage_count',
  usage_limit: 'link_limit',
}

const codes: Readonly<Record<string, Key>> = {
  ACTIVE: 'value_ACTIVE',
  ADMIN: 'role_ADMIN',
  APPROVED: 'value_APPROVED',
  BANK_ACCOUNT: 'method_BANK_ACCOUNT',
  BOTH: 'scope_BOTH',
  CANCELLED: 'value_CANCELLED',
  DEVELOPER: 'role_DEVELOPER',
  EXPIRED: 'value_EXPIRED',
  FAILED: 'value_FAILED',
  FINANCE: 'role_FINANCE',
  FIXED: 'value_FIXED',
  FREE: 'value_FREE',
  INACTIVE: 'value_INACTIVE',
  LIVE: 'mode_LIVE',
  MOBILE_MONEY: 'method_MOBILE_MONEY',
  OWNER: 'role_OWNER',
  PAYIN: 'scope_PAYIN',
  PAYOUT: 'scope_PAYOUT',
  PENDING: 'value_PENDING',
  REJECTED: 'value_REJECTED',
  REVOKED: 'value_REVOKED',
  SANDBOX: 'mode_SANDBOX',
  SUCCESS: 'value_SUCCESS',
  SUSPENDED: 'value_SUSPENDED',
  VIEWER: 'role_VIEWER',
}

const wordOf = (words: Readonly<Record<string, Key>>, name: string): string | undefined => {
  const key = Object.hasOwn(words, name) ? words[name] : undefined
  return key === undefined ? undefined : t(key)
}

const looksMoment = /^\d{4}-\d\d-\d\dT/

type Field = Readonly<{ name: string; here: ReturnType<typeof useHere> }>

function write(value: unknown, field: Field): string {
  if (value === undefined || value === null || value === '') return t('audit_nothing')
  if (typeof value === 'boolean') return t(value ? 'audit_yes' : 'audit_no')
  if (typeof value === 'string') return writeText(value, field)
  if (!Array.isArray(value)) {
    return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value)
  }
  if (value.length === 0) return t('audit_nothing')
  const isPlain = value.every((one) => typeof one === 'string')
  return isPlain
    ? value.map((one) => writeText(one, field)).join(', ')
    : JSON.stringify(value, null, 1)
}

function writeText(text: string, { name, here }: Field): string {
  if (name === 'country' || name === 'allowed_countries') return countryName(text, here.language)
  return looksMoment.test(text) ? here.moment(text) : (wordOf(codes, text) ?? text)
}

/** Nothing where the act says no more than that it was done. */
export function Changes({ before, after }: Props) {
  const here = useHere()
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const isSame = (name: string) => JSON.stringify(before?.[name]) === JSON.stringify(after?.[name])
  const changed = before && after ? all.filter((name) => !isSame(name)) : all
  // When, is said by the line above.
  const names = changed.filter((name) => name !== 'updated_at')
  if (names.length === 0) return null
  return (
    <table className="changes">
      <caption className="unseen">{t('audit_changed')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit_changed')}</th>
          {before !== null && <th scope="col">{t('audit_before')}</th>}
          {after !== null && <th scope="col">{t('audit_after')}</th>}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{wordOf(fields, name) ?? <code>{name}</code>}</th>
            {before !== null && <td>{write(before[name], { name, here })}</td>}
            {after !== null && <td>{write(after[name], { name, here })}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
