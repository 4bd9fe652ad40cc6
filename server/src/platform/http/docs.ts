// The published interface: the OpenAPI document as JSON and YAML, and readable pages over it. Every
// byte comes from here: no font, script or validator of another host (contract 1.7).

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { factsOf, type HttpSettings } from './facts.ts'
import { api_prefix } from './input.ts'
import type { OpenApiDocument } from './openapi.ts'
import { sendReply } from './reply.ts'

// The page's own script writes style attributes; scripts themselves come from files only.
const page_policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves `/api/v1/openapi.json` (also at the root), `/api/v1/openapi.yaml` and `/docs`. */
export async function serveDocs(
  app: FastifyInstance,
  document: OpenApiDocument,
  settings: HttpSettings,
): Promise<void> {
  const json = JSON.stringify(document)
  // Writing it was a quarter of the work of a start (measured), and it is rarely requested.
  let yaml: string | undefined
  for (const path of [`${api_prefix}/openapi.json`, '/openapi.json']) {
    app.get(path, async (request, reply) => {
      const { preference } = factsOf(request, settings)
      // Tools read the bare document; the envelope is for those who request it.
      return sendReply(reply, { by_default: 'off', preference }, { status: 200, json })
    })
  }
  app.get(`${api_prefix}/openapi.yaml`, async (_, reply) => {
    yaml ??= stringify(document, { aliasDuplicateObjects: false })
    return reply.header('Content-Type', 'application/yaml; charset=utf-8').send(yaml)
  })
  await app.register(swagger, { mode: 'static', specification: { document: JSON.parse(json) } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: page_policy,
    theme: { title: 'Pirogue API' },
    uiConfig: { validatorUrl: null, layout: 'BaseLayout', docExpansion: 'list', filter: true },
  })
}
