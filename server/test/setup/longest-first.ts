// The order of a whole run: the files that take longest begin first, so that no worker is left
// alone with one of them at the end. Vitest itself knows how long a file took only where it has
// run before, which a fresh clone has not.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** More than twenty seconds each, the longest first; a beginning or a middle of their paths. */
const longest = [
  'server/test/documented-commands',
  'server/test/browser/a-payer-pays-in-a-browser',
  'server/test/stories/every-route-opens-to-whom-it-should',
  'server/src/webhooks/deliver',
  'server/test/stories/every-incident-has-a-way-out',
  'server/test/browser/a-page-tells-the-truth',
  'server/test/stories/bad-input-is-refused',
  'tools/chaos/chaos',
  'server/test/stories/start-stop-and-mistakes',
  'server/src/platform/embedded/',
  'server/test/stories/one-neighbour-stops-nobody',
  'server/test/browser/',
  'tools/generate',
  'server/test/stories/a-settlement-reaches-its-merchant',
  'server/test/stories/a-payout-survives-every-kill',
  'server/src/app/demo/',
  'server/test/stories/production-refuses-to-be-careless',
  'server/test/stories/a-guesser-is-slowed',
  'server/test/stories/a-secret-is-rotated',
  'server/test/stories/a-kill-in-flight',
  'server/test/fuzz/',
  'server/test/stories/a-merchant-exports-its-history',
  'server/test/stories/a-payout-that-waits',
  'server/test/cli.test',
  'tools/chaos/a-worker-dies-or-sleeps',
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
