// The reset of a member's second factor, as it is kept and shown. One requests it, another
// confirms, a day goes by, then it is done, unless the member, or staff, cancel it before.

import { Type } from 'typebox'

const resetStatuses = ['ASKED', 'CONFIRMED', 'DONE', 'CANCELLED', 'LAPSED'] as const
export type ResetStatus = (typeof resetStatuses)[number]

/** For how long the member can stop it. */
export const wait_h = 24
/** Unconfirmed so long, it ends by itself. */
export const unconfirmed_h = 72

export type FactorReset = Readonly<{
  id: string
  person_id: string
  reason: string
  status: ResetStatus
  asked_by: string
  asked_at: Date
  confirmed_by: string | null
  due_at: Date
  is_due: boolean
}>

const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })

export const FactorResetSchema = Type.Object(
  {
    id: uuid,
    status: Type.Enum([...resetStatuses]),
    reason: Type.String(),
    asked_by: uuid,
    asked_at: moment,
    confirmed_by: Type.Union([uuid, Type.Null()]),
    due_at: Type.String({
      format: 'date-time',
      description: 'When ASKED, the reset lapses then. When CONFIRMED, it is carried out then.',
    }),
  },
  { title: 'FactorReset' },
)

export const viewReset = (reset: FactorReset) => ({
  id: reset.id,
  status: reset.status,
  reason: reset.reason,
  asked_by: reset.asked_by,
  asked_at: reset.asked_at.toISOString(),
  confirmed_by: reset.confirmed_by,
  due_at: reset.due_at.toISOString(),
})
