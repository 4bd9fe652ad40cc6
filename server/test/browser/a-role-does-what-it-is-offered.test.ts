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
import { sized } from '../setup/proof-size.ts'
import { type Act, acts, buttonIn, isPress, perform } from './acts-of-members.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { fillForActs, fillPath } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
const patience_ms = 400_000

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

const refused = /Your role does not allow/
const settles_ms = 5_000

/** Whether what begins the act can be pressed, once the screen is there. */
async function isOffered(page: Page, { steps, by }: Act): Promise<boolean> {
  // A screen that follows what happens may never come to rest on a busy machine.
  await comesToRest(page, settles_ms).catch(() => undefined)
  // The network may rest for a moment before a screen's own file asks for what it shows.
  await page.locator('main .loading:visible').first().waitFor({ state: 'detached' })
  if (by !== undefined) return (await page.locator('main input[type=file]').count()) > 0
  const first = steps.find(isPress) ?? ''
  const button = buttonIn(page, first)
  const isSettled = button.or(page.locator('main').getByText(refused)).first()
  await isSettled.waitFor({ timeout: 3 * settles_ms }).catch(() => undefined)
  if ((await button.count()) === 0) return false
  return (await button.getAttribute('aria-disabled')) !== 'true'
}

describe('the dashboard’s calls', () => {
  it('are read from its source, and each that is a merchant’s has a right', () => {
    expect(writes.filter((call) => call.endsWith('undefined'))).toEqual([])
    expect(writes.length).toBeGreaterThan(60)
    const own = writes.filter((call) => rightTo(call) === undefined)
    expect(own.filter((call) => !/ \/(auth|client-errors)\//.test(call))).toEqual([])
  })

  it('are made by the acts, at least one for each right', () => {
    const held = new Set<string | undefined>(['read', ...acts.map(({ call }) => rightTo(call))])
    const rights = new Set(writes.map(rightTo).filter((right) => right !== undefined))
    expect([...rights].filter((right) => !held.has(right))).toEqual([])
    expect(acts.filter(({ call }) => !writes.includes(call))).toEqual([])
  })
})

describe('a role', () => {
  // Each has a shop and a visit of its own.
  it.concurrent.each(sized<readonly Role[]>(['FINANCE'], roles))(
    '%s does what it is offered, and is refused the rest by the server',
    async (role) => {
      // Of the role's own: what one of them spends or ends is there for the next one.
      const shop = await fixture.app.shop()
      const filled = await fillForActs({ ...fixture, shop })
      const { merchant_id } = shop
      // The first whose role may be changed: not the one who acts.
      await fixture.app.member({ merchant_id, role: 'VIEWER' })
      const member = await fixture.app.member({ merchant_id, role })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, merchant_id, '')
        await signInAs(page, member)
        const faults: string[] = []
        for (const act of sized(
          acts.filter((_, nth) => nth % 3 === 0),
          acts,
        )) {
          await openFor(page, fixture.app.url, merchant_id, fillPath(act.at, filled.ids))
          const offered = await isOffered(page, act)
          if (offered !== mayDo(role, act.call)) faults.push(`${act.call}: offered ${offered}`)
          if (!offered) continue
          const status = await perform(page, act, fixture.site.url).catch(String)
          if (typeof status === 'string' || status >= 300) faults.push(`${act.call}: ${status}`)
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
