// Who has signed in, and the merchants that they belong to.

import { Type } from 'typebox'
import { DeviceTokenSchema, deviceTokenExample } from '../people/device.ts'
import { PersonSchema, personExample } from '../people/person.ts'
import { tokenField } from '../people/sessions/session-reply.ts'
import { ownSessionExample, ownSessionFields } from '../people/sessions/session-view.ts'
import { mayAs, roles } from './roles.ts'
import type { Belonging } from './store.ts'

const BelongingSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    role: Type.Enum([...roles]),
    permissions: Type.Array(Type.Enum([...mayAs.OWNER]), {
      maxItems: mayAs.OWNER.length,
      description:
        'What this role allows here, as every call is checked (`x-access` in the document of ' +
        'the API names what each wants). A suspended merchant reads only.',
    }),
    status: Type.Enum(['ACTIVE', 'SUSPENDED']),
    country: Type.Union([Type.String(), Type.Null()]),
    time_zone: Type.String(),
    live_enabled: Type.Boolean(),
    kyc_status: Type.Enum(['NONE', 'PENDING', 'APPROVED', 'REJECTED']),
    suspended_reason: Type.String({
      description: 'Why the account is suspended, as staff put it; else empty.',
    }),
    suspended_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Since when; null where it is not suspended, or where that was not kept.',
    }),
  },
  { title: 'MembersMerchant' },
)

export const SignedInSchema = Type.Object(
  {
    token: tokenField('Send it as `Authorization: Bearer`.'),
    expires_at: Type.String({ format: 'date-time' }),
    member: PersonSchema,
    merchants: Type.Array(BelongingSchema),
    device_token: DeviceTokenSchema,
  },
  { title: 'SignedIn' },
)

export const MeSchema = Type.Object(
  {
    member: PersonSchema,
    merchants: Type.Array(BelongingSchema),
    ...ownSessionFields,
    support_contact: Type.Union([Type.String(), Type.Null()], {
      description:
        'Where the people of this service are asked: `mailto:…`, `https://…` or `tel:…`. Null ' +
        'where they have named none.',
    }),
  },
  { title: 'Me' },
)

export const belongingExample = {
  id: '01981f3a-0000-7000-8000-00000000a001',
  name: 'Boutique Awa',
  role: 'OWNER',
  permissions: [...mayAs.OWNER],
  status: 'ACTIVE',
  country: 'SN',
  time_zone: 'Africa/Dakar',
  live_enabled: false,
  kyc_status: 'NONE',
  suspended_reason: '',
  suspended_at: null,
}

const whoExample = { member: personExample, merchants: [belongingExample] }

export const meExample = {
  ...whoExample,
  ...ownSessionExample,
  support_contact: 'mailto:support@example.com',
}

export const signedInExample = {
  token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
  expires_at: '2026-11-28T08:00:00.000Z',
  ...whoExample,
  device_token: deviceTokenExample,
}

export const loginExample = { email: personExample.email, password: 'a long pass phrase' }

export const viewBelonging = (belonging: Belonging) => ({
  id: belonging.id,
  name: belonging.name,
  role: belonging.role,
  permissions: [...mayAs[belonging.role]],
  status: belonging.status,
  country: belonging.country,
  time_zone: belonging.time_zone,
  live_enabled: belonging.live_enabled,
  kyc_status: belonging.kyc_status,
  suspended_reason: belonging.suspended_reason,
  suspended_at: belonging.suspended_at?.toISOString() ?? null,
})
