// Every state machine, drawn: `cli states draw` prints them, and
// ARCHITECTURE.md shows what it prints.

import { adjustmentStates } from '../adjustments/states.ts'
import { attemptStates } from '../attempts/states.ts'
import { secretStates } from '../gateways/states.ts'
import { sessionStates } from '../orders/states.ts'
import { drawStates } from '../platform/states.ts'
import { refundStates } from '../refunds/states.ts'
import { settlementStates } from '../settlements/states.ts'
import { inboundStates, payoutStates } from '../transactions/states.ts'
import { walletTransferStates } from '../wallets/states.ts'
import { deliveryStates } from '../webhooks/states.ts'

export type Drawing = Readonly<{ name: string; diagram: string }>

/** Each machine as a Mermaid diagram, in the order in which a payment meets them. */
export const stateMachines = (): Drawing[] => [
  { name: 'Payment and top-up', diagram: drawStates(inboundStates) },
  { name: 'Payout', diagram: drawStates(payoutStates) },
  { name: 'Refund', diagram: drawStates(refundStates) },
  { name: 'Wallet transfer', diagram: drawStates(walletTransferStates) },
  { name: 'Settlement', diagram: drawStates(settlementStates) },
  { name: 'Manual adjustment', diagram: drawStates(adjustmentStates) },
  { name: 'Checkout session', diagram: drawStates(sessionStates) },
  { name: 'Attempt', diagram: drawStates(attemptStates) },
  { name: 'Secrets of an account', diagram: drawStates(secretStates) },
  { name: 'Webhook delivery', diagram: drawStates(deliveryStates) },
]
