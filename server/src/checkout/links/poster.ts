// A payment link on paper, to stand on a counter: whose it is, what is paid, and the QR code that
// opens it. One page of A5 or A6, drawn in one go; every text is fitted to its place.

import PDFDocument from 'pdfkit'
import type { MerchantProfile } from '../../merchants/settings/profile.ts'
import { viewProfile } from '../../merchants/settings/read-settings.ts'
import { writeAmount } from '../../money/format.ts'
import type { Link } from '../../orders/link.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { collected, type Doc, drawQr, drawText } from '../../receipts/invoice/draw-invoice.ts'
import { plain } from '../../receipts/invoice/letters.ts'

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
    en: 'Open your phone’s camera. Mobile money or card.',
    fr: 'Ouvrez l’appareil photo du téléphone. Mobile money ou carte.',
  },
  free: { en: 'You choose the amount', fr: 'Montant libre' },
  pin: {
    en: 'Only ever type your PIN on your own phone.',
    fr: 'Tapez votre code secret uniquement sur votre téléphone.',
  },
  test: { en: 'TEST: no money moves', fr: 'TEST : aucun argent ne circule' },
} as const satisfies Record<string, Text>

export type Poster = Readonly<{
  link: Link
  profile: MerchantProfile
  /** Whole; what the code holds. */
  url: string
  paper: Paper
  locale: Locale
}>

export function drawPoster({ link, profile, url, paper, locale }: Poster): Promise<Buffer> {
  const [width, height] = papers[paper]
  const { name, colour } = viewProfile(profile, '')
  const doc = new PDFDocument({
    size: [width, height],
    margin: 0,
    font: '',
    lang: locale,
    displayTitle: true,
    info: { Title: plain(link.name), Author: plain(name) },
  })
  const whole = collected(doc)
  // All measures are of A5; A6 is the same picture, smaller.
  const [full_width, full_height] = papers.A5
  doc.scale(width / full_width)
  doc.rect(0, 0, full_width, 14).fill(colour || own_colour)
  const y = drawHead(doc, { name, link, locale })
  drawCode(doc, { url, locale, y, is_test: link.environment === 'SANDBOX' })
  doc.rect(0, full_height - 8, full_width, 8).fill(colour || own_colour)
  doc.end()
  return whole
}

const line = { x: 36, width: papers.A5[0] - 72, lines_max: 1, align: 'left' } as const

type Head = Readonly<{ name: string; link: Link; locale: Locale }>

function drawHead(doc: Doc, { name, link, locale }: Head): number {
  const { amount, currency } = link
  const isFixed = link.amount_type === 'FIXED' && amount !== null
  const sum = isFixed ? writeAmount(amount, currency, locale) : texts.free[locale]
  let y = drawText(doc, plain(name), { ...line, y: 58, size: 24, weight: 'bold', lines_max: 2 })
  const about = { ...line, size: 13, weight: 'regular', colour: faint, lines_max: 2 } as const
  y = drawText(doc, plain(link.name), { ...about, y: y - 6 })
  return drawText(doc, sum, { ...line, y: y + 12, size: 22, weight: 'bold', colour: ink })
}

const side = 284

type Code = Readonly<{ url: string; locale: Locale; y: number; is_test: boolean }>

function drawCode(doc: Doc, { url, locale, y, is_test }: Code): void {
  const [width, height] = papers.A5
  const { x } = line
  // Room for the code's own quiet margin, wherever the names above end.
  const top = Math.max(y + 2, 172)
  drawQr(doc, url, { x, y: top, side })
  doc.link(x, top, side, side, url)
  const below = top + side
  drawText(doc, texts.scan[locale], { ...line, y: below + 36, size: 22, weight: 'bold' })
  const small = { ...line, size: 11, weight: 'regular', colour: faint } as const
  drawText(doc, texts.how[locale], { ...small, y: below + 54 })
  drawText(doc, texts.pin[locale], { ...small, y: below + 69 })
  drawText(doc, url, { ...small, size: 8, y: below + 85 })
  if (!is_test) return
  doc.rect(0, height - 34, width, 26).fill('#ffd98a')
  const band = { ...line, size: 11, weight: 'bold', colour: '#5c3a00' } as const
  drawText(doc, texts.test[locale], { ...band, y: height - 17 })
}
