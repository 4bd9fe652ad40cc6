// What the operator remembers: API users, tokens, transactions. One JSON line each in a file, where
// there is one, written before it is answered.

import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Product } from './scenarios.ts'
import type { Transaction } from './transaction.ts'

export type ApiUser = Readonly<{
  id: string
  callback_host: string
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
export function openBooks(file: string | undefined): Books {
  const users = new Map<string, ApiUser>()
  const transactions = new Map<string, Transaction>()
  const tokens = new Map<string, { product: Product; user_id: string; until: number }>()
  let issued = 0
  const take = (line: Line): void => {
    if ('user' in line) users.set(line.user.id, line.user)
    else transactions.set(keyOf(line.transaction), line.transaction)
  }
  for (const line of file === undefined ? [] : linesOf(file)) take(line)
  return {
    users,
    transactions,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
    issueToken(product, user, life_ms) {
      issued += 1
      const token = randomBytes(32).toString('base64url')
      tokens.set(hashed(token), { product, user_id: user.id, until: Date.now() + life_ms })
      return token
    },
    userOfToken(product, token) {
      const found = tokens.get(hashed(token))
      if (found === undefined || found.product !== product) return undefined
      return found.until > Date.now() ? users.get(found.user_id) : undefined
    },
    dropTokens: () => tokens.clear(),
    tokensIssued: () => issued,
  }
}

const hashed = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The last line may have been cut by a kill: it had not been answered yet. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return []
  const texts = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return texts.flatMap((text, at): Line[] => {
    try {
      return [JSON.parse(text)]
    } catch {
      if (at === texts.length - 1) return []
      throw new Error(`${file}: line ${at + 1} is unreadable`)
    }
  })
}
