// Whatever stands in a field, judging it costs no more than its length. Without this, one request
// of a stranger keeps the process, and every payment in it, waiting for minutes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/app/openapi-document.ts'
import { compileBody } from '../../src/platform/http/validation.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'

let app: TestApp
const document: Json = await openApiDocument()

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

type Kind = 'staff' | 'member'
/** Below the 300 calls that somebody has in a minute, however fast the machine is. */
const calls_of_one = 250
const current: Partial<Record<Kind, { caller: SignedInCaller; calls: number }>> = {}

/** Who makes the next call to this path: somebody new, once the last one's minute is nearly full. */
async function callerOf(path: string): Promise<SignedInCaller> {
  const kind: Kind = path.startsWith('/admin/') ? 'staff' : 'member'
  let one = current[kind]
  if (one === undefined || one.calls >= calls_of_one) {
    const open = () => (kind === 'staff' ? app.staff() : app.member({ second_factor: 'FRESH' }))
    one = { caller: await open(), calls: 0 }
    current[kind] = one
  }
  one.calls += 1
  return one.caller
}

const resolved = (schema: Json): Json => {
  if (typeof schema?.$ref !== 'string') return schema
  const parts = schema.$ref.split('/').slice(1)
  return resolved(parts.reduce((at: Json, part: string) => at[part], document))
}

type Field = Readonly<{ at: readonly (string | number)[]; schema: Json }>

/** Every place in a schema where a string may stand. */
function stringsIn(value: Json, at: Field['at'] = []): Field[] {
  const schema = resolved(value) ?? {}
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? [])
  const named = Object.entries(schema.properties ?? {})
  const types = [schema.type].flat()
  return [
    ...(types.includes('string') ? [{ at, schema }] : []),
    ...inner.flatMap((one) => stringsIn(one, at)),
    ...named.flatMap(([name, one]) => stringsIn(one, [...at, name])),
    ...(schema.items === undefined ? [] : stringsIn(schema.items, [...at, 0])),
    ...(typeof schema.additionalProperties === 'object'
      ? stringsIn(schema.additionalProperties, [...at, 'any'])
      : []),
  ]
}

/** Every place in a schema where a list may stand. */
function listsIn(value: Json, at: Field['at'] = []): Field[] {
  const schema = resolved(value) ?? {}
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? [])
  const own = schema.type === 'array' || schema.items !== undefined
  return [
    ...(own ? [{ at, schema }] : []),
    ...inner.flatMap((one) => listsIn(one, at)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      listsIn(one, [...at, name]),
    ),
    ...(schema.items === undefined ? [] : listsIn(schema.items, [...at, 0])),
  ]
}

function withText(example: Json, at: Field['at'], text: Json): Json {
  const [name, ...rest] = at
  if (name === undefined) return text
  const base = typeof name === 'number' ? [] : typeof example === 'object' ? { ...example } : {}
  return Object.assign(base, { [name]: withText(example?.[name], rest, text) })
}

/** What makes a pattern go back and forth, so many characters of it. */
const nasties: readonly ((length: number) => string)[] = [
  (length) => ' '.repeat(length),
  (length) => `${'a.'.repeat(length / 2)}@`,
  (length) => `a@${'a-'.repeat(length / 2)}`,
  (length) => `+${'0 '.repeat(length / 2)}x`,
  (length) => `https://${'a'.repeat(length)}\\`,
  (length) => '\t\u00a0'.repeat(length / 2),
]

/** In a small run two of them for each field, others for the next. */
function nastiesAt(fields: readonly Field[], at: Field['at']) {
  const turn = fields.findIndex((field) => field.at === at) % 3
  return sized(
    nasties.filter((_, place) => place % 3 === turn),
    nasties,
  )
}

type Operation = Readonly<{ method: string; path: string; isPublic: boolean; body: Json }>

const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).flatMap(([method, operation]) => {
    const body = operation.requestBody?.content?.['application/json']
    const isPublic = operation.security?.length === 0
    return body === undefined ? [] : [{ method: method.toUpperCase(), path, isPublic, body }]
  }),
)

/** Of a call, with all that a process does meanwhile. */
const spent_ms_max = 400
/** Of one look at a million characters; the e-mail's pattern alone took 190 on such a machine. */
const judged_ms_max = 80

/** Of this process's own time, however busy the machine is. */
async function timed<T>(work: () => Promise<T> | T): Promise<{ result: T; ms: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, ms: (user + system) / 1000 }
}

/** The least of a few runs: what else happens meanwhile is not the field's doing. */
async function assertCheap(
  name: string,
  work: () => Promise<unknown> | unknown,
  most_ms = spent_ms_max,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && least > most_ms; i += 1) {
    least = Math.min(least, (await timed(work)).ms)
  }
  expect(least, name).toBeLessThan(most_ms)
}

describe('a body from a stranger', () => {
  const open = operations.filter(({ isPublic }) => isPublic)

  async function send({ method, path }: Operation, body: string): Promise<number> {
    const address = `${app.url}/api/v1${path.replace(/\{\w+\}/g, 'a'.repeat(32))}`
    const headers = { 'content-type': 'application/json' }
    return fetch(address, { method, body, headers }).then(
      ({ status }) => status,
      // Refused by its length alone, the connection may end before all of it is sent.
      () => 413,
    )
  }

  it.each(open.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s is a form: a megabyte is refused unread, and what is short enough is cheap',
    async (name, operation) => {
      const { schema, example } = operation.body
      const fields = stringsIn(schema)
      expect(fields.length).toBeGreaterThan(0)
      for (const { at } of fields) {
        const large = JSON.stringify(withText(example, at, ' '.repeat(1_000_000)))
        const place = `${name} ${at.join('.')}`
        const statuses: number[] = []
        await assertCheap(place, async () => statuses.push(await send(operation, large)))
        for (const nasty of nastiesAt(fields, at)) {
          const text = nasty(14_000).slice(0, 14_000)
          const body = JSON.stringify(withText(example, at, text))
          // Escapes may make it longer than a form: that too must be cheap.
          await assertCheap(place, async () => statuses.push(await send(operation, body)))
        }
        expect(statuses[0], place).toBe(413)
        for (const status of statuses) expect(status, place).toBeLessThan(500)
      }
    },
  )

  it('is counted before it is read, the wrong ones too', async () => {
    const few = await app.another({ LIMIT_PUBLIC_FORMS_PER_IP_MINUTE: '3', TRUST_PROXY: '1' })
    try {
      const post = (ip: string, path = '/auth/login/') =>
        fetch(`${few.public_url}/api/v1${path}`, {
          method: 'POST',
          body: 'no JSON at all',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
        })
      const statuses: number[] = []
      for (let i = 1; i < 8; i += 1) statuses.push((await post(`2001:db8:1:1::${i}`)).status)
      // A minute may begin meanwhile: then three more are let through.
      expect(statuses.slice(0, 3)).toEqual([400, 400, 400])
      expect(statuses).toContain(429)
      const refused = await post('2001:db8:1:1::9', '/auth/register/')
      expect([400, 429]).toContain(refused.status)
      if (refused.status === 429) expect(refused.headers.get('retry-after')).toBe('60')
      expect((await post('2001:db8:1:2::1')).status).toBe(400)
    } finally {
      await few.stop()
    }
  })
})

const isThird = (_: unknown, place: number) => place % 3 === 0

describe('a body from somebody who is known', () => {
  const known = operations.filter(({ isPublic, path }) => !isPublic && !path.includes('/auth/'))

  it.each(known.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s is judged in time, whatever stands in a field',
    async (name, { method, path, body: { schema, example } }) => {
      const address = path.replace(/\{\w+\}/g, '01981f3a-0000-7000-8000-00000000d001')
      const nasty = nasties[0]?.(200_000) ?? ''
      const fields = stringsIn(schema)
      // A small run looks at every third field of a body.
      for (const { at } of sized(fields.filter(isThird), fields)) {
        const body = JSON.stringify(withText(example, at, nasty))
        const statuses: number[] = []
        const caller = await callerOf(path)
        await assertCheap(`${name} ${at.join('.')}`, async () => {
          const headers = { 'content-type': 'application/json' }
          statuses.push((await caller.call(method, address, { body, headers })).status)
        })
        for (const status of statuses) {
          expect(status, `${name} ${at.join('.')}`).toBeLessThan(500)
          // Otherwise the field was not looked at.
          expect(status, `${name} ${at.join('.')}`).not.toBe(429)
        }
      }
    },
  )
})

/** Items that are wrong in a list of anything, and those that make the most faults each. */
const items: readonly Json[] = [
  1,
  {},
  [],
  '',
  null,
  { type: 'SELECT' },
  { name: 'a', options: [1] },
]

/** So many bytes of the item. */
const manyOf = (item: Json, bytes: number): Json[] =>
  Array(Math.floor(bytes / (JSON.stringify(item).length + 1))).fill(item)

/** So many bytes of different names. */
const namesOf = (bytes: number): Json =>
  Object.fromEntries(Array.from({ length: bytes / 12 }, (_, i) => [`n${100_000 + i}`, 1]))

/**
 * Of a whole call with a megabyte, sent and refused: some 80 alone, its JSON most of them, and twice
 * that beside other tests. Without the bounds it was 5,500, and 50,000 in a union.
 */
const list_ms_max = 400
const faults_max = 100

describe('a list or an object of too many', () => {
  const known = operations.filter(({ isPublic, path }) => !isPublic && !path.includes('/auth/'))

  /** The statuses of 50 kB and of a megabyte: the short one first, as it shows what is not linear. */
  async function assertRefusedCheaply(
    { method, path }: Operation,
    name: string,
    bodyOf: (bytes: number) => Json,
    sizes: readonly number[] = [50_000, 1_000_000],
  ): Promise<void> {
    const address = path.replace(/\{\w+\}/g, '01981f3a-0000-7000-8000-00000000d001')
    for (const bytes of sizes) {
      const caller = await callerOf(path)
      const body = JSON.stringify(bodyOf(bytes))
      const place = `${name}, ${bytes} bytes`
      let fields: Json = {}
      let length = 0
      await assertCheap(
        place,
        async () => {
          const headers = { 'content-type': 'application/json' }
          const reply = await caller.call(method, address, { body, headers })
          expect(reply.status, place).toBe(400)
          fields = reply.error
          length = JSON.stringify(reply.body).length
        },
        list_ms_max,
      )
      expect(Object.keys(fields).length, place).toBeLessThanOrEqual(faults_max)
      expect(length, place).toBeLessThan(40_000)
    }
  }

  const lists = known.flatMap((one) =>
    listsIn(one.body.schema).map(
      ({ at }) => [`${one.method} ${one.path} ${at.join('.')}`, one, at] as const,
    ),
  )

  // A small run takes one item in each list, another in each, and the one that makes most faults.
  const itemsOf = (place: number): readonly Json[] =>
    sized(
      items.filter((_, at) => at === items.length - 1 || at === place % items.length),
      items,
    )
  const placed = lists.map((one, place) => [...one, place] as const)

  it.each(placed)('is refused by its length: %s', async (name, operation, at, place) => {
    for (const item of itemsOf(place)) {
      await assertRefusedCheaply(operation, `${name} of ${JSON.stringify(item)}`, (bytes) =>
        withText(operation.body.example, at, manyOf(item, bytes)),
      )
    }
  })

  const wholeBody = 'is refused as the whole body of %s, and as a field that nobody knows'
  const named = known.map((one, place) => [`${one.method} ${one.path}`, one, place] as const)

  async function assertWholeBodyRefused(name: string, operation: Operation): Promise<void> {
    for (const item of [{}, { name: 'a', options: [1] }]) {
      const list = (bytes: number) => manyOf(item, bytes)
      const what = JSON.stringify(item)
      await assertRefusedCheaply(operation, `${name} body of ${what}`, list)
    }
    await assertRefusedCheaply(operation, `${name} names`, namesOf, [1_000_000])
  }

  // One mechanism refuses these for every route: a small run asks one in thirty.
  const isAsked = (place: number) => place % 30 === 0
  it.each(named.filter(([, , place]) => isAsked(place)))(wholeBody, assertWholeBodyRefused)
  wholeIt.each(named.filter(([, , place]) => !isAsked(place)))(wholeBody, assertWholeBodyRefused)

  it('has a bound in every list of a body', () => {
    const all = operations.flatMap(({ method, path, body }) =>
      listsIn(body.schema).map(({ at, schema }) => ({
        place: `${method} ${path} ${at.join('.')}`,
        bound: schema.maxItems,
      })),
    )
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(({ bound }) => !(bound <= 100))).toEqual([])
  })
})

describe('the schemas', () => {
  const parameters = Object.values<Json>(document.paths).flatMap((item) =>
    Object.values<Json>(item).flatMap((operation) =>
      (operation.parameters ?? []).map(resolved).map(({ schema }: Json) => schema),
    ),
  )
  const all = [...operations.map(({ body }) => body.schema), ...parameters]
    .flatMap((schema) => stringsIn(schema))
    .map(({ schema: { pattern, format, maxLength, minLength } }) =>
      JSON.stringify({ type: 'string', pattern, format, maxLength, minLength }),
    )
  const formed = [...new Set(all)].filter((text) => /"(pattern|format)"/.test(text))

  it.each(formed)('judge a million characters as fast as they are read: %s', async (text) => {
    const check = compileBody(JSON.parse(text))
    for (const nasty of nasties) {
      const million = nasty(1_000_000)
      await assertCheap(text, () => check(million), judged_ms_max)
      // As long as a pattern is tried at all, many times over: what is short stays cheap too.
      const short = nasty(1_024).slice(0, 1_024)
      await assertCheap(text, () => {
        for (let i = 0; i < 20; i += 1) check(short)
      })
    }
  })

  it('are many, and hold the one for e-mail', () => {
    expect(formed.length).toBeGreaterThan(8)
    expect(formed.some((text) => text.includes('@'))).toBe(true)
  })
})
