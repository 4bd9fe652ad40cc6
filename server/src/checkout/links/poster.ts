// A payment link on paper, to stand on a counter: whose it is, what is paid, and the QR code that
// opens it. One page of A5 or A6, drawn in one go; every text is fitted to its place.

import type { MerchantProfile } from '../../merchants/settings/profile.ts'
import { viewProfile } from '../../merchants/settings/read-settings.ts'
import { writeAmount } from '../../money/format.ts'
import type { Link } from '../../orders/link.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { collected, drawQr, drawTagged } from '../../receipts/invoice/draw-invoice.ts'
import { plain } from '../../receipts/invoice/letters.ts'
import {
  decorate,
  type Tagged,
  taggedSheet,
  tagLinkedPicture,
} from '../../receipts/invoice/tags.ts'

/** In points; A6 is half of A5. */
const papers = { A5: [419.53, 595.28], A6: [297.64, 419.53] } as const
export type Paper = keyof typeof papers
export const paperNames = ['A5', 'A6'] as const

/** The pages' own, for merchants without a colour (`pages/colour.ts`). */
const own_colour = '#0b6b4f'
const ink = '#1b1f23'
const faint = '#555b61'

const texts = {
  scan: { en: 'Scan to pay', fr: 'Scannez pour payer' },
  how: {
    en: 'Open your phone’s camera. Pay by mobile money.',
    fr: 'Ouvrez l’appareil photo du téléphone. Payez par mobile money.',
  },
  how_or_card: {
    en: 'Open your phone’s camera. Mobile money or card.',
    fr: 'Ouvrez l’appareil photo du téléphone. Mobile money ou carte.',
  },
  free: { en: 'You choose the amount', fr: 'Montant libre' },
  pin: {
    en: 'Only ever type your PIN on your own phone.',
    fr: 'Tapez votre code secret uniquement sur votre téléphone.',
  },
  code: { en: 'QR code of this payment link', fr: 'Code QR de ce lien de paiement' },
  test: { en: 'TEST: no money moves', fr: 'TEST : aucun argent ne circule' },
} as const satisfies Record<string, Text>

export type Poster = Readonly<{
  link: Link
  profile: MerchantProfile
  takes_cards: boolean
  /** Whole; what the code holds. */
  url: string
  paper: Paper
  locale: Locale
}>

export function drawPoster(poster: Poster): Promise<Buffer> {
  const { link, profile, url, paper, locale, takes_cards } = poster
  const [width, height] = papers[paper]
  const { name, colour } = viewProfile(profile, '')
  const sheet = taggedSheet({
    ...{ size: [width, height], locale },
    ...{ title: plain(link.name), author: plain(name) },
  })
  const { doc } = sheet
  const whole = collected(doc)
  // All measures are of A5; A6 is the same picture, smaller.
  const [full_width, full_height] = papers.A5
  const scale = width / full_width
  doc.scale(scale)
  decorate(doc, () => doc.rect(0, 0, full_width, 14).fill(colour || own_colour))
  const y = drawHead(sheet, { name, link, locale })
  const is_test = link.environment === 'SANDBOX'
  drawCode(sheet, { url, locale, y, scale, takes_cards, is_test })
  decorate(doc, () => doc.rect(0, full_height - 8, full_width, 8).fill(colour || own_colour))
  doc.end()
  return whole
}

const line = { x: 36, width: papers.A5[0] - 72, lines_max: 1, align: 'left' } as const

type Head = Readonly<{ name: string; link: Link; locale: Locale }>

function drawHead(sheet: Tagged, { name, link, locale }: Head): number {
  const { amount, currency } = link
  const isFixed = link.amount_type === 'FIXED' && amount !== null
  const sum = isFixed ? writeAmount(amount, currency, locale) : texts.free[locale]
  const headed = { ...line, y: 58, size: 24, weight: 'bold', lines_max: 2 } as const
  let y = drawTagged(sheet, 'H1', plain(name), headed)
  const about = { ...line, size: 13, weight: 'regular', colour: faint, lines_max: 2 } as const
  y = drawTagged(sheet, 'P', plain(link.name), { ...about, y: y - 6 })
  const strong = { ...line, y: y + 12, size: 22, weight: 'bold', colour: ink } as const
  return drawTagged(sheet, 'P', sum, strong)
}

const side = 284

type Code = Pick<Poster, 'url' | 'locale' | 'takes_cards'> &
  Readonly<{ y: number; scale: number; is_test: boolean }>

function drawCode(sheet: Tagged, code: Code): void {
  const { doc } = sheet
  const { url, locale, y, scale, takes_cards, is_test } = code
  const [width, height] = papers.A5
  const { x } = line
  // Room for the code's own quiet margin, wherever the names above end.
  const top = Math.max(y + 2, 172)
  const place = { x, y: top, side }
  const box = [x * scale, top * scale, (x + side) * scale, (top + side) * scale] as const
  const alt = texts.code[locale]
  tagLinkedPicture(sheet, { alt, url, box }, { ...place, draw: () => drawQr(doc, url, place) })
  const below = top + side
  const large = { ...line, y: below + 36, size: 22, weight: 'bold' } as const
  drawTagged(sheet, 'H2', texts.scan[locale], large)
  const small = { ...line, size: 11, weight: 'regular', colour: faint } as const
  const how = texts[takes_cards ? 'how_or_card' : 'how']
  drawTagged(sheet, 'P', how[locale], { ...small, y: below + 54 })
  drawTagged(sheet, 'P', texts.pin[locale], { ...small, y: below + 69 })
  drawTagged(sheet, 'P', url, { ...small, size: 8, y: below + 85 })
  if (!is_test) return
  decorate(doc, () => doc.rect(0, height - 34, width, 26).fill('#ffd98a'))
  const band = { ...line, size: 11, weight: 'bold', colour: '#5c3a00' } as const
  drawTagged(sheet, 'P', texts.test[locale], { ...band, y: height - 17 })
}
