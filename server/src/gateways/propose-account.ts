// A LIVE account with an operator is added by two of the staff: one proposes it with its settings
// and secrets, another confirms it. Law: until then there is no account, and its secrets are
// nowhere but sealed beside the proposal, with which they end.

import { type Acting, actorOfPerson } from '../audit/audit.ts'
import { type Apply, propose } from '../people/proposals/decide-proposal.ts'
import { type Content, enclosedBinding, type Proposal } from '../people/proposals/proposal.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Values } from './account-settings.ts'
import { isCodeTaken } from './account-store.ts'
import {
  type AccountDeps,
  type AccountRequest,
  accountErrors,
  addAccountIn,
  fingerprintOf,
  settingsIn,
  taken,
} from './accounts.ts'
import type { AdapterModule } from './adapter.ts'
import { findAdapter } from './adapters.ts'

type Proposing = AccountRequest & Readonly<{ person: Acting }>

/** Refuses what could not be added now, and a second one of the same code. */
export const proposeAccount = (
  { db, keyring }: AccountDeps,
  module: AdapterModule,
  request: Proposing,
): Promise<Proposal> =>
  inTransaction(db, (tx) => proposeAccountIn({ tx, keyring }, module, request))

/** The same within a transaction. */
export async function proposeAccountIn(
  { tx, keyring }: Readonly<{ tx: Tx; keyring: Keyring }>,
  module: AdapterModule,
  { person, ...request }: Proposing,
): Promise<Proposal> {
  const { environment, code, country, name, secrets } = request
  const settings = settingsIn(module, request)
  const of = { environment, adapter: module.adapter, code, country, name }
  const keys = secrets === undefined ? {} : { fingerprint: fingerprintOf(secrets) }
  const content = { ...of, ...settingsShown(settings), ...keys }
  if (await isCodeTaken(tx, code)) throw taken(code)
  const seal = (id: string) => keyring.seal(JSON.stringify(secrets), enclosedBinding([id]))
  const enclosed = secrets === undefined ? {} : { seal }
  const proposed = { kind: 'GATEWAY_ACCOUNT', subject: code, content, ...enclosed } as const
  return propose(tx, person, proposed)
}

/** Whether a proposal about an account is of one that is to be added. */
export const addsAccount = (content: Content): boolean => Object.hasOwn(content, 'adapter')

/** What another has confirmed, judged once more: a certificate may be over by now. */
export const applyAccount =
  (keyring: Keyring): Apply =>
  async (tx, by, content, { id, sealed }) => {
    const module = findAdapter(String(content['adapter']))
    if (module === undefined) throw refuse(accountErrors.gateway_without_settings)
    const text = (name: string) => String(content[name])
    const secrets = sealed === null ? {} : { secrets: openedValues(keyring, id, sealed) }
    await addAccountIn({ tx, keyring }, module, {
      ...{ code: text('code'), name: text('name'), country: text('country') },
      ...{ environment: 'LIVE', settings: settingsOfContent(content), ...secrets },
      by: actorOfPerson(by),
    })
  }

const openedValues = (keyring: Keyring, id: string, sealed: Buffer): Values =>
  JSON.parse(keyring.unseal(sealed, enclosedBinding([id])))

const before = 'settings.'

/** As a second person is shown them: by the names of their fields. */
const settingsShown = (settings: Values): Values =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [before + key, value]))

const settingsOfContent = (content: Content): Values =>
  Object.fromEntries(
    Object.entries(content).flatMap(([name, value]) =>
      name.startsWith(before) ? [[name.slice(before.length), String(value)]] : [],
    ),
  )
