// What an end rests on, and who caused it: kept with each move of a status, for ever.

import type { Caller } from '../platform/http/route.ts'

export type TriggeredBy = 'SYSTEM' | 'CALLBACK' | 'POLLER' | 'API' | 'DASHBOARD' | 'PAYER' | 'ADMIN'

/** By whom, and in which call, an attempt is queried or ended. */
export type Cause = Readonly<{ triggered_by: TriggeredBy; request_id: string }>

/** A merchant's own act: by a person who is signed in, or by a key. */
export const triggerOf = ({ via }: Pick<Caller, 'via'>): 'DASHBOARD' | 'API' =>
  via === 'SESSION' ? 'DASHBOARD' : 'API'

/** What a move rested on: kept with the move, for ever. */
export type Evidence = Readonly<{
  kind: 'CALLBACK' | 'CREATE_ANSWER' | 'STATUS_ANSWER' | 'ANSWER_ASKED' | 'STAFF' | 'RULE'
  /** The callback's row, where there is one. */
  id: string | null
  hash: Buffer | null
  /** The answer in our words: `confirmed`, `refused NOT_APPROVED` … */
  said: string
}>
