// A shop's developer without a mouse: a webhook that fails and comes back, its tries compared, a new
// secret, a replay, on again after a 410; a key replaced and revoked; every
// outcome that the sandbox plays.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import {
  arrive,
  choose,
  enter,
  openSettled,
  seen,
  signInByKeys,
  tabTo,
  typeInto,
} from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let developer: SignedInCaller
let receiver: Receiver
const patience_ms = 180_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  const { app, shop } = fixture
  developer = await app.member({ merchant_id: shop.merchant_id, role: 'DEVELOPER' })
  receiver = await startReceiver()
}, patience_ms)
afterAll(async () => {
  await receiver?.close()
  await fixture?.stop()
})

const addressOf = (path: string) =>
  `${fixture.app.url}/dashboard/${developer.merchant_id}/test${path}`

type Journey = (page: Page) => Promise<void>

const readers = {
  fr: { language: 'fr', width: 360 },
  en: { language: 'en', width: 1280 },
} as const

const at = (reader: keyof typeof readers, path: string, journey: Journey) =>
  fixture.visit(readers[reader], async (page) => {
    await page.goto(addressOf(''))
    await signInByKeys(page, developer)
    await openSettled(page, addressOf(path))
    await journey(page)
  })

/** In the dialog over the page, which has the focus. */
async function inDialog(page: Page, name: RegExp): Promise<void> {
  await page.locator('dialog[open]').waitFor()
  await enter(page, name)
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
}

/** A box is ticked by Space. */
async function tick(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Space')
}

/** A day in UTC, as in `2026-11-27`. */
const daysAgo = (days: number): string =>
  new Date(Date.now() - days * 24 * 3_600_000).toISOString().slice(0, 10)

/**
 * Into the browser's own field that has the focus, part by part, by the machine's habits: months or
 * days first, with or without halves of a day.
 */
async function typeMoment(page: Page, moment: string): Promise<void> {
  const [year, month, day, ...time] = moment.split(/\D/)
  const value = 'document.activeElement.value'
  for (const date of [`${month}${day}${year}`, `${day}${month}${year}`]) {
    await page.keyboard.type(date)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type(`${time.join('')}A`)
    if ((await page.evaluate(value)) === moment) return
    for (let part = 0; part < 6; part += 1) await page.keyboard.press('ArrowLeft')
  }
  expect(await page.evaluate(value)).toBe(moment)
}

describe('by keys alone', () => {
  wholeIt(
    'a webhook is registered, tested, its tries are compared, a delivery is sent again',
    async () => {
      const answers = [500, 200]
      receiver.answerWith((response, _got, nth) => {
        response.statusCode = answers[nth - 1] ?? 200
        response.end(nth === 1 ? '{"error":"no disk"}' : '{"ok":true}')
      })
      await at('en', '/developers/webhooks', async (page) => {
        await enter(page, /^A New webhook$/)
        await arrive(page, 'New webhook')
        await typeInto(page, /^INPUT Address/, receiver.url)
        await tabTo(page, /^INPUT All, and those to come/)
        // Of two that belong together the arrows choose.
        await page.keyboard.press('ArrowDown')
        await tick(page, /^INPUT transaction\.success/)
        await enter(page, /^BUTTON Create the webhook$/)
        await seen(page, 'shown only once')
        await tick(page, /^INPUT It is kept in a safe place/)
        await enter(page, /^BUTTON Continue$/)
        await arrive(page, 'Webhook')
        await comesToRest(page)
        await enter(page, /^BUTTON Send a test$/)
        await arrive(page, 'Delivery')
        await seen(page, 'Try 1 failed: 500')
        await enter(page, /^BUTTON Resend$/)
        await seen(page, /Your server answered 200/)
        await seen(page, 'Compare two tries')
        await enter(page, /^A All deliveries$/)
        await enter(page, /^SUMMARY Filter$/)
        await choose(page, /^SELECT Status/, 'G')
        await page.keyboard.press('Enter')
        await enter(page, /^BUTTON Show$/)
        await page.waitForURL(/status=/)
      })
    },
    patience_ms,
  )

  wholeIt(
    'a webhook has a new secret beside the old one, is replayed, and on again after a 410',
    async () => {
      const own = await startReceiver()
      const made = await developer.post('/merchant-webhooks/', { url: own.url })
      const { id } = made.data
      const paid = await fixture.shop.pay({ description: 'Commande 7' })
      await fixture.shop.becomes(paid.data.id, 'SUCCESS')
      await at('fr', `/developers/webhooks/${id}`, async (page) => {
        await enter(page, /^BUTTON Nouveau secret$/)
        await page.locator('dialog[open]').waitFor()
        await enter(page, /^BUTTON Nouveau secret$/)
        await seen(page, 'affichage unique')
        await tick(page, /^INPUT C’est gardé en lieu sûr/)
        await inDialog(page, /^BUTTON Continuer$/)
        await seen(page, 'Les deux secrets signent. Fin')
        await enter(page, /^BUTTON Le nouveau est en place$/)
        await inDialog(page, /^BUTTON Le nouveau est en place$/)
        await page.getByText('Les deux secrets signent').first().waitFor({ state: 'detached' })
        await tabTo(page, /^INPUT Depuis/)
        await typeMoment(page, `${daysAgo(2)}T08:00`)
        await enter(page, /^BUTTON Renvoyer depuis une date$/)
        await seen(page, 'Terminé')
        await fixture.app.owner`
          update webhooks set is_active = false, switched_off_reason = 'GONE' where id = ${id}`
        await openSettled(page, addressOf(`/developers/webhooks/${id}`))
        await seen(page, 'votre serveur a répondu 410')
        await enter(page, /^BUTTON Réactiver$/)
        await seen(page, 'Actif')
        await enter(page, /^BUTTON Supprimer$/)
        await page.locator('dialog[open]').waitFor()
        await enter(page, /^BUTTON Supprimer$/)
        await heading(page, 'Webhooks')
      })
      await own.close()
    },
    patience_ms,
  )

  wholeIt(
    'a key is replaced and revoked, one after the other',
    async () => {
      const { data } = await developer.post('/merchant-api-keys/', {
        ...{ name: 'Site web', scope: 'BOTH', environment: 'SANDBOX' },
      })
      await at('fr', `/developers/keys/${data.id}`, async (page) => {
        await enter(page, /^SUMMARY Remplacer la clé$/)
        await choose(page, /^SELECT Durée de validité de l’ancienne/, '1')
        await enter(page, /^BUTTON Remplacer la clé$/)
        await seen(page, 'affichage unique')
        await tick(page, /^INPUT C’est gardé en lieu sûr/)
        await enter(page, /^BUTTON Continuer$/)
        await seen(page, 'Remplacée')
        await comesToRest(page)
        await enter(page, /^BUTTON Révoquer la clé$/)
        await page.locator('dialog[open]').waitFor()
        await enter(page, /^BUTTON Révoquer la clé$/)
        await seen(page, 'Révoquée')
        await enter(page, /^A Toutes les clés$/)
        await heading(page, 'Clés API')
      })
    },
    patience_ms,
  )

  wholeIt(
    'each outcome of the sandbox is played, decided for the customer, and copied',
    async () => {
      const ends = [
        ...(['not enough money', 'not approved', 'no account has this number'] as const).map(
          (name) => [name, 'failed'] as const,
        ),
        ...(
          [
            ...['the answer is lost', 'first route is down', 'says so three times'],
            ...['before it answers the call', 'has succeeded after all'],
          ] as const
        ).map((name) => [name, 'done'] as const),
      ]
      await at('en', '/developers/sandbox', async (page) => {
        for (const [name, end] of ends) {
          await enter(page, new RegExp(`^BUTTON .*${name}`))
          await page.locator(`.outcome .status.${end}`).waitFor()
          await openSettled(page, addressOf('/developers/sandbox'))
        }
        await enter(page, /^BUTTON .*(stays|remains|waits)/i)
        await enter(page, /^BUTTON The customer refuses$/)
        await page.locator('.outcome .status.failed').waitFor()
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        await enter(page, /^BUTTON Payouts$/)
        await enter(page, /^BUTTON .*not enough/i)
        await seen(page, 'Copied')
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('developing', presses.soFar()))
})
