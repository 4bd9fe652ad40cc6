// An operation as people read it: what it does, a call to paste, what it takes, what it answers.

import { type Html, html } from '../platform/html.ts'
import {
  type ApiDocument,
  type Field,
  isObject,
  type Json,
  type Operation,
} from './read-document.ts'
import { markdown } from './show-markdown.ts'

export const operationList = (operations: readonly Operation[]): Html =>
  html`<ul>${operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}">${summary}</a> <span class="mute">${method} ${path}</span></li>`,
  )}</ul>`

export function operationSection(api: ApiDocument, operation: Operation): Html {
  const { id, method, path, summary, description, is_open, node } = operation
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${summary}</h2>
<p class="call"><span class="verb">${method}</span><code>${path}</code>
${is_open && html`<span class="mute">needs no key</span>`}</p>
${markdown(description)}
<pre><code>${curlOf(api, operation)}</code></pre>
${parametersOf(api, node)}${bodyOf(api, node)}${answersOf(api, node)}</section>`
}

/** What we send, and the answer that we wait for. */
export function webhookSection(api: ApiDocument, { id, path, summary, node }: Operation): Html {
  const json = contentOf(api, node['requestBody'])
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><code>${path}</code></h2>
<p>${summary}</p>${exampleOf(json, 'What we send')}
${fieldsTable(api.fieldsOf(json['schema']), 'Fields of the body')}</section>`
}

const carriesBody = ({ method }: Operation) => ['POST', 'PUT', 'PATCH'].includes(method)

function curlOf(api: ApiDocument, operation: Operation): string {
  const { method, path, is_open, node } = operation
  const body = contentOf(api, node['requestBody'])
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${api.base_url}${path}'`]
  if (!is_open) lines.push(`  -H "Authorization: Bearer $KEY"`)
  if (carriesBody(operation) && 'schema' in body) {
    const example = body['example'] ?? {}
    lines.push(`  -H 'Content-Type: application/json'`)
    // A quote inside would end the shell's.
    lines.push(`  -d '${JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n')
}

/** The JSON content of a body or an answer. */
function contentOf(api: ApiDocument, holder: unknown): Json {
  const content = api.resolve(holder)['content']
  const json = isObject(content) ? content['application/json'] : undefined
  return isObject(json) ? json : {}
}

/**
 * Those that all operations share say nothing about this one; nor do those that choose what a
 * session calls for, which the first page names.
 */
const shared = new Set([
  ...['Prefer', 'Accept-Language', 'X-Request-Id'],
  ...['X-Merchant', 'X-Environment'],
])

function parametersOf(api: ApiDocument, node: Json): Html {
  const all = Array.isArray(node['parameters']) ? node['parameters'] : []
  const fields = all
    .map((parameter) => api.resolve(parameter))
    .filter(({ name }) => !shared.has(String(name)))
    .map((parameter) => ({
      name: String(parameter['name']),
      type: `${api.typeOf(parameter['schema'])}, in the ${String(parameter['in'])}`,
      required: parameter['required'] === true,
      description: String(parameter['description'] ?? ''),
    }))
  return fieldsTable(fields, 'Parameters')
}

const bodyOf = (api: ApiDocument, node: Json): Html =>
  fieldsTable(api.fieldsOf(contentOf(api, node['requestBody'])['schema']), 'Body')

function answersOf(api: ApiDocument, node: Json): Html {
  const responses = isObject(node['responses']) ? Object.entries(node['responses']) : []
  const good = responses.filter(([status]) => Number(status) < 400)
  const bad = responses.filter(([status]) => Number(status) >= 400)
  return html`${good.map(([status, response]) => goodAnswer(api, status, response))}
${bad.length > 0 && errorsTable(api, bad)}`
}

function goodAnswer(api: ApiDocument, status: string, response: unknown): Html {
  const json = contentOf(api, response)
  const { schema } = json
  const payload = isObject(schema) ? dataOf(api, schema) : {}
  return html`${exampleOf(json, `Answer ${status}`)}
<details><summary>Fields of the answer ${status}</summary>
${fieldsTable(api.fieldsOf(payload), '')}</details>`
}

/** What is in the envelope. */
function dataOf(api: ApiDocument, schema: Json): Json {
  const properties = api.resolve(schema)['properties']
  const data = isObject(properties) ? properties['data'] : undefined
  return isObject(data) ? data : schema
}

function exampleOf(json: Json, title: string): Html {
  const { example, examples } = json
  const [first] = isObject(examples) ? Object.values(examples) : []
  const shown = example ?? (isObject(first) ? first['value'] : undefined)
  if (shown === undefined) return html`<h3>${title}</h3>`
  return html`<h3>${title}</h3><pre><code>${JSON.stringify(shown, null, 2)}</code></pre>`
}

function errorsTable(api: ApiDocument, responses: readonly [string, unknown][]): Html {
  const rows = responses.flatMap(([status, response]) => {
    const { examples } = contentOf(api, response)
    const all = isObject(examples) ? Object.entries(examples) : []
    return all.map(([code, example]) => ({
      status,
      code,
      text: isObject(example) ? String(example['summary'] ?? '') : '',
    }))
  })
  return html`<details><summary>Errors (${rows.length})</summary><div class="wide"><table>
<thead><tr><th>Status</th><th>Code</th><th>What it says</th></tr></thead><tbody>
${rows.map(
  ({ status, code, text }) =>
    html`<tr><td>${status}</td><td><code>${code}</code></td><td>${text}</td></tr>`,
)}</tbody></table></div></details>`
}

function fieldsTable(fields: readonly Field[], title: string): Html {
  if (fields.length === 0) return html``
  return html`${title !== '' && html`<h3>${title}</h3>`}<div class="wide"><table>
<thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>
${fields.map(
  ({ name, type, required, description }) => html`<tr><td><code>${name}</code></td>
<td class="what">${type}${required && ', required'}</td><td>${description}</td></tr>`,
)}</tbody></table></div>`
}
