// A line of the audit log as JSON. Law: a merchant sees that staff acted, not who or from where.

import { type Static, Type } from 'typebox'
import { auditActions, targetKinds } from './actions.ts'
import { actorKinds } from './filters.ts'
import type { ActFound } from './store.ts'

const uuid = Type.String({ format: 'uuid' })
const fields = Type.Record(Type.String(), Type.Unknown())

const ActorView = Type.Object(
  {
    kind: Type.Enum([...actorKinds]),
    id: Type.Union([uuid, Type.Null()], { description: 'The id of the person or the API key.' }),
    role: Type.String({ description: 'Their role at that time; empty for a key.' }),
    name: Type.String({
      description: 'The person’s current e-mail or the key’s current name; empty when unknown.',
    }),
  },
  { title: 'AuditActor' },
)

export const ActView = Type.Object(
  {
    id: uuid,
    merchant: Type.Union([uuid, Type.Null()], { description: 'Null: no merchant is concerned.' }),
    environment: Type.Union([Type.Enum(['SANDBOX', 'LIVE']), Type.Null()], {
      description: 'Null: both environments are concerned.',
    }),
    actor: ActorView,
    action: Type.Enum([...auditActions], {
      description:
        'In the form `thing.done`. More may be added: show one that you do not know as it is.',
    }),
    target: Type.Object(
      {
        kind: Type.Enum([...targetKinds]),
        id: Type.String({
          description:
            'The id of what it was done to; of a `recipient` the number, masked (`+229***12`); ' +
            'of an account that was refused before it existed, its code.',
        }),
      },
      { title: 'AuditTarget' },
    ),
    ip: Type.String(),
    request_id: Type.String(),
    before: Type.Union([fields, Type.Null()], {
      description:
        'What was: the whole record, or only the fields that changed. Of what staff did a ' +
        'merchant reads neither which other of them it concerns nor their notes.',
    }),
    after: Type.Union([fields, Type.Null()], { description: 'What is, in the same way.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'AuditLog' },
)

/** As staff read it. */
export const viewAct = (act: ActFound): Static<typeof ActView> => ({
  id: act.id,
  merchant: act.merchant,
  environment: act.environment,
  actor: { kind: act.actor_kind, id: act.actor_id, role: act.actor_role, name: act.actor_name },
  action: act.action,
  target: { kind: act.target_kind, id: act.target_id },
  ip: act.ip,
  request_id: act.request_id,
  before: act.before,
  after: act.after,
  created_at: act.created_at.toISOString(),
})

/** As the merchant that it concerns reads it. */
export function viewOwnAct(act: ActFound): Static<typeof ActView> {
  const shown = viewAct(act)
  if (act.actor_kind !== 'STAFF') return shown
  const [before, after] = [withoutStaff(act.before), withoutStaff(act.after)]
  const actor = { kind: 'STAFF' as const, id: null, role: '', name: '' }
  return { ...shown, actor, ip: '', before, after }
}

/** What an act of staff has of another of them, and what they write to each other. */
export const ofStaffAlone: readonly string[] = ['proposed_by', 'asked_by', 'approved_by', 'note']

function withoutStaff(fields: ActFound['before']): ActFound['before'] {
  if (fields === null) return null
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ofStaffAlone.includes(name)))
}

export const actExample = {
  id: '01981f3a-0000-7000-8000-00000000ad01',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  actor: {
    kind: 'MEMBER',
    id: '01981f3a-0000-7000-8000-00000000b001',
    role: 'OWNER',
    name: 'awa@shop.example',
  },
  action: 'webhook.changed',
  target: { kind: 'webhook', id: '01981f3a-0000-7000-8000-000000000001' },
  ip: '203.0.113.7',
  request_id: '01981f3a-0000-7000-8000-00000000ae01',
  before: { is_active: true },
  after: { is_active: false },
  created_at: '2026-11-21T08:00:00.000Z',
}
