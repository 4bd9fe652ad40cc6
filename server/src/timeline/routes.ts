// `GET /transactions/{id}/timeline/`: all that happened to a transaction, in one order.

import { Type } from 'typebox'
import { listCallerNames } from '../merchants/caller-name-store.ts'
import type { Db } from '../platform/db.ts'
import { enumFilter, uuidParam } from '../platform/http/filters.ts'
import {
  type CursorSecret,
  cursorQuery,
  keysetPage,
  readCursorRequest,
} from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { requireOwnTransaction } from '../transactions/store.ts'
import { timelineExample } from './example.ts'
import { kindsOf, stepGroups } from './step.ts'
import { findStory, type StepFound } from './store.ts'
import { mayReadNames, TimelineSchema, viewStep } from './view.ts'

export type TimelineDeps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
}>

const orders = ['created_at', '-created_at'] as const

const storyQuery = {
  ordering: Type.Optional(
    Type.Enum([...orders], {
      default: 'created_at',
      description: 'Oldest first, or newest first.',
    }),
  ),
  group: Type.Optional(
    Type.Enum([...stepGroups], {
      description:
        'Only these steps. ATTEMPTS: of kind ATTEMPT and ASKED. CALLBACKS: CALLBACK. ' +
        'WEBHOOKS: WEBHOOK. LEDGER: ENTRY. Absent: all, those of no group too.',
    }),
  ),
}

export const timelineRoutes = (deps: TimelineDeps): Route[] => [
  {
    path: '/transactions/:id/timeline/',
    access: 'any',
    query: Type.Object({ ...cursorQuery, ...storyQuery }),
    summary: 'Retrieve the timeline of a transaction',
    description:
      'Oldest first, or newest first by `ordering`: changes of status, attempts, queries to the ' +
      'operator, callbacks, tries of webhooks, movements of your balance, people’s actions and ' +
      'the checkout session, of the transaction and of its refunds. Queries about one attempt ' +
      'are one step with a count, as are callbacks of one kind; it keeps its place while the ' +
      'count grows.',
    tag: 'Transactions',
    ...reads(TimelineSchema, timelineExample),
    handler: (input) => answerTimeline(deps, input),
  },
]

const keyOf = ({ place, id }: StepFound) => ({ created_at: place, id })

async function answerTimeline(deps: TimelineDeps, input: Input): Promise<Reply> {
  const { db, cursor_secret: secret } = deps
  const { caller, query, url, locale } = input
  const { merchant_id, environment } = caller
  const key = { merchant_id, id: uuidParam(input, 'id') }
  const { page_size, cursor } = readCursorRequest(query, secret)
  const limit = page_size + 1
  const group = enumFilter(query, 'group', stepGroups)
  const kinds = group && kindsOf[group]
  const descending = enumFilter(query, 'ordering', orders) === '-created_at'
  const found = await findStory(db, { ...key, environment, cursor, limit, kinds, descending })
  const { steps, ...times } = await requireOwnTransaction(db, key, found)
  const actors = mayReadNames(caller) ? steps.flatMap(({ actor_id }) => actor_id ?? []) : []
  const names = await listCallerNames(db, actors)
  const page = keysetPage({ rows: steps, page_size, cursor, url, secret, keyOf })
  return ok({
    ...page,
    results: page.results.map(viewStep(caller, names, locale)),
    last_question_at: times.last_question_at?.toISOString() ?? null,
    next_question_at: times.next_question_at?.toISOString() ?? null,
    ends_at: times.ends_at?.toISOString() ?? null,
  })
}
