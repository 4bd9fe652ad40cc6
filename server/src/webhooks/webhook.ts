// An endpoint that a merchant has registered, and the rules on what may be registered.

import type { EventType } from '../events/event.ts'
import type { FieldErrors } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { AddressRules } from '../platform/outbound/addresses.ts'
import { checkUrl } from '../platform/outbound/guard.ts'

export type Webhook = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  url: string
  description: string
  is_active: boolean
  payment_link: string | null
  /** The events it is subscribed to, in no order; none means all. */
  events: readonly EventType[]
  failing_since: Date | null
  switched_off_reason: SwitchedOffReason
  /** Until when two secrets sign; null when one does. */
  overlap_until: Date | null
  created_by_member: string | null
  created_at: Date
  updated_at: Date
}>

/** Why we switched it off; empty when it is on or its owner did. */
export type SwitchedOffReason = '' | 'GONE' | 'FAILING'

/** Deliveries to one endpoint use one queue, which one process drains at a time. */
export type QueueKey = Readonly<{ merchant_id: string; webhook_id: string }>

export const webhooks_max = 20
/** One replay holds at most so many events, */
export const replay_events_max = 100_000
/** from at most so many days ago. */
export const replay_days_max = 30
export const url_length_max = 2048
export const description_length_max = 255

/** Secrets are sealed for this row only. */
export const sealedFor = (webhook_id: string): string => `webhooks:${webhook_id}`

/** The errors of the address; empty when it may be called. */
export function urlErrors(url: string, environment: Environment, rules: AddressRules): FieldErrors {
  const check = checkUrl(url, { ...rules, environment })
  return check.is === 'refused' ? { url: [check.why] } : {}
}
