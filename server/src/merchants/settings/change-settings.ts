// A member changes the merchant's settings. They take effect on the next request, in every process,
// since every call reads them with its credential; a shorter cooling-off only after a wait, another
// time zone with the next day. The cooling-off is for payout methods that are added later: existing
// ones keep their moment.

import { actorOf, changedFields, masked } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { isServed } from '../../catalogue/read-catalogue.ts'
import { emailOf } from '../../people/person.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Sql, Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import { merchantErrors } from '../errors.ts'
import { changeTimeZone, requireTimeZone } from '../time-zones/time-zone.ts'
import { type Contact, changedContact } from './contact.ts'
import { type CoolingDeps, changeCoolingOff } from './cooling-off.ts'
import { requireUnreserved, reviewNames } from './names.ts'
import { readSettings } from './read-settings.ts'
import type { Settings } from './settings.ts'
import { type Changeable, findSettings, lockSettings, updateSettings } from './store.ts'
import { changedTax, type TaxDetailsRequest } from './tax-details.ts'

/** Absent: as it was. */
export type SettingsChange = Readonly<{
  name?: string
  fee_charge_mode_locked?: Settings['fee_charge_mode_locked']
  allowed_countries?: readonly string[] | null
  notification_emails?: readonly string[]
  cooling_off_hours?: number | null
  time_zone?: string
  tax?: TaxDetailsRequest
  branding?: Readonly<{ name?: string; colour?: string }>
  contact?: Contact
}>

export type SettingsDeps = CoolingDeps

/** Refuses a country that we do not serve, and a name that is an operator's or a bank's. */
export async function changeSettings(
  deps: SettingsDeps,
  caller: Caller,
  change: SettingsChange,
): Promise<Settings> {
  const { db } = deps
  const { merchant_id } = caller
  const changes = normalised(change)
  const { time_zone } = change
  const zone = time_zone === undefined ? undefined : await requireTimeZone(db, time_zone)
  await requireServedCountries(db, changes.allowed_countries ?? [])
  await writeInTurn(db, caller, async (tx) => {
    const was = await lockSettings(tx, merchant_id)
    assert(was !== undefined, 'a caller without a merchant')
    if (change.cooling_off_hours !== undefined) {
      await changeCoolingOff(tx, deps, caller, change.cooling_off_hours)
    }
    const cooling = await findSettings(tx, merchant_id)
    const { cooling_off_hours } = cooling ?? was
    const before = { ...changeableOf(was), time_zone: was.time_zone_next ?? was.time_zone }
    const tax = changedTax(was.tax, change.tax ?? {})
    const contact = changedContact(was.contact, change.contact ?? {})
    const asked = { cooling_off_hours, tax, contact, time_zone: zone ?? before.time_zone }
    const given = { ...changes, ...asked }
    const next = { ...before, ...given }
    const changed = changedFields(auditView(before), auditView(next))
    if (changed === undefined) return
    const renamed = {
      ...(next.name === was.name ? {} : { name: next.name }),
      ...(next.brand_name === was.brand_name ? {} : { 'branding.name': next.brand_name }),
    }
    await requireUnreserved(tx, renamed)
    await emailTakenOff(tx, deps, caller, { was: was.notification_emails, next })
    await updateSettings(tx, merchant_id, next)
    if (next.time_zone !== before.time_zone) await changeTimeZone(tx, merchant_id, next.time_zone)
    if (Object.keys(renamed).length > 0 || 'contact' in changed.after) {
      await reviewNames(tx, deps, merchant_id)
    }
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'merchant.settings_changed',
      target_kind: 'merchant',
      target_id: merchant_id,
      ...changed,
    })
  })
  return readSettings(db, merchant_id)
}

type Named = Readonly<{
  was: readonly string[]
  next: Pick<Settings, 'notification_emails'>
}>

/**
 * Law: queued before the list is changed, so that whoever is taken off reads it too: else whoever
 * wants nothing to be read of takes everybody off first.
 */
async function emailTakenOff(
  tx: Tx,
  { keyring }: SettingsDeps,
  { merchant_id, session }: Caller,
  { was, next: { notification_emails: stay } }: Named,
): Promise<void> {
  const gone = was.filter((email) => !stay.includes(email)).map(masked)
  if (gone.length === 0 || session?.has_had_live !== true) return
  await emailOwners(tx, keyring, merchant_id, takenOffEmail(gone.join(', ')))
}

const takenOffEmail = (gone: string): OwnersEmail => ({
  kind: 'NOTIFICATIONS',
  subject: {
    en: 'Fewer addresses for e-mails about money',
    fr: 'Moins d’adresses prévenues quand il s’agit d’argent',
  },
  news: {
    en: `E-mails about money no longer go to: ${gone}.`,
    fr: `Les e-mails qui concernent l’argent ne vont plus à : ${gone}.`,
  },
})

/** Field by field: a body may hold more than its schema knows, which is not to be written. */
function normalised(change: SettingsChange): Partial<Changeable> {
  const { name, fee_charge_mode_locked, branding = {} } = change
  const { allowed_countries: countries, notification_emails: emails } = change
  const { name: brand_name, colour } = branding
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(fee_charge_mode_locked === undefined ? {} : { fee_charge_mode_locked }),
    ...(countries === undefined ? {} : { allowed_countries: countries && countryList(countries) }),
    ...(emails === undefined ? {} : { notification_emails: sortedOnce(emails.map(emailOf)) }),
    ...(brand_name === undefined ? {} : { brand_name: brand_name.trim() }),
    ...(colour === undefined ? {} : { brand_colour: colour.toLowerCase() }),
  }
}

const countryList = (codes: readonly string[]): string[] =>
  sortedOnce(codes.map((code) => code.toUpperCase()))

const sortedOnce = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

async function requireServedCountries(sql: Sql, countries: readonly string[]): Promise<void> {
  const served = await Promise.all(countries.map((code) => isServed(sql, code)))
  const unserved = countries.filter((_, at) => served[at] !== true)
  if (unserved.length === 0) return
  const list = unserved.join(', ')
  throw refuse(merchantErrors.invalid_country, {
    message: {
      en: `We do not serve ${list}. GET /countries/ lists those we do.`,
      fr: `Nous ne desservons pas ${list}. GET /countries/ donne la liste des pays desservis.`,
    },
  })
}

const changeableOf = (settings: Settings): Changeable => ({
  name: settings.name,
  fee_charge_mode_locked: settings.fee_charge_mode_locked,
  allowed_countries: settings.allowed_countries,
  notification_emails: settings.notification_emails,
  cooling_off_hours: settings.cooling_off_hours,
  tax: settings.tax,
  contact: settings.contact,
  brand_name: settings.brand_name,
  brand_colour: settings.brand_colour,
})

const auditView = (settings: Changeable & Readonly<{ time_zone: string }>) => ({
  ...settings,
  notification_emails: settings.notification_emails.map(masked),
})
