// The tests that judge mutants: those of the mutated folders, and no stories. Every property draws
// from one seed, so that two runs over the same code kill the same mutants.

import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They wait for a database of their own or for an imitation, so they run last: most are dead. */
const slow = /\/(run-once|refusals|rules|routing|health|seal|[a-z]+-gateway|documented)\.test\.ts$/

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (slow.test(moduleId) ? 1 : 0)
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

export default defineConfig({
  test: {
    include: [
      'server/src/{money,rates,attempts,ledger}/*.test.ts',
      'server/src/pricing/{split-amount,client-fee,charge,tier,rules,my-rates}.test.ts',
      'server/src/transactions/{states,move}.test.ts',
      'server/src/gateways/{routing,health,breaker,success-share,judge-rule}.test.ts',
      'server/src/gateways/{judge-routes,opening-hours,reference-codec,limit-worth}.test.ts',
      'server/src/gateways/callback-times.test.ts',
      'server/src/gateways/*/{read-answer,unread-answer,documented,*-gateway,simulator}.test.ts',
      'server/src/planning/order-routes.test.ts',
      'server/src/gateways/simulator/callback.test.ts',
      'server/src/platform/states.test.ts',
      'server/src/platform/{idempotency,crypto}/*.test.ts',
      'server/src/webhooks/{sign,retry-schedule,states,lane-width}.test.ts',
    ],
    exclude: [
      'server/src/rates/{routes,current-rates}.test.ts',
      'server/src/attempts/routes.test.ts',
      'server/src/ledger/statements.test.ts',
    ],
    globalSetup: ['./server/test/setup/database.ts'],
    setupFiles: ['./tools/mutation/one-seed.ts'],
    // One thread for all files of a mutant: it is started anew for each mutant anyway.
    isolate: false,
    runner: './tools/mutation/runner.ts',
    sequence: { sequencer: QuickFirst },
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
