// The attempts of a merchant's transactions, read only (contract: TransactionAttempt; contract
// 5.8). Attempts of settlements belong to no transaction and are not found here.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import type { Locale } from '../platform/errors.ts'
import { enumFilter, uuidFilter, uuidParam } from '../platform/http/filters.ts'
import { listByCursor } from '../platform/http/lists.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { CursorSecret } from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { cursorList, reads, routesWith } from '../platform/http/route-list.ts'
import type { Attempt } from './attempt.ts'
import { findAttempt, listAttempts, requireOwnAttempt } from './attempt-statements.ts'
import { AttemptSchema, attemptExample, attemptStatuses } from './schema.ts'
import { type FailureText, viewAttempt } from './view.ts'

export type AttemptDeps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
  failureText: FailureText
}>

const uuid = Type.String({ format: 'uuid' })

/** `GET /transaction-attempts/` and `GET /transaction-attempts/{id}/`. */
export const attemptRoutes = (deps: AttemptDeps): Route[] =>
  routesWith({ tag: 'Transactions', access: 'any' }, [
    {
      path: '/transaction-attempts/',
      ...cursorList(AttemptSchema, attemptExample, {
        status: Type.Optional(Type.Enum([...attemptStatuses])),
        gateway: Type.Optional(uuid),
        transaction: Type.Optional(uuid),
      }),
      summary: 'List attempts',
      description: 'One for each gateway that was asked, newest first.',
      handler: answerAttempts(deps),
    },
    {
      path: '/transaction-attempts/:id/',
      summary: 'Retrieve an attempt',
      ...reads(AttemptSchema, attemptExample),
      handler: (input) => answerAttempt(deps, input),
    },
  ])

const answerAttempts = ({ db, cursor_secret, failureText }: AttemptDeps) =>
  listByCursor(
    cursor_secret,
    (attempt: Attempt, locale: Locale) => viewAttempt(attempt, locale, failureText),
    ({ caller, query }, stretch) =>
      listAttempts(db, {
        merchant_id: caller.merchant_id,
        environment: caller.environment,
        status: enumFilter(query, 'status', attemptStatuses),
        gateway: uuidFilter(query, 'gateway'),
        transaction: uuidFilter(query, 'transaction'),
        ...stretch,
      }),
  )

async function answerAttempt({ db, failureText }: AttemptDeps, input: Input): Promise<Reply> {
  const { merchant_id, environment } = input.caller
  const id = uuidParam(input, 'id')
  const key = { merchant_id, id }
  const found = inEnvironment(await findAttempt(db, key), environment)
  const isOfTransaction = found !== undefined && found.transaction_id !== null
  const attempt = await requireOwnAttempt(db, key, isOfTransaction ? found : undefined)
  return ok(viewAttempt(attempt, input.locale, failureText))
}
