// `receipt-key rotate`: a new key for receipts; what the old ones signed can still be proven.

import type { Command } from 'commander'
import { rotateReceiptKey } from '../../receipts/rotate-key.ts'
import { keyringOf } from '../secret-key.ts'
import type { Session } from './session.ts'

export function addReceiptKeyCommands(program: Command, run: Session): void {
  program
    .command('receipt-key')
    .description('the keys that sign receipts')
    .command('rotate')
    .description('sign with a new key; the old keys stay published')
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        if (config.secret_key === null && !config.embedded) {
          throw new Error(
            'Set SECRET_KEY to the service’s value: the new key is encrypted under it.',
          )
        }
        const { kid } = await rotateReceiptKey(db, await keyringOf(config))
        const lines = [
          `Receipt key ${kid} is now the signing key; every process uses it within a minute.`,
          'The old keys stay published: receipts that they signed can still be verified.',
        ]
        return { json: { kid }, lines }
      }),
    )
}
