// What the operator remembers: API users, tokens, transactions. One JSON line each in a file, where
// there is one, written before it is answered.

import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
import type { Source } from '../source.ts'
import type { Product } from './scenarios.ts'
import type { Transaction } from './transaction.ts'

export type ApiUser = Readonly<{
  id: string
  callback_host: string
  /** Where else its callbacks may go: of several callers with one account each has its own. */
  other_hosts?: readonly string[]
  subscription_key: string
  /** Empty until a key was made. */
  api_key: string
}>

type Line = { user: ApiUser } | { transaction: Transaction }

export type Books = Readonly<{
  users: ReadonlyMap<string, ApiUser>
  transactions: ReadonlyMap<string, Transaction>
  keep(line: Line): void
  /** A new token of a product; `life_ms` real milliseconds. */
  issueToken(product: Product, user: ApiUser, life_ms: number): string
  /** The user to whom this product's token was given; undefined once it is over. */
  userOfToken(product: Product, token: string): ApiUser | undefined
  /** Ends every token at once, as an operator does that restarts. */
  dropTokens(): void
  /** How many tokens were given. */
  tokensIssued(): number
}>

export const keyOf = ({ product, reference }: Pick<Transaction, 'product' | 'reference'>): string =>
  `${product} ${reference.toLowerCase()}`

/** `file`: where it is remembered; undefined: it is forgotten with the process. */
export function openBooks(file: string | undefined, { now, random }: Source): Books {
  const users = new Map<string, ApiUser>()
  const transactions = new Map<string, Transaction>()
  const tokens = new Map<string, { product: Product; user_id: string; until: number }>()
  let issued = 0
  const take = (line: Line): void => {
    if ('user' in line) users.set(line.user.id, line.user)
    else transactions.set(keyOf(line.transaction), line.transaction)
  }
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  return {
    users,
    transactions,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
    issueToken(product, user, life_ms) {
      issued += 1
      const token = tokenOf(random(`token ${product} ${user.id}`, 32))
      tokens.set(hashed(token), { product, user_id: user.id, until: now() + life_ms })
      return token
    },
    userOfToken(product, token) {
      const found = tokens.get(hashed(token))
      if (found === undefined || found.product !== product) return undefined
      return found.until > now() ? users.get(found.user_id) : undefined
    },
    dropTokens: () => tokens.clear(),
    tokensIssued: () => issued,
  }
}

const inText = (fields: object): string => Buffer.from(JSON.stringify(fields)).toString('base64url')

/** In the form of a JWT, as the operator's are: without claims, and signed by nobody. */
const tokenOf = (chance: Buffer): string =>
  [inText({ typ: 'JWT', alg: 'R256' }), inText({}), chance.toString('base64url')].join('.')

const hashed = (token: string): string => createHash('sha256').update(token).digest('hex')
