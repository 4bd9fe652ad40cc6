// Which methods an address takes: distinguishes an unknown address (404) from a wrong method (405),
// for every route of every origin; and which one of the API an unknown one is nearest to.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Refusal, refuse, type Text } from '../errors.ts'
import { type KnownPath, nearestPath, partsOf } from '../nearest.ts'
import { api_prefix } from './input.ts'
import { transportErrors } from './transport-errors.ts'

type Address = { url: string; form: RegExp; methods: Set<string> }

/** A router pattern as a regular expression: `:id` is one segment, `*` the rest. */
function formOf(url: string): RegExp {
  const source = url
    .replace(/\/$/, '')
    .split('/')
    .map((part) => {
      if (part.includes('*')) return '.*'
      return part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}/?$`)
}

export class Addresses {
  readonly #known = new Map<string, Address>()
  readonly #suggested = new Map<string, KnownPath>()

  add(url: string, methods: string | readonly string[]): void {
    const address = this.#known.get(url) ?? { url, form: formOf(url), methods: new Set() }
    for (const method of [methods].flat()) address.methods.add(method)
    this.#known.set(url, address)
    if (url.startsWith(`${api_prefix}/`) && url.endsWith('/') && !url.includes('*')) {
      this.#suggested.set(url, { url, parts: partsOf(url) })
    }
  }

  /** The methods of the path (no query), sorted; empty when there is no such address. */
  methodsAt(path: string): string[] {
    const found = [...this.#known.values()].filter(({ form }) => form.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }

  /** Of the API, as `/api/v1/payments/{id}/verify/`, with or without its prefix in `path`. */
  nearestTo(path: string): string | undefined {
    const whole = path.startsWith(`${api_prefix}/`) ? path : `${api_prefix}${path}`
    const found = nearestPath(whole, [...this.#suggested.values()])
    return found?.replace(/:(\w+)/g, '{$1}')
  }
}

/** What to try instead of an unknown address; undefined: the general text. */
function nowhere(
  nearest: string | undefined,
  path: string,
  isAtDashboard: boolean,
): Text | undefined {
  if (nearest !== undefined) {
    return {
      en: `Nothing was found at this address. Did you mean ${nearest}?`,
      fr: `Rien n’a été trouvé à cette adresse. Vouliez-vous dire ${nearest} ?`,
    }
  }
  if (path.startsWith(`${api_prefix}/`) && path !== `${api_prefix}/`) return undefined
  // Where the documentation is not served either.
  if (isAtDashboard) {
    return {
      en: `Nothing was found at this address. The dashboard is at /dashboard.`,
      fr: `Rien n’a été trouvé à cette adresse. Le tableau de bord est à /dashboard.`,
    }
  }
  return {
    en: `Nothing was found at this address. The API begins at ${api_prefix}/; see /docs.`,
    fr: `Rien n’a été trouvé à cette adresse. L’API commence à ${api_prefix}/ ; voir /docs.`,
  }
}

type Refusing = Readonly<{
  reply: FastifyReply
  /** Of another host: as unknown here as one that there is not. */
  isKept: boolean
  isAtDashboard: boolean
}>

/** An unknown address, or one without this method: refused before any body is read. */
export function refusalOf(
  addresses: Addresses,
  request: FastifyRequest,
  { reply, isKept, isAtDashboard }: Refusing,
): Refusal {
  const [path = '/'] = request.url.split('?')
  const methods = isKept ? [] : addresses.methodsAt(path)
  if (methods.length === 0) {
    const message = nowhere(addresses.nearestTo(path), path, isAtDashboard)
    return refuse(transportErrors.not_found, message === undefined ? {} : { message })
  }
  reply.header('Allow', methods.join(', '))
  return refuse(transportErrors.method_not_allowed)
}
