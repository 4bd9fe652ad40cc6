// Every operation that is published × every credential there is has its one expected answer. A new
// operation without a row fails; so does one that opens to somebody it should not. Small, each is
// called with two credentials that are answered differently, the next one with two others, and every
// credential calls something.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { openWorld, type World } from '../bad-input/world.ts'
import type { Json } from '../harness.ts'
import { type Credential, openCredentials } from '../matrix/credentials.ts'
import { type Answer, expectedOf } from '../matrix/expected.ts'
import { merchantRow } from '../matrix/merchant-rows.ts'
import type { MatrixRow, Scene } from '../matrix/row.ts'
import { matrixRows } from '../matrix/rows.ts'
import { type Operation, readPublished } from '../published.ts'
import { shareOf, sized } from '../setup/proof-size.ts'
import { readBody } from '../setup/read-body.ts'

const published = await readPublished()

let world: World
let scene: Scene
let credentials: readonly Credential[]

beforeAll(async () => {
  world = await openWorld()
  const { app, callers } = world
  const { merchant_id } = callers.shop
  const [owner, staff, young, suspended, other] = await Promise.all([
    app.member({ merchant_id, second_factor: 'FRESH' }),
    app.staff(),
    app.shop(),
    app.shop(),
    app.shop(),
  ])
  await suspendMerchant(app.service.db, suspended.merchant_id, 'a test')
  scene = { app, owner, staff }
  credentials = await openCredentials(app, {
    live: merchant_id,
    young: young.merchant_id,
    suspended: suspended.merchant_id,
    other: other.merchant_id,
  })
}, 60_000)
afterAll(() => world?.stop())

const rowOf = ({ name }: Operation): MatrixRow | undefined =>
  matrixRows[name] ?? merchantRow(name, world)

type Got = Readonly<{ status: number; code: string }>
type Knock = Readonly<{ by: Credential; expected: Answer }>

/** What a right call is made of, beside its credential. */
type Call = Readonly<{ url: string; init: RequestInit; headers: Record<string, string> }>

async function rightCall(operation: Operation, row: MatrixRow): Promise<Call> {
  const params = (await row.params?.(scene)) ?? {}
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)
  const body = row.body === undefined ? undefined : JSON.stringify(await row.body(scene))
  const { upload } = row
  return {
    url: `${world.app.url}/api/v1${path}${row.query ?? ''}`,
    init: {
      method: operation.method,
      body: upload === undefined ? (body ?? null) : new Uint8Array(upload.bytes()),
    },
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(upload === undefined ? {} : { 'content-type': upload.content_type }),
    },
  }
}

async function knock({ url, init, headers }: Call, by: Credential): Promise<Got> {
  const reply = await fetch(url, { ...init, headers: { ...(await by.headers()), ...headers } })
  const text = await readBody(reply)
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') ?? false
  const answer: Json = isJson && text !== '' ? JSON.parse(text) : undefined
  return { status: reply.status, code: String(answer?.error?.code ?? '') }
}

/** What a credential that passes the door may be answered: it may not know the record behind. */
function rightStatuses(row: MatrixRow, by: Credential): readonly number[] {
  // Whoever knows the address is answered, whatever they carry.
  if (row.access === 'public') return [row.status]
  const live = by.is !== 'refused' && by.environment === 'LIVE' && by.is !== 'staff'
  if (live && row.live_status !== undefined) return [row.live_status]
  if (by.is === 'staff' && by.demo && row.demo_status !== undefined) return [row.demo_status]
  if (by.is === 'member' && !by.live_enabled && row.unfunded_status !== undefined) {
    // Unless an earlier call of this very matrix has given them something.
    return [row.unfunded_status, row.status]
  }
  if (row.params === undefined || row.record === 'everybody') return [row.status]
  if (by.is === 'key' && by.suspended) return [403, 404]
  if (by.is === 'member' && (by.suspended || !by.live_enabled)) return [403, 404]
  if (live && row.record !== 'both') return [404]
  return [row.status]
}

function isAsExpected(expected: Answer, got: Got, right: readonly number[]): boolean {
  if (expected === 'right') return right.includes(got.status)
  return got.status === expected.status && got.code === expected.code
}

const answerOf = ({ expected }: Knock): string =>
  expected === 'right' ? expected : `${expected.status} ${expected.code}`

/** Two that are answered differently, two others at the next operation. */
function twoAnswers(knocks: readonly Knock[], turn: number): Knock[] {
  const answers = [...new Set(knocks.map(answerOf))]
  const two = new Set([0, 1].map((next) => answers[(turn + next) % answers.length]))
  return [...two].flatMap((answer) => {
    const alike = knocks.filter((knock) => answerOf(knock) === answer)
    return alike[turn % alike.length] ?? []
  })
}

function knocksOf(operation: Operation, row: MatrixRow): Knock[] {
  const all = credentials.map((by) => ({ by, expected: expectedOf(operation.method, row, by) }))
  const turn = published.operations.indexOf(operation)
  return sized(twoAnswers(all, turn), [...shareOf(all, turn)])
}

const shown = (expected: Answer, right: readonly number[]): string =>
  expected === 'right' ? right.join(' or ') : `${expected.status} ${expected.code}`

/** Their second factor counts for ten minutes, and the whole matrix may take longer. */
const keepFresh = () => scene.app.owner`
  update sessions set totp_at = now() - interval '1 second'
   where id in ${scene.app.owner([scene.owner, scene.staff].map(({ session_id }) => session_id))}`

describe('the matrix of doors', () => {
  it('has a row for every operation, and no row of none', () => {
    const missing = published.operations.filter((operation) => rowOf(operation) === undefined)
    expect(missing.map(({ name }) => name)).toEqual([])
    const names = new Set(published.operations.map(({ name }) => name))
    expect(Object.keys(matrixRows).filter((name) => !names.has(name))).toEqual([])
  })

  it.each(published.operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, operation) => {
      const row = rowOf(operation)
      if (row === undefined) return
      const wrong: string[] = []
      await keepFresh()
      // Who is refused and who only reads change nothing: one record will do for all of them.
      const unchanged = await rightCall(operation, row)
      const changes = ({ expected }: Knock) => expected === 'right' && operation.method !== 'GET'
      const knocks = knocksOf(operation, row)
      for (const one of knocks.toSorted((a, b) => Number(changes(a)) - Number(changes(b)))) {
        const { by, expected } = one
        const right = rightStatuses(row, by)
        const got = await knock(changes(one) ? await rightCall(operation, row) : unchanged, by)
        if (!isAsExpected(expected, got, right)) {
          wrong.push(`${by.name}: ${got.status} ${got.code}, not ${shown(expected, right)}`)
        }
      }
      expect(wrong).toEqual([])
    },
  )
})

describe('the matrix itself', () => {
  it('has every credential knock somewhere', () => {
    const knock = published.operations.flatMap((operation) => {
      const row = rowOf(operation)
      return row === undefined ? [] : knocksOf(operation, row).map(({ by }) => by.name)
    })
    const idle = credentials.filter(({ name }) => !knock.includes(name))
    expect(idle.map(({ name }) => name)).toEqual([])
  })

  it('notices a door that opens to somebody it should not', () => {
    const row: MatrixRow = { access: 'dashboard', permission: 'keys', status: 200 }
    const viewer = credentials.find(({ name }) => name === 'VIEWER by session')
    if (viewer === undefined) throw new Error('no viewer')
    const expected = expectedOf('POST', row, viewer)
    expect(isAsExpected(expected, { status: 200, code: '' }, [200])).toBe(false)
    expect(isAsExpected(expected, { status: 403, code: 'permission_denied' }, [200])).toBe(true)
  })
})
