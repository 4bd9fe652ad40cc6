// The statements about proposals.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { Content, Proposal, ProposalKind } from './proposal.ts'

const columns = (sql: Sql): Fragment => sql`
  id, kind, subject, content,
  case when status = 'PENDING' and expires_at <= now() then 'LAPSED' else status end as status,
  proposed_by, decided_by, created_at, expires_at, decided_at`

export type NewProposal = Readonly<{
  id: string
  kind: ProposalKind
  subject: string
  content: Content
  proposed_by: string
  valid_h: number
  /** Nobody is shown it; it goes with the end of the proposal. */
  sealed?: Buffer
}>

/** Undefined where one about the same is pending. One whose time is over makes room first. */
export async function insertProposal(tx: Tx, made: NewProposal): Promise<Proposal | undefined> {
  await tx`
    update staff_proposals set status = 'LAPSED', decided_at = now(), sealed = null
     where kind = ${made.kind} and subject = ${made.subject} and status = 'PENDING'
       and expires_at <= now()`
  const [row] = await tx<Proposal[]>`
    insert into staff_proposals (id, kind, subject, content, proposed_by, sealed, expires_at)
    values (${made.id}, ${made.kind}, ${made.subject}, ${JSON.stringify(made.content)}::text::jsonb,
      ${made.proposed_by}, ${made.sealed ?? null}, now() + ${made.valid_h} * interval '1 hour')
    on conflict (kind, subject) where status = 'PENDING' do nothing
    returning ${columns(tx)}`
  return row
}

/** Of LIVE: what changes an account with an operator, and what names that environment. */
const isOfLive = (sql: Sql): Fragment => sql`
  (kind = 'GATEWAY_ACCOUNT' or coalesce(content ->> 'environment', '') = 'LIVE')`

/** The demo's administrator sees nothing of LIVE. */
export type Looking = Readonly<{ is_demo: boolean }>

const seenBy = (sql: Sql, { is_demo }: Looking): Fragment =>
  is_demo ? sql`not ${isOfLive(sql)}` : sql`true`

export async function findProposal(
  sql: Sql,
  by: Looking,
  id: string,
): Promise<Proposal | undefined> {
  const [row] = await sql<Proposal[]>`
    select ${columns(sql)} from staff_proposals where id = ${id} and ${seenBy(sql, by)}`
  return row
}

/** Of two who decide at once, the second reads what the first has decided. */
export async function lockProposal(tx: Tx, id: string): Promise<Proposal | undefined> {
  const [row] = await tx<Proposal[]>`
    select ${columns(tx)} from staff_proposals where id = ${id} for update`
  return row
}

export async function updateDecided(
  tx: Tx,
  decided: Readonly<{ id: string; status: 'CONFIRMED' | 'WITHDRAWN'; by: string }>,
): Promise<Proposal | undefined> {
  const [row] = await tx<Proposal[]>`
    update staff_proposals
       set status = ${decided.status}, decided_by = ${decided.by}, decided_at = now(),
           sealed = null
     where id = ${decided.id} and status = 'PENDING'
    returning ${columns(tx)}`
  return row
}

/** Of one that is locked; null where nothing goes with it. */
export async function findSealed(tx: Tx, id: string): Promise<Buffer | null> {
  const [row] = await tx<{ sealed: Buffer | null }[]>`
    select sealed from staff_proposals where id = ${id}`
  return row?.sealed ?? null
}

/** How many lapsed. A process of an older version leaves what was sealed with one that it ends. */
export async function lapseOver(sql: Sql): Promise<number> {
  const rows = await sql`
    update staff_proposals set status = 'LAPSED', decided_at = now(), sealed = null
     where status = 'PENDING' and expires_at <= now()`
  await sql`
    update staff_proposals set sealed = null where status <> 'PENDING' and sealed is not null`
  return rows.count
}

export type ProposalsQuery = Readonly<{
  by: Looking
  kind: ProposalKind | undefined
  status: Proposal['status'] | undefined
  limit: number
  offset: number
}>

/** The latest first. */
export async function listProposals(
  sql: Sql,
  { by, kind, status, limit, offset }: ProposalsQuery,
): Promise<{ count: number; rows: Proposal[] }> {
  const shown = sql`
    (select ${columns(sql)} from staff_proposals where ${seenBy(sql, by)}) p
     where ${kind === undefined ? sql`true` : sql`p.kind = ${kind}`}
       and ${status === undefined ? sql`true` : sql`p.status = ${status}`}`
  const [counted] = await sql<{ count: number }[]>`select count(*)::int as count from ${shown}`
  const rows = await sql<Proposal[]>`
    select p.id, p.kind, p.subject, p.content, p.status, p.proposed_by, p.decided_by, p.created_at,
           p.expires_at, p.decided_at
      from ${shown}
     order by p.created_at desc, p.id desc limit ${limit} offset ${offset}`
  return { count: counted?.count ?? 0, rows }
}

/** What an account that is on may do, which stays so until the end of the transaction. */
export async function shareActiveRole(tx: Sql, person_id: string): Promise<string | undefined> {
  const [row] = await tx<{ staff_role: string }[]>`
    select staff_role from people
     where id = ${person_id} and staff_role is not null and disabled_at is null
       for share`
  return row?.staff_role
}
