// The developers' pages: every operation, event, error and guide, without a script, light, and
// leading nowhere that does not answer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let origin: string
let document: Json
beforeAll(async () => {
  app = await startApp()
  origin = new URL(app.url).origin
  document = await (await fetch(`${origin}/openapi.json`)).json()
})
afterAll(() => app.stop())

const read = async (path: string) => {
  const reply = await fetch(`${origin}${path}`)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}
const linksOf = (text: string) =>
  [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

/** Each page that the first leads to, by its address without an anchor. */
async function walk(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const open = ['/docs']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue
    const { status, text } = await read(path)
    expect([path, status]).toEqual([path, 200])
    pages.set(path, text)
    const next = linksOf(text).map((href) => href.split('#')[0] ?? href)
    open.push(...next.filter((href) => href.startsWith('/docs')))
  }
  return pages
}

/** Each field of a schema below this node without a meaning, by its path. */
function unexplained(node: unknown, at: string): string[] {
  if (Array.isArray(node)) return node.flatMap((part) => unexplained(part, at))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries<Json>({ ...node }).flatMap(([key, part]) => {
    if (['example', 'examples', 'default'].includes(key)) return []
    if (key !== 'properties') return unexplained(part, at)
    return Object.entries<Json>(part).flatMap(([name, field]) => {
      const here = `${at}.${name}`
      const is_named = field.$ref !== undefined
      const own = is_named || field.description !== undefined ? [] : [here]
      return [...own, ...unexplained(field, here)]
    })
  })
}

describe('the document', () => {
  it('says of each field and parameter what it means', () => {
    const { schemas } = document.components
    const fields = Object.entries(schemas).flatMap(([name, schema]) => unexplained(schema, name))
    const bodies = Object.entries(document.paths).flatMap(([path, item]) => unexplained(item, path))
    const parameters = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.values<Json>(item)
        .flatMap((one) => one.parameters ?? [])
        .filter((one: Json) => one.name !== undefined && one.description === undefined)
        .map((one: Json) => `${path} ${one.name}`),
    )
    expect([...fields, ...bodies, ...parameters]).toEqual([])
  })

  it('has the codes that a payment may fail with as a union', () => {
    const { failure_code } = document.components.schemas.Transaction.properties
    expect(failure_code.enum).toEqual(expect.arrayContaining(['', 'INSUFFICIENT_FUNDS', 'EXPIRED']))
  })
})

it('lists payments first, then what else merchants call, and the staff’s groups last', () => {
  const names: string[] = document.tags.map((tag: Json) => tag.name)
  expect(names.slice(0, 3)).toEqual(['Payments', 'Transactions', 'Payouts'])
  const isStaff = (name: string) => name.startsWith('Staff') || name === 'Administration'
  const first = names.findIndex(isStaff)
  expect(names.slice(first).filter((name) => !isStaff(name))).toEqual([])
})

it('is published as version 1.0.0 of the interface, whichever version the program has', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
})

describe('the pages at /docs', () => {
  it('have every operation, error code and event, and no link leads astray', async () => {
    const pages = await walk()
    const all = [...pages.values()].join('\n')
    const operations = Object.entries<Json>(document.paths).flatMap(([, item]) =>
      Object.values<Json>(item).map((one) => one.operationId),
    )
    expect(operations.length).toBeGreaterThan(200)
    expect(operations.filter((id) => !all.includes(`<h2 id="${id}">`))).toEqual([])
    for (const name of Object.keys(document.webhooks)) expect(all).toContain(`<code>${name}</code>`)
    expect(all).toContain('<code>insufficient_balance</code>')
    const anchors = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/href="([^"]*)#([^"]+)"/g)].map(([, to, id]) => [to || page, id] as const),
    )
    const lost = anchors.filter(([to, id]) => !pages.get(to)?.includes(`id="${id}"`))
    expect(lost.filter(([to]) => to.startsWith('/docs'))).toEqual([])
    expect([...pages.keys()]).toContain('/docs/guides/webhooks')
  })

  it('put payments first and the staff’s calls last', async () => {
    const { text } = await read('/docs')
    const at = (name: string) => text.indexOf(`>${name}</a>`)
    expect(at('Payments')).toBeGreaterThan(0)
    expect(at('Payments')).toBeLessThan(at('Identity'))
    expect(at('Identity')).toBeLessThan(at('Staff: accounts'))
  })

  it('say once by which headers a session chooses its merchant, not at each call', async () => {
    const [start, payments] = await Promise.all([read('/docs'), read('/docs/api/payments')])
    for (const name of ['X-Merchant', 'X-Environment']) {
      expect(start.text).toContain(`<code>${name}</code>`)
      expect(payments.text).not.toContain(`<code>${name}</code>`)
    }
  })

  it('show a call that can be pasted, with its example', async () => {
    const { text } = await read('/docs/api/payments')
    expect(text).toContain(`curl -X POST &#39;${origin}/api/v1/payments/softpay/initialize/&#39;`)
    expect(text).toContain('customer.phone')
    expect(text).toContain('Errors (')
  })

  it('weigh at most 40 kB on the wire, are kept for an hour, and run no script', async () => {
    const pages = await walk()
    for (const [path, text] of pages) {
      const reply = await fetch(`${origin}${path}`, { headers: { 'Accept-Encoding': 'br' } })
      expect([path, Number(reply.headers.get('content-length')) <= 40_000]).toEqual([path, true])
      expect(text).not.toMatch(/<script/i)
    }
    const { headers } = await read('/docs')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
  })

  it('cost no more to search for more that is asked: anybody may', async () => {
    expect((await read('/docs/search?q=e')).text).toContain('/docs/guides/payouts')
    const before = process.cpuUsage()
    const { status, text } = await read(`/docs/search?q=${'e+'.repeat(7_000)}`)
    const { user, system } = process.cpuUsage(before)
    expect([status, text.includes('/docs/guides/payouts')]).toEqual([200, true])
    // With each of its words looked for it took 900 and more, in which nobody else was served.
    expect((user + system) / 1000).toBeLessThan(500)
  })

  it('find by a word, and say so when nothing is found', async () => {
    const { text } = await read('/docs/search?q=whitelist')
    expect(text).toContain('/merchant-ip-whitelist/')
    const none = await read(`/docs/search?q=${encodeURIComponent('<b>zzz"')}`)
    expect(none.text).toContain('Nothing was found')
    expect(none.text).not.toContain('<b>zzz')
    expect((await read('/docs/api/nothing')).status).toBe(404)
    expect((await read('/docs/guides/..%2f..%2fREADME')).status).toBe(404)
  })
})
