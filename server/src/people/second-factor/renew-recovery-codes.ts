// New recovery codes: in the answer and nowhere else; all earlier ones are void. The code that was
// given makes no session fresh: that is for `step-up.ts`, which changes the token.

import { actorOfPerson } from '../../audit/audit.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Tx } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { recordOwnAct } from '../record-own-act.ts'
import {
  emailSecondFactorChange,
  type SecondFactorEmailDeps,
} from './email-second-factor-change.ts'
import { macOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { replaceCodes } from './store.ts'
import { type CodeDeps, withCode } from './with-code.ts'

export const renewRecoveryCodes = (
  deps: CodeDeps & SecondFactorEmailDeps,
  person: Person,
  code: string,
): Promise<string[]> =>
  withCode(deps, person, code, async (tx, taken) => {
    const { person_id } = person
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'recovery_codes.renewed',
      target_kind: 'person',
      target_id: person_id,
      after: { by: taken },
    })
    await emailSecondFactorChange(tx, deps, person, 'CODES_RENEWED')
    return giveNewCodes(tx, deps.keyring, person_id)
  })

/** The caller holds the person's row. */
export async function giveNewCodes(tx: Tx, keyring: Keyring, person_id: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => macOfRecoveryCode(keyring, person_id, code))
  await replaceCodes(tx, person_id, hashes)
  return codes
}
