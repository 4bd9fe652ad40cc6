// The law of doors (contract 3.2 to 3.5), written a second time and without looking at the code:
// what each credential is answered at each operation. `right` = as the right call.

import { mayAs } from '../../src/merchants/roles.ts'
import { mayAsStaff } from '../../src/people/staff-roles.ts'
import type { Credential } from './credentials.ts'
import type { MatrixRow } from './row.ts'

export type Answer = Readonly<{ status: number; code: string }> | 'right'

const no = (status: number, code: string): Answer => ({ status, code })
const denied = no(403, 'permission_denied')

export function expectedOf(method: string, row: MatrixRow, credential: Credential): Answer {
  const isNobody = credential.is === 'refused' && credential.code === 'not_authenticated'
  if (row.access === 'public' && (row.knows_callers !== true || isNobody)) return 'right'
  if (credential.is === 'refused') return no(401, credential.code)
  if (row.access === 'staff') return ofStaffs(method, row, credential)
  if (row.access === 'person') return ofPersons(credential)
  if (credential.is === 'staff') return denied
  if (credential.is === 'key') return ofKeys(method, row, credential)
  return ofMembers(method, row, credential)
}

function ofStaffs(method: string, row: MatrixRow, credential: Credential): Answer {
  if (credential.is !== 'staff') return denied
  if (row.staff === 'self') return 'right'
  if (row.staff === undefined || !mayAsStaff[credential.role].includes(row.staff)) return denied
  const { second_factor, demo, environment } = credential
  if (demo) {
    return environment === 'LIVE' || row.demo === 'refused' ? no(403, 'totp_required') : 'right'
  }
  if (second_factor === 'NONE') return no(403, 'totp_required')
  const acts = method !== 'GET' && row.reads !== true
  if (second_factor === 'STALE' && acts) return no(403, 'totp_required')
  return 'right'
}

function ofPersons(credential: Credential): Answer {
  if (credential.is === 'key') return no(403, 'dashboard_only')
  return credential.is === 'member' ? 'right' : denied
}

function isSuspended(method: string, row: MatrixRow): boolean {
  return (row.suspended ?? (method === 'GET' ? 'allowed' : 'refused')) === 'refused'
}

function ofKeys(
  method: string,
  row: MatrixRow,
  { suspended, scope, environment }: Extract<Credential, { is: 'key' }>,
): Answer {
  if (suspended && isSuspended(method, row)) return no(403, 'merchant_suspended')
  if (row.access === 'dashboard') return no(403, 'dashboard_only')
  if (row.live_keys === 'refused' && environment === 'LIVE') return no(403, 'dashboard_only')
  const narrow = row.access === 'PAYIN' || row.access === 'PAYOUT' || row.access === 'BOTH'
  if (narrow && scope !== 'BOTH' && scope !== row.access) return no(403, 'api_key_scope_forbidden')
  return 'right'
}

function ofMembers(
  method: string,
  row: MatrixRow,
  member: Extract<Credential, { is: 'member' }>,
): Answer {
  if (member.stranger) return denied
  const live = member.environment === 'LIVE'
  if (live && !member.live_enabled) return no(403, 'live_mode_not_enabled')
  if (member.suspended && isSuspended(method, row)) return no(403, 'merchant_suspended')
  const permission = row.permission ?? (method === 'GET' ? 'read' : undefined)
  if (permission === undefined || !mayAs[member.role].includes(permission)) return denied
  const needed =
    row.second_factor !== undefined &&
    (live || (row.second_factor === 'account' && member.live_enabled))
  return needed && member.second_factor !== 'FRESH' ? no(403, 'totp_required') : 'right'
}
