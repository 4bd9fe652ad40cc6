// Whether a callback comes from where its operator's come, before its body is read. Law: what an
// account refuses is not kept and makes nobody ask, and an address that fits is no proof.

import type { Gateway } from '../gateways/gateway.ts'
import { defineErrors, refuse } from '../platform/errors.ts'

/** `unexpected`: from elsewhere, and taken. */
export type SenderSeen = Readonly<{
  /** The account's code. */
  gateway: string
  outcome: 'known' | 'unexpected' | 'refused'
  /** As the proxies that we trust say. */
  ip: string
}>

/** What a callback can be refused for before it is read. */
export const senderErrors = defineErrors({
  callback_sender_refused: {
    status: 403,
    message: {
      en: 'This account takes callbacks from the addresses of its operator alone.',
      fr: 'Ce compte n’accepte que les notifications venues des adresses de son opérateur.',
    },
  },
})

/** Throws where the account takes callbacks from its operator's addresses alone. */
export function judgeSender(
  { senderSeen }: Readonly<{ senderSeen?: (sender: SenderSeen) => void }>,
  { code, senders }: Pick<Gateway, 'code' | 'senders'>,
  ip: string,
): void {
  if (senders === undefined) return
  const isKnown = senders.include(ip)
  const outcome = isKnown ? 'known' : senders.enforced ? 'refused' : 'unexpected'
  senderSeen?.({ gateway: code, outcome, ip })
  if (outcome === 'refused') throw refuse(senderErrors.callback_sender_refused)
}
