// Addresses that payouts by key may come from (contract 3.4). A key may read the list; changing it
// is for sessions, since a stolen key must not widen itself.

import { type Static, Type } from 'typebox'
import type { Text } from '../../platform/errors.ts'
import { enumFilter, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import { addEntry, changeEntry, removeEntry, type WhitelistDeps } from './change-whitelist.ts'
import { entryStatuses, label_length_max, type WhitelistEntry, whitelistErrors } from './entry.ts'
import { readNetwork } from './ip-network.ts'
import { getEntry, listEntries } from './store.ts'
import { EntrySchema, entryExample, viewEntry } from './view.ts'

const ordered = ['created_at', 'ip_address', 'label'] as const

const ip_address = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IPv4, IPv6, or a network such as 203.0.113.0/24.',
})
const label = Type.Optional(Type.String({ maxLength: label_length_max }))
const status = Type.Optional(Type.Enum([...entryStatuses]))

const AddBody = Type.Object({ ip_address, label, status })
const ChangeBody = Type.Object({ ip_address: Type.Optional(ip_address), label, status })

/** What the schema cannot express about an address. */
function checkAddress(body: Readonly<Record<string, unknown>>): Record<string, Text[]> {
  const text = body['ip_address']
  const reading = typeof text === 'string' ? readNetwork(text) : undefined
  return reading?.is === 'refused' ? { ip_address: [reading.why] } : {}
}

const ofAll = {
  path: '/merchant-ip-whitelist/',
  aliases: ['/merchant-ip-whitelist-entries/'],
} as const

const ofOne = {
  path: '/merchant-ip-whitelist/:id/',
  aliases: ['/merchant-ip-whitelist-entries/:id/'],
} as const

const writes = {
  permission: 'whitelist',
  second_factor: 'account',
} as const

export const whitelistRoutes = (deps: WhitelistDeps): Route[] =>
  routesWith({ tag: 'IP whitelist', access: 'dashboard' }, [
    listRoute(deps),
    addRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    removeRoute(deps),
  ])

const listRoute = ({ db }: WhitelistDeps): Listed => ({
  ...ofAll,
  access: 'any',
  ...numberList(EntrySchema, entryExample, {
    status,
    search: searchFilter('Searches address and label.'),
    ordering: orderingBy(ordered),
  }),
  summary: 'List whitelist entries',
  description:
    'The addresses that payouts by API key may come from, in both environments. Payouts by ' +
    'session are not restricted.',
  handler: async (input) => {
    const status = enumFilter(input.query, 'status', entryStatuses)
    const all = await listEntries(db, input.caller.merchant_id)
    const rows = all.filter((row) => status === undefined || row.status === status)
    const words = (row: WhitelistEntry) => [row.ip_address, row.label]
    return ok(sortedPage(input, { rows, fields: ordered, words, view: viewEntry }))
  },
})

const addRoute = (deps: WhitelistDeps): Listed => ({
  ...ofAll,
  ...writes,
  method: 'POST',
  body: AddBody,
  check: checkAddress,
  summary: 'Add a whitelist entry',
  description:
    'Networks are stored without host bits (10.1.2.3/8 becomes 10.0.0.0/8). At most a /8 of ' +
    'IPv4 or a /32 of IPv6.',
  responses: { 201: EntrySchema },
  errors: [whitelistErrors.whitelist_limit_reached],
  example: {
    body: { ip_address: entryExample.ip_address, label: entryExample.label },
    reply: entryExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof AddBody>>) =>
    created(viewEntry(await addEntry(deps, caller, body))),
})

const readRoute = ({ db }: WhitelistDeps): Listed => ({
  ...ofOne,
  access: 'any',
  summary: 'Retrieve a whitelist entry',
  ...reads(EntrySchema, entryExample),
  handler: async (input) => {
    const { merchant_id } = input.caller
    return ok(viewEntry(await getEntry(db, { merchant_id, id: uuidParam(input, 'id') })))
  },
})

const changeRoute = (deps: WhitelistDeps): Listed => ({
  ...ofOne,
  ...writes,
  method: 'PATCH',
  body: ChangeBody,
  check: checkAddress,
  summary: 'Update a whitelist entry',
  description: 'An INACTIVE entry allows no payouts.',
  responses: { 200: EntrySchema },
  example: { body: { status: 'ACTIVE' }, reply: entryExample },
  handler: async (input: Input<Static<typeof ChangeBody>>) => {
    const changes = { ...input.body, id: uuidParam(input, 'id') }
    return ok(viewEntry(await changeEntry(deps, input.caller, changes)))
  },
})

const removeRoute = (deps: WhitelistDeps): Listed => ({
  ...ofOne,
  ...writes,
  summary: 'Remove a whitelist entry',
  ...removes((input) => removeEntry(deps, input.caller, uuidParam(input, 'id'))),
})
