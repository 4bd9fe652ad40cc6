// The form of a payment: the number with its country, the networks as tiles, the code that some of
// them want first, the fee once and the sum in the button. It is whole without a script.

import {
  type Country,
  cards,
  countryName,
  instructionIn,
  type Network,
} from '../catalogue/catalogue.ts'
import type { networksForPayer } from '../checkout/public/act-as-payer.ts'
import { callingCodeOf, exampleOf } from '../customers/phone.ts'
import { type Html, html } from '../platform/html.ts'
import { placeOf } from '../platform/write-moment.ts'
import { ariaOf, errorOf, fieldOf, type Problem, submitOf } from './field.ts'
import { tiles_with_sums } from './look.ts'
import { lockMark, networkMark, tickMark } from './marks.ts'
import type { KeptNumber } from './own-number.ts'
import { byHowCommon } from './preselect.ts'
import type { Payment, Visit } from './visit.ts'
import { dialAddress, shortName, writeDecimal, writeHours } from './write-values.ts'

type Choosing = Readonly<{
  visit: Visit
  payment: Payment | undefined
  problem: Problem | undefined
}>

export type Listed = Awaited<ReturnType<typeof networksForPayer>>

export type Offer = Readonly<{
  countries: readonly Country[]
  country: Country
  /** The code of the tile that is chosen beforehand. */
  network: string
  listed: Listed
  byCode: (code: string) => Network | undefined
  /** What is paid with where the field is left empty. */
  kept: KeptNumber | undefined
  /** Unix milliseconds. */
  now_ms: number
}>

type Row = Listed['networks'][number]

/** A tile with what its operator is known by. */
type Tile = Readonly<{ row: Row; network: Network; at: number }>

/** Nothing shows the country: it is asked for with the number, which may show it. */
export function countryForm(choosing: Choosing, countries: readonly Country[]): Html {
  const { t, here } = choosing.visit
  return html`<form id="pay-form" method="post" action="${here}/pay">
${countrySelect(choosing.visit, countries, '')}
${phoneField(choosing, undefined)}
<p class="go"><button id="change" name="change" value="1" formnovalidate>${t('go_on')}</button></p>
</form>`
}

export function payForm(choosing: Choosing, offer: Offer): Html {
  const { t, here } = choosing.visit
  const { listed, countries, country } = offer
  const place = countryFold(choosing.visit, countries, country)
  const cannot =
    listed.exchange_rate_error !== null
      ? t('no_rate')
      : !listed.networks.some((one) => !one.unavailable) && t('no_networks')
  const tiles = tilesOf(offer)
  const body =
    cannot === false
      ? html`${feeLine(choosing, offer, tiles)}${phoneField(choosing, offer)}${place}
${tileField(choosing, offer, tiles)}
<p class="pin">${lockMark}<span>${t('pin')}</span></p>
<p class="go">${payButton(choosing, tiles)}</p>`
      : html`<p class="wary" id="cannot">${cannot}</p>${whyNone(choosing, offer, tiles)}${place}
<input type="hidden" name="phone" value="${choosing.visit.input.form['phone'] ?? ''}">`
  return html`<form id="pay-form" method="post" action="${here}/pay">
${cannot === false && firstButton}
<input type="hidden" name="seen" value="${seenOf(choosing)}">
${newPlaceOf(choosing, offer)}${body}</form>`
}

/** The number is of another country than the one that was sent: that one is chosen now. */
function newPlaceOf({ visit: { t, input }, problem }: Choosing, { country }: Offer): Html {
  if (problem?.place === undefined) return html``
  const place = countryName(country.iso_code, country.name, input.locale)
  return html`<p class="wary" id="errors" role="alert" tabindex="-1">${t('other_place', {
    place,
  })}</p>`
}

/** The number that the payer has been asked about, so that they are not asked twice. */
const seenOf = ({ problem, visit }: Choosing): string =>
  problem?.doubt === undefined
    ? (visit.input.form['seen'] ?? '')
    : (visit.input.form['phone'] ?? '')

export function cardForm(choosing: Choosing, offer: Offer): Html {
  const { t, here, input } = choosing.visit
  const [row] = offer.listed.networks.filter((one) => !one.unavailable)
  if (row?.total == null) {
    return html`<p class="wary" id="cannot">${t('no_networks')}</p>${whyNone(
      choosing,
      offer,
      tilesOf(offer),
    )}`
  }
  const amount = writeDecimal(row.total, row.currency, input.locale)
  return html`<form id="pay-form" method="post" action="${here}/pay">
<input type="hidden" name="country" value="${cards}">
<input type="hidden" name="network" value="${row.code}">
${feeLine(choosing, offer, tilesOf(offer))}
${phoneField(choosing, offer)}
<p class="pin">${lockMark}<span>${t('card_how')}</span></p>
<p class="go">${submitOf('pay', t('pay_card', { amount }), t)}</p></form>`
}

// The country: one line, which opens. With a script it works the moment it changes.

type Reader = Pick<Visit, 't' | 'input'>

const optionsOf = ({ input }: Reader, countries: readonly Country[], chosen: string) =>
  countries
    .filter(({ iso_code }) => iso_code !== cards)
    .map(({ iso_code, name }) => {
      const text = countryName(iso_code, name, input.locale)
      const isChosen = iso_code === chosen && html` selected`
      return html`<option value="${iso_code}"${isChosen}>${text}</option>`
    })

export function countrySelect(reader: Reader, countries: readonly Country[], chosen: string): Html {
  const { t } = reader
  return html`<div class="field"><label for="country">${t('country')}</label>
<select id="country" name="country"><option value="">${t('choose_country')}</option>${optionsOf(
    reader,
    countries,
    chosen,
  )}</select></div>`
}

/** Enter in a field presses the first button of a form, which must not be the country's. */
export const firstButton = html`<button class="first" tabindex="-1" aria-hidden="true"></button>`

/** For the script, which presses it when a country is chosen. */
export const lastButton = html`<button class="first" id="change" name="change" value="1"
 tabindex="-1" aria-hidden="true" formnovalidate></button>`

export function countryFold(visit: Reader, countries: readonly Country[], chosen: Country): Html {
  const { t, input } = visit
  const country = countryName(chosen.iso_code, chosen.name, input.locale)
  return html`<details class="place"><summary>${t('change_country', { country })}</summary>
<div class="two"><label for="country" class="off">${t('country')}</label>
<select id="country" name="country">${optionsOf(visit, countries, chosen.iso_code)}</select>
<button id="change" class="second" name="change" value="1" formnovalidate>${t('change')}</button>
</div></details>`
}

// The number, with the country's prefix before it and an example beside it.

function phoneField({ visit, problem }: Choosing, offer: Offer | undefined): Html {
  const { t, input } = visit
  const { kept, country } = offer ?? {}
  const code = country && callingCodeOf(country.iso_code)
  const example = country && exampleOf(country.iso_code)
  const hint =
    kept !== undefined && !kept.is_whole
      ? t('phone_kept', { phone: kept.shown })
      : example === undefined
        ? t('phone_hint_plain')
        : t('phone_example', { number: example })
  return telField({
    label: country?.iso_code === cards ? t('card_phone') : t('phone'),
    hint,
    error: problem?.errors['phone'],
    value: input.form['phone'] ?? (kept?.is_whole === true ? kept.shown : ''),
    code,
    required: kept === undefined,
  })
}

type Tel = Readonly<{
  label: string
  hint: string
  error: string | undefined
  value: string
  /** `+229`; undefined: any. */
  code: string | undefined
  required: boolean
}>

export function telField({ label, hint, error, value, code, required }: Tel): Html {
  const prefix = code !== undefined && html`<span id="code">${code}</span>`
  const complete = code === undefined ? 'tel' : 'tel-national'
  return html`<div class="field"><div class="line"><label for="phone">${label}</label>
<span class="hint" id="phone-hint">${hint}</span></div>${errorOf('phone', error)}
<div class="tel">${prefix}<input id="phone" name="phone" value="${value}" type="tel"
 autocomplete="${complete}" maxlength="40"${required && html` required`}${ariaOf('phone', {
   hint,
   error,
 })}></div></div>`
}

// The networks.

function tilesOf({ listed, byCode }: Offer): readonly Tile[] {
  const known = listed.networks.flatMap((row) => {
    const network = byCode(row.code)
    return network === undefined ? [] : [{ row, network }]
  })
  return known
    .toSorted((a, b) => byHowCommon(a.network, b.network))
    .map((tile, index) => ({ ...tile, at: index + 1 }))
}

function tileField(choosing: Choosing, offer: Offer, tiles: readonly Tile[]): Html {
  const { visit, problem } = choosing
  const error = problem?.errors['network']
  return html`<fieldset id="network"${ariaOf('network', { error })}>
<legend>${visit.t('choose_network')}</legend>${errorOf('network', error)}${doubtOf(choosing, offer)}
<div class="tiles">${tiles.map((tile) => tileOf(choosing, offer, { tile, tiles }))}</div>
${clocksOf(visit, offer, tiles)}</fieldset>`
}

/** Why no network can be paid by, each in a line. */
function whyNone({ visit }: Choosing, offer: Offer, tiles: readonly Tile[]): Html {
  if (offer.listed.exchange_rate_error !== null || tiles.length === 0) return html``
  const lines = tiles.map(({ row }) => {
    const label = shortName(row.name, offer.country)
    const text = conditionText(visit, row, offer.now_ms) ?? ''
    return html`<li>${visit.t('wrong_in', { label, text })}</li>`
  })
  return html`<ul id="why">${lines}</ul>${clocksOf(visit, offer, tiles)}`
}

/** Beside a network that is not simply open; an hour by its country's clocks. */
function conditionText({ t, input }: Reader, row: Row, now_ms: number): string | undefined {
  const { condition, opens_at, time_zone } = row
  if (condition === 'OPEN') return undefined
  if (condition === 'INTERRUPTED') return t('interrupted')
  if (condition === 'OTHER_AMOUNT') return t('other_amount')
  if (opens_at === null || time_zone === null) return t('closed_now')
  const reading = { locale: input.locale, now_ms }
  const { day, hours } = writeHours(new Date(opens_at), time_zone, reading)
  return day === '' ? t('closed_until', { hours }) : t('closed_until_day', { day, hours })
}

/** Whose clocks the hours beside networks are of; nothing where there are none. */
function clocksOf({ t, input }: Reader, { now_ms }: Offer, tiles: readonly Tile[]): Html {
  const zones = new Set(tiles.flatMap(({ row }) => row.time_zone ?? []))
  const places = [...zones].map((zone) => placeOf(new Date(now_ms), zone, input.locale))
  if (places.length === 0) return html``
  return html`<p id="clocks" class="hint">${t('hours_in', { place: places.join(' · ') })}</p>`
}

function doubtOf({ visit: { t }, problem }: Choosing, { country }: Offer): Html {
  const { doubt } = problem ?? {}
  if (doubt === undefined) return html``
  const network = shortName(doubt.seems.name, country)
  const text =
    doubt.chosen === undefined
      ? t('told_network', { network })
      : t('other_network', { network, chosen: shortName(doubt.chosen.name, country) })
  return html`<p class="wary" id="errors" role="alert" tabindex="-1">${text}</p>`
}

type Placed = Readonly<{ tile: Tile; tiles: readonly Tile[] }>

function tileOf({ visit, problem }: Choosing, offer: Offer, { tile, tiles }: Placed): Html {
  const { input } = visit
  const { row, network, at } = tile
  const id = `network-${row.code}`
  const isChosen = row.code === offer.network || tiles.length === 1
  const state = row.unavailable ? html` disabled` : isChosen ? html` checked` : ''
  const own = network.prefixes.length > 0 && html` data-own="${network.prefixes.join(' ')}"`
  const total =
    commonTotal(tiles) === undefined && row.total !== null
      ? writeDecimal(row.total, row.currency, input.locale)
      : undefined
  const smalls = [total, conditionText(visit, row, offer.now_ms)].map(
    (small) => small !== undefined && html` <small>${small}</small>`,
  )
  const wantsCode = row.confirmation === 'CODE_BEFORE' && !row.unavailable
  return html`<input type="radio" name="network" class="n${at}" id="${id}" value="${row.code}"${
    own
  }${state}><label for="${id}" class="tile">${networkMark(network)}
<span>${shortName(row.name, offer.country)}</span>${smalls}${tickMark(18)}</label>${
    wantsCode && codeField(visit, row, problem)
  }`
}

function codeField({ t, input }: Visit, row: Row, problem: Problem | undefined): Html {
  const instruction = `${instructionIn(input.locale, row.otp_instructions)}.`
  const [dialled] = /[*#][\d*#]+#/.exec(instruction) ?? []
  const otp = {
    id: `otp_${row.code}`,
    label: t('code_first'),
    hint: instruction,
    error: problem?.errors[`otp_${row.code}`],
    more: html`inputmode="numeric" autocomplete="one-time-code" maxlength="12"`,
  }
  return html`<div class="code">${fieldOf(otp)}${
    dialled !== undefined &&
    html`<a class="button second" href="${dialAddress(dialled)}">${t('dial_code', {
      code: dialled,
    })}</a>`
  }</div>`
}

// The fee once, and the sum in the button. Where networks differ, the chosen one's is shown.

/** What all that can be used take; undefined where they differ. */
function commonTotal(tiles: readonly Tile[]): Row | undefined {
  const [first, ...rest] = tiles.filter(({ row }) => !row.unavailable)
  return rest.every(({ row }) => row.total === first?.row.total) ? first?.row : undefined
}

function feeLine({ visit }: Choosing, { listed }: Offer, tiles: readonly Tile[]): Html {
  const { t, input } = visit
  const write = ({ fee, total, currency }: Row): string =>
    fee === null || total === listed.amount
      ? t('no_fee')
      : `+ ${writeDecimal(fee, currency, input.locale)}`
  const plain = html`${t('fee_by_network')}`
  return html`<p id="fee" class="line fee"><span>${t('fee')}</span>
<b>${bySum(tiles, write, plain)}</b></p>`
}

function payButton({ visit, payment }: Choosing, tiles: readonly Tile[]): Html {
  const { t, input } = visit
  const again = payment === undefined ? 'pay_sum' : 'try_again_sum'
  const write = ({ total, currency }: Row): string =>
    t(again, { amount: total === null ? '' : writeDecimal(total, currency, input.locale) })
  const plain = html`${payment === undefined ? t('pay') : t('try_again')}`
  return html`<button id="pay" data-busy="${t('busy')}">${bySum(tiles, write, plain)}</button>`
}

/** One text where all networks agree; else each one's, of which the style shows the chosen. */
function bySum(tiles: readonly Tile[], write: (row: Row) => string, plain: Html): Html {
  const common = commonTotal(tiles)
  if (common !== undefined) return html`${write(common)}`
  const own = tiles.filter(({ row, at }) => !row.unavailable && at <= tiles_with_sums)
  return html`<span class="f f0">${plain}</span>${own.map(
    ({ row, at }) => html`<span class="f f${at}">${write(row)}</span>`,
  )}`
}
