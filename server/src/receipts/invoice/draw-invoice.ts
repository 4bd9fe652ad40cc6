// A receipt or invoice as one A4 page of PDF. Every text is fitted to its place before it is drawn,
// so that a hostile name moves nothing; the page is small (tens of kB) and made in memory at once.

import PDFDocument from 'pdfkit'
import { create } from 'qrcode'
import type { Invoice } from './invoice.ts'
import { fontOf, type Letters, linesOf, runsOf, widthOf } from './letters.ts'

export type Doc = InstanceType<typeof PDFDocument>

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
export function drawText(doc: Doc, text: string, words: Words): number {
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

const rule = (doc: Doc, y: number, colour = hairline) =>
  doc.rect(page.margin, y, inner, 0.75).fill(colour)

/** The whole document. */
export function drawInvoice(invoice: Invoice): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: '',
    lang: invoice.locale,
    displayTitle: true,
    info: { Title: `${invoice.title} ${invoice.reference}`, Author: invoice.merchant },
  })
  const whole = collected(doc)
  let y = drawHead(doc, invoice)
  y = drawParties(doc, invoice, drawWarning(doc, invoice, y) + 34)
  y = drawRows(doc, invoice, y + 26)
  drawTotal(doc, invoice, y)
  drawProof(doc, invoice)
  doc.end()
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

function drawHead(doc: Doc, { colour, merchant, title, marks, seller }: Invoice): number {
  doc.rect(0, 0, page.width, 10).fill(colour)
  const aside = { x: right - 230, width: 230, align: 'right', lines_max: 1 } as const
  drawText(doc, title, { ...aside, y: 78, size: 24, weight: 'regular' })
  let ours = 98
  for (const [at, mark] of marks.entries()) {
    const form = at === 0 ? strong : ({ size: 9, weight: 'regular', colour: faint } as const)
    ours = drawText(doc, mark, { ...aside, ...form, y: ours })
  }
  const name = { x: page.margin, width: inner - 250, size: 20, weight: 'bold' } as const
  let y = drawText(doc, merchant, { ...name, y: 78, lines_max: 3, leading: 1.2 })
  for (const line of seller) {
    y = drawText(doc, line, { ...name, size: 9, weight: 'regular', colour: faint, y, lines_max: 2 })
  }
  y = Math.max(y, ours, 118) + 6
  doc.rect(page.margin, y, 36, 3).fill(colour)
  return y + 3
}

function drawWarning(doc: Doc, { warning }: Invoice, y: number): number {
  if (warning === '') return y
  doc.roundedRect(page.margin, y + 18, inner, 30, 4).fill(warned.paper)
  const place = { x: page.margin + 14, y: y + 37, width: inner - 28, lines_max: 1 }
  drawText(doc, warning, { ...place, ...strong, colour: warned.ink })
  return y + 48
}

const half = inner / 2 - 12

function drawParties(doc: Doc, { billed_to, payment }: Invoice, y: number): number {
  const left = { x: page.margin, width: half }
  const other = { x: page.margin + inner / 2 + 12, width: half }
  drawText(doc, billed_to.label, { ...left, ...label, y, colour: faint })
  drawText(doc, payment.label, { ...other, ...label, y, colour: faint })
  let ours = drawText(doc, billed_to.name, { ...left, ...strong, y: y + 18, lines_max: 3 })
  for (const line of billed_to.lines) {
    ours = drawText(doc, line, { ...left, ...body, y: ours, lines_max: 2 })
  }
  let theirs = y + 18
  for (const [name, value] of payment.facts) {
    drawText(doc, name, { ...other, ...body, width: 96, y: theirs, lines_max: 2, colour: faint })
    const place = { x: other.x + 102, width: half - 102, y: theirs }
    theirs = drawText(doc, value, { ...place, ...body, lines_max: 2 })
  }
  return Math.max(ours, theirs)
}

const sums = { x: right - 160, width: 146, align: 'right', lines_max: 1 } as const
const texts = { x: page.margin + 14, width: inner - 200 }

function drawRows(doc: Doc, { columns, rows }: Invoice, top: number): number {
  doc.roundedRect(page.margin, top, inner, 26, 4).fill(tint)
  drawText(doc, columns[0], { ...texts, ...label, y: top + 16.5, colour: faint })
  drawText(doc, columns[1], { ...sums, ...label, y: top + 16.5, colour: faint })
  let y = top + 26
  for (const [text, sum] of rows) {
    drawText(doc, sum, { ...sums, ...body, y: y + 20 })
    y = drawText(doc, text, { ...texts, ...body, y: y + 20, lines_max: 4 }) - 4
    rule(doc, y)
  }
  return y
}

function drawTotal(doc: Doc, { total, status, colour }: Invoice, y: number): void {
  doc.rect(page.margin, y + 16, 4, 44).fill(colour)
  const place = { x: page.margin + 18, width: inner - 200, lines_max: 1 }
  drawText(doc, total[0], { ...place, y: y + 36, size: 13, weight: 'bold' })
  drawText(doc, status, { ...place, y: y + 53, size: 10.5, weight: 'regular', colour: faint })
  const sum = { x: right - 260, width: 246, align: 'right', lines_max: 1 } as const
  drawText(doc, total[1], { ...sum, y: y + 42, size: 20, weight: 'bold' })
}

const qr_side = 104

function drawProof(doc: Doc, { proof }: Invoice): void {
  const top = page.height - page.margin - qr_side
  rule(doc, top - 20)
  if ('revoked' in proof) {
    const place = { x: page.margin, width: inner, lines_max: 2, y: top + 8 }
    drawText(doc, proof.revoked, { ...place, ...strong })
    return
  }
  drawQr(doc, proof.url, { x: page.margin, y: top, side: qr_side })
  const place = { x: page.margin + qr_side + 20, width: inner - qr_side - 20 }
  let y = drawText(doc, proof.title, { ...place, ...strong, y: top + 16, lines_max: 1 })
  y = drawText(doc, proof.text, { ...place, ...body, size: 9.5, y: y + 2, lines_max: 3 })
  drawText(doc, proof.url, { ...place, ...body, size: 9, y: y + 4, lines_max: 3, colour: faint })
  doc.link(page.margin, top, qr_side, qr_side, proof.url)
}

// A QR code as rectangles, so that it stays sharp at any size: one for each row's run of dark
// modules, all in one path.

type Place = Readonly<{ x: number; y: number; side: number }>

export function drawQr(
  doc: InstanceType<typeof PDFDocument>,
  text: string,
  { x, y, side }: Place,
): void {
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
