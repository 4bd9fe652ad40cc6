// A merchant makes, changes and deletes its links; each act has its line in the audit log. What was
// begun by a link goes on, whatever becomes of it.

import type { AuditAction } from '../../audit/actions.ts'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { memberBehind } from '../../merchants/keys/get-key.ts'
import type { Link } from '../../orders/link.ts'
import { deleteLink, insertLink, lockLink, updateLink } from '../../orders/order-statements.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { assert, invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { homeOf } from '../../platform/places/places.ts'
import { type CheckoutDeps, requirePayableIn } from '../create-session.ts'
import { getOwnLink } from '../own-order.ts'
import { newSlug } from '../slug.ts'
import {
  amountFault,
  type LinkBody,
  type LinkChange,
  newLinkFields,
  writableOf,
  writtenLink,
} from './link-body.ts'
import { viewLink } from './view.ts'

export type LinkDeps = CheckoutDeps

export async function createLink(deps: LinkDeps, caller: Caller, body: LinkBody): Promise<Link> {
  const { db, public_url } = deps
  const { merchant_id, environment } = caller
  await requirePayableIn(deps, caller, body.currency.toUpperCase())
  return inTransaction(homeOf(db, merchant_id), async (tx) => {
    const link = await insertLink(tx, {
      ...writtenLink(newLinkFields, body),
      merchant_id,
      environment,
      id: newId(),
      created_by_member: await memberBehind(tx, caller),
      slug: newSlug(),
    })
    await recordLinkAct(tx, caller, { action: 'payment_link.created', after: link, public_url })
    return link
  })
}

type Change = Readonly<{ id: string; body: LinkChange }>

export async function changeLink(
  deps: LinkDeps,
  caller: Caller,
  { id, body }: Change,
): Promise<Link> {
  const { db, public_url } = deps
  await getOwnLink(db, caller, id)
  if (body.currency !== undefined) {
    await requirePayableIn(deps, caller, body.currency.toUpperCase())
  }
  return inTransaction(homeOf(db, caller.merchant_id), async (tx) => {
    const before = await lockLink(tx, { merchant_id: caller.merchant_id, id })
    if (before === undefined) throw refuse(transportErrors.not_found)
    const next = writtenLink(writableOf(before), body)
    // An amount that stays as it was must fit the currency as it is now.
    for (const field of ['amount', 'min_amount'] as const) {
      const value = viewLink({ ...before, ...next }, public_url)[field]
      const fault = amountFault(value, next.currency)
      if (fault !== undefined) throw invalid(field, fault)
    }
    const after = await updateLink(tx, before, next)
    await recordLinkAct(tx, caller, { action: 'payment_link.changed', before, after, public_url })
    return after
  })
}

export async function endLink(
  { db, public_url }: Pick<LinkDeps, 'db' | 'public_url'>,
  caller: Caller,
  id: string,
): Promise<void> {
  await getOwnLink(db, caller, id)
  await inTransaction(homeOf(db, caller.merchant_id), async (tx) => {
    const before = await lockLink(tx, { merchant_id: caller.merchant_id, id })
    if (before === undefined) throw refuse(transportErrors.not_found)
    await deleteLink(tx, before)
    await recordLinkAct(tx, caller, { action: 'payment_link.deleted', before, public_url })
  })
}

type Recorded = Readonly<{ action: AuditAction; before?: Link; after?: Link; public_url: string }>

/** Without its slug: a reader of the log need not be able to open the link. */
function auditView(link: Link, public_url: string) {
  const { slug: _slug, url: _url, ...rest } = viewLink(link, public_url)
  return rest
}

async function recordLinkAct(
  tx: Tx,
  caller: Caller,
  { action, before, after, public_url }: Recorded,
): Promise<void> {
  const link = after ?? before
  assert(link !== undefined, 'an act on a link')
  await recordAct(tx, {
    merchant_id: link.merchant_id,
    environment: link.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'payment_link',
    target_id: link.id,
    before: before === undefined ? null : auditView(before, public_url),
    after: after === undefined ? null : auditView(after, public_url),
  })
}
