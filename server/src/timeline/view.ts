// A transaction's story as merchants read it, fact by fact. Law: a fact that is not named here
// never leaves; each is one that the same caller may read in the list that its step is from. What
// an operator or an endpoint wrote is not here.

import { type Static, Type } from 'typebox'
import { failureCodeSchema, failureText } from '../attempts/failure-texts.ts'
import { auditActions } from '../audit/actions.ts'
import { eventTypes } from '../events/event.ts'
import { incidentTypes } from '../incidents/incident.ts'
import type { CallerNames } from '../merchants/caller-name-store.ts'
import { formatAmount } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import { cursorPageSchema } from '../platform/http/pages.ts'
import type { Caller } from '../platform/http/route.ts'
import { evidenceKinds, triggers } from '../transactions/schema.ts'
import { actorKinds, type Step, stepKinds } from './step.ts'

const uuid = (description: string) => Type.String({ format: 'uuid', description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const text = (description: string) => Type.String({ description })
const oneOf = (values: readonly string[], description: string) =>
  Type.Enum([...values], { description })

const moves = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED', 'OPEN', 'RESOLVED'] as const

const facts = {
  subject: oneOf(['TRANSACTION', 'REFUND', 'INCIDENT'], 'MOVE: what moved.'),
  from_status: oneOf(moves, 'MOVE: where it moved from; absent where it begins.'),
  to_status: oneOf(moves, 'MOVE: where it moved to.'),
  triggered_by: oneOf(triggers, 'MOVE of the transaction: who or what caused it.'),
  reason: text('MOVE of the transaction: why. ACT: why a member rejected it, in their words.'),
  evidence_kind: oneOf(evidenceKinds, 'MOVE of the transaction: what it rests on.'),
  said: text('MOVE of the transaction: what was reported, in our own words.'),
  attempt: uuid('MOVE of the transaction: the attempt whose outcome it was.'),
  refund: uuid('The refund that the step is of; absent for one of the transaction itself.'),
  incident_type: oneOf(incidentTypes, 'MOVE of an incident: what kind it is.'),
  step: oneOf(
    ['STARTED', 'ENDED', 'OPENED', 'PAID'],
    'ATTEMPT: STARTED or ENDED. CHECKOUT: OPENED or PAID.',
  ),
  status: oneOf(
    ['PENDING', 'UNKNOWN', 'SUCCESS', 'FAILED'],
    'ATTEMPT that ended: how. ASKED: what is known of the attempt now.',
  ),
  network_code: text('ATTEMPT, ASKED, CALLBACK: the network.'),
  gateway_code: text('ATTEMPT, ASKED, CALLBACK: the gateway.'),
  external_reference: text('ATTEMPT that ended: the operator’s reference.'),
  failure_code: failureCodeSchema('ATTEMPT that failed: why.'),
  failure_message: text('ATTEMPT that failed: why, in words.'),
  count: Type.Integer({
    minimum: 1,
    description: 'ASKED, CALLBACK: how many there were from `first_at` to `last_at`.',
  }),
  first_at: moment('ASKED, CALLBACK: the first of them; absent where it was not kept.'),
  last_at: moment('ASKED, CALLBACK: the last of them.'),
  proof: oneOf(
    ['SIGNED', 'BEARER', 'UNSIGNED'],
    'CALLBACK: whether it was signed, bore a token of ours, or proved nothing.',
  ),
  outcome: oneOf(
    ['APPLIED', 'WOKE', 'WAITING', 'UNMATCHED'],
    'CALLBACK: whether it was evidence by itself, or only made us ask the operator.',
  ),
  webhook: uuid('WEBHOOK: the endpoint.'),
  event_type: oneOf(eventTypes, 'WEBHOOK: the event.'),
  try: Type.Integer({ minimum: 1, description: 'WEBHOOK: the number of the try.' }),
  succeeded: Type.Boolean({ description: 'WEBHOOK: whether a 2xx response came in time.' }),
  http_status: Type.Integer({ description: 'WEBHOOK: the response; absent: there was none.' }),
  took_ms: Type.Integer({ description: 'WEBHOOK: how long the response took.' }),
  amount: text(
    'ENTRY, and MOVE where something begins: a decimal with two fractional digits, as text.',
  ),
  currency: text('ISO 4217, where there is an amount.'),
  direction: oneOf(['CREDIT', 'DEBIT'], 'ENTRY: into your available balance, or out of it.'),
  balance_after: text('ENTRY: the available amount after it.'),
  action: oneOf(auditActions, 'ACT: as in the audit log.'),
  payment_link: uuid('CHECKOUT: the payment link that the session is of.'),
}

type FactName = keyof typeof facts

const names = Object.keys(facts).filter((name): name is FactName => name in facts)

const StepSchema = Type.Object(
  {
    at: moment('When it happened; of steps that are counted, when the first of them did.'),
    kind: Type.Enum([...stepKinds], { description: 'More may be added: pass over others.' }),
    ref: uuid(
      'What it is a step of. MOVE: the status log, the refund or the incident, and the ' +
        'transaction itself where it begins. ATTEMPT, ASKED, CALLBACK: the attempt. WEBHOOK: the ' +
        'webhook log. ENTRY: the ledger entry. ACT: the line of the audit log. CHECKOUT: the ' +
        'checkout session.',
    ),
    actor: Type.Union(
      [
        Type.Object(
          {
            kind: Type.Enum([...actorKinds]),
            id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
              description:
                'The member or the API key. Null for others, and in an ACT for a call by API key.',
            }),
            name: Type.String({
              description:
                'What the member or the API key is called now, who has left the team too; a ' +
                'member without a name by their e-mail address. Empty for others, for a key ' +
                'without a name, and for a call by API key.',
            }),
          },
          { title: 'TimelineActor' },
        ),
        Type.Null(),
      ],
      { description: 'Null: it is not known who.' },
    ),
    facts: Type.Partial(Type.Object(facts), {
      title: 'TimelineFacts',
      description: 'By kind. What is not known or means nothing there is left out.',
    }),
  },
  { title: 'TimelineStep' },
)

const orNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

export const TimelineSchema = Type.Object({
  ...cursorPageSchema(StepSchema).properties,
  last_question_at: orNull(
    'When the operator was asked last about what is open, of the transaction or its refunds; ' +
      'null: it has not been asked yet, or nothing is open.',
  ),
  next_question_at: orNull(
    'When the operator is asked next about what is open, of the transaction or its refunds; ' +
      'null: it will not be asked by itself.',
  ),
  ends_at: orNull(
    'Until when an open payment is asked about, a payout may be approved, or one that cannot be ' +
      'sent waits: it ends by itself then. Null: it has ended or no end is set; a payout that ' +
      'was sent has none but its operator’s answer.',
  ),
})

const inMoney = new Set<string>(['amount', 'balance_after'])
const inTime = new Set<string>(['first_at', 'last_at'])

function factOf(name: FactName, value: Step['facts'][string], locale: Locale, step: Step) {
  if (inMoney.has(name)) return formatAmount(BigInt(String(value)))
  if (inTime.has(name)) return new Date(String(value)).toISOString()
  if (name !== 'failure_message') return value
  return failureText(String(step.facts['failure_code']), locale) || value
}

/** Every member may read the members and the keys, and no key may. */
export const mayReadNames = ({ session }: Pick<Caller, 'session'>): boolean => session !== null

/** As this caller may read it; the names are empty for who may read none. */
export const viewStep =
  (caller: Pick<Caller, 'session'>, names_of: CallerNames, locale: Locale) =>
  (step: Step): Static<typeof StepSchema> => {
    const { actor_kind: kind, actor_id } = step
    const id = step.kind === 'ACT' && !mayReadNames(caller) ? null : actor_id
    const known = names.filter((name) => (step.facts[name] ?? '') !== '')
    return {
      at: step.at.toISOString(),
      kind: step.kind,
      ref: step.ref,
      actor: kind === null ? null : { kind, id, name: names_of.get(id ?? '') ?? '' },
      facts: Object.fromEntries(
        known.map((name) => [name, factOf(name, step.facts[name] ?? null, locale, step)]),
      ),
    }
  }
