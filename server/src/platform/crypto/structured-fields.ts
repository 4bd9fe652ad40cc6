// Dictionaries of structured header fields (RFC 8941, 3.2), read and written exactly. Law: what is
// not of the form is not read at all. Decimals are left out: no field that is read here has one.

export type Bare =
  | Readonly<{ is: 'integer'; value: number }>
  | Readonly<{ is: 'string'; text: string }>
  | Readonly<{ is: 'token'; text: string }>
  | Readonly<{ is: 'bytes'; bytes: Buffer }>
  | Readonly<{ is: 'boolean'; value: boolean }>

export type Params = ReadonlyMap<string, Bare>
export type Item = Readonly<{ bare: Bare; params: Params }>
export type InnerList = Readonly<{ items: readonly Item[]; params: Params }>
export type Dictionary = ReadonlyMap<string, Item | InnerList>

type Cursor = { readonly text: string; at: number }

const patterns = {
  key: /[a-z*][a-z0-9_\-.*]*/y,
  integer: /-?\d{1,15}(?![\d.])/y,
  string: /"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y,
  token: /[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*/y,
  bytes: /:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?):/y,
  boolean: /\?([01])/y,
  spaces: / */y,
  comma: /[ \t]*,[ \t]*/y,
} as const

/** What stands at the cursor, which then stands behind it; undefined where it is another thing. */
function takeMatch(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)
  if (found === null) return undefined
  cursor.at = pattern.lastIndex
  return found
}

function takeChar(cursor: Cursor, char: string): boolean {
  if (cursor.text[cursor.at] !== char) return false
  cursor.at += 1
  return true
}

/** A pattern would begin anew at each space within: a stranger's header may be long. */
function withoutOuterSpaces(text: string): string {
  let [from, to] = [0, text.length]
  while (text[from] === ' ') from += 1
  while (to > from && text[to - 1] === ' ') to -= 1
  return text.slice(from, to)
}

/** Of the same name the last one counts, in the place of the first. Undefined for another form. */
export function readDictionary(text: string): Dictionary | undefined {
  const cursor: Cursor = { text: withoutOuterSpaces(text), at: 0 }
  const entries = new Map<string, Item | InnerList>()
  while (cursor.at < cursor.text.length) {
    const name = takeMatch(cursor, patterns.key)?.[0]
    if (name === undefined) return undefined
    const entry = takeChar(cursor, '=') ? takeEntry(cursor) : takeFlag(cursor)
    if (entry === undefined) return undefined
    entries.set(name, entry)
    if (cursor.at === cursor.text.length) break
    // A comma with nothing behind it is an error.
    if (takeMatch(cursor, patterns.comma) === undefined || cursor.at === cursor.text.length) {
      return undefined
    }
  }
  return entries
}

/** A name alone means true. */
function takeFlag(cursor: Cursor): Item | undefined {
  const params = takeParams(cursor)
  return params && { bare: { is: 'boolean', value: true }, params }
}

const takeEntry = (cursor: Cursor): Item | InnerList | undefined =>
  cursor.text[cursor.at] === '(' ? takeInnerList(cursor) : takeItem(cursor)

function takeInnerList(cursor: Cursor): InnerList | undefined {
  takeChar(cursor, '(')
  const items: Item[] = []
  for (;;) {
    takeMatch(cursor, patterns.spaces)
    if (takeChar(cursor, ')')) break
    const item = takeItem(cursor)
    if (item === undefined) return undefined
    items.push(item)
    if (!/[ )]/.test(cursor.text[cursor.at] ?? '')) return undefined
  }
  const params = takeParams(cursor)
  return params && { items, params }
}

function takeItem(cursor: Cursor): Item | undefined {
  const bare = takeBare(cursor)
  const params = bare && takeParams(cursor)
  return params && { bare, params }
}

function takeParams(cursor: Cursor): Params | undefined {
  const params = new Map<string, Bare>()
  while (takeChar(cursor, ';')) {
    takeMatch(cursor, patterns.spaces)
    const name = takeMatch(cursor, patterns.key)?.[0]
    if (name === undefined) return undefined
    const isGiven = takeChar(cursor, '=')
    const value: Bare | undefined = isGiven ? takeBare(cursor) : { is: 'boolean', value: true }
    if (value === undefined) return undefined
    params.set(name, value)
  }
  return params
}

function takeBare(cursor: Cursor): Bare | undefined {
  const integer = takeMatch(cursor, patterns.integer)
  if (integer !== undefined) return { is: 'integer', value: Number(integer[0]) }
  const string = takeMatch(cursor, patterns.string)
  if (string !== undefined) return { is: 'string', text: unescaped(string[1] ?? '') }
  const bytes = takeMatch(cursor, patterns.bytes)
  if (bytes !== undefined) return { is: 'bytes', bytes: Buffer.from(bytes[1] ?? '', 'base64') }
  const boolean = takeMatch(cursor, patterns.boolean)
  if (boolean !== undefined) return { is: 'boolean', value: boolean[1] === '1' }
  const token = takeMatch(cursor, patterns.token)
  return token && { is: 'token', text: token[0] }
}

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1')

const writeBare = (bare: Bare): string => {
  switch (bare.is) {
    case 'integer':
      return String(bare.value === 0 ? 0 : bare.value)
    case 'string':
      return `"${bare.text.replace(/["\\]/g, '\\$&')}"`
    case 'token':
      return bare.text
    case 'bytes':
      return `:${bare.bytes.toString('base64')}:`
    case 'boolean':
      return bare.value ? '?1' : '?0'
  }
}

const writeParams = (params: Params): string =>
  [...params]
    .map(([name, bare]) =>
      bare.is === 'boolean' && bare.value ? `;${name}` : `;${name}=${writeBare(bare)}`,
    )
    .join('')

export const writeItem = ({ bare, params }: Item): string =>
  `${writeBare(bare)}${writeParams(params)}`

export const writeInnerList = ({ items, params }: InnerList): string =>
  `(${items.map(writeItem).join(' ')})${writeParams(params)}`
