// A payment link to print or to show (contract 6.2): its QR code as a picture, and a poster. Both
// hold nothing but the address that the link has anyway.

import { setImmediate } from 'node:timers/promises'
import qrcode from 'qrcode'
import { Type } from 'typebox'
import type { CatalogueOf } from '../../catalogue/read-catalogue.ts'
import { profileIn } from '../../merchants/settings/profile.ts'
import { readProfile } from '../../merchants/settings/read-settings.ts'
import { takesCards } from '../../planning/plan-softpay.ts'
import type { Sql } from '../../platform/db.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import type { Caller, FileReply, Input, ServedRoute } from '../../platform/http/route.ts'
import { type Listed, routesWith } from '../../platform/http/route-list.ts'
import { type Turns, turnsOf } from '../../platform/turns.ts'
import { getOwnLink } from '../own-order.ts'
import { drawPoster, paperNames } from './poster.ts'
import { viewLink } from './view.ts'

export type PosterDeps = Readonly<{ db: Sql; catalogue: CatalogueOf; public_url: string }>

export const posterRoutes = (deps: PosterDeps): ServedRoute[] =>
  routesWith({ tag: 'Payment links', access: 'any' }, [qrRoute(deps), posterRoute(deps)])

/** Drawn one at a time for a merchant: each takes some milliseconds in one piece. */
const ofPosters = { of_owner: 1, waiting: 100, wait_ms: 20_000 }
const turns: Readonly<Record<Caller['environment'], Turns>> = {
  LIVE: turnsOf({ ...ofPosters, at_once: 2 }),
  SANDBOX: turnsOf({ ...ofPosters, at_once: 1 }),
}

async function inTurn<T>({ caller }: Pick<Input, 'caller'>, draw: () => Promise<T>): Promise<T> {
  return turns[caller.environment](caller.merchant_id, async () => {
    const drawn = await draw()
    await setImmediate()
    return drawn
  })
}

/** A quiet margin of four modules, as ISO/IEC 18004 asks. */
const code = { errorCorrectionLevel: 'M', margin: 4 } as const

const qrRoute = ({ db, public_url }: PosterDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/payment-links/:id/qr/',
  query: Type.Object({
    format: Type.Optional(Type.Enum(['svg', 'png'], { description: 'Defaults to svg.' })),
  }),
  summary: 'Download the QR code of a payment link',
  description: 'Holds the `url` of the link; png is 600 pixels wide.',
  sends: ['Content-Disposition'],
  responses: { 200: Type.String({ contentMediaType: 'image/svg+xml' }) },
  also: { 'image/png': Type.String({ format: 'binary' }) },
  errors: [],
  example: {},
  handler: async (input): Promise<FileReply> => {
    const link = await getOwnLink(db, input.caller, uuidParam(input, 'id'))
    const { url } = viewLink(link, public_url)
    const isPng = input.query['format'] === 'png'
    const file = await inTurn<Buffer | string>(input, () =>
      isPng
        ? qrcode.toBuffer(url, { ...code, width: 600 })
        : qrcode.toString(url, { ...code, type: 'svg' }),
    )
    const filename = `link-${link.slug.slice(0, 8)}.${isPng ? 'png' : 'svg'}`
    return { status: 200, file, filename, content_type: isPng ? 'image/png' : 'image/svg+xml' }
  },
})

const posterRoute = ({ db, catalogue, public_url }: PosterDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/payment-links/:id/poster/',
  query: Type.Object({
    size: Type.Optional(Type.Enum([...paperNames], { description: 'Defaults to A5.' })),
    lang: Type.Optional(
      Type.Enum(['fr', 'en'], { description: 'Defaults to the language of Accept-Language.' }),
    ),
  }),
  summary: 'Download a poster of a payment link as PDF',
  description: 'One page with the merchant, the amount and the QR code, to print.',
  sends: ['Content-Disposition', 'Content-Language'],
  responses: { 200: Type.String({ contentMediaType: 'application/pdf' }) },
  errors: [],
  example: {},
  handler: async (input): Promise<FileReply> => {
    const { caller, query } = input
    const link = await getOwnLink(db, caller, uuidParam(input, 'id'))
    const profile = profileIn(await readProfile(db, caller.merchant_id), link.environment)
    const locale = query['lang'] === 'fr' || query['lang'] === 'en' ? query['lang'] : input.locale
    const paper = query['size'] === 'A6' ? 'A6' : 'A5'
    const { url } = viewLink(link, public_url)
    const takes_cards = takesCards(await catalogue(profile.catalogue_version), profile)
    const file = await inTurn<Buffer | string>(input, () =>
      drawPoster({ link, profile, url, paper, locale, takes_cards }),
    )
    return {
      status: 200,
      file,
      filename: `poster-${link.slug.slice(0, 8)}-${paper}.pdf`,
      content_type: 'application/pdf',
      headers: { 'Content-Language': locale },
    }
  },
})
