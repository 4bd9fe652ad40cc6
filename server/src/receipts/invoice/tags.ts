// What a PDF says of itself to a program that reads it aloud or reflows it: headings, paragraphs,
// tables, a picture's words, in the order in which they are read; all else is decoration. Law:
// whatever is drawn stands in a tag or is decoration (docs/decisions/0069).

import PDFDocument from 'pdfkit'
import type { Locale } from '../../platform/errors.ts'

export type Doc = InstanceType<typeof PDFDocument>
type Element = ReturnType<Doc['struct']>
type Options = Parameters<Doc['struct']>[1]

/** A document of one kind of page, with the root of its tags. */
export type Tagged = Readonly<{ doc: Doc; root: Element }>

type Sheet = Readonly<{
  size: 'A4' | [number, number]
  locale: Locale
  title: string
  author: string
}>

/** PDF 1.7 with a title that the reader's window shows, and the language of its words. */
export function taggedSheet({ size, locale, title, author }: Sheet): Tagged {
  const doc = new PDFDocument({
    ...{ size, margin: 0, font: '', pdfVersion: '1.7', tagged: true, lang: locale },
    displayTitle: true,
    info: { Title: title, Author: author },
  })
  const root = doc.struct('Document')
  doc.addStructure(root)
  return { doc, root }
}

/** A heading, paragraph or cell; gives back what drawing it gives: mostly where it ends. */
export function tag(
  { doc, root }: Tagged,
  type: 'H1' | 'H2' | 'P' | 'TH' | 'TD',
  draw: () => number,
  options: Options = {},
): number {
  let end = 0
  const element = doc.struct(type, options, () => {
    end = draw()
  })
  root.add(element)
  return end
}

/** A table or one of its rows, to tag into. */
export function within({ doc, root }: Tagged, type: 'Table' | 'TR' | 'Link'): Tagged {
  const element = doc.struct(type)
  root.add(element)
  return { doc, root: element }
}

/** Drawn, and never read: bars, lines, grounds. */
export function decorate(doc: Doc, draw: () => unknown): void {
  doc.markContent('Artifact', { type: 'Layout' })
  draw()
  doc.endMarkedContent()
}

type Picture = Readonly<{
  /** What is said in its place. */
  alt: string
  /** Where touching it leads. */
  url: string
  /** In points from the top left of the page. */
  box: readonly [left: number, top: number, right: number, bottom: number]
}>

/** A picture that is a link. `at`: where it is touched, in the measures of the drawing. */
export function tagLinkedPicture(
  tagged: Tagged,
  { alt, url, box }: Picture,
  { x, y, side, draw }: Readonly<{ x: number; y: number; side: number; draw: () => void }>,
): void {
  const { doc } = tagged
  const link = within(tagged, 'Link')
  const [left, top, right, bottom] = box
  link.root.add(doc.struct('Figure', { alt, bbox: [left, top, right, bottom] }, draw))
  doc.link(x, y, side, side, url, { structParent: link.root })
}
