// Events of this operator: whom they are about, what they say, and whether its signature proves it.
// Law: reading always answers. What is given back or disputed elsewhere is only a reason to ask.

import { type Fields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account } from '../adapter.ts'
import type { Answer, CallbackReading, Received } from '../gateway.ts'
import { hasTimedSignature } from '../timed-signature.ts'
import { answerOfRefund, answerOfSession, type ReadContext } from './read-answer.ts'
import { fieldsIn, intentOf, metadataKey, readGiven, readSession } from './wire.ts'

type Reading = Omit<CallbackReading, 'proof'>

const nothing = (key: string, because: string): Reading => ({
  key,
  answer: { is: 'unknown', because },
})

export function readCallback(
  received: Received,
  account: Pick<Account, 'secrets' | 'former_secrets'>,
  context: ReadContext,
): CallbackReading {
  const event = readFields(received.body.toString())
  if (event?.['object'] !== 'event') return { proof: 'UNSIGNED', ...nothing('', 'unreadable') }
  const secrets = [account.secrets, account.former_secrets].map(
    (all) => all?.['webhook_secret'] ?? '',
  )
  const header = 'stripe-signature'
  const isSigned = hasTimedSignature(received, { header, scheme: 'v1', secrets })
  // What anybody sends is no news of the operator's.
  const note = isSigned ? context.note : () => undefined
  const object = fieldsIn(fieldsIn(event, 'data'), 'object')
  const reading = readObject(object, { ...context, note })
  return { proof: isSigned ? 'SIGNED' : 'UNSIGNED', ...reading }
}

function readObject(object: Fields, context: ReadContext): Reading {
  const session = readSession(object)
  if (session !== undefined) {
    const seen = answerOfSession(session, context, undefined)
    // An event does not show why the last card was declined; the page does, when it is asked about.
    const isTried = seen.is === 'refused' && session.payment_intent !== ''
    const answer: Answer = isTried ? { is: 'unknown', because: 'expired after a try' } : seen
    // A dispute names its payment and nothing of ours.
    const aliases = session.payment_intent === '' ? [] : [session.payment_intent]
    return { key: session.our_key || session.id, aliases, answer }
  }
  const refund = readGiven(object, 'refund')
  if (refund !== undefined) {
    return refund.our_key === ''
      ? nothing(refund.payment_intent, 'a refund that we did not ask for')
      : { key: refund.our_key, answer: answerOfRefund(refund, context) }
  }
  const kind = wordIn(object, 'object')
  return nothing(metadataKey(object) || intentOf(object), kind || 'no object')
}
