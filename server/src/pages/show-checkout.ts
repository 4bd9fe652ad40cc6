// Which page a session has now. One answer for the address, in however many tabs and after however
// long: what the database contains.

import { requireShowable } from '../checkout/public/act-as-payer.ts'
import { requireServed } from '../checkout/public/payer.ts'
import { requirePayable } from '../payments/require-payable.ts'
import { assert } from '../platform/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { choosePage } from './choose-page.ts'
import type { Problem } from './field.ts'
import { paidPage } from './paid-page.ts'
import { hopPage, pendingPage } from './pending-page.ts'
import { refusedHere } from './refused-page.ts'
import { mayBePaid, type PageDeps, paymentNow, revisit, type Visit, visit } from './visit.ts'
import { webAddress } from './write-values.ts'

export async function showCheckout(deps: PageDeps, input: PageInput): Promise<PageReply> {
  return pageNow(deps, await visit(deps, input))
}

/** `problem`: the errors of the form that was just sent, while its page is still the right one. */
export async function pageNow(deps: PageDeps, own: Visit, problem?: Problem): Promise<PageReply> {
  const { visit, payment } = await currentVisit(deps, own)
  const { target, profile } = visit.checkout
  if (target.session.status === 'PAID') {
    assert(payment !== undefined, 'a paid session has its payment')
    return paidPage(deps, visit, payment)
  }
  if (payment?.state.status === 'PENDING') {
    return pendingPage(deps, { visit, payment, problem })
  }
  try {
    requireServed(profile)
    requireShowable(target.session)
    requirePayable(target, deps.limits)
    return await choosePage(deps, { visit, payment, problem })
  } catch (error) {
    return refusedHere(error, { ...visit, may_be_paid: mayBePaid(payment) })
  }
}

/** Why what was sent is refused, on a page of its own. */
export async function refusedNow(deps: PageDeps, own: Visit, error: unknown): Promise<PageReply> {
  const { target, profile } = own.checkout
  const payment = await paymentNow(deps, target.session, profile)
  return refusedHere(error, { ...own, may_be_paid: mayBePaid(payment) })
}

/** A payment may end between the reading of its session and its own: then both are read again. */
async function currentVisit(deps: PageDeps, visit: Visit) {
  const read = ({ checkout: { target, profile } }: Visit) =>
    paymentNow(deps, target.session, profile)
  const payment = await read(visit)
  const { pending_payment } = visit.checkout.target.session
  if (pending_payment === null || payment?.state.status === 'PENDING') return { visit, payment }
  const now = await revisit(deps, visit)
  return { visit: now, payment: await read(now) }
}

/** Once, after the form: on to the operator's page. A later visit to the address stays with us. */
export async function leaveForOperator(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  const { target, profile } = own.checkout
  const payment = await paymentNow(deps, target.session, profile)
  const { state } = payment ?? {}
  const leaves = state?.status === 'PENDING' && !state.unknown && state.next_action === 'REDIRECT'
  const address = leaves ? webAddress(state.checkout_url) : undefined
  if (payment === undefined || address === undefined) return { is: 'see', location: own.here }
  return hopPage({ visit: own, payment }, address)
}
