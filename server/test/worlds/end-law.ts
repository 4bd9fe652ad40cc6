// The law of ends, asked of a world after all others: whatever is open, waits or is due has
// somebody who ends it within a bound. Staff do what waits for them, jobs run, time passes by a
// year; then nothing is left.

import { refuseAdjustment } from '../../src/adjustments/decide-adjustment.ts'
import { approveSettlement } from '../../src/settlements/approve-settlement.ts'
import { executeSettlement, failSettlement } from '../../src/settlements/decide-settlement.ts'
import { pass, poll } from './due-acts.ts'
import { type Left, listLeft } from './endings.ts'
import { jobNames, runJob } from './job-acts.ts'
import { first, second } from './moving-acts.ts'
import { runOut } from './play.ts'
import { handsOf, type Scene } from './scene.ts'
import { resolve } from './staff-acts.ts'
import { start, unlessRefused } from './start-line.ts'
import type { Line } from './turns.ts'

export const endLaw = 'whatever waits has somebody who ends it'

/** Longer than anything may wait for a person or an operator; then a year, to be sure. */
const passesS = [73 * 3600, 365 * 86_400] as const

/** What is left, by its table. */
export async function leftOpen(scene: Scene): Promise<string[]> {
  const { owner } = scene.stage
  const { merchant_id } = scene
  let left = await listLeft(owner, merchant_id)
  if (left.length === 0) return []
  const before = scene.turns.ended().length
  for (const seconds of passesS) {
    for (const one of left) workOn(scene, one)
    await runOut(scene)
    pass(scene, seconds)
    await runOut(scene)
    for (const name of jobNames) runJob(scene, name, null)
    poll(scene, null)
    await runOut(scene)
    left = await listLeft(owner, merchant_id)
    if (left.length === 0) break
  }
  const thrown = scene.turns.ended().slice(before)
  return [
    ...thrown.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`])),
    ...left.map(({ table, row }) => `left open in ${table}: ${row}`),
  ].map((what) => `${endLaw}: ${what}`)
}

type Row = Readonly<{ id: string; amount: string }>

/** What staff find on their lists. Everything else is the jobs' to end. */
function workOn(scene: Scene, { table, row }: Left): void {
  const { id, amount } = JSON.parse(row, asText) as Row
  const acts: Readonly<Record<string, (line: Line) => Promise<unknown>>> = {
    incidents: (line) => resolve(scene, line, { id, amount: BigInt(amount) }, scene.no),
    settlements: (line) => endSettlement(scene, line, id),
    adjustments: (line) => {
      const { db } = handsOf(scene, line).deps
      return refuseAdjustment(db, second, { id, reason: 'nobody confirmed it' })
    },
  }
  const act = acts[table]
  if (act === undefined) return
  start(scene, {
    what: `staff: ${table} ${id}`,
    crash: null,
    work: async (line) => {
      await act(line)
    },
  })
}

const asText = (key: string, value: unknown): unknown => (key === 'amount' ? String(value) : value)

/** Paid where it can be, by whoever is asked in turn; else given up. */
async function endSettlement(scene: Scene, line: Line, id: string): Promise<void> {
  const { deps } = handsOf(scene, line, '/settlements/')
  const paid = { id, gateway_reference: 'VIR', proof_url: undefined }
  await unlessRefused(() => approveSettlement(deps, first, id))
  await unlessRefused(() => executeSettlement(deps, second, paid))
  await unlessRefused(() => failSettlement(deps, first, { id, reason: 'a world ends' }))
}
