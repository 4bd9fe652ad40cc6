// Reading SQL inside strings: is this text SQL, and which tables does it write? It sees what stands
// in one string; SQL glued together from several strings is NOT seen, and the driver's tag binds
// values anyway, so nobody has a reason to glue.

import type { Words } from './source.ts'

const notSql = new Set(['html', 'css', 'svg', 'String.raw'])

const opening =
  /^((select|update|with|truncate|copy)\s+\S|(insert|merge)\s+into\b|delete\s+from\b)/i
const fragment =
  /^"?\w+"?\s+as\s+(not\s+)?(materialized\s+)?\(\s*(select|insert|update|delete|with)\b/i
const within =
  /\b(insert\s+into|delete\s+from|update\s+\S+\s+(as\s+\w+\s+)?set|select\b[\s\S]*\bfrom)\b/i

const sentences = [
  /^select\b[\s\S]*\bfrom\s+\S/i,
  /^select\s+(\d|\w+\(|\$\{)/i,
  /^insert\s+into\s/i,
  /^delete\s+from\s/i,
  /^merge\s+into\s/i,
  /^update\s+\S+\s+((as\s+)?\w+\s+)?set\s/i,
  /^with\s+(recursive\s+)?"?\w+"?\s*(\([^)]*\)\s*)?as\s+(not\s+)?(materialized\s+)?\(/i,
  fragment,
]

/** True when the string is SQL: by its tag and words, or, untagged, by a whole opening clause. */
export function isSql({ text, tag }: Words): boolean {
  const start = bare(text).replace(/^(\\n|\s|,)+/, '')
  if (tag !== undefined) {
    return !notSql.has(tag) && (opening.test(start) || fragment.test(start) || within.test(start))
  }
  // “Select a network from the list” is a sentence for people; `select` and `SELECT` are SQL.
  return !/^[A-Z][a-z]/.test(start) && sentences.some((sentence) => sentence.test(start))
}

/** The text without SQL comments and quoted literals, every line break kept. */
export function bare(text: string): string {
  const blank = (match: string): string => match.replace(/[^\n]/g, ' ')
  return text
    .replace(/--[^\n]*/g, blank)
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(/'[^']*'/g, blank)
}

/** `table` is undefined when the statement's table is a hole, so that no reader can tell. */
export type Write = Readonly<{ table: string | undefined; lines_down: number; rest: string }>

const name = String.raw`("?\w+"?(?:\."?\w+"?)?|\$\{\s*\})?`
const plain = String.raw`\b(?:(?:insert|merge)\s+into|delete\s+from|truncate(?:\s+table)?)\s*`
// Not the row lock `for update`, not `on conflict do update set`, not a trigger's or a grant's.
const update =
  String.raw`(?<!\b(?:for|key|do|on|or|before|after|grant)\s+)` +
  String.raw`\bupdate\s+(?!\s|(?:set|of|on|skip|nowait)\b)`
const writes = new RegExp(
  [
    `${plain}(?:only\\s+)?${name}`,
    `${update}(?:only\\s+)?${name}`,
    String.raw`\bcopy\s+${name}\s*(?:\([^)]*\)\s*)?from\b`,
  ].join('|'),
  'gi',
)

/** Every write in a text that is SQL. */
export function writesIn(text: string): Write[] {
  const sql = bare(text)
  return [...sql.matchAll(writes)].map((match) => {
    const written = match[1] ?? match[2] ?? match[3]
    const table = written?.split('.').at(-1)?.replaceAll('"', '').toLowerCase()
    return {
      table: table?.startsWith('$') ? undefined : table,
      lines_down: sql.slice(0, match.index).split('\n').length - 1,
      rest: statementFrom(sql.slice(match.index)),
    }
  })
}

// A statement inside a CTE ends at the parenthesis that was opened before it.
function statementFrom(text: string): string {
  let depth = 0
  for (const { 0: part, index } of text.matchAll(/[();]/g)) {
    depth += part === '(' ? 1 : -1
    if (depth < 0 || part === ';') return text.slice(0, index)
  }
  return text
}

/** What `Words` holds where the source has `${…}`. */
export const hole = `$${'{}'}`

/** The left sides of a `set` list, e.g. `['status', 'updated_at']`; a hole is `${}`. */
export function assignedIn(rest: string): string[] {
  const [, clause] = /\bset\b([\s\S]*)/i.exec(rest) ?? []
  if (clause === undefined) return []
  const items = splitAtTop(clause)
  return items.flatMap((item) => {
    const [, tuple] = /^\s*\(([^)]*)\)\s*=/.exec(item) ?? []
    if (tuple !== undefined) return tuple.split(',').map((column) => column.trim())
    const [, column] = /^\s*"?(\w+)"?\s*=/.exec(item) ?? []
    if (column !== undefined) return [column.toLowerCase()]
    return /^\s*\$\{/.test(item) ? [hole] : []
  })
}

// The items of a list up to where the `set` clause ends; commas inside parentheses do not part.
function splitAtTop(clause: string): string[] {
  const items: string[] = []
  let depth = 0
  let item = ''
  for (const [part] of clause.matchAll(/[(),]|\b(?:from|where|returning)\b|[^(),]/gi)) {
    if (depth === 0 && (part.length > 1 || part === ')')) break
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    if (depth === 0 && part === ',') {
      items.push(item)
      item = ''
    } else {
      item += part
    }
  }
  return [...items, item]
}
