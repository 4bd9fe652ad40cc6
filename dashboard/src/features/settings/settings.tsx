// The shop's settings: its name, clock and who is notified; its tax details; how the payer's pages
// look and whom they ask; its papers on a page of their own. Each form is saved by itself; who may
// change nothing reads the same.

import { useEffect, useState } from 'react'
import { Route, Switch } from 'wouter'
import type { GetMerchantData, GetMerchantResponse, MerchantSettings } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { maySee } from '../../data/rights.ts'
import { byName, countryName } from '../../format/country.ts'
import { placeOf } from '../../format/zone.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Facts } from '../../ui/facts.tsx'
import { errorAt, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { Branding } from './branding.tsx'
import { Contact } from './contact.tsx'
import { CoolingOff } from './cooling-off.tsx'
import { Selling } from './selling.tsx'
import { Patch } from './settings-form.tsx'
import { Verification } from './verification.tsx'

export default function Settings() {
  return (
    <Switch>
      <Route path="/:merchant/:mode/settings/verification" component={Verification} />
      <Route component={General} />
    </Switch>
  )
}

function General() {
  const { place, to, whyNot, merchant } = useHere()
  const reading = useRead<GetMerchantData, GetMerchantResponse>(place, { url: '/merchant/' })
  return (
    <Page title={t('settings')}>
      {maySee(merchant, '/settings/verification') && (
        <p>
          <Link href={to('/settings/verification')}>{t('verification')}</Link>
        </p>
      )}
      <Read of={reading}>
        {(shop) => (
          <>
            <Holds of={shop} />
            {whyNot('settings') !== undefined && <AsItIs of={shop} />}
            <Allowed right="settings">
              <div className="columns">
                <div>
                  <Shop of={shop} />
                  <Selling of={shop} />
                  <Contact of={shop} />
                </div>
                <div>
                  <Tax of={shop} />
                  <CoolingOff of={shop} />
                </div>
              </div>
              <Branding of={shop} />
            </Allowed>
          </>
        )}
      </Read>
    </Page>
  )
}

const emailsIn = (form: FormData): string[] =>
  textIn(form, 'notification_emails')
    .split(/[\s,;]+/)
    .filter(Boolean)

type Props = Readonly<{ of: MerchantSettings }>

/** What our team has set for the shop, and nobody changes here. */
const Holds = ({ of }: Props) => (
  <section className="outcome">
    <Facts of={[[t('field_live_enabled'), t(of.live_enabled ? 'audit_yes' : 'audit_no')]]} />
  </section>
)

/** For whoever may not change it. */
function AsItIs({ of: { branding, contact, tax, ...of } }: Props) {
  const { language } = useHere()
  const { allowed_countries: countries, fee_charge_mode_locked: mode } = of
  const names = countries && byName(countries, language).map((one) => countryName(one, language))
  return (
    <section>
      <h2>{t('settings_shop')}</h2>
      <Facts
        of={[
          [t('shop_name'), of.name],
          [t('field_allowed_countries'), names === null ? t('countries_all') : names.join(', ')],
          [t('field_fee_charge_mode_locked'), mode === null ? t('fees_free') : t(`fees_${mode}`)],
          [t('time_zone'), placeOf(of.time_zone, language)],
          [t('settings_emails'), of.notification_emails.join(', ')],
          [t('contact_phone'), contact.phone],
          [t('contact_whatsapp'), contact.whatsapp],
          [t('contact_email'), contact.email],
          [t('contact_site_url'), contact.site_url],
          [t('branding_name'), branding.name],
          [t('branding_colour'), branding.colour],
          [t('tax_paper'), t(tax.is_complete ? 'tax_invoice' : 'tax_receipt')],
          [t('tax_legal_name'), tax.legal_name],
          [t('tax_address'), tax.address],
          [tax.id_kind, tax.id],
          [t('tax_rccm'), tax.rccm],
          [t('tax_vat_percent'), tax.vat_percent],
          [t('cooling_hours'), of.cooling_off_hours ?? t('cooling_default')],
        ]}
      />
    </section>
  )
}

/**
 * Those of this continent by their cities, before all others as they are named. The world's come
 * once the page is painted: four hundred of them took as long as all else on it.
 */
function useZones(chosen: readonly string[]): (readonly [string, string])[] {
  const { language } = useHere()
  const [world, setWorld] = useState<readonly string[]>([])
  useEffect(() => {
    const timer = setTimeout(() => setWorld(Intl.supportedValuesOf('timeZone')))
    return () => clearTimeout(timer)
  }, [])
  const all = new Set([...chosen, ...world])
  const here = [...all].filter((zone) => zone.startsWith('Africa/'))
  const others = [...all].filter((zone) => !zone.startsWith('Africa/'))
  return [
    ...here
      .map((zone) => [zone, placeOf(zone, language)] as const)
      .sort(([, one], [, two]) => one.localeCompare(two, language)),
    ...others.sort().map((zone) => [zone, zone] as const),
  ]
}

function Shop({ of }: Props) {
  const { language, moment } = useHere()
  const change = of.time_zone_change
  const [drawn] = useState({
    name: of.name,
    time_zone: change?.time_zone ?? of.time_zone,
    notification_emails: of.notification_emails,
  })
  const zones = useZones([of.time_zone, drawn.time_zone])
  return (
    <Patch
      name={t('settings_shop')}
      fields={['name', 'time_zone', 'notification_emails']}
      drawn={drawn}
      body={(form) => ({
        name: textIn(form, 'name'),
        time_zone: textIn(form, 'time_zone'),
        notification_emails: emailsIn(form),
      })}
    >
      {(failure) => (
        <>
          <TextField
            label={t('shop_name')}
            error={errorAt(failure, 'name')}
            name="name"
            maxLength={150}
            defaultValue={drawn.name}
            required
          />
          <SelectField
            label={t('time_zone')}
            hint={t('time_zone_hint')}
            error={errorAt(failure, 'time_zone')}
            name="time_zone"
            defaultValue={drawn.time_zone}
            options={zones}
          />
          {change !== null && (
            <p role="status">
              {t('time_zone_change', {
                zone: placeOf(change.time_zone, language),
                at: moment(change.effective_at),
              })}
            </p>
          )}
          <TextField
            label={t('settings_emails')}
            hint={t('settings_emails_hint')}
            error={errorAt(failure, 'notification_emails')}
            name="notification_emails"
            defaultValue={drawn.notification_emails.join(', ')}
          />
        </>
      )}
    </Patch>
  )
}

const id_kinds = ['', 'IFU', 'NIF', 'NINEA', 'NCC', 'NIU', 'TIN'] as const
const tax_texts = [
  ['legal_name', 150],
  ['address', 300],
  ['id', 40],
  ['rccm', 60],
  ['vat_percent', 6],
] as const

/** Complete, they make invoices of what would be receipts. */
function Tax({ of: { tax } }: Props) {
  return (
    <Patch
      name={t('tax')}
      fields={[...tax_texts.map(([name]) => `tax.${name}`), 'tax.id_kind']}
      body={(form) => ({
        tax: {
          legal_name: textIn(form, 'legal_name'),
          address: textIn(form, 'address'),
          id_kind: id_kinds.find((kind) => kind === form.get('id_kind')) ?? '',
          id: textIn(form, 'id'),
          rccm: textIn(form, 'rccm'),
          vat_percent: textIn(form, 'vat_percent').replace(',', '.'),
        },
      })}
    >
      {(failure) => (
        <>
          <Facts
            of={[
              [t('tax_paper'), t(tax.is_complete ? 'tax_makes_invoices' : 'tax_makes_receipts')],
            ]}
          />
          <SelectField
            label={t('tax_id_kind')}
            error={errorAt(failure, 'tax.id_kind')}
            name="id_kind"
            defaultValue={tax.id_kind}
            options={id_kinds.map((kind) => [kind, kind === '' ? t('tax_none') : kind])}
          />
          {tax_texts.map(([name, maxLength]) => (
            <TextField
              key={name}
              label={t(`tax_${name}`)}
              error={errorAt(failure, `tax.${name}`)}
              name={name}
              maxLength={maxLength}
              defaultValue={tax[name]}
            />
          ))}
        </>
      )}
    </Patch>
  )
}
