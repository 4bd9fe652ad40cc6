// `POST /downloads/`: a ticket for one file that the session may GET. Members at the root, staff
// under `/admin/`, as their cookies count. A key has no use for one: a program sends its key.

import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { assert, type Invalid, invalid } from '../../platform/errors.ts'
import { checkAccess, checkStaff } from '../../platform/http/admission.ts'
import { areaOf } from '../../platform/http/browser-session.ts'
import { type FindFileRoute, withTicket } from '../../platform/http/file-ticket.ts'
import { api_prefix } from '../../platform/http/input.ts'
import {
  created,
  type Input,
  type Reply,
  type Route,
  type ServedRoute,
} from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { newTicket, type TicketRequest } from './ticket.ts'

export type DownloadDeps = Readonly<{
  db: Db
  /** Without a trailing slash. */
  public_url: string
  /** The same of the dashboard, which may have its own. */
  dashboard_url: string
  fileRouteAt: FindFileRoute
}>

/** With as many ids as a file takes, their commas written as an address wants them. */
const path_length_max = 6000

const DownloadBody = Type.Object({
  path: Type.String({
    minLength: 1,
    maxLength: path_length_max,
    description:
      'Path and query of a GET that answers a file, as `/transactions/export/?country=BJ`; with ' +
      '`/api/v1` or the whole address too.',
  }),
})

const DownloadSchema = Type.Object(
  {
    url: Type.String({ description: 'Opens the file once, with no other credential.' }),
    expires_at: Type.String({ format: 'date-time', description: 'In 60 seconds.' }),
  },
  { title: 'Download' },
)

const ticketed = {
  method: 'POST',
  body: DownloadBody,
  summary: 'Get a one-time link to a file',
  description:
    'For a browser, which fetches a file without headers. The link works once, within 60 ' +
    'seconds, while this session is open, and shows what this session may read at that moment: ' +
    'merchant, environment and language are those of this call.',
  responses: { 201: DownloadSchema },
} as const

const example = (path: string) => ({
  body: { path },
  reply: {
    url: `https://pay.example.org/api/v1${path}&ticket=tick_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs`,
    expires_at: '2026-11-21T08:01:00.000Z',
  },
})

export const downloadRoutes = (deps: DownloadDeps): Route[] => [memberRoute(deps), staffRoute(deps)]

const memberRoute = (deps: DownloadDeps): Route => ({
  ...ticketed,
  path: '/downloads/',
  access: 'dashboard',
  permission: 'read',
  suspended: 'allowed',
  tag: 'Downloads',
  errors: [accessErrors.totp_required],
  example: example('/transactions/export/?country=BJ'),
  handler: async (input: Input<Static<typeof DownloadBody>>) => {
    const { caller, locale } = input
    const { route, target } = fileAt(deps, input.body.path, 'member')
    // What could not be read later is refused now, where the page can show it.
    checkAccess(route, caller)
    assert(caller.session !== null, 'a route of the dashboard')
    const { merchant_id: acts_for, environment } = caller
    const place = { acts_for, environment, locale }
    return answer(deps, input.browser, { target, session_id: caller.session.id, place })
  },
})

const staffRoute = (deps: DownloadDeps): Route => ({
  ...ticketed,
  path: '/admin/downloads/',
  access: 'staff',
  staff: 'self',
  tag: 'Staff: downloads',
  example: example('/admin/settlements/01981f3a-0000-7000-8000-00000000e001/proof/?x=1'),
  handler: async (input: Input<Static<typeof DownloadBody>>) => {
    const { person, locale } = input
    const { route, target } = fileAt(deps, input.body.path, 'staff')
    checkStaff(route, person)
    const place = { acts_for: null, environment: person.environment, locale }
    return answer(deps, input.browser, { target, session_id: person.session_id, place })
  },
})

/** A page by cookie opens it at its own origin, in a frame that no other may be in. */
async function answer(
  { db, public_url, dashboard_url }: DownloadDeps,
  browser: Input['browser'],
  request: TicketRequest,
): Promise<Reply> {
  const { ticket, expires_at } = await newTicket(db, request)
  const here = browser?.by_cookie === true ? dashboard_url : public_url
  const url = `${here}${withTicket(request.target, ticket)}`
  return created({ url, expires_at: expires_at.toISOString() })
}

type FileAt = Readonly<{ route: ServedRoute; target: string }>

/** The address as a browser will write it, for a file of this area. */
function fileAt(
  { public_url, dashboard_url, fileRouteAt }: DownloadDeps,
  path: string,
  area: ReturnType<typeof areaOf>,
): FileAt {
  const whole = [public_url, dashboard_url].find((url) => path.startsWith(`${url}/`)) ?? ''
  const own = path.slice(whole.length)
  if (!own.startsWith('/') || !URL.canParse(`${nowhere}${own}`)) throw noFile()
  const { pathname, search, searchParams } = new URL(`${nowhere}${own}`)
  const below = pathname.startsWith(`${api_prefix}/`) ? pathname.slice(api_prefix.length) : pathname
  const route = fileRouteAt(below)
  if (route === undefined || areaOf(route.path) !== area || searchParams.has('ticket')) {
    throw noFile()
  }
  return { route, target: `${api_prefix}${below}${search}` }
}

/** Only so that a path can be read as part of an address. */
const nowhere = 'http://downloads.invalid'

const noFile = (): Invalid =>
  invalid('path', {
    en: 'Must be the path of a GET that answers a file, such as /transactions/export/.',
    fr: 'Doit être le chemin d’un GET qui répond un fichier, comme /transactions/export/.',
  })
