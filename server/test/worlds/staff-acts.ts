// What staff do with incidents: one proposes, another confirms, with a word that is not always the
// same.

import { type Resolution, resolutions } from '../../src/incidents/resolution.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import {
  confirmResolution,
  proposeOrConfirm,
} from '../../src/transactions/resolutions/resolve-incident.ts'
import { first, resolvingOf, second } from './moving-acts.ts'
import type { Scene } from './scene.ts'
import { start, unlessRefused } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash } from './world.ts'

/** Two of the staff end what is open of refunds; `word`: which of theirs is tried first. */
export type StaffEvent = Readonly<{ is: 'staff'; word: number; crash: Crash | null }>

type Incident = Readonly<{ id: string; amount: bigint }>

/** They say what they like, true or not: what our books say afterwards is what they said. */
export async function resolveRefunds(scene: Scene, { word, crash }: StaffEvent): Promise<void> {
  const { stage, merchant_id, spoken } = scene
  const open = await homeOf(stage.owner, merchant_id)<{ id: string; amount: string }[]>`
    select id, amount::text from incidents
     where merchant_id = ${merchant_id} and refund_id is not null and status = 'OPEN'
     order by id`
  for (const [at, { id, amount }] of open.entries()) {
    spoken.add(id)
    start(scene, {
      what: `staff ${word}`,
      crash: at === 0 ? crash : null,
      work: (line) => resolve(scene, line, { id, amount: BigInt(amount) }, word),
    })
  }
}

/** The first word, from `from` on, that both of them may say. */
export async function resolve(
  scene: Scene,
  line: Line,
  { id, amount }: Incident,
  from: number,
): Promise<void> {
  const deps = resolvingOf(scene, line)
  const turn = from % resolutions.length
  const words: readonly Resolution[] = [...resolutions.slice(turn), ...resolutions.slice(0, turn)]
  for (const resolution of words) {
    const request = { resolution, amount, note: 'a world ends' }
    let isTaken = false
    await unlessRefused(async () => {
      await proposeOrConfirm(deps, first, { id, request })
      await confirmResolution(deps, second, id, request)
      isTaken = true
    })
    if (isTaken) return
  }
}
