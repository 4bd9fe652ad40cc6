// The database as one line of work sees it: the real one, but each statement waits for its turn. A
// fragment that is only joined into a statement is no step. A plant may rewrite a statement's text;
// due work, which knows no merchants, finds only what is the world's own.

import type { Db } from '../../src/platform/db.ts'
import { groupsOf, homeOf, placeGroups } from '../../src/platform/places/places.ts'
import type { Line } from './turns.ts'

/** Changes the text of a piece of SQL, between its parameters. */
export type Rewrite = (sql: string) => string

export type Stepping = Readonly<{ merchant_id: string; rewrite?: Rewrite | undefined }>

export function steppingDb(db: Db, line: Line, stepping: Stepping): Db {
  const stepped = stepOn(db, line, stepping)
  if (groupsOf(db).length > 0) placeStepped(stepped, db, (group) => stepOn(group, line, stepping))
  return stepped
}

/** On a distributed database what is sent to a group waits for its turn as well. */
function placeStepped(stepped: Db, db: Db, stepOnGroup: (group: Db) => Db): void {
  const known = new Map<Db, Db>()
  const rest = { others: () => [], control: () => stepped, onAway: () => undefined }
  const at = (group: Db): Db => {
    const one = known.get(group)
    if (one !== undefined) return one
    const made = stepOnGroup(group)
    known.set(group, made)
    const of = (merchant_id: string) => at(homeOf(group, merchant_id))
    placeGroups(made, { ...rest, of, all: () => [made] })
    return made
  }
  const of = (merchant_id: string) => at(homeOf(db, merchant_id))
  placeGroups(stepped, { ...rest, of, all: () => groupsOf(db).map(at) })
}

function stepOn(db: Db, line: Line, { merchant_id, rewrite }: Stepping): Db {
  return new Proxy(db, {
    apply(target, self, args: unknown[]) {
      const [strings, ...given] = args
      if (!isTemplate(strings)) return Reflect.apply(target, self, args)
      const { text, at } = narrowed(rewrite === undefined ? strings : rewritten(strings, rewrite))
      const values = at === undefined ? given : given.toSpliced(at, 0, merchant_id)
      const query = Reflect.apply(target, self, [text, ...values])
      const run = query.then.bind(query)
      // biome-ignore lint/suspicious/noThenProperty: a query begins when it is awaited.
      query.then = (done: Then, failed: Then) =>
        line
          .step(
            () => formatStatement(text, values),
            () => new Promise(run),
          )
          .then(done, failed)
      return query
    },
    // A transaction is one step: nobody sees what is within it.
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name)
      return (...args: unknown[]) =>
        line.step(
          () => 'a transaction',
          () => Reflect.apply(target.begin, target, within(args, rewrite)) as Promise<unknown>,
        )
    },
  })
}

/** What a transaction is begun with; its statements are rewritten too. */
function within(args: unknown[], rewrite: Rewrite | undefined): unknown[] {
  if (rewrite === undefined) return args
  const work = args.at(-1) as (tx: object) => unknown
  const apply = (target: object, self: unknown, [text, ...values]: unknown[]) =>
    Reflect.apply(target as () => unknown, self, [
      isTemplate(text) ? rewritten(text, rewrite) : text,
      ...values,
    ])
  return [...args.slice(0, -1), (tx: object) => work(new Proxy(tx, { apply }))]
}

type Then = (value: unknown) => unknown

const isTemplate = (value: unknown): value is TemplateStringsArray =>
  Array.isArray(value) && 'raw' in value

// One new text for each old one: the driver remembers the texts that it was given.
const known = new WeakMap<Rewrite, WeakMap<TemplateStringsArray, TemplateStringsArray>>()

function rewritten(strings: TemplateStringsArray, rewrite: Rewrite): TemplateStringsArray {
  const texts = known.get(rewrite) ?? new WeakMap()
  known.set(rewrite, texts)
  const before = texts.get(strings)
  if (before !== undefined) return before
  const made = strings.map(rewrite)
  const text = Object.assign(made, { raw: made })
  texts.set(strings, text)
  return text
}

/** What due work looks for, in the words of its statement: where a merchant is named instead. */
const lists = {
  'payouts asked back': { before: 'where due_at <= now() order by', own: 'merchant_id = ' },
  'returns looked for': { before: 'where look_again_at <=', own: 'merchant_id = ' },
  'payouts that wait': { before: 'where w.due_at <=', own: 'w.merchant_id = ' },
  'approvals that lapse': {
    before: "where status = 'REQUIRED' and lapses_at <=",
    own: 'merchant_id = ',
  },
  'refunds that lapse': {
    before: 'where waiting_for is not null and lapses_at <=',
    own: 'merchant_id = ',
  },
  'refunds sent again': {
    before: 'where r.send_again_at <=',
    own: 'r.merchant_id = ',
  },
  'settlements sent again': {
    before: 'where s.waits_until is not null and s.send_again_at <=',
    own: 's.merchant_id = ',
  },
  'transfers that lapse': {
    before: "where status = 'PENDING' and lapses_at <=",
    own: 'merchant_id = ',
  },
  'sessions that expire': { before: 'where s.due_at <=', own: 's.merchant_id = ' },
  'settlements unsent': {
    before: "where s.status = 'APPROVED' and s.id >",
    own: 's.merchant_id = ',
  },
}
export type DueList = keyof typeof lists

type Narrowed = Readonly<{ text: TemplateStringsArray; at: number | undefined }>

const own = new WeakMap<TemplateStringsArray, Narrowed>()
const met = new Set<DueList>()

/** Fails when due work asks in other words than those above: it would do other worlds' work. */
export function assertOwn(list: DueList): void {
  if (!met.has(list)) throw new Error(`no statement has “${lists[list].before}”`)
}

/** `at`: the place of the merchant among the values, where the text names them now. */
function narrowed(text: TemplateStringsArray): Narrowed {
  const known = own.get(text)
  if (known !== undefined) return known
  const made = narrow(text)
  own.set(text, made)
  return made
}

function narrow(text: TemplateStringsArray): Narrowed {
  for (const [name, list] of Object.entries(lists)) {
    const at = text.findIndex((piece) => piece.includes(list.before))
    const [before, ...after] = text[at]?.split(list.before) ?? []
    if (before === undefined) continue
    met.add(name as DueList)
    const rest = ` and ${list.before.slice('where '.length)}${after.join(list.before)}`
    const made = [...text.slice(0, at), `${before}where ${list.own}`, rest, ...text.slice(at + 1)]
    return { text: Object.assign(made, { raw: made }), at }
  }
  return { text, at: undefined }
}

const wordsMax = 9

/** The first words of a statement, to see in a story which one it was. */
function formatStatement(strings: TemplateStringsArray, values: readonly unknown[]): string {
  const words = flat(strings, values).trim().split(/\s+/)
  const names = words.filter((word, at) => words[at + 1] === 'as' && /^\w+$/.test(word))
  const isComposed = words[0] === 'with'
  return isComposed ? `with ${names.slice(0, 4).join(', ')}` : words.slice(0, wordsMax).join(' ')
}

type Piece = { strings: TemplateStringsArray; args: readonly unknown[] }

const isPiece = (value: unknown): value is Piece =>
  typeof value === 'object' && value !== null && 'strings' in value && 'args' in value

function flat(strings: TemplateStringsArray, values: readonly unknown[]): string {
  const texts = strings.map((text, at) => {
    const value = values[at]
    return isPiece(value) && isTemplate(value.strings)
      ? text + flat(value.strings, value.args)
      : `${text}${at < values.length ? '?' : ''}`
  })
  return texts.join('')
}
