// What people read in French is written in the words of docs/GLOSSARY.md: one thing has one word,
// in pages, e-mails and errors alike, and an apostrophe is one (’).

import ts from 'typescript'
import { lineAt, parse } from './source.ts'
import { type Finding, isServerProduction, type Leaf, type Tree } from './tree.ts'

const glossary = 'docs/GLOSSARY.md'
const law = 'one French word'

type Row = Readonly<{ line: number; word: string; rivals: readonly string[] }>
type Said = Readonly<{ path: string; line: number; text: string }>

/**
 * No French text of the server or the dashboard has a rival of the section “In French” of the
 * glossary, and each word of that section stands in some text.
 */
export function oneFrenchWord(tree: Tree): Finding[] {
  const rows = rowsOf(tree.find(({ path }) => path === glossary)?.text ?? '')
  const said = tree.flatMap(frenchOf)
  const rivals = rows.flatMap(({ word, rivals }) => rivals.map((rival) => ({ word, rival })))
  const broken = said.flatMap(({ path, line, text }) =>
    rivals
      .filter(({ rival }) => isIn(rival, text))
      .map(({ word, rival }) => ({
        ...{ path, line, law },
        note: `“${rival}” in a French text: say ${word} (${glossary})`,
      })),
  )
  const idle = rows
    .filter(({ word }) => !said.some(({ text }) => isIn(word, text)))
    .map(({ line, word }) => {
      return { path: glossary, line, law, note: `no French text says “${word}”: correct the list` }
    })
  return [...broken, ...idle]
}

/** In French texts an apostrophe is ’, which no line is broken at. */
export function frenchApostrophes(tree: Tree): Finding[] {
  return tree
    .flatMap(frenchOf)
    .filter(({ text }) => /\p{L}\\?'\p{L}/u.test(text))
    .map(({ path, line }) => {
      return { path, line, law: 'French apostrophes', note: "a straight ' in a French text: ’" }
    })
}

/** The rows `| English | word | rival, rival |` of the section. */
function rowsOf(text: string): Row[] {
  const lines = text.split('\n')
  const start = lines.indexOf('## In French')
  if (start < 0) return []
  const end = lines.findIndex((line, at) => at > start && line.startsWith('## '))
  return lines.slice(start, end < 0 ? undefined : end).flatMap((line, at) => {
    const [, word, rivals] = /^\| [^|-][^|]* \| ([^|]+) \| ([^|]+) \|$/.exec(line) ?? []
    if (word === undefined || rivals === undefined || word === 'we say') return []
    return [{ line: start + at + 1, word, rivals: rivals.split(', ') }]
  })
}

/** As words of their own, each perhaps in the plural; names of code are no words. */
function isIn(words: string, text: string): boolean {
  const form = words.split(' ').map((word) => `${word.replaceAll(/[.*+?()]/g, '\\$&')}[sx]?`)
  const found = new RegExp(`(?<![\\p{L}-])${form.join('\\s')}(?![\\p{L}-])`, 'giu')
  const isName = (one: string) => one === one.toUpperCase() && words !== words.toUpperCase()
  return [...text.replaceAll(code, ' ').matchAll(found)].some(([one]) => !isName(one))
}

/** Holes, paths, fields and what stands in backticks. */
const code = /\{\w*\}|`[^`]*`|\S*[/_]\S*/g

/** Where the dashboard's French is: every string there is a text. */
const isDashboardFrench = ({ path }: Leaf) => /^dashboard\/src\/words\/fr(\/|\.ts$)/.test(path)

/** The strings below a property `fr`, or all of a file of French; each with its line. */
function frenchOf(leaf: Leaf): Said[] {
  const isWhole = isDashboardFrench(leaf)
  if (!isWhole && !(isServerProduction(leaf) && leaf.text.includes('fr:'))) return []
  const file = parse(leaf)
  const found: Said[] = []
  const walk = (node: ts.Node, isFrench: boolean): void => {
    const begins =
      ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'fr'
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node)
    if (isFrench && (isText || ts.isTemplateMiddleOrTemplateTail(node))) {
      found.push({ path: leaf.path, line: lineAt(leaf, node.getStart(file)), text: node.text })
    }
    ts.forEachChild(node, (child) => walk(child, isFrench || begins))
  }
  for (const statement of file.statements) {
    walk(statement, isWhole && !ts.isImportDeclaration(statement))
  }
  return found
}
