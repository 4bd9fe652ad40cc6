// An account with the dialect of FedaPay, made as a developer makes one in its sandbox: a private
// key, and a webhook with its signing secret.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Fedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import type { Account } from '../../src/gateways/adapter.ts'

/** A sandbox account whose events go to this address. */
export const fedapayAccount = (fedapay: Fedapay, events_to: string): Account => ({
  id: randomUUID(),
  code: 'fedapay_test',
  environment: 'SANDBOX',
  country: 'BJ',
  settings: { base_url: fedapay.url },
  secrets: {
    secret_key: `sk_sandbox_${randomBytes(12).toString('hex')}`,
    webhook_secret: fedapay.addWebhook(events_to),
  },
})
