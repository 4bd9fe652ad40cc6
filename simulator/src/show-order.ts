// An order as every answer to its client shows it. While its payer has still to decide on the page,
// the page's address is in it, so that a client that lost the first answer can read it again.

import { hasEnded, type Order, type OrderView, viewOrder } from './order.ts'
import type { SimulatorDeps } from './simulator-deps.ts'

/** The address of the order's page; nothing for an order without one, or one that ended. */
export function pageOf(deps: SimulatorDeps, order: Order): { checkout_url?: string } {
  const { page_token } = order
  if (page_token === undefined || hasEnded(order)) return {}
  return { checkout_url: `${deps.publicUrl()}/pay/${page_token}` }
}

export function showOrder(
  deps: SimulatorDeps,
  order: Order,
): OrderView & { checkout_url?: string } {
  return { ...viewOrder(order), ...pageOf(deps, order) }
}
