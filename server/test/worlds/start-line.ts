// A line of work of a world: whatever one process does from one call to its end.

import { Invalid, Refusal } from '../../src/platform/errors.ts'
import type { Scene } from './scene.ts'
import type { Line } from './turns.ts'
import type { Crash } from './world.ts'

type Act = Readonly<{ what: string; crash: Crash | null; work: (line: Line) => Promise<void> }>

/** Starts a line of work. A refusal is an answer; whatever else it throws is a bug. */
export function start(scene: Scene, { what, crash, work }: Act): void {
  scene.lines += 1
  scene.turns.start(`${scene.lines} ${what}`, crash, async (line) => {
    await unlessRefused(() => work(line))
  })
}

export async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Invalid)) throw error
  }
}
