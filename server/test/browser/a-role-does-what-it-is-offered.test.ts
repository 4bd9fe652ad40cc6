// Each role with its own hands: what the dashboard offers it is pressed and done, what it does not
// offer is sent all the same, with the page's own session, and refused by the server. Which is which
// the server's table of rights says, for every call that the dashboard's source can make.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayAs, type Role, roles } from '../../src/merchants/roles.ts'
import { merchantPermission } from '../matrix/merchant-rows.ts'
import { matrixRows } from '../matrix/rows.ts'
import { shareOf, sized } from '../setup/proof-size.ts'
import { acts, someActs } from './acts-of-members.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { isOffered, perform, standAt } from './member-act.ts'
import { fillForActs } from './shop-for-acts.ts'

let fixture: BrowserFixture
const patience_ms = 1_500_000

beforeAll(async () => {
  fixture = await startFixture()
}, patience_ms)
afterAll(() => fixture?.stop())

const source = resolve(import.meta.dirname, '../../../dashboard/src')

/** A call that changes something: its method, then its address or the name of one. */
const writing = /method: '(POST|PUT|PATCH|DELETE)',\s*url(?:: (?:'([^']+)'|(\w+)))?/g

/** Every call of the dashboard's source that changes something, as the API names operations. */
const writes: readonly string[] = [
  ...new Set(
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('gen'))
      .map((file) => readFileSync(join(source, file), 'utf8'))
      .flatMap((text) =>
        [...text.matchAll(writing)].map(([, method, address, name = 'url']) => {
          const named = new RegExp(`const ${name} = '([^']+)'`).exec(text)?.[1]
          return `${method} ${address ?? named}`
        }),
      ),
  ),
].sort()

/** What a member's role must allow; undefined for what is a person's own. */
const rightTo = (call: string) => {
  const row = matrixRows[call]
  return row === undefined ? merchantPermission(call) : row.permission
}

const mayDo = (role: Role, call: string): boolean => {
  const right = rightTo(call)
  return right !== undefined && mayAs[role].includes(right)
}

type Sending = Readonly<{ page: Page; merchant_id: string; call: string }>

/** As the page itself sends it, to a record that there is not: only the door is asked. */
async function send({ page, merchant_id, call }: Sending) {
  const [method, path = ''] = call.split(' ')
  const address = path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
  const headers = {
    ...{ 'X-Requested-With': 'pirogue', 'Content-Type': 'application/json' },
    ...{ 'X-Merchant': merchant_id, 'X-Environment': 'SANDBOX' },
  }
  return page.evaluate<{ status: number; code: string }>(`fetch(
    ${JSON.stringify(`${fixture.app.url}/api/v1${address}`)},
    ${JSON.stringify({ method, headers, body: '{}' })},
  ).then(async (answer) => ({
    status: answer.status,
    code: (await answer.json().catch(() => ({})))?.error?.code ?? '',
  }))`)
}

const isDenied = ({ status, code }: { status: number; code: string }): boolean =>
  status === 403 && code === 'permission_denied'

describe('the dashboard’s calls', () => {
  it('are read from its source, and each that is a merchant’s has a right', () => {
    expect(writes.filter((call) => call.endsWith('undefined'))).toEqual([])
    expect(writes.length).toBeGreaterThan(60)
    const own = writes.filter((call) => rightTo(call) === undefined)
    expect(own.filter((call) => !/ \/(auth|client-errors)\//.test(call))).toEqual([])
  })

  it('are made by the acts, each that takes a right', () => {
    const made = new Set(acts.map(({ call }) => call))
    const taking = writes.filter((call) => rightTo(call) !== undefined)
    expect(taking.filter((call) => !made.has(call))).toEqual([])
    expect(acts.filter(({ call }) => !writes.includes(call))).toEqual([])
  })
})

describe('a role', () => {
  // Each has a shop and a visit of its own.
  it.concurrent.each(sized<readonly Role[]>(['FINANCE'], shareOf(roles)))(
    '%s does what it is offered, and is refused the rest by the server',
    async (role) => {
      // Of the role's own: what one of them spends or ends is there for the next one.
      const shop = await fixture.app.shop()
      const filled = await fillForActs({ ...fixture, shop }, role)
      const { merchant_id } = shop
      const where = { url: fixture.app.url, filled }
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await filled.signIn(page)
        const faults: string[] = []
        for (const act of sized(someActs, acts)) {
          await standAt(page, where, act)
          const offered = await isOffered(page, act)
          if (offered !== mayDo(role, act.call)) faults.push(`${act.call}: offered ${offered}`)
          if (!offered) continue
          const status = await perform(page, act, fixture.site.url).catch(String)
          if (typeof status === 'number' && status < 300) continue
          faults.push(`${act.call}: ${status}`)
          // What it left open is not what the next one begins with.
          await page.reload()
        }
        for (const call of writes.filter((write) => rightTo(write) !== undefined)) {
          const answer = await send({ page, merchant_id, call })
          if (isDenied(answer) === mayDo(role, call))
            faults.push(`${call} for ${role}: ${answer.status} ${answer.code}`)
        }
        expect(faults).toEqual([])
      })
      await filled.close()
    },
    patience_ms,
  )
})
