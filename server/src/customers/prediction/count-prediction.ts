// What says whose number it is counts it: a caller could walk through a country's numbers, so each
// key has a small allowance over all routes that answer that.

import { assert } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { countOrRefuse } from '../../platform/throttle/throttle.ts'

const predictions_minute = 60

type Asking = Pick<Caller, 'api_key_id' | 'session'>

/** By key; of a member without one, by session. */
const counted = ({ api_key_id, session }: Asking): string => {
  const id = api_key_id ?? session?.id
  assert(id !== undefined, 'a caller has a key or a session')
  return id
}

/** Refuses with `rate_limited` what is more than a minute allows. */
export const countPrediction = (
  deps: Parameters<typeof countOrRefuse>[0],
  caller: Asking,
): Promise<void> =>
  countOrRefuse(deps, {
    act: 'network-prediction',
    target: counted(caller),
    most: predictions_minute,
    within_s: 60,
  })
