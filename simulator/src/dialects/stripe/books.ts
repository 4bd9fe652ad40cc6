// What the operator remembers: pages, refunds, endpoints, and the answers of keys. One JSON line
// each in a file, where there is one, written before it is answered.

import { appendFileSync } from 'node:fs'
import { linesOf } from '../kept-lines.ts'
import type { Refund, Session } from './objects.ts'

export type Answered = Readonly<{
  key: string
  /** The address and the form that it came with. */
  request: string
  status: number
  body: string
  at: number
}>

export type Endpoint = Readonly<{
  id: string
  /** Unix milliseconds; absent in files of before it was kept. */
  created_at?: number
  url: string
  enabled_events: readonly string[]
  secret: string
}>

type Line =
  | { session: Session }
  | { refund: Refund }
  | { answered: Answered }
  | { endpoint: Endpoint }

export type Books = Readonly<{
  /** In the order in which they were made. */
  sessions: ReadonlyMap<string, Session>
  refunds: ReadonlyMap<string, Refund>
  answered: ReadonlyMap<string, Answered>
  endpoints: ReadonlyMap<string, Endpoint>
  keep(line: Line): void
}>

/** `file`: where it is remembered; undefined: it is forgotten with the process. */
export function openBooks(file: string | undefined): Books {
  const sessions = new Map<string, Session>()
  const refunds = new Map<string, Refund>()
  const answered = new Map<string, Answered>()
  const endpoints = new Map<string, Endpoint>()
  const take = (line: Line): void => {
    if ('session' in line) sessions.set(line.session.id, line.session)
    else if ('refund' in line) refunds.set(line.refund.id, line.refund)
    else if ('answered' in line) answered.set(line.answered.key, line.answered)
    else endpoints.set(line.endpoint.id, line.endpoint)
  }
  for (const line of file === undefined ? [] : linesOf<Line>(file)) take(line)
  return {
    sessions,
    refunds,
    answered,
    endpoints,
    keep(line) {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
      take(line)
    },
  }
}
