// What one operation of people, their merchants and staff is expected to answer, as data: who may
// call it, and a call that is right. An operation without a line in these files fails its story.

import type { Permission, StaffPermission } from '../../src/platform/http/route.ts'
import type { SignedInCaller, TestApp } from '../harness.ts'

/** What there is when the calls come. */
export type Scene = Readonly<{
  app: TestApp
  /** OWNER of the merchant that the records belong to, second factor just given. */
  owner: SignedInCaller
  /** SUPERADMIN, second factor just given. */
  staff: SignedInCaller
}>

export type MatrixRow = Readonly<{
  access: 'public' | 'any' | 'PAYIN' | 'PAYOUT' | 'BOTH' | 'dashboard' | 'person' | 'staff'
  /** Of one that is public: who shows a credential is let in as anywhere, or refused. */
  knows_callers?: true
  /** What a member's role must allow, where a session may call it. */
  permission?: Permission
  staff?: StaffPermission | 'self'
  second_factor?: 'environment' | 'account'
  /** A POST that only reads: of staff an old code is enough. */
  reads?: true
  suspended?: 'allowed' | 'refused'
  /** With a key of LIVE nobody may, whatever its scope. */
  live_keys?: 'refused'
  /** Of the right call. */
  status: number
  /** Of the same call in LIVE, where that is another. */
  live_status?: number
  /** Of the same call by a merchant who has nothing yet. */
  unfunded_status?: number
  /** Of the same call by the embedded demo's administrator, where that is another. */
  demo_status?: number
  /** The embedded demo's administrator may not, in the sandbox either: it concerns both. */
  demo?: 'refused'
  query?: string
  /** The path's parameters of a right call: a record made for it. */
  params?: (scene: Scene) => Promise<Record<string, string>>
  body?: (scene: Scene) => unknown
  /**
   * The record of the right call belongs to both environments, or to nobody in particular; else to
   * the one it was made in, and in the other it is not found.
   */
  record?: 'both' | 'everybody'
  /** Instead of a JSON body. */
  upload?: Readonly<{ content_type: string; bytes: () => Buffer }>
}>

export type MatrixRows = Readonly<Record<string, MatrixRow>>
