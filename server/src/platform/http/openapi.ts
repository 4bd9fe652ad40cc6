// The OpenAPI 3.1 document, built from the routes that are served and the schemas that validate
// (contract 1.7): what is published cannot differ from what is done.

import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { factsOf, type HttpSettings } from './facts.ts'
import { api_prefix } from './input.ts'
import { type AccessTables, noTables } from './openapi-access.ts'
import { openApiPath, operationOf } from './openapi-operation.ts'
import {
  Components,
  errorSchemas,
  headerParameters,
  type Json,
  responseHeaders,
} from './openapi-schemas.ts'
import { securitySchemes } from './openapi-security.ts'
import { pack, packerFor } from './packed-text.ts'
import type { PathReference } from './path-reference.ts'
import { type Envelope, json_type, sendReply } from './reply.ts'
import type { ServedRoute } from './route.ts'

export type OpenApiOptions = Readonly<{
  /** Address of the API; a path alone is relative to the document's own address. */
  server?: string
  /** The envelope of an answer when the caller states no preference. */
  envelope?: Envelope
  /** Parameters by which a session says where it acts (`readsPlace`), each by its name. */
  place_parameters?: Readonly<Record<string, Json>>
  /** Path items that are no Route (our webhooks, health), as OpenAPI writes them. */
  extra_paths?: Readonly<Record<string, Json>>
  /** What a field or parameter means, by its name, where its schema does not say it. */
  field_descriptions?: Readonly<Record<string, string>>
  /** What a group of operations is for, by its tag, in the order in which they are listed. */
  tag_descriptions?: Readonly<Record<string, string>>
  /** Path items of what we send, by name, as OpenAPI writes them; their schemas are published. */
  webhooks?: (components: Components) => Record<string, Json>
  /** Scopes, and which roles have which right, for `x-access`. */
  access_tables?: AccessTables
  /** What stands for an id in some paths. */
  path_reference?: Pick<PathReference, 'partOf' | 'meaning'>
}>

export type OpenApiDocument = Json & { openapi: string; paths: Record<string, Json> }

/** Of the interface, which clients are generated against: not the program's (contract 1.7). */
const interface_version = '1.0.0'

const description = `Collect payments and pay out in West and Central Africa.

- Amounts are strings with two fractional digits. Times are ISO 8601 in UTC.
- Every JSON answer has the envelope \`{"success","data"|"error","code"}\`; \
\`Prefer: envelope=off\` takes it off.
- An error has a stable \`code\`; a wrong body (400) is reported by field, all fields at once.
- \`null\` for an optional field means "absent"; unknown fields and query parameters are ignored,
  and named in the header \`Ignored-Fields\`.
- Each path is served with and without its last slash.
- Send an \`Idempotency-Key\` with every call that moves money.
- An API key is of one merchant and one environment. A member's session chooses them with
  \`X-Merchant\` and \`X-Environment\`: otherwise the member's first merchant, and \`SANDBOX\`.`

function pathsOf(
  routes: readonly ServedRoute[],
  operation: (route: ServedRoute, path: string) => Json,
): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    for (const path of [route.path, ...(route.aliases ?? [])]) {
      const shown = openApiPath(path)
      paths[shown] = { ...paths[shown], [route.method.toLowerCase()]: operation(route, path) }
    }
  }
  return paths
}

/** Those that are described, in their order, then the others as routes come. */
function tagsOf(routes: readonly ServedRoute[], { tag_descriptions = {} }: OpenApiOptions): Json[] {
  const used = new Set(routes.map((route) => route.tag))
  const described = Object.keys(tag_descriptions).filter((name) => used.has(name))
  return [...new Set([...described, ...used])].map((name) => {
    const description = tag_descriptions[name]
    return description === undefined ? { name } : { name, description }
  })
}

/** Builds the document of these routes. It is a pure function of its arguments. */
export function buildOpenApi(
  routes: readonly ServedRoute[],
  options: OpenApiOptions = {},
): OpenApiDocument {
  const { server = '/api/v1', envelope = 'on', extra_paths = {} } = options
  const components = new Components(options.field_descriptions)
  for (const schema of Object.values(errorSchemas)) components.publish(schema)
  const { path_reference, access_tables = noTables, place_parameters = {} } = options
  const own = { path_reference, access_tables, place_parameters: Object.keys(place_parameters) }
  const context = { components, envelope, ...own }
  const paths = pathsOf(routes, (route, path) => operationOf(route, path, context))
  const webhooks = options.webhooks?.(components)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pirogue API',
      version: interface_version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    tags: tagsOf(routes, options),
    security: [{ bearer: [] }],
    paths: { ...paths, ...extra_paths },
    ...(webhooks === undefined ? {} : { webhooks }),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      parameters: { ...headerParameters, ...place_parameters },
      headers: responseHeaders,
      securitySchemes,
    },
  }
}

// The published interface as files: JSON and YAML. The pages over it are in reference/.

/** Serves `/api/v1/openapi.json` (also at the root) and `/api/v1/openapi.yaml`. */
export function serveDocument(
  app: FastifyInstance,
  document: () => OpenApiDocument,
  settings: HttpSettings,
): void {
  // Writing them is a part of a start that shows, and they are rarely requested.
  let json: string | undefined
  let yaml: string | undefined
  const packed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {}
  for (const path of [`${api_prefix}/openapi.json`, '/openapi.json', '/docs/json']) {
    app.get(path, async (request, reply) => {
      json ??= JSON.stringify(document())
      const { preference } = factsOf(request, settings)
      // Tools read the bare document; the envelope is for those who request it.
      const packer = preference === undefined ? packerFor(request) : undefined
      reply.header('Vary', 'Accept-Encoding, Prefer')
      if (packer === undefined) {
        return sendReply(reply, { by_default: 'off', preference }, { status: 200, json })
      }
      // Once for each encoding: it is large, and stays as it is while we run.
      packed[packer] ??= pack(json, packer)
      reply.headers({ 'Content-Encoding': packer, 'Content-Type': json_type })
      return reply.send(await packed[packer])
    })
  }
  app.get(`${api_prefix}/openapi.yaml`, async (_, reply) => {
    yaml ??= stringify(document(), { aliasDuplicateObjects: false })
    return reply.header('Content-Type', 'application/yaml; charset=utf-8').send(yaml)
  })
}
