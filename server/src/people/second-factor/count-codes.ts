// Guessing codes is slow: every check counts for the person and for the address, whatever it is
// for, before the code is looked at (contract 3.6).

import { networkOf } from '../../platform/throttle/network.ts'
import { countOrRefuse, forgive, type ThrottleDeps } from '../../platform/throttle/throttle.ts'

export type CodeLimits = Readonly<{ otp_per_ip_10min: number; otp_per_target_10min: number }>

const within_s = 600
const byPerson = 'code-person'

export async function countCodes(
  deps: ThrottleDeps & Readonly<{ limits: CodeLimits }>,
  { person_id, ip }: Readonly<{ person_id: string; ip: string }>,
): Promise<void> {
  const { otp_per_ip_10min, otp_per_target_10min } = deps.limits
  const byAddress = { act: 'code-ip', target: networkOf(ip) }
  await countOrRefuse(deps, { ...byAddress, most: otp_per_ip_10min, within_s })
  await countOrRefuse(deps, {
    act: byPerson,
    target: person_id,
    most: otp_per_target_10min,
    within_s,
  })
}

/** The person gave a right one; tries of their address on other people still count. */
export const forgiveCodes = (deps: ThrottleDeps, person_id: string): Promise<void> =>
  forgive(deps, { act: byPerson, target: person_id })
