// Removes the second factor, with its secret and its recovery codes: by password and code together,
// so that neither a stolen session nor an unattended phone does it.

import { actorOfPerson } from '../../audit/audit.ts'
import type { Person } from '../../platform/http/route.ts'
import { type ProofDeps, provePassword } from '../prove-password.ts'
import { recordOwnAct } from '../record-own-act.ts'
import {
  emailSecondFactorChange,
  type SecondFactorEmailDeps,
} from './email-second-factor-change.ts'
import { deleteSecondFactor } from './store.ts'
import { type CodeDeps, withCode } from './with-code.ts'

export async function disableSecondFactor(
  deps: CodeDeps & ProofDeps & SecondFactorEmailDeps,
  person: Person,
  { password, code }: Readonly<{ password: string; code: string }>,
): Promise<void> {
  await provePassword(deps, person, { password })
  await withCode(deps, person, code, async (tx, taken) => {
    const { person_id } = person
    await deleteSecondFactor(tx, person_id)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'second_factor.disabled',
      target_kind: 'person',
      target_id: person_id,
      before: { totp_enabled: true },
      after: { totp_enabled: false, by: taken },
    })
    await emailSecondFactorChange(tx, deps, person, 'TAKEN_AWAY')
  })
}
