// Reads back what a PDF of pdfkit says of its own order: the tree of tags with the text that each
// holds, and what is drawn outside of all tags and is no decoration either.

import { type Opened, openPdf, piecesOf } from './pdf-text.ts'

export type Tag = Readonly<{
  type: string
  /** What is drawn in it, a space between two lines. */
  text: string
  /** What is said in its place. */
  alt: string
  scope: string
  /** An annotation that belongs to it. */
  has_link: boolean
  children: readonly Tag[]
}>

export type Tags = Readonly<{
  is_marked: boolean
  language: string
  shows_title: boolean
  root: Tag
  /** Text that is in no tag: none, where all is tagged. */
  untagged: string
}>

export function readTags(pdf: Buffer): Tags {
  const opened = openPdf(pdf)
  const headOf = (id: string | undefined) => opened.objects.get(id ?? '')?.head ?? ''
  const catalog = [...opened.objects.values()].find(({ head }) => head.includes('/Catalog'))
  const linked = (name: string) =>
    headOf(new RegExp(`/${name} (\\d+) 0 R`).exec(catalog?.head ?? '')?.[1])
  const [, first] = /\/K \[(\d+) 0 R/.exec(linked('StructTreeRoot')) ?? []
  return {
    is_marked: /\/Marked true/.test(linked('MarkInfo')),
    language: textOfString(catalog?.head ?? '', 'Lang'),
    shows_title: /\/DisplayDocTitle true/.test(linked('ViewerPreferences')),
    root: tagOf(opened, first ?? ''),
    untagged: written({ ...opened, content: outside(opened.content) }),
  }
}

const textOfString = (head: string, name: string): string => {
  const raw = new RegExp(`/${name} \\(((?:\\\\.|[^)])*)\\)`, 's').exec(head)?.[1] ?? ''
  const bytes = Buffer.from(raw.replace(/\\([()\\])/g, '$1'), 'latin1')
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff
  return isUtf16 ? bytes.subarray(2).swap16().toString('utf16le') : bytes.toString('latin1')
}

function tagOf(opened: Opened, id: string): Tag {
  const { head = '' } = opened.objects.get(id) ?? {}
  const kids = /\/K \[(.*?)\]\n/s.exec(`${head}\n`)?.[1] ?? ''
  const withoutLinks = kids.replace(/<<.*?>>/gs, '')
  const children = [...withoutLinks.matchAll(/(\d+) 0 R/g)].map(([, kid = '']) =>
    tagOf(opened, kid),
  )
  const marks = [...withoutLinks.replace(/\d+ 0 R/g, '').matchAll(/\d+/g)].map(Number)
  return {
    type: /\/S \/(\w+)/.exec(head)?.[1] ?? '',
    text: marks.map((mark) => written({ ...opened, content: inside(opened, mark) })).join(' '),
    alt: textOfString(head, 'Alt'),
    scope: /\/Scope \/(\w+)/.exec(head)?.[1] ?? '',
    has_link: kids.includes('/OBJR'),
    children,
  }
}

const written = (opened: Opened): string =>
  piecesOf(opened)
    .map(({ text }) => text)
    .join(' ')
    .replace(/\u00a0/g, ' ')

/** What is drawn between the beginning and the end of one mark; marks are never nested here. */
const inside = ({ content }: Opened, mark: number): string =>
  new RegExp(`/MCID ${mark}\\n.*?BDC(.*?)EMC`, 's').exec(content)?.[1] ?? ''

const outside = (content: string): string => content.replace(/ (?:BDC|BMC).*?EMC/gs, '')
