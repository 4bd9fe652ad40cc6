// Whatever a comment, a test or a paper cites is here to be read: a decision of the contract, a law
// of money or of the design, a record of docs/decisions. Papers that are not here are not cited.

import { type Finding, isCode, type Leaf, type Tree } from './tree.ts'

const contract = 'docs/contract.md'
const moneyLaw = 'docs/money-law.md'
/** What is planted for this law is text in that file. */
const planted = 'server/test/tidy/planted-citations.ts'

const isRead = (leaf: Leaf): boolean =>
  (isCode(leaf) || /\.(sql|md)$/.test(leaf.path)) && leaf.path !== planted
/** Never edited: what they cite as `decisions N.M` has the same number in the contract. */
const isMigration = ({ path }: Leaf): boolean => path.startsWith('server/migrations/')

// A citation may go on in the next line of a comment.
const gap = String.raw`\s+(?:(?://|\*|--)\s+)?`
const number = String.raw`\d{1,2}(?:\.\d{1,2})?(?![\d%]|\.\d)`
const more = String.raw`(?:(?:,|${gap}and|${gap}to)${gap}\d{1,2}\.\d{1,2}(?![\d.]*\d))*`
const small = String.raw`\d(?![\d%]|\.\d)(?:(?:,|${gap}and|${gap}to)${gap}\d(?![\w.%]*[\w%]))*`

const inContract = new RegExp(`\\bcontract${gap}(${number}${more})`, 'gi')
const inContractOfOld = new RegExp(`\\bdecisions${gap}(${number}${more})`, 'gi')
const inMoneyLaw = new RegExp(`\\b(money|design)${gap}(${small})`, 'gi')
/** In comments and papers only: code has parameters of that name. */
const ofInterface = /(?<=[(;]\s*(?:(?:\/\/|\*|--)\s+)?)contract: ([^;,)]+)/g
const ofRecord = /\bdecisions?[ /](\d{4})\b/g

/** By what it is called, and what to do about it. */
const absent: readonly (readonly [RegExp, string])[] = [
  [inContractOfOld, 'cite docs/contract.md: (contract N.M)'],
  [/[(]interface\b/gi, 'cite docs/contract.md: (contract: Name)'],
  [/\bhouse[ -]style\b/gi, 'say the reason here, or name the law of docs/STYLE.md'],
  [/[(]issue\b|\bissue \d/gi, 'say the reason here: issues are not in the repository'],
  [/\bdesign (?:law\b|\d\.\d)/gi, 'cite docs/money-law.md: (design N)'],
  [/\breview [A-Z]-?\d/g, 'say the reason here'],
  [/(?<![\w/-])(?:design|money|interface|decisions|gateways|operators)\.md\b/g, 'it is not here'],
  [/[(,]\s*(?:gateways|operators)\s\d/g, 'say the reason here'],
]

/** Each citation names something that stands in the repository. */
export function citations(tree: Tree): Finding[] {
  const anchors = anchorsOf(tree)
  return tree.filter(isRead).flatMap((leaf) => {
    const cited = [...missing(leaf, anchors), ...(isMigration(leaf) ? [] : elsewhere(leaf))]
    return cited.sort((a, b) => a.line - b.line)
  })
}

type Anchors = Readonly<{
  contract: ReadonlySet<string>
  names: ReadonlySet<string>
  money: ReadonlySet<string>
  records: ReadonlySet<string>
}>

function anchorsOf(tree: Tree): Anchors {
  const textOf = (path: string) => tree.find((leaf) => leaf.path === path)?.text ?? ''
  const headings = (text: string, form: RegExp) =>
    new Set([...text.matchAll(form)].map(([, name = '']) => name.toLowerCase()))
  const [, ofNames = ''] =
    /^## Interface\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(textOf(contract)) ?? []
  const laws = textOf(moneyLaw)
  return {
    contract: headings(textOf(contract), /^#{2,3} (\d+(?:\.\d+)?)\.? /gm),
    names: headings(ofNames, /^### (.+)$/gm),
    money: new Set([
      ...[...headings(laws, /^## (\d)\. /gm)].map((no) => `money ${no}`),
      ...headings(laws, /^### (Design \d)\. /gm),
    ]),
    records: new Set(
      tree.flatMap(({ path }) => /^docs\/decisions\/(\d{4})-[\w-]+\.md$/.exec(path)?.[1] ?? []),
    ),
  }
}

/** Its citations of papers that are here, where what they name is not. */
function missing(leaf: Leaf, anchors: Anchors): Finding[] {
  const found: Finding[] = []
  const note = (index: number, cited: string, known: boolean): void => {
    if (!known) found.push(finding(leaf, index, `${cited} is not there: cite what is`))
  }
  const decisions = isMigration(leaf) ? [inContract, inContractOfOld] : [inContract]
  for (const form of decisions) {
    for (const { index, 1: list = '' } of leaf.text.matchAll(form)) {
      for (const no of numbersOf(list)) note(index, `contract ${no}`, anchors.contract.has(no))
    }
  }
  for (const { index, 1: paper = '', 2: list = '' } of leaf.text.matchAll(inMoneyLaw)) {
    for (const no of numbersOf(list)) {
      const cited = `${paper.toLowerCase()} ${no}`
      note(index, cited, anchors.money.has(cited))
    }
  }
  for (const { index, 1: name = '' } of leaf.text.matchAll(ofInterface)) {
    const cited = name
      .replace(/\n\s*(?:\/\/|\*|--)/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    const known = anchors.names.has(cited.toLowerCase()) || !isProse(leaf, index)
    note(index, `contract: ${cited}`, known)
  }
  for (const { index, 1: no = '' } of leaf.text.matchAll(ofRecord)) {
    note(index, `decision ${no}`, anchors.records.has(no))
  }
  return found
}

function isProse(leaf: Leaf, index: number): boolean {
  if (!isCode(leaf)) return true
  const before = leaf.text.slice(leaf.text.lastIndexOf('\n', index) + 1, index)
  return /\/\/|\/\*|^\s*\*/.test(before)
}

const numbersOf = (list: string): string[] => list.match(/\d+(?:\.\d+)?/g) ?? []

const elsewhere = (leaf: Leaf): Finding[] =>
  absent.flatMap(([form, say]) =>
    [...leaf.text.matchAll(form)].map(({ index }) => finding(leaf, index, say)),
  )

function finding({ path, text }: Leaf, index: number, note: string): Finding {
  const line = text.slice(0, index).split('\n').length
  return { path, line, law: 'citations', note }
}
