// `gateway pace`: how much an account may be sent, over all processes. One person slows a LIVE
// account down; to let more through takes two of the staff, in the API.

import { type Command, InvalidArgumentError } from 'commander'
import { changePaces } from '../../gateways/account-by-command.ts'
import { agreedOf, fasterIn, paceFinding } from '../../gateways/account-paces.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import { viewFinding } from '../../gateways/account-view.ts'
import type { AccountPaces } from '../../gateways/store.ts'
import type { Db } from '../../platform/db.ts'
import type { Locale } from '../../platform/errors.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { ModuleOf } from './gateway-steps.ts'

type Given = number | 'usual'

type Options = Readonly<{
  asks?: Given
  creates?: Given
  open?: Given
  why?: string
}>

type Commands = Readonly<{
  withAccount: WithAccount
  moduleOf: ModuleOf
  language: () => Locale
  /** Writes what one person may not do alone into the audit log, and throws. */
  refuseAlone: (db: Db, account: FoundGateway) => Promise<void>
}>

export function addPaceCommand(
  gateway: Command,
  { withAccount, moduleOf, language, refuseAlone }: Commands,
): void {
  gateway
    .command('pace <code>')
    .description('show how much an account may be sent, over all processes, or set it')
    .option('--asks <number>', 'questions a second, or "usual"', paceFrom)
    .option('--creates <number>', 'whatever else is sent a second, or "usual"', paceFrom)
    .option('--open <number>', 'calls that are under way at once, or "usual"', paceFrom)
    .option('--why <reason>', 'for the audit log')
    .action((code: string, options: Options) =>
      withAccount(code, async ({ db, account }) => {
        const was = agreedOf(account)
        const request = requestIn(options)
        const isFaster = Object.keys(fasterIn({ ...account, ...was }, request)).length > 0
        if (account.environment === 'LIVE' && isFaster) await refuseAlone(db, account)
        const paces = { ...was, ...request }
        if (Object.keys(request).length > 0) {
          await changePaces({ db }, account, { paces, why: options.why ?? '' })
        }
        const finding = await paceFinding(db, { ...account, ...paces }, moduleOf(account.adapter))
        const { found } = viewFinding(finding, language())
        return { json: { code, ...paces }, lines: [`${code}: ${found}`] }
      }),
    )
}

const requestIn = ({ asks, creates, open }: Options): Partial<AccountPaces> => ({
  ...(asks === undefined ? {} : { asks_per_s: numberIn(asks) }),
  ...(creates === undefined ? {} : { creates_per_s: numberIn(creates) }),
  ...(open === undefined ? {} : { open_calls: numberIn(open) }),
})

const numberIn = (given: Given): number | null => (given === 'usual' ? null : given)

function paceFrom(text: string): Given {
  if (text === 'usual') return text
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number from 1 to 9999, or usual.')
}
