// The addresses of our pages, at the origin: the payer's, and those that e-mails lead to. Forms
// come by POST and answer 303; a GET of an address that takes a form redirects to the page with the
// current state.

import { refuse } from '../platform/errors.ts'
import type { PageInput, PageReply, PageRoute, Pages } from '../platform/http/page-route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { accountPages } from './account-page.ts'
import { openByLink, showLink } from './link-page.ts'
import { liveIn } from './live.ts'
import { showReceipt } from './receipt-page.ts'
import { refusedPage } from './refused-page.ts'
import { sendCode, sendPayment } from './send-payment.ts'
import { leaveForOperator, showCheckout } from './show-checkout.ts'
import { type PageDeps, prefixOf } from './visit.ts'

export const payerPages = (deps: PageDeps): Pages => ({
  routes: pageRoutes(deps),
  failed: (error, input) => refusedPage(error, { input }),
})

function pageRoutes(deps: PageDeps): PageRoute[] {
  const back = async ({ params }: PageInput): Promise<PageReply> => ({
    is: 'see',
    location: `${prefixOf(deps)}/checkout/${encodeURIComponent(params['slug'] ?? '')}`,
  })
  const get = (path: string, handler: PageRoute['handler']): PageRoute => ({
    method: 'GET',
    path,
    handler,
  })
  const post = (path: string, handler: PageRoute['handler']): PageRoute => ({
    method: 'POST',
    path,
    handler,
  })
  return [
    get('/checkout/:slug', (input) => showCheckout(deps, input)),
    post('/checkout/:slug/pay', (input) => sendPayment(deps, input)),
    post('/checkout/:slug/code', (input) => sendCode(deps, input)),
    get('/checkout/:slug/go', (input) => leaveForOperator(deps, input)),
    get('/checkout/:slug/live', liveIn(deps)),
    get('/checkout/:slug/pay', back),
    get('/checkout/:slug/code', back),
    get('/pay/:slug', (input) => showLink(deps, input)),
    post('/pay/:slug', (input) => openByLink(deps, input)),
    get('/receipts/:token', (input) => showReceipt(deps, input)),
    ...accountPages(deps),
    get('/checkout/*', nothing),
    get('/pay/*', nothing),
    get('/receipts/*', nothing),
  ]
}

const nothing = async (): Promise<PageReply> => {
  throw refuse(transportErrors.not_found)
}
