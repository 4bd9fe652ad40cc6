// Members and invitations, settings and branding, the KYC file.

import { randomUUID } from 'node:crypto'
import { newInvitationToken } from '../../src/merchants/members/invitations/invitation.ts'
import { newId } from '../../src/platform/ids.ts'
import { pngOf } from '../setup/pictures.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const png = pngOf()
const pdf = Buffer.from('%PDF-1.7 not much of a document')
const email = () => `${randomUUID()}@matrix.example`

/** A member whom nobody misses. */
async function freshMember({ app, owner }: Scene): Promise<Record<string, string>> {
  const { merchant_id } = owner
  const { person_id } = await app.member({ merchant_id, role: 'VIEWER' })
  return { id: person_id }
}

async function freshInvitation({ app, owner }: Scene): Promise<{ id: string; token: string }> {
  const { token, hash } = newInvitationToken(owner.merchant_id)
  const id = newId()
  await app.owner`insert into invitations ${app.owner({
    merchant_id: owner.merchant_id,
    id,
    email: email(),
    role: 'VIEWER',
    token_hash: hash,
    invited_by: owner.person_id,
    expires_at: new Date(Date.now() + 3_600_000),
  })}`
  return { id, token }
}

/** One that another member has asked for. */
async function shorterCoolingOff({ app, owner }: Scene) {
  await app.owner`
    update merchants
       set cooling_off_next = 24, cooling_off_next_at = now() + interval '1 day',
           cooling_off_wait_h = 24, cooling_off_next_by = ${randomUUID()}
     where id = ${owner.merchant_id}`
  return {}
}

const ofInvitation = async (scene: Scene) => ({ id: (await freshInvitation(scene)).id })

/** Makes room: a KYC file holds few documents. */
async function emptyFile({ app, owner }: Scene): Promise<Record<string, string>> {
  await app.owner`
    update kyc_documents set deleted_at = now() where merchant_id = ${owner.merchant_id}`
  return {}
}

async function freshDocument(scene: Scene): Promise<Record<string, string>> {
  await emptyFile(scene)
  const made = await scene.owner.call('POST', '/kyc/documents/?kind=TAX', {
    body: new Uint8Array(pdf),
    headers: { 'content-type': 'application/pdf' },
  })
  return { id: made.data.id }
}

async function withLogo({ owner }: Scene): Promise<Record<string, string>> {
  await owner.call('PUT', '/merchant/logo/', {
    body: new Uint8Array(png),
    headers: { 'content-type': 'image/png' },
  })
  return { merchant_id: owner.merchant_id }
}

const members = {
  access: 'dashboard',
  permission: 'members',
  second_factor: 'account',
  record: 'both',
} as const satisfies Partial<MatrixRow>
const settings = {
  access: 'dashboard',
  permission: 'settings',
  second_factor: 'account',
} as const satisfies Partial<MatrixRow>
const kyc = {
  access: 'dashboard',
  permission: 'settings',
  record: 'both',
} as const satisfies Partial<MatrixRow>

export const membersRows: MatrixRows = {
  'GET /merchant-members/': { access: 'dashboard', status: 200 },
  'GET /merchant-members/{id}/': {
    access: 'dashboard',
    status: 200,
    record: 'both',
    params: freshMember,
  },
  'PATCH /merchant-members/{id}/': {
    ...members,
    status: 200,
    params: freshMember,
    body: () => ({ role: 'DEVELOPER' }),
  },
  // Of somebody else; anybody may remove themselves.
  'DELETE /merchant-members/{id}/': { ...members, status: 204, params: freshMember },
  'GET /merchant-invitations/': { access: 'dashboard', permission: 'members', status: 200 },
  'POST /merchant-invitations/': {
    access: 'dashboard',
    permission: 'members',
    second_factor: 'account',
    status: 201,
    body: () => ({ email: email(), role: 'VIEWER' }),
  },
  'POST /merchant-invitations/{id}/resend/': { ...members, status: 200, params: ofInvitation },
  'DELETE /merchant-invitations/{id}/': { ...members, status: 204, params: ofInvitation },
  'POST /auth/invitations/preview/': {
    access: 'public',
    status: 200,
    body: async (scene) => ({ token: (await freshInvitation(scene)).token }),
  },
  'POST /auth/invitations/accept/': {
    access: 'public',
    status: 200,
    body: async (scene) => ({
      token: (await freshInvitation(scene)).token,
      password: 'a long pass phrase',
      first_name: 'Kofi',
      last_name: 'Mensah',
    }),
  },

  'GET /merchant/': { access: 'any', status: 200 },
  'GET /merchant/branding/preview/': {
    ...{ access: 'dashboard', status: 200 },
    query: '?name=Chez+Awa&colour=%230a7d4f&format=html',
  },
  'POST /merchant/cooling-off/confirm/': {
    ...settings,
    // Everybody here became a member a moment ago, and none of them may be the second one.
    status: 409,
    body: shorterCoolingOff,
  },
  'POST /merchant/cooling-off/cancel/': {
    ...settings,
    status: 200,
    unfunded_status: 409,
    body: shorterCoolingOff,
  },
  'PATCH /merchant/': { ...settings, status: 200, body: () => ({ cooling_off_hours: 24 }) },
  'PUT /merchant/logo/': {
    ...settings,
    status: 200,
    upload: { content_type: 'image/png', bytes: () => png },
  },
  'DELETE /merchant/logo/': { ...settings, status: 204 },
  'GET /branding/{merchant_id}/logo/': {
    access: 'public',
    status: 200,
    record: 'everybody',
    params: withLogo,
  },

  'GET /kyc/': { access: 'dashboard', permission: 'settings', status: 200 },
  'POST /kyc/documents/': {
    access: 'dashboard',
    permission: 'settings',
    status: 201,
    query: '?kind=IDENTITY&file_name=passport.pdf',
    record: 'everybody',
    params: emptyFile,
    upload: { content_type: 'application/pdf', bytes: () => pdf },
  },
  'GET /kyc/documents/{id}/file/': { ...kyc, status: 200, params: freshDocument },
  'DELETE /kyc/documents/{id}/': { ...kyc, status: 204, params: freshDocument },
}
