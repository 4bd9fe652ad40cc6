// Whose number a page may show. Others who have the address see its beginning and its last two
// digits; the browser that typed it sees it whole, so that a slip in the middle shows. What proves
// it is a seal of the number in a cookie: it holds no number, and gives no right.

import { readPhone, writeHiddenPhone, writePhone } from '../customers/phone.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Cookie, PageInput } from '../platform/http/page-route.ts'

const cookie_name = 'typed'
const purpose = 'page-number'

type Deps = Readonly<{ keyring: Pick<Keyring, 'mac' | 'macMatches'> }>

/** A number on the page of a session. */
export type OwnNumber = Readonly<{ slug: string; e164: string }>

const sealed = ({ slug, e164 }: OwnNumber): string => `${slug} ${e164}`

export const rememberedNumber = ({ keyring }: Deps, own: OwnNumber, path: string): Cookie => ({
  name: cookie_name,
  value: keyring.mac(purpose, sealed(own)).toString('base64url'),
  path,
})

function isTypedHere({ keyring }: Deps, input: PageInput, own: OwnNumber): boolean {
  const tag = input.cookies[cookie_name] ?? ''
  return (
    /^[\w-]{43}$/.test(tag) &&
    keyring.macMatches(purpose, sealed(own), Buffer.from(tag, 'base64url'))
  )
}

/** As this reader may see it. */
export const shownNumber = (deps: Deps, input: PageInput, own: OwnNumber): string =>
  isTypedHere(deps, input, own) ? writePhone(own.e164) : writeHiddenPhone(own.e164)

/** What is paid with where the field is left empty. */
export type KeptNumber = Readonly<{ shown: string; is_whole: boolean; e164: string }>

/** Undefined where there is none, or none that this country's operators could reach. */
export function keptNumber(
  deps: Deps,
  { input, slug }: Readonly<{ input: PageInput; slug: string }>,
  { number, country }: Readonly<{ number: string; country: string }>,
): KeptNumber | undefined {
  const reading = readPhone(number, country)
  if (reading.is !== 'phone') return undefined
  const own = { slug, e164: reading.e164 }
  const is_whole = isTypedHere(deps, input, own)
  return { shown: shownNumber(deps, input, own), is_whole, e164: reading.e164 }
}
