// The frame of every page: head, merchant, language switch, test banner, who handles the payment;
// and the content policy that admits only what is in the page itself.

import type { Contact } from '../merchants/settings/contact.ts'
import type { Locale } from '../platform/errors.ts'
import { type Html, html, type Inline } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { isColour, platform_colour } from './colour.ts'
import { contactLines } from './contact.ts'
import { behaviour, coloursOf, stylesIn, type Theme } from './look.ts'
import { merchantMark } from './marks.ts'
import { type Translate, translateIn } from './words.ts'

/** The merchant as its page shows it. */
export type Brand = Readonly<{
  name: string
  colour: string
  logo: string
  is_test: boolean
  contact: Contact
  /** Drawn to be looked at, in this theme: nothing in it works. Absent: a page to pay by. */
  shown_in?: Theme
}>

/** What a messenger shows of an address that is shared (Open Graph); addresses are whole. */
export type Card = Readonly<{
  title: string
  description: string
  address: string
  image?: string | undefined
}>

export type Frame = Readonly<{
  status: number
  locale: Locale
  title: string
  /** Path of the page, with what of its query belongs to it. */
  here: string
  brand?: Brand | undefined
  body: Html
  card?: Card | undefined
  /** What stands below: the order, and until when it can be paid. */
  foot?: readonly string[]
  /** Without a script: reloaded after so long. */
  refresh_s?: number
  /** Where the browser goes by itself, and how soon. */
  next?: Readonly<{ address: string; after_s: number }> | undefined
  /** With a script: notified when this state has changed. */
  live?: Readonly<{ address: string; state: string }>
  headers?: Readonly<Record<string, string>>
  /** One of the page's own, beside the one that all have. */
  script?: Inline
}>

export function framed(frame: Frame): Extract<PageReply, { is: 'page' }> {
  const shown_in = frame.brand?.shown_in
  const styles = stylesIn[shown_in ?? 'readers']
  const colours = coloursOf(frame.brand?.colour ?? '', shown_in)
  const sources = [styles.source, colours.source]
  return {
    is: 'page',
    status: frame.status,
    policy: shown_in === undefined ? policyOf(sources, frame.script) : showPolicy(sources),
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin', ...frame.headers },
    page: html`<!doctype html>
<html lang="${frame.locale}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${frame.title}</title>
<link rel="icon" href="data:,">${cardOf(frame)}
${styles.html}${colours.html}${refreshOf(frame)}</head>
${bodyOf(frame)}
${shown_in === undefined && [behaviour.html, frame.script?.html]}</body></html>`,
  }
}

const policyOf = (styles: readonly string[], script: Inline | undefined): string =>
  [
    "default-src 'none'",
    `style-src ${styles.join(' ')}`,
    ['script-src', behaviour.source, script?.source].filter(Boolean).join(' '),
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** For a frame of our own settings: no script, no form, no address of its own. */
const showPolicy = (styles: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src ${styles.join(' ')}`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'sandbox',
  ].join('; ')

function cardOf({ card, brand, locale }: Frame): Html {
  if (card === undefined) return html``
  const image = card.image !== undefined && html`<meta property="og:image" content="${card.image}">`
  return html`
<meta property="og:type" content="website"><meta property="og:site_name" content="${brand?.name}">
<meta property="og:title" content="${card.title}">
<meta property="og:description" content="${card.description}">
<meta property="og:url" content="${card.address}">${image}
<meta property="og:locale" content="${locale === 'fr' ? 'fr_FR' : 'en_GB'}">`
}

/**
 * A redirect is immediate for everybody; a delayed one is left to the script where there is one.
 */
function refreshOf({ refresh_s, next }: Frame): Html {
  if (next?.after_s === 0) return refreshTag(`0;url=${next.address}`)
  if (next !== undefined) {
    return html`<noscript>${refreshTag(`${next.after_s};url=${next.address}`)}</noscript>`
  }
  return refresh_s === undefined ? html`` : html`<noscript>${refreshTag(`${refresh_s}`)}</noscript>`
}

const refreshTag = (content: string): Html => html`<meta http-equiv="refresh" content="${content}">`

function bodyOf(frame: Frame): Html {
  const { locale, here, brand, live, next, foot = [] } = frame
  const t = translateIn(locale)
  const other = locale === 'fr' ? 'en' : 'fr'
  const live_data = live && html` data-live="${live.address}" data-state="${live.state}"`
  const next_data = next !== undefined && next.after_s > 0 && html` data-next="${next.address}"`
  const switched = `${here}${here.includes('?') ? '&' : '?'}lang=${other}`
  const test = brand?.is_test === true && html`<aside class="test">${t('test')}</aside>`
  const inert = brand?.shown_in !== undefined && html` inert`
  return html`<body data-here="${here}"${live_data}${next_data}${inert}>
${test}
<header>${brand && sign(brand)}<a id="language" lang="${other}" hreflang="${other}"
 href="${switched}">${t('other_language')}</a></header>
<main>${frame.body}</main>${brand && footer(brand, foot, t)}`
}

const footer = ({ name: merchant, contact }: Brand, foot: readonly string[], t: Translate): Html =>
  html`<footer>${contactLines({ merchant, contact }, t)}${[t('handled_by'), ...foot].map(
    (line) => html`<p>${line}</p>`,
  )}</footer>`

function sign({ name, colour, logo }: Brand): Html {
  const mark = merchantMark(name, isColour(colour) ? colour : platform_colour)
  return html`${logo === '' ? mark : html`<img src="${logo}" alt="">`}<b>${name}</b>`
}
