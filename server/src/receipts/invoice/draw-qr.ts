// A QR code as rectangles, so that it stays sharp at any size: one for each row's run of dark
// modules, all in one path.

import type PDFDocument from 'pdfkit'
import { create } from 'qrcode'

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
