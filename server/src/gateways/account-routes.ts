// `/admin/operators/`, and accounts with them: adding one, its secrets in versions, its check. The
// verbs are those of the command line. Law: what staff send as a secret is in no answer, no log and
// no line of the audit log; people see its fingerprint.

import type { Static } from 'typebox'
import { actorOfPerson } from '../audit/audit.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import { ProposalSchema, viewProposal } from '../people/proposals/proposal.ts'
import type { Db } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../platform/http/route.ts'
import { type Listed, numberList, orderingBy, routesWith } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { type FoundGateway, findAccount } from './account-store.ts'
import {
  AddedView,
  addedExample,
  CheckBody,
  CheckView,
  checkExample,
  NewAccountBody,
  newAccountExample,
  OperatorView,
  operatorExample,
  proposedAccountExample,
  SecretSetView,
  SecretsBody,
  SecretView,
  secretExample,
  viewCheck,
  viewOperator,
  viewSecret,
} from './account-view.ts'
import {
  accountErrors,
  addAccount,
  checkErrors,
  retireSecrets,
  secretsOf,
  setNextSecrets,
} from './accounts.ts'
import type { AdapterModule } from './adapter.ts'
import { adapters, findAdapter } from './adapters.ts'
import { type CheckDeps, checkAccount } from './check-gateway.ts'
import { proposeAccount } from './propose-account.ts'
import { viewGateway } from './staff-view.ts'
import { findStaffGateway } from './store.ts'

export type AccountRouteDeps = CheckDeps &
  Readonly<{
    /** An account of SANDBOX may speak to any address, not its operator's own alone. */
    any_host: boolean
    /** The proxies that an account may go through; undefined: any. */
    proxies: readonly string[] | undefined
  }>

export const accountRoutes = (deps: AccountRouteDeps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    listOperatorsRoute,
    addAccountRoute(deps),
    listSecretsRoute(deps),
    setSecretsRoute(deps),
    retireSecretsRoute(deps),
    checkRoute(deps),
  ])

const listOperatorsRoute: Listed = {
  path: '/admin/operators/',
  staff: 'read',
  ...numberList(OperatorView, operatorExample, { ordering: orderingBy(['adapter']) }),
  summary: 'List operators and their settings',
  description:
    'Those that accounts can be had with: what each asks for, which of it is a secret, and what ' +
    'was proven of it. `npm run cli -- gateway add` asks for the same.',
  handler: async (input) =>
    ok(sortedPage(input, { rows: adapters, fields: ['adapter'], view: viewOperator })),
}

const addAccountRoute = ({ db, keyring, any_host, proxies }: AccountRouteDeps): Listed => ({
  method: 'POST',
  path: '/admin/gateways/',
  staff: 'gateways',
  body: NewAccountBody,
  summary: 'Add an account with an operator',
  description:
    'In the environment given by `X-Environment`, disabled. In SANDBOX its secrets count at ' +
    'once. In LIVE it takes two people: the answer is 202, and it is added when another member ' +
    'of staff confirms it (`/admin/proposals/`). Its secrets are kept encrypted until then, and ' +
    'end with a proposal that is withdrawn or lapses. Once it is added they wait: two people ' +
    'promote them and enable it (`PATCH /admin/gateways/{id}/`).',
  responses: { 201: AddedView, 202: ProposalSchema },
  errors: [accountErrors.gateway_exists, proposalErrors.proposal_pending],
  example: {
    body: newAccountExample,
    reply: addedExample,
    other_replies: { 202: proposedAccountExample },
  },
  handler: async ({ person, body }: Input<Static<typeof NewAccountBody>>) => {
    const { environment } = person
    const module = findAdapter(body.adapter)
    assert(module !== undefined, 'the body was checked')
    const country = body.country.toUpperCase()
    const request = {
      ...{ code: body.code, environment, country, settings: body.settings ?? {} },
      ...(body.secrets === undefined ? {} : { secrets: body.secrets }),
      name: body.name ?? `${module.name} ${country}`,
      ...{ by: actorOfPerson(person), own_hosts: !any_host, proxies },
    }
    if (environment === 'LIVE') {
      const proposal = await proposeAccount({ db, keyring }, module, { ...request, person })
      return { status: 202, data: viewProposal(proposal) }
    }
    const account = await addAccount({ db, keyring }, module, request)
    const { id } = account
    const gateway = await findStaffGateway(db, { id, environment })
    assert(gateway !== undefined, `gateway ${id} was added`)
    const [first] = await secretsOf({ db }, account)
    const secrets = first === undefined ? null : viewSecret(first)
    return created({ ...viewGateway(gateway), secrets })
  },
})

const listSecretsRoute = ({ db }: AccountRouteDeps): Listed => ({
  path: '/admin/gateways/:id/secrets/',
  staff: 'read',
  ...numberList(SecretView, secretExample, { ordering: orderingBy(['created_at']) }),
  summary: 'List the versions of an account’s secrets',
  description: 'With their fingerprints; the secrets themselves come out nowhere.',
  errors: [transportErrors.not_found],
  handler: async (input) => {
    const rows = await secretsOf({ db }, await getAccount(db, input))
    return ok(sortedPage(input, { rows, fields: ['created_at'], view: viewSecret }))
  },
})

const setSecretsRoute = ({ db, keyring }: AccountRouteDeps): Listed => ({
  method: 'POST',
  path: '/admin/gateways/:id/secrets/',
  staff: 'gateways',
  body: SecretsBody,
  summary: 'Set new secrets of an account',
  description:
    'A whole set. They wait (`NEXT`), in place of others that waited: check them, then promote ' +
    'them with their fingerprint (`PATCH /admin/gateways/{id}/`, `promote_secrets`).',
  responses: { 201: SecretSetView },
  errors: [transportErrors.not_found, accountErrors.gateway_without_settings],
  example: {
    body: { secrets: newAccountExample.secrets },
    reply: { version: 2, fingerprint: secretExample.fingerprint },
  },
  handler: async (input: Input<Static<typeof SecretsBody>>) => {
    const account = await getAccount(db, input)
    const { secrets } = input.body
    const request = { account, secrets, by: actorOfPerson(input.person) }
    return created(await setNextSecrets({ db, keyring }, getModule(account), request))
  },
})

const retireSecretsRoute = ({ db }: AccountRouteDeps): Listed => ({
  method: 'POST',
  path: '/admin/gateways/:id/secrets/retire/',
  staff: 'gateways',
  summary: 'Retire the former secrets of an account',
  description:
    'Those that counted before the last promotion are erased: callbacks are no longer verified ' +
    'with them.',
  responses: { 200: SecretSetView },
  errors: [transportErrors.not_found, accountErrors.no_former_secrets],
  example: { reply: { version: 1, fingerprint: secretExample.fingerprint } },
  handler: async (input) => {
    const account = await getAccount(db, input)
    return ok(await retireSecrets({ db }, account, actorOfPerson(input.person)))
  },
})

const checkRoute = (deps: AccountRouteDeps): Listed => ({
  method: 'POST',
  path: '/admin/gateways/:id/check/',
  staff: 'gateways',
  body: CheckBody,
  summary: 'Check an account',
  description:
    'Asks its operator whether it is set up correctly; reads only, and spends nothing. Takes up ' +
    'to half a minute; one at a time of each account. What it finds is kept, as that of ' +
    '`npm run cli -- gateway check`: nothing of LIVE is enabled without one of the last 24 hours ' +
    'that passed.',
  responses: { 200: CheckView },
  errors: [
    transportErrors.not_found,
    accountErrors.no_new_secrets,
    checkErrors.gateway_check_running,
  ],
  example: { body: { secrets: 'CURRENT' }, reply: checkExample },
  handler: async (input: Input<Static<typeof CheckBody>>) => {
    const account = await getAccount(deps.db, input)
    const { secrets = 'CURRENT' } = input.body
    const by = actorOfPerson(input.person)
    const findings = await checkAccount(deps, { account, secrets, by })
    return ok(viewCheck(findings, input.locale))
  },
})

/** Of the environment that staff look at: one of the other is not found. */
async function getAccount(db: Db, input: Pick<Input, 'params' | 'person'>): Promise<FoundGateway> {
  const { environment } = input.person
  const account = await findAccount(db, { id: uuidParam(input, 'id'), environment })
  if (account === undefined) throw refuse(transportErrors.not_found)
  return account
}

function getModule({ adapter }: FoundGateway): AdapterModule {
  const module = findAdapter(adapter)
  if (module === undefined) throw refuse(accountErrors.gateway_without_settings)
  return module
}
