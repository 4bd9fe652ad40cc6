// A receipt or invoice as one A4 page of PDF. Every text is fitted to its place before it is drawn,
// so that a hostile name moves nothing; the page is small (tens of kB) and made in memory at once.

import { create } from 'qrcode'
import type { Invoice } from './invoice.ts'
import { fontOf, type Letters, linesOf, plain, runsOf, widthOf } from './letters.ts'
import {
  type Doc,
  decorate,
  type Tagged,
  tag,
  taggedSheet,
  tagLinkedPicture,
  within,
} from './tags.ts'

const page = { width: 595.28, height: 841.89, margin: 56 }
const inner = page.width - 2 * page.margin
const right = page.width - page.margin
const ink = '#1f2933'
const faint = '#5f6c7b'
const hairline = '#d9dee4'
const tint = '#f4f6f8'
const warned = { paper: '#fff4d6', ink: '#7a4b00' }

const label = { size: 8.5, weight: 'bold', lines_max: 1 } as const
const body = { size: 10.5, weight: 'regular' } as const
const strong = { size: 10.5, weight: 'bold' } as const

/** A text to draw, and its alignment at `x`. */
type Words = Letters &
  Readonly<{ x: number; y: number; colour?: string; align?: 'left' | 'right'; leading?: number }>

/** Draws the lines from the baseline `y` down; answers with the baseline after the last one. */
function drawText(doc: Doc, text: string, words: Words): number {
  const { size, weight, x, width, colour = ink, align = 'left', leading = 1.4 } = words
  let y = words.y
  doc.fillColor(colour).fontSize(size)
  for (const line of linesOf(text, words)) {
    const runs = runsOf(line, weight).map((run) => ({ ...run, width: widthOf(run, size) }))
    const used = runs.reduce((sum, run) => sum + run.width, 0)
    let at = align === 'left' ? x : x + width - used
    for (const run of runs) {
      doc.registerFont(run.font, fontOf(run.font)).font(run.font)
      // With a feature named, the run is shaped whole: Arabic words keep their order.
      doc.text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic', features: ['kern'] })
      at += run.width
    }
    y += size * leading
  }
  return y
}

type TaggedWords = Words & Readonly<{ scope?: 'Row' | 'Column' }>

/** Written the other way round than it is read; its words go along as they are read. */
const from_the_right = /[\u0590-\u08ff]/u

/** The same, within a tag. */
export function drawTagged(
  paper: Tagged,
  type: Parameters<typeof tag>[1],
  text: string,
  { scope, ...words }: TaggedWords,
): number {
  const options = {
    ...(scope === undefined ? {} : { scope }),
    ...(from_the_right.test(text) ? { actual: plain(text) } : {}),
  }
  return tag(paper, type, () => drawText(paper.doc, text, words), options)
}

const rule = (doc: Doc, y: number) =>
  decorate(doc, () => doc.rect(page.margin, y, inner, 0.75).fill(hairline))

/** The whole document. */
export function drawInvoice(invoice: Invoice): Promise<Buffer> {
  const { locale, title, reference, merchant: author } = invoice
  const paper = taggedSheet({ size: 'A4', locale, title: `${title} ${reference}`, author })
  const whole = collected(paper.doc)
  let y = drawHead(paper, invoice)
  y = drawParties(paper, invoice, drawWarning(paper, invoice, y) + 34)
  drawRows(paper, invoice, y + 26)
  drawProof(paper, invoice)
  paper.doc.end()
  return whole
}

/** The whole file, once it has ended. */
export function collected(doc: Doc): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
}

function drawHead(paper: Tagged, { colour, merchant, title, marks, seller }: Invoice): number {
  const { doc } = paper
  decorate(doc, () => doc.rect(0, 0, page.width, 10).fill(colour))
  const aside = { x: right - 230, width: 230, align: 'right', lines_max: 1 } as const
  drawTagged(paper, 'H1', title, { ...aside, y: 78, size: 24, weight: 'regular' })
  let ours = 98
  for (const [at, mark] of marks.entries()) {
    const form = at === 0 ? strong : ({ size: 9, weight: 'regular', colour: faint } as const)
    ours = drawTagged(paper, 'P', mark, { ...aside, ...form, y: ours })
  }
  const name = { x: page.margin, width: inner - 250, size: 20, weight: 'bold' } as const
  const shop = { ...name, y: 78, lines_max: 3, leading: 1.2 }
  let y = drawTagged(paper, 'P', merchant, shop)
  const small = { ...name, size: 9, weight: 'regular', colour: faint, lines_max: 2 } as const
  for (const line of seller) y = drawTagged(paper, 'P', line, { ...small, y })
  y = Math.max(y, ours, 118) + 6
  decorate(doc, () => doc.rect(page.margin, y, 36, 3).fill(colour))
  return y + 3
}

function drawWarning(paper: Tagged, { warning }: Invoice, y: number): number {
  if (warning === '') return y
  const { doc } = paper
  decorate(doc, () => doc.roundedRect(page.margin, y + 18, inner, 30, 4).fill(warned.paper))
  const place = { x: page.margin + 14, y: y + 37, width: inner - 28, lines_max: 1 }
  drawTagged(paper, 'P', warning, { ...place, ...strong, colour: warned.ink })
  return y + 48
}

const half = inner / 2 - 12

function drawParties(paper: Tagged, { billed_to, payment }: Invoice, y: number): number {
  const left = { x: page.margin, width: half }
  const other = { x: page.margin + inner / 2 + 12, width: half }
  const headed = { ...label, y, colour: faint }
  drawTagged(paper, 'H2', billed_to.label, { ...left, ...headed })
  const named = { ...left, ...strong, y: y + 18, lines_max: 3 }
  let ours = drawTagged(paper, 'P', billed_to.name, named)
  for (const line of billed_to.lines) {
    const place = { ...left, ...body, y: ours, lines_max: 2 }
    ours = drawTagged(paper, 'P', line, place)
  }
  drawTagged(paper, 'H2', payment.label, { ...other, ...headed })
  let theirs = y + 18
  const table = within(paper, 'Table')
  for (const [name, value] of payment.facts) {
    const row = within(table, 'TR')
    const at = { ...body, y: theirs, lines_max: 2 }
    const first = { ...at, x: other.x, width: 96, colour: faint }
    drawTagged(row, 'TH', name, { ...first, scope: 'Row' })
    const second = { ...at, x: other.x + 102, width: half - 102 }
    theirs = drawTagged(row, 'TD', value, second)
  }
  return Math.max(ours, theirs)
}

const sums = { x: right - 160, width: 146, align: 'right', lines_max: 1 } as const
const texts = { x: page.margin + 14, width: inner - 200 }

function drawRows(paper: Tagged, invoice: Invoice, top: number): void {
  const { doc } = paper
  const { columns, rows } = invoice
  decorate(doc, () => doc.roundedRect(page.margin, top, inner, 26, 4).fill(tint))
  const table = within(paper, 'Table')
  const head = within(table, 'TR')
  const headed = { ...label, y: top + 16.5, colour: faint, scope: 'Column' } as const
  drawTagged(head, 'TH', columns[0], { ...texts, ...headed })
  drawTagged(head, 'TH', columns[1], { ...sums, ...headed })
  let y = top + 26
  for (const [text, sum] of rows) {
    const row = within(table, 'TR')
    const at = { ...body, y: y + 20 }
    y = drawTagged(row, 'TD', text, { ...texts, ...at, lines_max: 4 }) - 4
    drawTagged(row, 'TD', sum, { ...sums, ...at })
    rule(doc, y)
  }
  drawTotal(paper, table, { ...invoice, y })
}

/** The last row of the table, and below it whether that is paid. */
function drawTotal(
  paper: Tagged,
  table: Tagged,
  { total, status, colour, y }: Invoice & Readonly<{ y: number }>,
): void {
  const { doc } = paper
  decorate(doc, () => doc.rect(page.margin, y + 16, 4, 44).fill(colour))
  const place = { x: page.margin + 18, width: inner - 200, lines_max: 1 }
  const row = within(table, 'TR')
  const name = { ...place, y: y + 36, size: 13, weight: 'bold' } as const
  drawTagged(row, 'TH', total[0], { ...name, scope: 'Row' })
  const sum = { x: right - 260, width: 246, align: 'right', lines_max: 1 } as const
  drawTagged(row, 'TD', total[1], { ...sum, y: y + 42, size: 20, weight: 'bold' })
  const below = { ...place, y: y + 53, size: 10.5, weight: 'regular', colour: faint } as const
  drawTagged(paper, 'P', status, below)
}

const qr_side = 104

function drawProof(paper: Tagged, { proof }: Invoice): void {
  const { doc } = paper
  const top = page.height - page.margin - qr_side
  rule(doc, top - 20)
  if ('revoked' in proof) {
    const place = { x: page.margin, width: inner, lines_max: 2, y: top + 8 }
    drawTagged(paper, 'P', proof.revoked, { ...place, ...strong })
    return
  }
  const { title, text, url, alt } = proof
  const code = { x: page.margin, y: top, side: qr_side }
  const box = [code.x, top, code.x + qr_side, top + qr_side] as const
  tagLinkedPicture(paper, { alt, url, box }, { ...code, draw: () => drawQr(doc, url, code) })
  const place = { x: page.margin + qr_side + 20, width: inner - qr_side - 20 }
  const headed = { ...place, ...strong, y: top + 16, lines_max: 1 }
  let y = drawTagged(paper, 'H2', title, headed)
  const said = { ...place, ...body, size: 9.5, y: y + 2, lines_max: 3 }
  y = drawTagged(paper, 'P', text, said)
  const shown = { ...place, ...body, size: 9, y: y + 4, lines_max: 3, colour: faint }
  drawTagged(paper, 'P', url, shown)
}

// A QR code as rectangles, so that it stays sharp at any size: one for each row's run of dark
// modules, all in one path.

type Place = Readonly<{ x: number; y: number; side: number }>

export function drawQr(doc: Doc, text: string, { x, y, side }: Place): void {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const { size } = modules
  const step = side / size
  for (let row = 0; row < size; row += 1) {
    let column = 0
    while (column < size) {
      const from = column
      while (column < size && modules.get(row, column) !== 0) column += 1
      if (column > from) doc.rect(x + from * step, y + row * step, (column - from) * step, step)
      else column += 1
    }
  }
  doc.fill('#000000')
}
