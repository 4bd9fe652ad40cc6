// Lays a statement out to be read: one relation after another, a clause a line. Law: only white
// space between words is changed, and comments inside are left out; the words are those that
// PostgreSQL gets, in their order.

type Word = Readonly<{ text: string; spaced: boolean }>
type Group = Readonly<{ items: readonly Node[]; spaced: boolean }>
type Node = Word | Group

const widthMax = 96

const quoted = /'(?:[^']|'')*'|"[^"]*"/
const plain = /--.*|\$\d+|[A-Za-z_]\w*|\d+(?:\.\d+)?/
const sign = /::|<=|>=|<>|!=|\|\||->>|->|@>|<@|\S/
const word = new RegExp([quoted, plain, sign].map(({ source }) => source).join('|'), 'g')

export type Layout = Readonly<{
  /** Comments to stand above relations of the outermost `with`, by their names. */
  above?: ReadonlyMap<string, string>
  /** Relations that a reader has seen before, as laid out: of these only the names are shown. */
  seen?: ReadonlySet<string>
}>

export type LaidOut = Readonly<{ text: string; relations: readonly string[] }>

export function formatSql(sql: string, { above, seen }: Layout = {}): LaidOut {
  const nodes = treeOf(sql)
  const whole = renderQuery(nodes, 0)
  if (bare(whole) !== bare(sql)) {
    throw new Error(`the formatter changed more than white space:\n${sql}`)
  }
  const relations: string[] = []
  const text = renderQuery(nodes, 0, (relation) => {
    const laid = renderBroken(relation, 0).replace(/,$/, '')
    const comma = wordOf(relation.at(-1)) === ',' ? ',' : ''
    relations.push(laid)
    const name = wordOf(relation[0]).replaceAll('"', '')
    if (seen?.has(laid) === true) return `${name} as (…)${comma}`
    const said = above?.get(name)
    return (said === undefined ? '' : `-- ${said}\n`) + laid + comma
  })
  return { text, relations }
}

type ShowRelation = (relation: readonly Node[]) => string

const isComment = (text: string): boolean => text.startsWith('--')

const bare = (sql: string): string =>
  [...sql.matchAll(word)].flatMap(([one]) => (isComment(one) ? [] : one)).join(' ')

function treeOf(sql: string): readonly Node[] {
  const open: { items: Node[]; spaced: boolean }[] = [{ items: [], spaced: false }]
  let end = 0
  for (const { 0: text, index } of sql.matchAll(word)) {
    const spaced = index > end
    end = index + (isComment(text) ? 0 : text.length)
    if (isComment(text)) continue
    if (text === '(') {
      open.push({ items: [], spaced })
    } else if (text === ')') {
      const group = open.pop()
      open.at(-1)?.items.push(group ?? { items: [], spaced })
    } else {
      open.at(-1)?.items.push({ text, spaced })
    }
  }
  const [all] = open
  if (all === undefined || open.length !== 1) throw new Error(`unbalanced:\n${sql}`)
  return all.items
}

const isGroup = (node: Node | undefined): node is Group => node !== undefined && 'items' in node
const wordOf = (node: Node | undefined): string =>
  node === undefined || isGroup(node) ? '' : node.text.toLowerCase()

function flat(nodes: readonly Node[]): string {
  let text = ''
  for (const node of nodes) {
    const glued = text === '' || text.endsWith('(') || !node.spaced
    const own = isGroup(node) ? `(${flat(node.items)})` : node.text
    text += glued && !text.endsWith(',') ? own : ` ${own}`
  }
  return text
}

const opening = new Set(['select', 'insert', 'update', 'delete', 'with', 'values'])
const isQuery = ({ items }: Group): boolean => opening.has(wordOf(items[0]))

const beginsClause = new Set([
  ...opening,
  ...['from', 'where', 'group', 'order', 'having', 'limit', 'returning', 'set', 'union', 'except'],
  ...['join', 'left', 'cross', 'inner', 'for', 'using', 'window'],
])
/** Words that begin no clause where they follow these. */
const afterWords: Readonly<Record<string, readonly string[]>> = {
  from: ['distinct'],
  update: ['for', 'key', 'do'],
  join: ['left', 'cross', 'inner'],
}

function beginsHere(nodes: readonly Node[], at: number): boolean {
  const [before, here, after] = [nodes[at - 1], nodes[at], nodes[at + 1]].map(wordOf)
  if (here === 'on') return after === 'conflict'
  if (here === undefined || !beginsClause.has(here)) return false
  return afterWords[here]?.includes(before ?? '') !== true
}

function splitAt(nodes: readonly Node[], begins: (at: number) => boolean): Node[][] {
  const parts: Node[][] = []
  for (const [at, node] of nodes.entries()) {
    const last = parts.at(-1)
    if (last === undefined || begins(at)) parts.push([node])
    else last.push(node)
  }
  return parts
}

const pad = (indent: number): string => ' '.repeat(indent)

function renderQuery(nodes: readonly Node[], indent: number, show?: ShowRelation): string {
  return splitAt(nodes, (at) => beginsHere(nodes, at))
    .map((clause) =>
      wordOf(clause[0]) === 'with'
        ? renderWith(clause, indent, show)
        : renderClause(clause, indent + clauseShift(clause)),
    )
    .join('\n')
}

const joins = new Set(['join', 'left', 'cross', 'inner'])
/** Joins stand a little to the right of what they join. */
const clauseShift = ([first]: readonly Node[]): number => (joins.has(wordOf(first)) ? 2 : 0)

function renderWith(clause: readonly Node[], indent: number, show?: ShowRelation): string {
  const [first, ...rest] = clause
  const relations = splitAt(rest, (at) => wordOf(rest[at - 1]) === ',')
  const shown = relations.map(show ?? ((one) => pad(indent) + renderBroken(one, indent)))
  return `${pad(indent)}${flat(first === undefined ? [] : [first])}\n${shown.join('\n')}`
}

const andOr = new Set(['and', 'or'])

/** On one line where it fits, else over several, each a little to the right. */
function renderClause(clause: readonly Node[], indent: number): string {
  const whole = flat(clause)
  if (indent + whole.length <= widthMax) return pad(indent) + whole
  const hanging = indent + 4
  const lines: string[] = []
  for (const piece of piecesOf(clause)) {
    const last = lines.at(-1)
    const own = flat(piece)
    const mayJoin = last !== undefined && !andOr.has(wordOf(piece[0])) && !last.includes('\n')
    if (mayJoin && last.length + 1 + own.length <= widthMax && !isAssigned(clause)) {
      lines[lines.length - 1] = `${last} ${own}`
    } else {
      const from = last === undefined ? indent : hanging
      const text = from + own.length <= widthMax ? own : renderBroken(piece, from)
      lines.push(pad(from) + text)
    }
  }
  return lines.join('\n')
}

/** What is set stands one below the other. */
const isAssigned = ([first]: readonly Node[]): boolean => wordOf(first) === 'set'

/** Between commas, and before `and` and `or`; a `case` stays whole. */
function piecesOf(clause: readonly Node[]): Node[][] {
  let cases = 0
  const begins = clause.map((node, at) => {
    const here = wordOf(node)
    if (here === 'case') cases += 1
    if (here === 'end') cases -= 1
    return cases === 0 && (wordOf(clause[at - 1]) === ',' || andOr.has(here))
  })
  return splitAt(clause, (at) => begins[at] === true)
}

const inCases = new Set(['when', 'else', 'end'])

/** What does not fit in a line: its subqueries, its long lists and its cases take several. */
function renderBroken(nodes: readonly Node[], indent: number): string {
  const hasCase = nodes.some((node) => wordOf(node) === 'case')
  let text = ''
  for (const node of nodes) {
    const space = text !== '' && (node.spaced || text.endsWith(',')) ? ' ' : ''
    const breaks = hasCase && inCases.has(wordOf(node))
    text += breaks ? `\n${pad(indent + 4)}` : space
    const column =
      text.slice(text.lastIndexOf('\n') + 1).length + (text.includes('\n') ? 0 : indent)
    text += isGroup(node) ? renderGroup(node, hasCase ? indent + 4 : indent, column) : node.text
  }
  return text
}

const shortMax = 70

function renderGroup(group: Group, indent: number, column: number): string {
  const own = `(${flat(group.items)})`
  const fits = column + own.length <= widthMax
  if (fits && (!isQuery(group) || own.length <= shortMax)) return own
  const inner = indent + 2
  const body = isQuery(group) ? renderQuery(group.items, inner) : renderClause(group.items, inner)
  return `(\n${body}\n${pad(indent)})`
}
