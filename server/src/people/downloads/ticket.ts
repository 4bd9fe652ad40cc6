// A ticket stands for a session once, for a minute, at one address (contract 8.23). It has no power
// of its own: whoever shows it is admitted as the session would be at that moment.

import { hashToken, randomToken } from '../../platform/crypto/seal.ts'
import type { Db, Sql } from '../../platform/db.ts'
import { refuse, type Text } from '../../platform/errors.ts'
import { type TicketShown, ticket_pattern } from '../../platform/http/file-ticket.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { type Session, sessionOf } from '../sessions/session.ts'
import { deleteOldTickets, insertTicket, type Place, takeTicket } from './store.ts'

/** A person presses and the browser fetches: a moment. Seconds. */
const valid_s = 60

export type TicketRequest = Readonly<{ target: string; session_id: string; place: Place }>

export async function newTicket(
  db: Db,
  { target, session_id, place }: TicketRequest,
): Promise<{ ticket: string; expires_at: Date }> {
  const ticket = `tick_${randomToken(32)}`
  const hashes = { hash: hashToken(ticket), target: hashToken(target) }
  const expires_at = await insertTicket(db, { ...place, ...hashes, session_id, valid_s })
  return { ticket, expires_at }
}

/**
 * The session behind a ticket, and where it acts. Throws `not_authenticated`, the same for one that
 * is unknown, used, over, of another address or of a session that has ended.
 */
export async function redeemTicket(
  db: Db,
  { ticket, target }: TicketShown,
): Promise<{ session: Session; place: Place }> {
  const hashes = { hash: hashToken(ticket), target: hashToken(target) }
  const found = ticket_pattern.test(ticket) ? await takeTicket(db, hashes) : undefined
  if (found === undefined || found.is_over) {
    throw refuse(accessErrors.not_authenticated, { message: ticketOver, note: 'ticket' })
  }
  const { acts_for, environment, locale } = found
  return { session: sessionOf(found), place: { acts_for, environment, locale } }
}

const ticketOver: Text = {
  en: 'This download link has been used or has expired. Start the download again.',
  fr: 'Ce lien de téléchargement a déjà servi ou a expiré. Relancez le téléchargement.',
}

export const dropOldTickets = (sql: Sql): Promise<number> => deleteOldTickets(sql)
