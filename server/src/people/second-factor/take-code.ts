// Takes a code of the second factor: the app's, or a recovery code. Once: of several calls at the
// same time, one succeeds.

import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Tx } from '../../platform/db.ts'
import { findMac } from './recovery-codes.ts'
import {
  listUnusedCodes,
  lockSecondFactor,
  type SecondFactorRow,
  takeRecoveryCode,
  takeStep,
} from './store.ts'
import { looksLikeTotp, stepOfCode } from './totp.ts'

export type CodeResult = 'TOTP' | 'RECOVERY_CODE' | 'WRONG' | 'NOT_ENROLLED'

/** Which row a sealed secret belongs to. */
export const boundTo = (person_id: string): string => `people:${person_id}:sealed_totp`

type CodeEntry = Readonly<{ person_id: string; code: string }>

/** The caller has counted the try (`countCodes`). Holds the person's row until `tx` ends. */
export async function takeCode(
  tx: Tx,
  keyring: Keyring,
  { person_id, code: text }: CodeEntry,
): Promise<CodeResult> {
  const code = text.replace(/\s/g, '')
  const factor = await lockSecondFactor(tx, person_id)
  if (factor === undefined || !factor.is_enrolled) return 'NOT_ENROLLED'
  if (looksLikeTotp(code)) {
    return (await takeTotp(tx, keyring, { person_id, code, factor })) ? 'TOTP' : 'WRONG'
  }
  const macs = await listUnusedCodes(tx, person_id)
  const mac = findMac(keyring, { person_id, code, macs })
  const taken = mac !== undefined && (await takeRecoveryCode(tx, person_id, mac))
  return taken ? 'RECOVERY_CODE' : 'WRONG'
}

/** A code of the kept secret, confirmed or not, that no earlier call has used. */
export async function takeTotp(
  tx: Tx,
  keyring: Keyring,
  { person_id, code, factor }: CodeEntry & Readonly<{ factor: SecondFactorRow }>,
): Promise<boolean> {
  if (factor.sealed_totp === null) return false
  const secret = keyring.unseal(factor.sealed_totp, boundTo(person_id))
  const step = stepOfCode(secret, code, factor)
  return step !== undefined && takeStep(tx, person_id, step)
}
