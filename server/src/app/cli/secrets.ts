// `secrets reseal`, `secrets renew-macs`, `secrets drop-macs`: rotating SECRET_KEY and the keys of
// MACs (docs/runbooks/leaked-secret-key.md). They write tables of every folder, as their owner.

import type { Command } from 'commander'
import { dropMacKeys, renewMacKeys } from '../../platform/crypto/mac-keys.ts'
import {
  countColumn,
  nameOf,
  type Resealed,
  resealColumn,
  resealFiles,
} from '../../platform/crypto/reseal.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import { openStorage } from '../../platform/storage/open-storage.ts'
import { rotateReceiptKey } from '../../receipts/signing-key.ts'
import type { Config } from '../config.ts'
import { sealedColumns, sealedFiles, unusedColumns } from '../sealed.ts'
import { keyringOf, sealingKeyringIn } from '../secret-key.ts'
import { positiveInteger } from './arguments.ts'
import type { CliOutput, Session } from './session.ts'

export function addSecretsCommands(program: Command, run: Session): void {
  const secrets = program.command('secrets').description('data encrypted under SECRET_KEY')

  secrets
    .command('reseal')
    .description('re-encrypt everything under the first key of SECRET_KEY')
    .option('--check', 'only count what is still under an older key')
    .action((options: { check?: true }) =>
      run.withDb('pirogue_owner', async (db, config) => {
        const keyring = await keyringFor(config)
        return formatResealed(await resealAll({ db, keyring, config }, options.check === true))
      }),
    )

  secrets
    .command('renew-macs')
    .description('create new MAC keys, which sign after a delay; the old ones are still accepted')
    .option(
      '--after-minutes <minutes>',
      'time within which every process will be restarted',
      positiveInteger,
      60,
    )
    .action((options: { afterMinutes: number }) =>
      run.withDb('pirogue_owner', async (db, config) => {
        const keyring = await sealingKeyringIn(config, db)
        const signs_from = new Date(Date.now() + options.afterMinutes * 60_000)
        const renewed = await renewMacKeys(db, keyring, signs_from)
        const at = signs_from.toISOString()
        const lines = [
          `${renewed} new keys sign from ${at} on.`,
          'Restart every process before then: one that does not have them refuses replays.',
        ]
        return { json: { renewed, signs_from: at }, lines }
      }),
    )

  secrets
    .command('drop-macs')
    .description('stop accepting the old MAC keys')
    .option('--days <days>', 'only those replaced at least this many days ago', positiveInteger, 31)
    .action((options: { days: number }) =>
      run.withDb('pirogue_owner', async (db) => {
        const dropped = await dropMacKeys(db, options.days)
        const lines = [
          `${dropped} old keys dropped. Restart every process.`,
          'Their owners must generate new recovery codes: the ones made before no longer work.',
        ]
        return { json: { dropped }, lines }
      }),
    )
}

/** No substitute: a key made for this command alone would seal what the service cannot open. */
async function keyringFor(config: Config): Promise<Keyring> {
  if (config.secret_key === null && !config.embedded) {
    throw new Error('Set SECRET_KEY to the service’s value, the new key first: SECRET_KEY=new,old.')
  }
  return keyringOf(config)
}

type Deps = Readonly<{ db: Db; keyring: Keyring; config: Config }>

async function resealAll({ db, keyring, config }: Deps, only_count: boolean): Promise<Resealed[]> {
  const storage = openStorage(config)
  const resealed: number[] = []
  for (const column of sealedColumns) {
    resealed.push(only_count ? 0 : await resealColumn(db, keyring, column))
  }
  const files: Resealed[] = []
  for (const one of sealedFiles) {
    files.push(await resealFiles({ db, keyring, storage }, one, only_count))
  }
  // Counted when all is done: meanwhile a webhook's next secret has become its secret, as it was.
  const columns: Resealed[] = []
  for (const [at, column] of [...sealedColumns, ...unusedColumns].entries()) {
    const left = await countColumn(db, keyring, column)
    columns.push({ what: nameOf(column), resealed: resealed[at] ?? 0, left, missing: 0 })
  }
  return [...columns, ...files]
}

function formatResealed(all: readonly Resealed[]): CliOutput {
  const left = all.reduce((sum, one) => sum + one.left, 0)
  const lines = all.flatMap(({ what, resealed, left, missing }) => [
    `${what}: ${resealed} re-encrypted, ${left} left`,
    ...(missing === 0 ? [] : [missingLine(missing)]),
  ])
  const last =
    left === 0
      ? 'Nothing is left under an older key: you can remove it from SECRET_KEY.'
      : `${left} still under an older key: keep it in SECRET_KEY.`
  return { json: { all, left }, lines: [...lines, last], failed: left > 0 }
}

const missingLine = (missing: number): string =>
  `  ${missing} of these not found in the storage: are DATA_DIR or the S3_ settings the service’s?`

// `receipt-key rotate`: a new key for receipts; what the old ones signed can still be proven.

export function addReceiptKeyCommands(program: Command, run: Session): void {
  program
    .command('receipt-key')
    .description('the keys that sign receipts')
    .command('rotate')
    .description('sign with a new key; the old keys stay published')
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const { kid } = await rotateReceiptKey(db, await sealingKeyringIn(config, db))
        const lines = [
          `Receipt key ${kid} is now the signing key; every process uses it within a minute.`,
          'The old keys stay published: receipts that they signed can still be verified.',
        ]
        return { json: { kid }, lines }
      }),
    )
}
