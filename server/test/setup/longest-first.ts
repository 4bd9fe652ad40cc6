// The order of a whole run: the files that take longest begin first, so that no worker is left
// alone with one of them at the end. Vitest itself knows how long a file took only where it has
// run before, which a fresh clone has not.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** More than twenty seconds each, the longest first; a beginning or a middle of their paths. */
const longest = [
  'server/test/stories/every-route-opens-to-whom-it-should',
  'server/test/worlds/worlds',
  'tools/chaos/a-worker-dies-or-sleeps',
  'tools/chaos/chaos',
  'server/test/stories/a-payout-survives-every-kill',
  'server/test/stories/start-stop-and-mistakes',
  'server/test/browser/a-payer-pays-in-a-browser',
  'server/test/worlds/planted',
  'server/test/fuzz/',
  'server/test/stories/a-kill-in-flight',
  'server/test/browser/',
  'server/src/platform/embedded/',
  'server/src/app/demo/',
  'server/src/webhooks/deliver',
]

function place({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((part) => moduleId.includes(part))
  return at === -1 ? longest.length : at
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
