// An operator that says of an attempt that it failed, and later that it was made after all: by the
// seed. It tells of one half of them, and that word comes; of the others nobody can know before
// statements are read, so their books differ from ours by exactly these.

import type { Dialect } from '../setup/six-dialects.ts'
import type { Scene } from './scene.ts'
import type { Names } from './seeded-gateway.ts'

export type AfterAll = Readonly<{
  /** Attempts' ids; a callback of each was given to the engine. */
  told: Set<string>
  untold: Set<string>
  /** Since when each was seen to have failed. Seconds of the world. */
  failed_at_s: Map<string, number>
}>

export const nothingAfterAll = (): AfterAll => ({
  ...{ told: new Set(), untold: new Set(), failed_at_s: new Map() },
})

type Around = Readonly<{
  scene: Scene
  dialect: Dialect
  names: Names
  after_all: AfterAll
  chance(what: string): number
}>

type Failed = Readonly<{
  id: string
  our_key: string
  direction: 'COLLECT' | 'DISBURSE'
  refund_id: string | null
}>

/** Of all that failed. */
const [toldShare, untoldShare] = [0.5, 0.3]
/** At most so long after we learnt that it had. */
const laterMost_s = 2 * 3600

export type Due = Readonly<{ id: string; is_told: boolean; succeed: () => boolean }>

/** What succeeds now, after all; each once. */
export async function dueAfterAll(around: Around): Promise<Due[]> {
  const { scene, dialect, names, after_all, chance } = around
  const { succeedAfterAll } = dialect
  if (succeedAfterAll === undefined) return []
  const all = await scene.stage.owner<Failed[]>`
    select id, our_key, direction, refund_id from attempts
     where merchant_id = ${scene.merchant_id} and status = 'FAILED' and gateway_ended`
  return all.flatMap(({ id, direction, refund_id, ...one }): Due[] => {
    const { our_key } = names.of(one.our_key)
    const since_s = after_all.failed_at_s.get(id) ?? scene.now_s
    after_all.failed_at_s.set(id, since_s)
    const draw = chance(`after all ${our_key}`)
    const isOver = scene.now_s < since_s + chance(`later ${our_key}`) * laterMost_s
    const isKnown = after_all.told.has(id) || after_all.untold.has(id)
    if (draw >= toldShare + untoldShare || isOver || isKnown) return []
    const is_told = draw < toldShare
    const is_refund = refund_id !== null
    const succeed = () => {
      if (succeedAfterAll({ direction, is_refund, our_key }) !== 'done') return false
      void (is_told ? after_all.told : after_all.untold).add(id)
      return true
    }
    return [{ id, is_told, succeed }]
  })
}
