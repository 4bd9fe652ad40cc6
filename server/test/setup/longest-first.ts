// The order of a whole run: the files that take longest begin first, so that no worker is left
// alone with one of them at the end. Vitest itself knows how long a file took only where it has
// run before, which a fresh clone has not.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Parts of their paths, the longest first: those that took 12 s and more among others on two cores.
 * What waits stands before what works: it leaves the cores to the rest from the beginning.
 */
const longest = [
  'server/test/documented-commands',
  'server/test/stories/a-payout-outlives-an-empty-account',
  'server/test/stories/a-refund-outlives-an-empty-account',
  'server/src/gateways/pawapay/conformance',
  'server/test/stories/a-payment-is-made-in-two-steps',
  'server/test/stories/a-payout-comes-back',
  'server/test/stories/one-neighbour-stops-nobody',
  'server/test/browser/a-payer-sees-all-at-once',
  'server/test/browser/a-payer-pays-in-a-browser',
  'server/test/stories/an-operator-that-signs',
  'server/test/stories/a-merchant-exports-its-history.test',
  'server/src/gateways/stripe-checkout/stripe-gateway',
  'server/test/browser/a-screen-',
  'server/test/browser/a-role-does',
  '/conformance.test',
  'server/test/stories/a-settlement-reaches-its-merchant',
  'server/test/stories/a-payout-in-an-operators-queue',
  'tools/chaos/chaos',
  'server/test/stories/a-card-is-paid',
  'server/test/stories/bad-input-is-refused',
  'server/test/stories/a-payout-survives-every-kill',
  'server/test/stories/a-return-is-looked-for',
  'server/test/stories/an-operators-account-collects-and-pays',
  'server/test/stories/every-',
  'server/test/stories/start-stop-and-mistakes',
  'server/test/stories/a-kill-in-flight',
  'server/test/browser/',
  'server/test/worlds/',
  'server/test/tidy.test',
  'server/test/stories/a-start-makes-several-processes',
  'server/test/stories/a-customer-is-erased',
  'server/src/gateways/pawapay/',
  'server/test/stories/a-guesser-is-slowed',
  'server/test/stories/a-settlement-is-decided-once',
  'server/test/fuzz/',
  'server/test/stories/production-refuses-to-be-careless',
  'server/test/stories/an-email-opens-the-way-back',
  'server/src/platform/embedded/',
  'server/test/stories/a-million-rows',
  'server/test/stories/a-second-factor-guards-live',
  'server/test/stories/secrets-change-while-payments-come',
  'server/src/gateways/mtn-momo-api/',
  'server/test/stories/an-empty-float',
  'server/test/stories/a-refund-reaches-its-payer',
  'server/test/stories/a-webhook-tells-the-merchant',
  'server/test/stories/a-large-payout-needs-two-people',
  'server/src/webhooks/',
  'simulator/test/magic-numbers',
  'tools/generate',
  'server/test/cli',
  'server/src/platform/migrate',
  'server/test/stories/two-',
  'server/src/app/demo/',
  'server/src/gateways/pace.test',
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
