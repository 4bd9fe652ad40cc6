// Reads back what a PDF of pdfkit shows: each piece of text with its place, in points from the top
// left, through the fonts' own tables of what each glyph means.

import { inflateSync } from 'node:zlib'

export type Piece = Readonly<{ text: string; x: number; y: number; size: number }>

const page_height = 841.89

type Objects = ReadonlyMap<string, Readonly<{ head: string; stream: string }>>

function objectsOf(pdf: Buffer): Objects {
  const text = pdf.toString('latin1')
  const objects = new Map<string, { head: string; stream: string }>()
  for (const [, id = '', body = ''] of text.matchAll(/\n(\d+) 0 obj\n(.*?)\nendobj/gs)) {
    const [head = ''] = body.split('\nstream\n')
    const raw = /\nstream\n(.*)\nendstream$/s.exec(body)?.[1]
    // The metadata are plain, for programs that read no PDF.
    const isPacked = raw !== undefined && head.includes('/FlateDecode')
    const bytes = isPacked ? inflateSync(Buffer.from(raw, 'latin1')) : undefined
    objects.set(id, { head, stream: bytes?.toString('latin1') ?? raw ?? '' })
  }
  return objects
}

/** What each glyph of a font means, in the order of its subset. */
function meaningsOf(objects: Objects, font: string): string[] {
  const [, cmap = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font)?.head ?? '') ?? []
  const [, list = ''] = /beginbfrange\n(.*)endbfrange/s.exec(objects.get(cmap)?.stream ?? '') ?? []
  return [...list.matchAll(/\[(.*?)\]/gs)].flatMap(([, row = '']) =>
    [...row.matchAll(/<([0-9a-f ]*)>/g)].map(([, hex = '']) => utf16(hex)),
  )
}

const utf16 = (hex: string): string =>
  Buffer.from(hex.replace(/ /g, ''), 'hex').swap16().toString('utf16le')

/** Every piece of the only page, as it was drawn. */
export const readPdf = (pdf: Buffer): Piece[] => piecesOf(openPdf(pdf))

export type Opened = Readonly<{
  objects: Objects
  /** What the glyphs of each font mean, by its name on the page. */
  fonts: ReadonlyMap<string, readonly string[]>
  /** What draws the only page. */
  content: string
}>

export function openPdf(pdf: Buffer): Opened {
  const objects = objectsOf(pdf)
  const heads = [...objects.values()]
  const resources = heads.find(({ head }) => head.includes('/ProcSet'))?.head ?? ''
  const fonts = new Map(
    [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => [
      name,
      meaningsOf(objects, id),
    ]),
  )
  // By the page's own word: the bytes of a font may look like anything.
  const page = heads.find(({ head }) => /\/Type \/Page\b/.test(head))?.head ?? ''
  const [, drawn = ''] = /\/Contents (\d+) 0 R/.exec(page) ?? []
  const content = objects.get(drawn)?.stream ?? ''
  return { objects, fonts, content }
}

export function piecesOf({ fonts, content }: Omit<Opened, 'objects'>): Piece[] {
  const pieces = content.matchAll(
    /1 0 0 1 ([\d.-]+) ([\d.-]+) Tm\n\/(F\d+) ([\d.]+) Tf\n\[(.*?)\] TJ/gs,
  )
  return [...pieces].map(([, x = '', y = '', font = '', size = '', glyphs = '']) => {
    const meanings = fonts.get(font) ?? []
    const codes = [...glyphs.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) =>
      (hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16)),
    )
    const text = codes.map((code) => meanings[code] ?? '?').join('')
    return { text, x: Number(x), y: page_height - Number(y), size: Number(size) }
  })
}

/** All of it, a space between two pieces. */
export const textOf = (pdf: Buffer): string =>
  readPdf(pdf)
    .map(({ text }) => text)
    .join(' ')
    .replace(/\u00a0/g, ' ')
