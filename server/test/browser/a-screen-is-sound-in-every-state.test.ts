// Each screen of the dashboard in each of its states, as wide as a small telephone, a telephone, a
// tablet and a desk, light and dark, in both languages: axe finds nothing, nothing lies beyond the
// edge, no text is cut. The states stand in `states-of-screens.ts`; the entrances have a test of
// their own.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../harness.ts'
import { shareOf, sized, wholeIt } from '../setup/proof-size.ts'
import { acts } from './acts-of-members.ts'
import { signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { fillPath, ownPages } from './full-shop.ts'
import { type Act, perform } from './member-act.ts'
import { comesToRest } from './rest.ts'
import { type Seat, type Seats, seatsIn } from './shops-in-states.ts'
import { allWidths, findUnsound, type Language, layouts } from './sound.ts'
import { type State, states } from './states-of-screens.ts'

let fixture: BrowserFixture
let seats: Seats
const patience_ms = 1_200_000

beforeAll(async () => {
  fixture = await startFixture()
  seats = seatsIn(fixture)
  // The others are not waited for before the first is looked at.
  await seats.full()
}, patience_ms)
afterAll(async () => {
  await seats?.close()
  await fixture?.stop()
})

/** One's own account stands beside all merchants. */
async function open(page: Page, { reader, mode, ids }: Seat, path: string): Promise<void> {
  const at = ownPages.includes(path) ? '' : `/${reader.merchant_id}/${mode}`
  await page.goto(`${fixture.app.url}/dashboard${at}${fillPath(path, ids)}`)
  await page.locator('h1').first().waitFor()
}

async function signIn(page: Page, seat: Seat): Promise<void> {
  const { reader } = seat
  await open(page, seat, '')
  await signInAs(page, reader, 'code' in reader ? { code: reader.code() } : {})
}

/** In a state of its own, once there is something to see of it. */
async function settle(page: Page, { isWaiting = false }: State): Promise<void> {
  await page.locator('main h1').waitFor()
  if (!isWaiting) return comesToRest(page)
  // What waits has its room at first, then bones; a form that asks for nothing has neither.
  await page.locator('.room').first().waitFor({ state: 'detached' })
}

const languages = sized<readonly Language[]>(['fr'], ['fr', 'en'])

type Case = Readonly<{ language: Language; name: string; state: State; turn: number }>

const cases: readonly Case[] = languages.flatMap((language, turn) =>
  states.map((state) => ({ language, name: state.name, state, turn })),
)

/** Of states that are looked at in turn each language has every other screen. */
const screensOf = ({ state: { screens, few = [], isInTurn = false }, turn }: Case) =>
  sized(few, shareOf(screens)).filter((_, nth) => !isInTurn || nth % languages.length === turn)

async function expectAllSound(one: Case): Promise<void> {
  const { language, state, turn } = one
  const { meet, isInTurn = false, isPassing = false } = state
  // Axe looks at a telephone's in either language, at a desk's in French.
  const ownLayout = layouts.filter((_, nth) => nth !== turn)
  const widths = isPassing ? ownLayout : sized(layouts, isInTurn ? layouts : allWidths)
  const seat = await state.sit(seats)
  const { ready, happen, pass } = state.befalls?.() ?? {}
  await fixture.visit({ language, width: 1280 }, async (page) => {
    await signIn(page, seat)
    if (meet !== undefined) {
      await page.route(
        ({ pathname }) => pathname.startsWith('/api/v1/') && !pathname.endsWith('/auth/me/'),
        meet,
      )
    }
    await ready?.(page)
    const faults = new Set<string>()
    for (const path of screensOf(one)) {
      await open(page, seat, path)
      await settle(page, state)
      await happen?.(page)
      for (const fault of await findUnsound(page, { language, widths }))
        faults.add(`${path}: ${fault}`)
      await pass?.(page)
    }
    expect([...faults]).toEqual([])
  })
}

describe('every screen', () => {
  const isSmall = ({ state: { few } }: Case) => few !== undefined
  const name = 'is sound: $name, $language'
  it.concurrent.each(cases.filter(isSmall))(name, expectAllSound, patience_ms)
  wholeIt.concurrent.each(cases.filter((one) => !isSmall(one)))(name, expectAllSound, patience_ms)
})

/**
 * All acts that want a code in LIVE, as the service says of its calls. None of them is done, so one
 * shop has what each needs.
 */
async function actsByCode(): Promise<readonly Act[]> {
  const document: Json = await (await fetch(`${fixture.app.url}/api/v1/openapi.json`)).json()
  return acts.filter(({ call }) => {
    const [method = '', path = ''] = call.split(' ')
    return document.paths[path][method.toLowerCase()]['x-access'].member.second_factor !== 'none'
  })
}

const site = 'https://shop.example.com'

/** In the step that confirms, or over the page; of who has none, the way to turn it on. */
const askedForCode = [
  ...['main input[name=totp]', 'dialog[open] input[name=code]'],
  ...['main .confirm a[href$="/me/security"]', 'dialog[open] a[href$="/me/security"]'],
].join(', ')

/** The reader's last code was given so long ago; it is good for ten minutes. */
const codeGiven = async ({ reader }: Seat, minutes_ago: number): Promise<void> => {
  await fixture.app.owner`
    update sessions set totp_at = now() - ${minutes_ago} * interval '1 minute'
     where person_id = ${reader.person_id}`
}

/** Signed in, and no code given for longer than one is good for. */
async function comeToLive(page: Page, seat: Seat): Promise<void> {
  await signIn(page, seat)
  await codeGiven(seat, 11)
}

/** To where the act begins: its first step wants a code too, and was left standing since. */
async function comeTo(page: Page, seat: Seat, { at, after }: Act): Promise<void> {
  await open(page, seat, at)
  await comesToRest(page)
  const first = acts.find(({ call }) => call === after)
  if (first === undefined) return
  await codeGiven(seat, 0)
  expect([after, await perform(page, first, site)]).toEqual([after, 200])
  await codeGiven(seat, 11)
}

describe('the second factor that an act wants', () => {
  wholeIt(
    'is asked for soundly, whichever the act',
    async () => {
      const language = 'en'
      const seat = await seats.live()
      await fixture.visit({ language, width: 1280 }, async (page) => {
        await comeToLive(page, seat)
        const faults: string[] = []
        for (const act of await actsByCode()) {
          // Of its own: the code may be wanted before the last press, which then waits in vain.
          const own = await page.context().newPage()
          await comeTo(own, seat, act)
          const done = perform(own, act, site).catch(String)
          const asked = own.locator(askedForCode).first().waitFor()
          await asked.catch((fault) => faults.push(`${act.call}: ${fault}`))
          for (const fault of await findUnsound(own, { language, widths: layouts }))
            faults.push(`${act.call}: ${fault}`)
          await own.close()
          await done
        }
        expect(faults).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt.each([true, false])(
    'is asked for soundly in French and in the dark, of whoever has one: %s',
    async (isEnrolled) => {
      const language = 'fr'
      const seat = await seats.live()
      const { merchant_id } = seat.reader
      const reader = isEnrolled ? seat.reader : await fixture.app.member({ merchant_id })
      await fixture.visit({ language, width: 1280 }, async (page) => {
        await comeToLive(page, { ...seat, reader })
        await open(page, seat, '/developers/keys/new')
        await page.locator('main input[name=name]').fill('Caisse')
        await page.locator('main form button[type=submit]').click()
        await page.locator(askedForCode).first().waitFor()
        expect(await findUnsound(page, { language, widths: layouts })).toEqual([])
      })
    },
    patience_ms,
  )
})
